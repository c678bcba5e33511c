// The weighted sum: formula above, plane and weights below, one state behind all of them.

function tokenRow(j, spec, set) {
  const number = (name, bounds, go) => element("input", {
    type: "number", "aria-label": name, ...bounds,
    oninput: (event) => {
      const x = event.target.valueAsNumber;
      if (Number.isFinite(x)) go(clamp(x, Number(bounds.min), Number(bounds.max)));
    },
    onblur: set.settle,
  });
  const inside = (axis) => ({ min: spec.low[axis], max: spec.low[axis] + spec.side, step: 0.1 });
  const bar = element("input", {
    type: "range", class: "att-bar", min: 0, max: 1, step: 0.01, "aria-label": `Weight ${j}`,
    oninput: (event) => set.weight(j, event.target.valueAsNumber),
  });
  const bracket = element("span", { class: "att-bracket" });
  const weight = number(`Weight ${j} as a number`, { min: 0, max: 1, step: 0.01 }, (x) => set.weight(j, x));
  const coordinates = ["first", "second"].map((name, axis) =>
    number(`v_${j}, ${name} coordinate`, inside(axis), (x) => set.coordinate(j, axis, x)));
  const node = element("div", {
    class: "att-token", role: "group", "aria-label": `Token ${j}`, "data-token": j,
  },
  element("span", { class: "att-is-weight" }, symbol("α", j)),
  element("span", { class: "att-track" }, bar, bracket), weight,
  element("span", { class: "att-is-value" }, symbol("v", j)),
  element("span", { class: "att-pair" }, ...coordinates));
  const draw = (alpha, value, [least, most]) => {
    bar.value = alpha;
    bar.style.setProperty("--fill", `${100 * alpha}%`);
    const open = most - least >= 0.005;
    const range = `from ${decimal(least)} to ${decimal(most)} for the same output`;
    bar.setAttribute("aria-valuetext", open ? `${decimal(alpha)}, ${range}` : decimal(alpha));
    fill(bracket, { style: `left:${100 * least}%;width:${100 * (most - least)}%`, title: range }, []);
    bracket.hidden = !open;
    [[weight, alpha], ...coordinates.map((input, axis) => [input, value[axis]])].forEach(([input, x]) => {
      if (input !== document.activeElement) input.value = x.toFixed(2);
    });
  };
  return { node, draw };
}

function mount(el, spec) {
  const added = spec.values.length;
  const state = {};
  let drawing;
  let rows;
  const formula = element("p", { class: "att-formula" });
  const stage = element("div", { class: "att-stage" });
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const way = element("input", {
    type: "range", min: 0, max: 1, step: 0.01,
    oninput: (event) => slide(event.target.valueAsNumber),
  });
  const wayName = element("span");
  const extra = element("button", { type: "button", onclick: () => toggleExtra() });
  const root = explorerRoot("weighted-sum", "Explorer: the weighted sum");
  root.append(formula, stage, note,
    element("label", { class: "att-way" }, wayName, way),
    element("p", { class: "att-buttons" }, extra,
      element("button", { type: "button", onclick: () => start() }, "Reset")),
    said);

  const change = (next, keepWay = false) => {
    Object.assign(state, { aim: null }, next);
    if (!keepWay) {
      state.ends = slack(state.values, state.alpha);
      const [a, b] = state.ends ?? [];
      const whole = state.ends && Math.hypot(...b.map((x, j) => x - a[j]));
      way.value = state.ends ? Math.hypot(...state.alpha.map((x, j) => x - a[j])) / whole : 0;
    }
    draw();
  };
  const set = {
    weight: (j, x) => change({ alpha: reweigh(state.alpha, j, x) }),
    value: (j, p) => change({
      values: state.values.map((old, k) =>
        (k === j ? p.map((x, axis) => clamp(x, spec.low[axis], spec.low[axis] + spec.side)) : old)),
    }),
    coordinate: (j, axis, x) => set.value(j, state.values[j].map((old, k) => (k === axis ? x : old))),
    output: (point) => {
      const reached = nearest(state.values, point);
      change({
        alpha: solve(state.values, reached, state.alpha),
        aim: reached === point ? null : point,
      });
    },
    settle: draw,
  };
  const slide = (t) => change({
    alpha: state.ends[0].map((from, j) => from + t * (state.ends[1][j] - from)),
  }, true);

  function build() {
    drawing = plane(spec, state, set);
    rows = state.values.map((_, j) => tokenRow(j, spec, set));
    stage.replaceChildren(
      element("div", {}, drawing.svg,
        element("p", { class: "att-hint" }, "Drag a diamond, or focus it and press the arrow keys.")),
      element("div", { class: "att-rows" }, ...rows.map(({ node }) => node),
        element("p", { class: "att-hint" },
          "Set one weight and the others are rescaled in proportion: they add up to 1.")));
    extra.replaceChildren(state.values.length > added ? "Remove " : "Add ", symbol("v", added),
      ` = ${point2(spec.extra)}`);
  }
  function start() {
    Object.assign(state, { values: spec.values, alpha: spec.alpha });
    build();
    change({});
  }
  function toggleExtra() {
    const without = state.values.length > added;
    Object.assign(state, without
      ? { values: state.values.slice(0, added), alpha: reweigh(state.alpha, added, 0).slice(0, added) }
      : { values: [...state.values, spec.extra], alpha: [...state.alpha, 0] });
    build();
    change({});
  }

  function draw() {
    const { values, alpha } = state;
    const o = combine(alpha, values);
    const wide = ranges(values, alpha);
    formula.replaceChildren(symbol("o"), " = ", ...alpha.flatMap((weight, j) => [
      j ? " + " : "",
      element("span", { class: "att-term", "data-token": j },
        element("span", { class: "att-is-weight" }, decimal(weight)), "\u202f",
        element("span", { class: "att-is-value" }, symbol("v", j))),
    ]), " = ", element("span", { class: "att-result att-is-value" }, point2(o)));
    drawing.draw();
    rows.forEach((row, j) => row.draw(alpha[j], values[j], wide[j]));
    const bounds = [0, 1].map((axis) => values.map((p) => p[axis]))
      .map((xs) => `between ${decimal(Math.min(...xs))} and ${decimal(Math.max(...xs))}`);
    note.textContent = state.aim
      ? `No weights reach ${point2(state.aim)}: the output stays at the nearest point of the hull.`
      : `Whatever the weights, the output's first coordinate stays ${bounds[0]}, its second ${bounds[1]}.`;
    note.classList.toggle("att-out", Boolean(state.aim));
    way.disabled = !state.ends;
    way.setAttribute("aria-valuetext", alpha.map((weight) => decimal(weight)).join(", "));
    wayName.textContent = state.ends ? "Same output, other weights" : "No other weights give this output";
    const told = `Weights ${alpha.map((weight) => decimal(weight)).join(", ")}; o is ${point2(o)}.`;
    announce(state.aim ? `${note.textContent} ${told}` : told);
    light();
  }

  let lit;
  const light = (event) => {
    const near = (node) => node.closest("[data-token]")?.dataset.token;
    if (event) lit = near(event.target) ?? near(document.activeElement);
    root.querySelectorAll("[data-token]").forEach((node) =>
      node.classList.toggle("att-hot", node.dataset.token === lit));
  };
  for (const type of ["pointerover", "focusin"]) root.addEventListener(type, light);
  root.addEventListener("pointerleave", light);

  start();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
