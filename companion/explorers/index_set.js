// The index set: positions go in and out of G; the output walks on the segment from o_G to o_R.

const BOX = { width: 400, height: 300, pad: 30 };

const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

// Mass and average of the values at some positions; an empty set has mass 0 and the output 0.
function part({ alpha, values }, positions) {
  const mass = positions.reduce((sum, j) => sum + alpha[j], 0);
  const average = [0, 1].map((axis) =>
    positions.reduce((sum, j) => sum + (alpha[j] / mass) * values[j][axis], 0));
  return { positions, mass, average };
}

// All that follows from G: both parts, the dense output, error and bound.
function consequences(spec, kept) {
  const every = spec.alpha.map((_, j) => j);
  const [G, R] = [true, false].map((inside) => part(spec, every.filter((j) => kept.has(j) === inside)));
  const o = part(spec, every).average;
  const spread = Math.max(0, ...G.positions.flatMap((j) =>
    R.positions.map((k) => apart(spec.values[j], spec.values[k]))));
  return { G, R, o, error: apart(G.average, o), bound: R.mass * spread };
}

// One scale for both axes, so that lengths in the drawing are lengths.
function frame(values) {
  const { width, height, pad } = BOX;
  const range = [0, 1].map((axis) => values.map((v) => v[axis]))
    .map((xs) => [Math.min(...xs), Math.max(...xs)]);
  const unit = Math.min((width - 2 * pad) / (range[0][1] - range[0][0] || 1),
    (height - 2 * pad) / (range[1][1] - range[1][0] || 1));
  const middle = range.map(([low, high]) => (low + high) / 2);
  return (p) => [width / 2 + unit * (p[0] - middle[0]), height / 2 - unit * (p[1] - middle[1])]
    .map((x) => x.toFixed(1));
}

function drawing(spec) {
  const screen = frame(spec.values);
  const svg = shape("svg", {
    class: "att-plane", viewBox: `0 0 ${BOX.width} ${BOX.height}`, "aria-hidden": "true",
  });
  const mark = (p, size, attributes) => shape("path", {
    d: `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`, transform: `translate(${screen(p)})`, ...attributes,
  });
  const name = (p, letter, index, { x = 16, y = -12, out = false } = {}) => shape("text", {
    transform: `translate(${screen(p)})`, x, y, class: out ? "att-name att-out-name" : "att-name",
  }, letter, ...(index === undefined ? [] : [shape("tspan", { class: "att-sub", dy: 4 }, String(index))]));
  const draw = ({ G, R, o }, kept) => {
    const parts = [[G, "G"], [R, "R"]].filter(([{ positions }]) => positions.length);
    svg.replaceChildren(
      ...(parts.length < 2 ? [] : [shape("path", {
        class: "att-segment", d: `M${screen(G.average)}L${screen(R.average)}`,
      })]),
      ...spec.values.flatMap((v, j) => [
        mark(v, 8, { class: kept.has(j) ? "att-in" : "att-out-of" }), name(v, "v", j, { out: !kept.has(j) }),
      ]),
      ...parts.flatMap(([{ average }, index]) => [
        mark(average, 6, { class: `att-average-${index}` }),
        name(average, "o", index, { y: 18, out: index === "R" }),
      ]),
      mark(o, 9, { class: "att-dense" }), name(o, "o", undefined, { x: -14 }),
    );
  };
  return { svg, draw };
}

// One position: its switch, its dense weight as an outline, its weight over G as a solid bar.
function row(spec, j, toggle) {
  const box = element("input", { type: "checkbox", onchange: () => toggle(j) });
  const before = element("span", { class: "att-before", style: `width:${100 * spec.alpha[j]}%` });
  const after = element("span", { class: "att-after" });
  const number = element("span", { class: "att-shown att-is-weight" });
  const node = element("div", { class: "att-position" },
    element("label", {}, box, element("span", {}, `${j} ${spec.tokens[j]}`)),
    element("span", { class: "att-bars", "aria-hidden": "true" }, before, after),
    element("span", { class: "att-shown" }, decimal(spec.alpha[j])), number);
  const draw = (inside, weight) => {
    box.checked = inside;
    node.classList.toggle("att-left-out", !inside);
    after.style.width = `${100 * weight}%`;
    number.textContent = decimal(weight);
  };
  return { node, draw };
}

function mount(el, spec) {
  let kept = new Set(spec.start);
  const set = (positions) => { kept = new Set(positions); draw(); };
  const every = spec.alpha.map((_, j) => j);
  const toggle = (j) => set(every.filter((k) => (k === j) !== kept.has(k)));
  const formula = element("p", { class: "att-formula" });
  const picture = drawing(spec);
  const rows = every.map((j) => row(spec, j, toggle));
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const button = (text, go) => element("button", { type: "button", onclick: go }, text);
  const root = explorerRoot("index-set", "Explorer: the index set");
  root.append(formula,
    element("div", { class: "att-stage" }, picture.svg,
      element("div", { role: "group", "aria-label": "Positions in G" },
        element("p", { class: "att-position att-hint" }, element("span", {}, "in ", symbol("G")),
          element("span"), element("span", { class: "att-shown" }, symbol("α")),
          element("span", { class: "att-shown" }, symbol("α′"))),
        ...rows.map(({ node }) => node))),
    note,
    element("p", { class: "att-buttons" },
      button("Exchange G and R", () => set(every.filter((j) => !kept.has(j)))),
      button("All", () => set(every)), button("Reset", () => set(spec.start))),
    said);

  function draw() {
    const found = consequences(spec, kept);
    const { G, R, o, error, bound } = found;
    const share = (x) => element("span", { class: "att-is-weight" }, decimal(x));
    const side = ({ mass, average, positions }, index) => element("span", { class: "att-term" },
      share(mass), " ", symbol("o", index), positions.length ? ` ${point2(average)}` : "");
    formula.replaceChildren(symbol("o"), " = ", side(G, "G"), " + ", side(R, "R"), " = ",
      element("span", { class: "att-result att-is-value" }, point2(o)));
    picture.draw(found, kept);
    rows.forEach(({ draw: show }, j) => show(kept.has(j), kept.has(j) ? spec.alpha[j] / G.mass : 0));
    const list = `{${G.positions.join(", ")}}`;
    note.textContent = !G.positions.length
      ? "G is empty: by convention its output is 0, and no weights can be renormalised."
      : `G = ${list} keeps the mass ${decimal(G.mass)}. Error ${decimal(error)}, at most ${decimal(bound)}: `
        + `${decimal(R.mass)} left out, times the spread between G and R.`;
    announce(`${note.textContent} o over G is ${point2(G.average)}.`);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
