// Reading without a network: from a folder, and of pages that were visited.
(function () {
  "use strict";
  // A page may not read another from file://, so search results have no excerpts there.
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  if (!location.protocol.startsWith("http") || !navigator.serviceWorker) return;

  const worker = new URL(`${document.documentElement.dataset.content_root}visited.js`, document.baseURI);
  const loaded = () => [location.href, ...performance.getEntriesByType("resource").map((entry) => entry.name)];
  addEventListener("load", async () => {
    try {
      await navigator.serviceWorker.register(worker);
      (await navigator.serviceWorker.ready).active.postMessage(loaded());
    } catch {
      // A private window may refuse; the page works without.
    }
  });
})();
