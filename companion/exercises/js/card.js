// One exercise: the card, its buttons, its feedback, and its record in the store.

const INPUTS = {
  choice: choiceInput,
  choices: choiceInput,
  number: typedInput,
  vector: typedInput,
  tokens: tokensInput,
  terms: termsInput,
  order: orderInput,
  explain: explainInput,
  code: codeInput,
};
const STATES = ["unanswered", "wrong", "solved"];
const VERDICTS = { right: "✓ Right. ", wrong: "↩ Not yet. " };
const LOCKED = "Try once first, or take the hints: then the solution opens.";

function mountExercise(el, spec, { notebook = false } = {}) {
  const sealed = unseal(spec.sealed);
  const cards = [JSON.parse(sealed.card), ...sealed.variants.map((delta) => patch(sealed.card, delta))];
  const fresh = () => ({
    version: spec.version,
    state: "unanswered",
    solved: false,
    answer: null,
    checked: null,
    hints: 0,
    solution: false,
    variant: 0,
    tries: 0,
  });
  let record = fresh();
  const card = () => cards[record.variant] ?? cards[0];

  const title = unique();
  const prompt = h("div", { class: "att-prompt" });
  const feedback = h("div", { role: "status", class: "att-feedback" });
  const hints = h("ol", { class: "att-hints", "aria-live": "polite" });
  const solution = h("div", { class: "att-solution", id: unique(), hidden: true });
  const note = h("p", { class: "att-note" });
  const input = INPUTS[spec.kind](spec, cards[0], { edit, check });
  const buttons = {
    check: spec.kind === "code" ? null : button("Check", check, { class: "att-primary" }),
    hint: cards[0].hints.length ? button("Hint", hint) : null,
    solution: button("Solution", toggleSolution, { "aria-expanded": "false", "aria-controls": solution.id }),
    again: cards.length > 1 ? button("Another like this", again) : null,
    reset: button("Reset", reset),
  };
  const root = h(
    "section",
    {
      class: "att-exercise tex2jax_ignore mathjax_ignore",
      "data-exercise": spec.id,
      "data-kind": spec.kind,
      "aria-labelledby": title,
    },
    head(spec, title, notebook),
    prompt,
    h("div", { class: "att-body" }, input.body),
    h("div", { class: "att-actions" }, ...Object.values(buttons).filter(Boolean)),
    feedback,
    ...(input.after ? [input.after] : []),
    hints,
    solution,
    note,
  );
  // No key may reach a notebook, where letters are commands.
  for (const type of ["keydown", "keyup", "keypress"])
    root.addEventListener(type, (event) => event.stopPropagation());
  if (!notebook && !document.getElementById(spec.id)) root.id = spec.id;
  el.replaceChildren(root);
  load();
  const unwatch = watch((book, id, from) => {
    const mine = (book === spec.book && id === spec.id) || !book;
    if (mine && from !== root) load();
  });
  return () => {
    unwatch();
    el.replaceChildren();
  };

  function load() {
    const stored = store.get(spec.book, spec.id);
    const current = stored?.version === spec.version;
    record = current ? { ...fresh(), ...stored } : fresh();
    if (!STATES.includes(record.state)) record.state = "unanswered";
    note.textContent = stored?.solved && !current ? "This exercise has changed since you solved it." : "";
    input.write(record.answer);
    show();
    const result = record.checked === null ? null : grade(spec.kind, card(), record.checked);
    say(result?.state ?? "", result?.message ?? "");
  }

  function save(changes) {
    record = { ...record, ...changes, at: Date.now() };
    const kept = store.set(spec.book, spec.id, record, root);
    note.textContent = kept ? "" : "This browser keeps no progress: it lasts until you leave the page.";
    show();
  }

  // Everything but input and feedback, from the record.
  function show() {
    root.dataset.state = record.state;
    const { prompt: asked, hints: all, solution: worked } = card();
    if (prompt.dataset.variant !== String(record.variant)) {
      fill(prompt, asked);
      prompt.dataset.variant = record.variant;
      hints.replaceChildren();
    }
    while (hints.children.length > record.hints) hints.lastChild.remove();
    all.slice(hints.children.length, record.hints).forEach((text) => hints.append(h("li", { html: text })));
    const open =
      record.tries > 0 ||
      record.solution ||
      (record.hints >= all.length && (all.length > 0 || spec.kind === "code"));
    solution.hidden = !record.solution;
    fill(solution, record.solution ? `<strong>Solution</strong>${worked}${codeOf(card())}` : "");
    buttons.solution.setAttribute("aria-expanded", record.solution);
    lock(buttons.solution, !open, LOCKED);
    if (buttons.hint) lock(buttons.hint, record.hints >= all.length, "There is no further hint.");
  }

  function lock(one, locked, why) {
    one.setAttribute("aria-disabled", locked);
    if (locked) one.title = why;
    else one.removeAttribute("title");
  }

  function say(state, message) {
    feedback.dataset.result = state;
    const verdict = h("span", { class: "att-verdict" }, VERDICTS[state] ?? "");
    feedback.replaceChildren(
      ...(message ? [verdict, h("span", { class: "att-message", html: message })] : []),
    );
  }

  function edit() {
    save({ answer: input.read() });
  }

  function check() {
    const answer = input.read();
    const result = grade(spec.kind, card(), answer);
    if (result.state === "open") {
      input.reveal();
      save({ answer: input.read(), checked: answer, tries: record.tries + 1 });
    } else if (result.state === "right" || result.state === "wrong") {
      const right = result.state === "right";
      save({
        answer,
        checked: answer,
        tries: record.tries + 1,
        state: right ? "solved" : "wrong",
        solved: record.solved || right,
      });
    } else if (spec.kind === "code") {
      save({ answer, checked: null, state: "unanswered", solved: false });
    }
    say(result.state, result.message);
  }

  function hint() {
    if (record.hints < card().hints.length) save({ hints: record.hints + 1 });
  }

  function toggleSolution() {
    if (buttons.solution.getAttribute("aria-disabled") === "true") say("", LOCKED);
    else save({ solution: !record.solution });
  }

  function again() {
    const variant = (record.variant + 1) % cards.length;
    input.write(null);
    save({ ...fresh(), solved: record.solved, variant });
    say("", "New numbers.");
  }

  function reset() {
    store.remove(spec.book, spec.id, root);
    load();
    say("", "Cleared.");
  }
}

function head(spec, title, notebook) {
  const level = `Difficulty ${spec.difficulty} of 3`;
  const dots = "●".repeat(spec.difficulty) + "○".repeat(3 - spec.difficulty);
  const link = h(
    "a",
    { href: `#${spec.id}`, class: "att-permalink", "aria-label": `Link to exercise ${spec.id}` },
    "#",
  );
  return h(
    "div",
    { class: "att-head" },
    h(
      "div",
      { class: "att-title", id: title },
      h("span", { class: "att-kicker" }, "Exercise "),
      h("span", { html: spec.title }),
    ),
    h(
      "div",
      { class: "att-meta" },
      h("span", { "aria-hidden": "true", title: level }, dots),
      hidden(level),
      ` ${spec.minutes} min`,
    ),
    ...(notebook ? [] : [link]),
  );
}

function codeOf(card) {
  return card.code ? h("pre", { tabindex: 0 }, h("code", {}, card.code)).outerHTML : "";
}
