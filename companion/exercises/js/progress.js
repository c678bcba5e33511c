// The progress page, and the "5 of 9" at a chapter's head.

const isSolved = (record, row) => Boolean(record?.solved && record.version === row.version);

function mountChapterProgress(el, spec) {
  const chip = h("p", { class: "att-chip" });
  el.replaceChildren(chip);
  const show = () => {
    const records = store.list(spec.book);
    const solved = spec.rows.filter((row) => isSolved(records[row.id], row)).length;
    const mark = solved === spec.rows.length ? "✓ " : "";
    chip.textContent = `${mark}${solved} of ${counted(spec.rows.length, "exercise")} solved`;
  };
  show();
  return tidy(el, watch(show));
}

function mountProgress(el, spec) {
  const { book, rows } = spec;
  const body = h("div");
  const status = h("p", { role: "status", class: "att-feedback" });
  const file = h("input", { type: "file", accept: "application/json,.json", onchange: take });
  const confirm = h(
    "span",
    { hidden: true, role: "group", "aria-label": "Clear all progress?" },
    "Clear all progress of this book? ",
    button("Yes, clear it", clear),
    button("Keep it", () => ask(false)),
  );
  const asking = button("Clear", () => ask(true));
  const actions = h(
    "div",
    { class: "att-actions" },
    button("Export", give),
    h("label", { class: "att-file" }, "Import ", file),
    asking,
    confirm,
  );
  el.replaceChildren(
    h("section", { class: "att-progress", "aria-label": "Progress" }, body, actions, status),
  );
  show();
  return tidy(el, watch(show));

  function show() {
    const records = store.list(book);
    const chapters = [...new Set(rows.map((row) => row.chapter))];
    body.replaceChildren(
      resume(rows, records),
      ...chapters.map((chapter) => chapterList(chapter, rows, records)),
    );
  }

  function give() {
    const address = URL.createObjectURL(new Blob([store.export(book)], { type: "application/json" }));
    h("a", { href: address, download: `${book}-progress.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address));
    status.textContent = "Exported.";
  }

  async function take() {
    if (!file.files.length) return;
    try {
      status.textContent = `${counted(store.import(book, await file.files[0].text()), "exercise")} imported.`;
    } catch (error) {
      status.textContent = `${error.message} Nothing was changed.`;
    }
    file.value = "";
  }

  function ask(open) {
    confirm.hidden = !open;
    (open ? confirm.lastChild : asking).focus();
  }

  function clear() {
    store.clear(book);
    ask(false);
    status.textContent = "Cleared.";
  }
}

function resume(rows, records) {
  const solved = rows.filter((row) => isSolved(records[row.id], row)).length;
  const open = rows.filter((row) => !isSolved(records[row.id], row));
  const touched = open.filter((row) => records[row.id]).sort((a, b) => records[b.id].at - records[a.id].at);
  const next = touched[0] ?? open[0];
  const link = next ? [" Next: ", h("a", { href: next.href, html: next.title }), "."] : [];
  return h(
    "p",
    { class: "att-resume" },
    h("strong", {}, `${solved} of ${counted(rows.length, "exercise")} solved.`),
    ...link,
  );
}

function chapterList(chapter, rows, records) {
  const mine = rows.filter((row) => row.chapter === chapter);
  const solved = mine.filter((row) => isSolved(records[row.id], row)).length;
  const items = mine.map((row) => {
    const state = isSolved(records[row.id], row) ? "solved" : records[row.id] ? "begun" : "open";
    const mark = { solved: "✓", begun: "…", open: "○" }[state];
    const link = h("a", { href: row.href, html: row.title });
    return h(
      "li",
      { "data-state": state },
      h("span", { "aria-hidden": "true" }, mark),
      link,
      h("span", { class: "att-how" }, state),
    );
  });
  const heading = h(
    "h2",
    {},
    h("span", {}, chapter),
    h("span", { class: "att-how" }, ` ${solved} of ${mine.length}`),
  );
  return h("section", {}, heading, h("ul", {}, ...items));
}

function tidy(el, unwatch) {
  return () => {
    unwatch();
    el.replaceChildren();
  };
}
