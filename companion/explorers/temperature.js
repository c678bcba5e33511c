// D, divisor and temperature: what they make of the same scores, and when the softmax stops to answer.

const DIVISORS = { one: () => 1, root: Math.sqrt, D: (D) => D };
const POWERS = 10; // D goes from 1 to 2 ** POWERS

// Dot products of the size that independent entries of variance 1 give: root of D times a standard one.
const products = (z, D) => z.map((x) => Math.sqrt(D) * x);
const scores = (z, D, divisor) => products(z, D).map((x) => x / DIVISORS[divisor](D));

function softmax(s, tau) {
  const most = Math.max(...s);
  const powers = s.map((x) => Math.exp((x - most) / tau));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((x) => x / sum);
}
// How a weight answers its own score, and all of them together.
const slopes = (alpha) => alpha.map((a) => a * (1 - a));
const total = (xs) => xs.reduce((a, b) => a + b, 0);

// A slider position from -1 to 1 as a temperature from 1/10 to 10.
const heat = (position) => 10 ** position;

function meter(name) {
  const bar = element("span", { class: "att-meter-bar" });
  const number = element("span", { class: "att-meter-number" });
  const node = element("div", { class: "att-meter" }, element("span", {}, name),
    element("span", { class: "att-meter-track", "aria-hidden": "true" }, bar), number);
  return {
    node,
    draw: (x, most) => {
      bar.style.width = `${100 * (x / most)}%`;
      number.textContent = decimal(x);
    },
  };
}

function scoreTable(count) {
  const rows = Array.from({ length: count }, (_, j) => {
    const cells = ["att-number", "att-number", "att-weight-cell", "att-number att-is-weight", "att-number"]
      .map((name) => element("td", { class: name }));
    const bar = element("span", { class: "att-weight-bar" });
    cells[2].append(element("span", { class: "att-weight-track", "aria-hidden": "true" }, bar));
    return { cells, bar, node: element("tr", {}, element("th", { scope: "row" }, symbol("k", j)), ...cells) };
  });
  const heads = ["key", "product", "score", "", "weight", "slope"].map((name) =>
    (name ? element("th", { scope: "col" }, name) : element("td")));
  const node = element("table", { class: "att-scores" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows.map((row) => row.node)));
  const draw = (raw, s, alpha) => rows.forEach(({ cells, bar }, j) => {
    [raw[j], s[j], null, alpha[j], alpha[j] * (1 - alpha[j])].forEach((x, column) => {
      if (x !== null) cells[column].textContent = decimal(x);
    });
    bar.style.width = `${100 * alpha[j]}%`;
  });
  return { node, draw };
}

function mount(el, spec) {
  const start = { D: spec.D, divisor: "one", position: 0, draw: 0 };
  const state = { ...start };
  const count = spec.draws[0].length;
  const set = (change) => { Object.assign(state, change); draw(); };

  const slider = (attributes, go) => element("input", {
    type: "range", class: "att-plain", ...attributes, oninput: (event) => go(event.target.valueAsNumber),
  });
  const size = slider({ min: 0, max: POWERS, step: 1, "aria-label": "D" }, (x) => set({ D: 2 ** x }));
  const warmth = slider({ min: -1, max: 1, step: 0.05, "aria-label": "Temperature" },
    (x) => set({ position: x }));
  const sizeShown = element("span", { class: "att-shown" });
  const warmthShown = element("span", { class: "att-shown" });
  const group = `divisor-${Math.random()}`; // two explorers on a page must not share their choice
  const choices = Object.keys(DIVISORS).map((divisor) => ({
    divisor,
    input: element("input", { type: "radio", name: group, onchange: () => set({ divisor }) }),
  }));
  const names = { one: ["1 (nothing)"], root: ["√", symbol("D")], D: [symbol("D")] };

  const formula = element("p", { class: "att-formula" });
  const table = scoreTable(count);
  const largest = meter("largest weight");
  const slope = meter("sum of the slopes");
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("temperature", "Explorer: temperature");
  root.dataset.explorer = "temperature";
  root.append(formula, table.node,
    element("div", { class: "att-meters" }, largest.node, slope.node), note,
    element("div", { class: "att-dials" },
      element("div", { class: "att-dial" }, element("span", {}, symbol("D")), size, sizeShown),
      element("div", { class: "att-dial" }, element("span", {}, symbol("τ")), warmth, warmthShown)),
    element("fieldset", { class: "att-divisors" }, element("legend", {}, "Divide the products by"),
      ...choices.map(({ input, divisor }) =>
        element("label", {}, input, element("span", {}, ...names[divisor])))),
    element("p", { class: "att-buttons" },
      element("button", {
        type: "button", onclick: () => set({ draw: (state.draw + 1) % spec.draws.length }),
      }, "Other keys"),
      element("button", { type: "button", onclick: () => set({ ...start }) }, "Reset")),
    said);

  function draw() {
    const { D, divisor, position } = state;
    const tau = heat(position);
    const z = spec.draws[state.draw];
    const s = scores(z, D, divisor);
    const alpha = softmax(s, tau);
    const free = total(slopes(alpha));
    const top = alpha.indexOf(Math.max(...alpha));
    const by = { one: "1", root: `√${D}`, D: String(D) }[divisor];
    formula.replaceChildren(element("span", { class: "att-is-weight" }, symbol("α", "j")), " = softmax( ",
      symbol("q"), " · ", symbol("k", "j"), ` / (${by} × ${decimal(tau)}) )`);
    table.draw(products(z, D), s, alpha);
    largest.draw(alpha[top], 1);
    slope.draw(free, 1 - 1 / count);
    size.value = Math.log2(D);
    size.setAttribute("aria-valuetext", String(D));
    warmth.value = position;
    warmth.setAttribute("aria-valuetext", decimal(tau));
    sizeShown.textContent = String(D);
    warmthShown.textContent = decimal(tau);
    choices.forEach(({ input, divisor: own }) => { input.checked = own === divisor; });
    note.textContent = verdict(alpha[top], free);
    announce(`D ${D}, divided by ${by}, temperature ${decimal(tau)}: largest weight ${decimal(alpha[top])}`
      + ` for key ${top}, slopes add up to ${decimal(free)}.`);
  }
  const verdict = (most, free) => {
    if (free < 0.05) return "Saturated: one key has nearly all the weight, and scores no longer move it.";
    if (most < 1.5 / count) return "Nearly uniform: the scores hardly matter.";
    return "In between: the scores decide, and the weights answer when they move.";
  };

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
