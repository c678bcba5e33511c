// One choice (radio buttons) and many choices (boxes).
// A kind's input: { body, after?, read() -> answer, write(answer), reveal?() }.
// It calls on.edit() when the answer changes, and on.check() at Enter.

function choiceInput(spec, key, on) {
  const many = spec.kind === "choices";
  const name = unique();
  const inputs = spec.options.map((_, index) =>
    h("input", {
      type: many ? "checkbox" : "radio",
      name,
      value: index,
      onchange: on.edit,
      onkeydown: onEnter(on.check),
    }),
  );
  const labels = inputs.map((input, index) => h("label", {}, input, ...named(spec.options[index])));
  const picked = () => inputs.flatMap((input, index) => (input.checked ? [index] : []));
  return {
    body: h(
      "fieldset",
      { class: "att-options" },
      h("legend", {}, many ? "Tick all that hold" : "Choose one"),
      ...labels,
    ),
    read: () => (many ? picked() : (picked()[0] ?? null)),
    write: (answer) =>
      inputs.forEach(
        (input, index) => (input.checked = many ? list(answer).includes(index) : answer === index),
      ),
  };
}

function onEnter(act) {
  return (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    act();
  };
}
