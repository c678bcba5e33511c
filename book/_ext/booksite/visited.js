// Keeps the pages that were visited, with what they load, for reading without a network.
// The network always comes first, so nothing here is older than what the site has.
const KEPT = "attention-token-by-token";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

// What the first page loaded before this script was there.
addEventListener("message", (event) => {
  const mine = event.data.filter((url) => url.startsWith(registration.scope));
  event.waitUntil(caches.open(KEPT).then((kept) => Promise.all(mine.map((url) => add(kept, url)))));
});

async function add(kept, url) {
  if (await kept.match(url)) return;
  const answer = await fetch(url);
  if (answer.ok) await kept.put(url, answer);
}

addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(registration.scope)) event.respondWith(answered(event.request));
});

async function answered(request) {
  const kept = await caches.open(KEPT);
  try {
    const answer = await fetch(request);
    if (answer.ok && answer.status === 200) await kept.put(request, answer.clone());
    return answer;
  } catch (error) {
    const old = await kept.match(request);
    if (old) return old;
    throw error;
  }
}
