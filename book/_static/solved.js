// Marks what the reader has solved: every element that names exercises is told how many of them are.
(() => {
  const BOOK = "attention-token-by-token";
  const { store } = window.attentionFronts.exercise;
  const elements = [...document.querySelectorAll("[data-exercises]")].map((element) => ({
    element,
    exercises: Object.entries(JSON.parse(element.dataset.exercises)),
    place: element.querySelector(".att-mark"),
  }));

  function show() {
    const records = store.list(BOOK);
    elements.forEach((entry) => mark(entry, records));
  }

  function mark({ element, exercises, place }, records) {
    const isSolved = ([id, version]) => records[id]?.solved && records[id].version === version;
    const count = exercises.filter(isSolved).length;
    const begun = exercises.some(([id]) => records[id]);
    element.dataset.solved = count === exercises.length ? "all" : begun ? "some" : "none";
    if (!place) {
      element.textContent = { all: "✓ solved", some: "begun", none: "open" }[element.dataset.solved];
      return;
    }
    const many = exercises.length > 1 ? "exercises" : "exercise";
    element.setAttribute("aria-description", `${count} of ${exercises.length} ${many} solved`);
    element.style.setProperty("--share", count / exercises.length);
    place.textContent = count === exercises.length ? "✓" : `${count}/${exercises.length}`;
  }

  show();
  document.addEventListener("att-progress", show);
  window.addEventListener("storage", show);
})();
