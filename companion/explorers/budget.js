// A budget of positions: the mass that the largest weights hold, the error of the output without the rest.

const union = (heads, k) => new Set(heads.flatMap((head) => head.order.slice(0, k))).size;

const CHART = { width: 420, height: 190, left: 34, right: 64, top: 10, bottom: 26 };

// Budgets from 1 to n on a logarithmic axis; shares from 0 to `most`.
function scale(n, most) {
  const { width, height, left, right, top, bottom } = CHART;
  return {
    x: (k) => left + (width - left - right) * (n > 1 ? Math.log(k) / Math.log(n) : 0),
    y: (share) => height - bottom - (height - top - bottom) * (share / most),
  };
}

function chart(n) {
  const { width, height, left, right, top, bottom } = CHART;
  const body = shape("g");
  const box = `0 0 ${width} ${height}`;
  const node = shape("svg", { class: "att-plane", viewBox: box, "aria-hidden": "true" }, body);
  const word = (x, y, text, attributes = {}) => {
    const made = shape("text", { x, y, ...attributes });
    made.textContent = text;
    return made;
  };
  const draw = (head, k) => {
    const most = Math.max(1, ...head.error);
    const { x, y } = scale(n, most);
    const at = (share, i) => `${x(i + 1).toFixed(1)},${y(share).toFixed(1)}`;
    const path = (shares) => `M${shares.map(at).join("L")}`;
    const ticks = Array.from({ length: Math.floor(Math.log(n) / Math.log(4)) + 1 }, (_, p) => 4 ** p);
    // Both curves end at the whole row: mass 1, error 0. Their names stand there.
    body.replaceChildren(
      shape("g", { class: "att-axes" }, shape("path", {
        d: `M${left},${top}V${height - bottom}H${width - right}M${left},${y(1)}h-5`,
      })),
      ...ticks.map((t) => word(x(t), height - bottom + 18, t, { "text-anchor": "middle" })),
      word(left - 8, y(1) + 5, "1", { "text-anchor": "end" }),
      word(left - 8, y(0) + 5, "0", { "text-anchor": "end" }),
      shape("path", { class: "att-mass-line", d: path(head.mass) }),
      shape("path", { class: "att-error-line", d: path(head.error) }),
      shape("path", { class: "att-now", d: `M${x(k)},${top}V${height - bottom}` }),
      word(width - right + 6, y(1) + 5, "mass", { class: "att-mass-word" }),
      word(width - right + 6, y(0) + 1, "error", { class: "att-error-word" }),
      shape("rect", {
        class: "att-mass-dot", x: x(k) - 5, y: y(head.mass[k - 1]) - 5, width: 10, height: 10,
      }),
      shape("circle", { class: "att-error-dot", cx: x(k), cy: y(head.error[k - 1]), r: 5.5 }),
    );
  };
  return { node, draw };
}

function mount(el, spec) {
  const { text, heads } = spec;
  const n = text.length;
  const state = { head: 0, k: spec.start };
  const set = (change) => { Object.assign(state, change); draw(); };

  const formula = element("p", { class: "att-formula" });
  const pieces = text.map((piece) => element("span", {}, piece));
  const passage = element("p", { class: "att-passage" }, ...pieces);
  const picture = chart(n);
  const note = element("p", { class: "att-note" });
  const select = element("select", { onchange: () => set({ head: Number(select.value) }) },
    ...heads.map((head, i) => element("option", { value: i }, head.name)));
  const slider = element("input", {
    type: "range", class: "att-plain", min: 1, max: n, step: 1, "aria-label": "Budget: positions kept",
    oninput: (event) => set({ k: event.target.valueAsNumber }),
  });
  const shown = element("span", { class: "att-shown" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("budget", "Explorer: budget");
  root.append(formula, picture.node, passage, note,
    element("div", { class: "att-dials" },
      element("div", { class: "att-dial" }, element("span", {}, symbol("k")), slider, shown)),
    element("p", { class: "att-buttons" }, element("label", {}, "Head ", select),
      element("button", { type: "button", onclick: () => set({ head: 0, k: spec.start }) }, "Reset")),
    said);

  function draw() {
    const { head: chosen, k } = state;
    const head = heads[chosen];
    const kept = new Set(head.order.slice(0, k));
    pieces.forEach((piece, j) => piece.classList.toggle("att-kept", kept.has(j)));
    picture.draw(head, k);
    const mass = decimal(head.mass[k - 1]);
    const error = decimal(head.error[k - 1]);
    formula.replaceChildren(
      element("span", { class: "att-is-weight" }, symbol("Z", "G"), ` = ${mass}`),
      element("span", { class: "att-is-error" }, "‖", symbol("o", "G"), " − ", symbol("o"), "‖ / ‖",
        symbol("o"), `‖ = ${error}`));
    select.value = chosen;
    slider.value = k;
    slider.setAttribute("aria-valuetext", `${k} of ${n}`);
    shown.textContent = String(k);
    note.textContent = `Kept in ${head.name}: ${k} of ${n} positions, mass ${mass}, error ${error}. `
      + `All ${heads.length} heads with ${k} each: ${union(heads, k)} different positions.`;
    announce(note.textContent);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
