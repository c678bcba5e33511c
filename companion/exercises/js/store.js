// Progress in localStorage, one record an exercise, keyed by book and id. Where storage is absent, full or
// throws, records live in memory as long as the page does.
// A record: { version, state, solved, answer, checked, hints, solution, variant, tries, at }.

// One memory for all copies of this module on a page: a notebook loads one a widget.
const memory = (globalThis.attMemory ??= new Map());

const store = {
  name: (book, id) => `${book}/${id}`,

  // The record; null when there is none or it cannot be read.
  get(book, id) {
    const name = store.name(book, id);
    if (memory.has(name)) return memory.get(name);
    try {
      return asRecord(JSON.parse(localStorage.getItem(name)));
    } catch {
      return null;
    }
  },

  // Keeps the record and tells the page. False when only memory could take it.
  set(book, id, record, from = document) {
    const name = store.name(book, id);
    let kept = true;
    try {
      localStorage.setItem(name, JSON.stringify(record));
      memory.delete(name);
    } catch {
      memory.set(name, record);
      kept = false;
    }
    announce(book, id, from);
    return kept;
  },

  remove(book, id, from = document) {
    const name = store.name(book, id);
    memory.delete(name);
    try {
      localStorage.removeItem(name);
    } catch {
      memory.set(name, null);
    }
    announce(book, id, from);
  },

  // { id: record } of a book.
  list(book) {
    const names = new Set([...memory.keys()]);
    try {
      for (let index = 0; index < localStorage.length; index += 1) names.add(localStorage.key(index));
    } catch {
      // Memory holds all there is.
    }
    const ids = [...names]
      .filter((name) => name.startsWith(`${book}/`))
      .map((name) => name.slice(book.length + 1));
    return Object.fromEntries(ids.map((id) => [id, store.get(book, id)]).filter(([, record]) => record));
  },

  export: (book) => JSON.stringify({ book, records: store.list(book) }, null, 1),

  // Takes over the records of an exported text, and returns how many. What is solved here stays solved.
  // Throws an Error in words when the text is no export of this book.
  import(book, text) {
    let data = null;
    try {
      data = JSON.parse(text);
    } catch {
      throw new Error("This file is not JSON.");
    }
    if (data?.book !== book || typeof data.records !== "object" || data.records === null) {
      throw new Error("This file holds no progress of this book.");
    }
    const records = Object.entries(data.records).filter(([, record]) => asRecord(record));
    for (const [id, record] of records) {
      const mine = store.get(book, id);
      if (!(mine?.solved && mine.version === record.version && !record.solved)) store.set(book, id, record);
    }
    return records.length;
  },

  clear(book) {
    for (const id of Object.keys(store.list(book))) store.remove(book, id);
  },
};

function asRecord(value) {
  return value !== null && typeof value === "object" && "version" in value ? value : null;
}

function announce(book, id, from) {
  from.dispatchEvent(new CustomEvent("att-progress", { bubbles: true, detail: { book, id } }));
}

// Calls `changed(book, id)` when this page or another tab changes a record; returns what stops it.
function watch(changed) {
  const here = (event) => changed(event.detail.book, event.detail.id, event.target);
  const elsewhere = (event) => {
    const [book, id] = (event.key ?? "").split(/\/(.*)/s);
    changed(book, id, null);
  };
  document.addEventListener("att-progress", here);
  window.addEventListener("storage", elsewhere);
  return () => {
    document.removeEventListener("att-progress", here);
    window.removeEventListener("storage", elsewhere);
  };
}
