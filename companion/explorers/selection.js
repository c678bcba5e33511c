// Several ways to choose what one query reads: for a budget of keys, the mass and the error of each.

const SELECTION = { width: 420, height: 200, left: 34, right: 12, top: 10, bottom: 26 };
const MEASURES = ["error", "mass"];

// Budgets from 1 to n on a logarithmic axis; shares from 0 to `most`.
function axes(n, most) {
  const { width, height, left, right, top, bottom } = SELECTION;
  return {
    x: (k) => left + (width - left - right) * (n > 1 ? Math.log(k) / Math.log(n) : 0),
    y: (share) => height - bottom - (height - top - bottom) * (share / most),
  };
}

function curves(n) {
  const { width, height, left, right, top, bottom } = SELECTION;
  const body = shape("g");
  const box = `0 0 ${width} ${height}`;
  const node = shape("svg", { class: "att-plane", viewBox: box, "aria-hidden": "true" }, body);
  const word = (x, y, text, anchor) => {
    const made = shape("text", { x, y, "text-anchor": anchor });
    made.textContent = text;
    return made;
  };
  const draw = (tables, measure, chosen, k) => {
    const most = Math.max(1, ...tables.flatMap((table) => table[measure]));
    const { x, y } = axes(n, most);
    const at = (share, i) => `${x(i + 1).toFixed(1)},${y(share).toFixed(1)}`;
    const path = (shares) => `M${shares.map(at).join("L")}`;
    const one = tables[chosen][measure];
    const ticks = Array.from({ length: Math.floor(Math.log(n) / Math.log(4)) + 1 }, (_, p) => 4 ** p);
    body.replaceChildren(
      shape("g", { class: "att-axes" }, shape("path", {
        d: `M${left},${top}V${height - bottom}H${width - right}M${left},${y(1)}h-5`,
      })),
      ...ticks.map((t) => word(x(t), height - bottom + 18, t, "middle")),
      word(left - 8, y(1) + 5, "1", "end"),
      word(left - 8, y(0) + 5, "0", "end"),
      shape("path", { class: "att-now", d: `M${x(k)},${top}V${height - bottom}` }),
      ...tables.map((table) => shape("path", { class: "att-other-line", d: path(table[measure]) })),
      shape("path", { class: `att-${measure}-line`, d: path(one) }),
      shape("circle", { class: `att-${measure}-dot`, cx: x(k), cy: y(one[k - 1]), r: 5.5 }),
    );
  };
  return { node, draw };
}

function mount(el, spec) {
  const { text, selectors, rows } = spec;
  const n = text.length;
  const first = { row: 0, selector: 0, measure: 0, k: spec.start };
  const state = { ...first };
  const set = (change) => { Object.assign(state, change); draw(); };
  const choice = (names, field) => {
    const select = element("select", { onchange: () => set({ [field]: Number(select.value) }) },
      ...names.map((name, i) => element("option", { value: i }, name)));
    return select;
  };

  const formula = element("p", { class: "att-formula" });
  const pieces = text.map((piece) => element("span", {}, piece));
  const passage = element("p", { class: "att-passage" }, ...pieces);
  const picture = curves(n);
  const lines = selectors.map((name) => ({
    row: element("tr"), name, mass: element("td"), error: element("td"),
  }));
  lines.forEach((line) => line.row.append(element("th", { scope: "row" }, line.name), line.mass, line.error));
  const readout = element("table", { class: "att-readout" },
    element("caption", {}),
    element("thead", {}, element("tr", {}, ...["selector", "mass", "error"].map((name) =>
      element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...lines.map((line) => line.row)));
  const slider = element("input", {
    type: "range", class: "att-plain", min: 1, max: n, step: 1, "aria-label": "Budget: keys read",
    oninput: (event) => set({ k: event.target.valueAsNumber }),
  });
  const shown = element("span", { class: "att-shown" });
  const row = choice(rows.map((one) => one.name), "row");
  const selector = choice(selectors, "selector");
  const measure = choice(MEASURES, "measure");
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("selection", "Explorer: selection");
  root.append(formula, picture.node, passage,
    element("div", { class: "att-dials" },
      element("div", { class: "att-dial" }, element("span", {}, symbol("k")), slider, shown)),
    element("p", { class: "att-buttons" }, element("label", {}, "Head ", row),
      element("label", {}, "Selector ", selector), element("label", {}, "Curves ", measure),
      element("button", { type: "button", onclick: () => set(first) }, "Reset")),
    readout, said);

  function draw() {
    const { tables, name } = rows[state.row];
    const { k, selector: chosen } = state;
    const kept = new Set(tables[chosen].order.slice(0, k));
    pieces.forEach((piece, j) => piece.classList.toggle("att-kept", kept.has(j)));
    picture.draw(tables, MEASURES[state.measure], chosen, k);
    const [mass, error] = [tables[chosen].mass, tables[chosen].error].map((all) => decimal(all[k - 1]));
    formula.replaceChildren(
      element("span", { class: "att-is-weight" }, symbol("Z", "G"), ` = ${mass}`),
      element("span", { class: "att-is-error" }, "‖", symbol("o", "G"), " − ", symbol("o"), "‖ / ‖",
        symbol("o"), `‖ = ${error}`));
    lines.forEach((line, i) => {
      line.mass.textContent = decimal(tables[i].mass[k - 1]);
      line.error.textContent = decimal(tables[i].error[k - 1]);
      line.row.classList.toggle("att-chosen", i === chosen);
    });
    readout.caption.textContent = `${name}: ${k} of ${n} keys`;
    row.value = state.row;
    selector.value = chosen;
    measure.value = state.measure;
    slider.value = k;
    slider.setAttribute("aria-valuetext", `${k} of ${n}`);
    shown.textContent = String(k);
    announce(`${name}, ${selectors[chosen]}, ${k} of ${n} keys: mass ${mass}, error ${error}.`);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
