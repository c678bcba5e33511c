// Free text; after Check the model answer, and the points to be ticked.

function explainInput(spec, key, on) {
  const id = unique();
  const area = h("textarea", { id, rows: 4, oninput: on.edit });
  const boxes = key.rubric.map(() =>
    h("input", { type: "checkbox", onchange: on.edit, onkeydown: onEnter(on.check) }),
  );
  const points = boxes.map((box, index) => h("label", {}, box, ...named(key.rubric[index])));
  const rubric = h(
    "fieldset",
    { class: "att-options att-rubric" },
    h("legend", {}, "My answer says that"),
    ...points,
  );
  const model = h(
    "div",
    { class: "att-model" },
    h("strong", {}, "A model answer"),
    h("div", { html: key.solution }),
  );
  const review = h("div", { hidden: true }, model, rubric);
  return {
    body: h("div", { class: "att-explain" }, h("label", { for: id }, "Your explanation"), area),
    after: review,
    read: () => ({
      text: area.value,
      marks: review.hidden ? null : boxes.flatMap((box, index) => (box.checked ? [index] : [])),
    }),
    write(answer) {
      area.value = typeof answer?.text === "string" ? answer.text : "";
      review.hidden = !Array.isArray(answer?.marks);
      boxes.forEach((box, index) => (box.checked = list(answer?.marks).includes(index)));
    },
    reveal: () => (review.hidden = false),
  };
}
