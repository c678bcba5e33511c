// The controls of one part: how it is joined, its kind, its parameters.

const select = (label, options, choose) => element("select", {
  "aria-label": label, onchange: (event) => choose(event.target.value),
}, ...[...options].map((option) => element("option", { value: option }, option)));

// What was typed for a parameter, or a sentence that says what is expected.
function read(text, { name, expected }, n) {
  if (!expected) return Number(text);
  const list = text.split(/[\s,;[\]]+/).filter((word) => word).map(Number);
  const fit = name === "ids" ? list.every((x, k) => x >= 0 && x < n && !(x <= list[k - 1]))
    : list.every((x) => x > 0) && total(list) === n;
  return fit && list.every(Number.isInteger) ? list
    : `${name} must be ${expected}; got ${text || "nothing"}.`;
}

// `changed()` tells of another part, `complain(text)` of what makes none.
function partControls(k, { tokens: n, kinds }, changed, complain) {
  let part;
  let built; // the kind whose parameters stand there
  let inputs = [];
  const alter = (change) => {
    Object.assign(part, change);
    changed();
  };
  const op = select(`Joins part ${k + 1}`, "–|&", (value) => alter({ op: value }));
  const kind = select(`Part ${k + 1}`, Object.keys(kinds), (value) =>
    alter({ kind: value, args: kinds[value].fields.map(({ start }) => start) }));
  const fields = element("div");

  function parameter(field, place) {
    const { name, low, high, expected } = field;
    const input = element("input", {
      type: expected ? "text" : "range", class: "att-plain", min: low ?? false, max: high ?? false,
      "aria-label": `${name} of ${part.kind}`,
      oninput: () => {
        const value = read(input.value, field, n);
        const wrong = typeof value === "string";
        input.setAttribute("aria-invalid", wrong);
        if (wrong) complain(value);
        else alter({ args: part.args.map((arg, k) => (k === place ? value : arg)) });
      },
    });
    const shown = element("span", { class: "att-shown" });
    // A list stays as it was typed.
    const show = () => {
      const value = part.args[place];
      if (written(read(input.value, field, n)) !== written(value)) {
        input.value = listed(value);
        input.setAttribute("aria-invalid", false);
      }
      if (!expected) shown.textContent = value;
    };
    return { node: element("label", { class: "att-dial" }, element("span", {}, name), input, shown), show };
  }

  function show(next) {
    part = next;
    if (built !== part.kind) {
      built = part.kind;
      inputs = kinds[built].fields.map(parameter);
      fields.replaceChildren(...inputs.map(({ node }) => node));
    }
    op.value = part.op;
    kind.value = part.kind;
    kind.hidden = fields.hidden = part.op === "–";
    inputs.forEach((input) => input.show());
  }

  const node = element("div", { class: "att-part" }, ...(k ? [op] : []), kind, fields);
  return { node, show };
}
