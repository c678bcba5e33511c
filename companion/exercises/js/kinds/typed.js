// A number or a vector, typed in one field.

function typedInput(spec, key, on) {
  const id = unique();
  const how =
    spec.kind === "vector"
      ? `${counted(spec.length, "number")}, like [1.5, −2]`
      : "a number, like 0.5 or 1/2";
  const input = h("input", {
    id,
    type: "text",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-how`,
    oninput: on.edit,
    onkeydown: onEnter(on.check),
  });
  const label = h("label", { for: id }, ...named(spec.label));
  return {
    body: h(
      "div",
      { class: "att-typed" },
      label,
      input,
      h("span", { id: `${id}-how`, class: "att-how" }, how),
    ),
    read: () => input.value,
    write: (answer) => (input.value = typeof answer === "string" ? answer : ""),
  };
}
