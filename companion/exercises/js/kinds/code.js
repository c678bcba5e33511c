// Code: written and checked in a notebook; here the stub, and a box to say that it is done.

function codeInput(spec, key, on) {
  const call = `check("${spec.id}", ${spec.function})`;
  const done = h("input", { type: "checkbox", onchange: on.check });
  return {
    body: h(
      "div",
      { class: "att-code" },
      h("pre", { tabindex: 0, "aria-label": "The stub" }, h("code", {}, spec.stub)),
      h("p", {}, "Write it in a notebook, then run ", h("code", {}, call), "."),
      h("div", { class: "att-options" }, h("label", {}, done, h("span", {}, "I solved it in the notebook"))),
    ),
    read: () => done.checked,
    write: (answer) => (done.checked = answer === true),
  };
}
