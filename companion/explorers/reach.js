// Reach: which positions have a path to a query through the layers, and how much mass takes those paths.

const STEP = 17; // between two positions
const RISE = 46; // between two layers
const BARS = 40;

// What each position of a layer takes up: the keys that it reads and, by the residual stream, itself.
const taken = (keys, i) => (keys[i].includes(i) ? keys[i] : [...keys[i], i]);

// From the query down: the positions of each row that can reach it. rows[0] is the input.
function coneOf(layers, query) {
  const rows = [new Set([query])];
  for (const keys of [...layers].reverse()) {
    rows.unshift(new Set([...rows[0]].flatMap((i) => taken(keys, i))));
  }
  return rows;
}

// Mass of every key if each row gives equal weights to what it reads, without the residual stream.
function massOf(layers, query) {
  let mass = layers[0].map((_, i) => Number(i === query));
  for (const keys of [...layers].reverse()) {
    const next = mass.map(() => 0);
    mass.forEach((part, i) => keys[i].forEach((j) => { next[j] += part / keys[i].length; }));
    mass = next;
  }
  return mass;
}

// The positions of one path from the key up to the query, or none: the earliest step down each time.
function pathOf(layers, query, key) {
  const path = [query];
  for (let n = layers.length; n > 0; n -= 1) {
    const open = taken(layers[n - 1], path[0]).filter((g) => coneOf(layers.slice(0, n - 1), g)[0].has(key));
    if (!open.length) return [];
    path.unshift(Math.min(...open));
  }
  return path;
}

function mount(el, spec) {
  const { patterns } = spec;
  const L = patterns[0].keys.length;
  const begin = () => ({ schedule: [...spec.schedule], query: spec.query, key: spec.key });
  let state = begin();
  const depth = state.schedule.length;
  const set = (change) => { state = { ...state, ...change }; draw(); };

  const width = 2 * 12 + STEP * (L - 1);
  const ground = RISE * depth + 14;
  const x = (position) => 12 + STEP * position;
  const y = (row) => ground - RISE * row;
  const picture = shape("svg", {
    class: "att-plane", viewBox: `0 0 ${width} ${ground + 34 + BARS}`, "aria-hidden": "true",
  });
  const formula = element("p", { class: "att-formula" });
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const dial = (name, label) => {
    const shown = element("span", { class: "att-shown" });
    const slider = element("input", {
      type: "range", class: "att-plain", min: 0, max: L - 1, step: 1, "aria-label": label,
      oninput: (event) => set({ [name]: event.target.valueAsNumber }),
    });
    const node = element("div", { class: "att-dial" }, element("span", {}, label), slider, shown);
    return { node, put: (value) => { slider.value = value; shown.textContent = String(value); } };
  };
  const dials = { query: dial("query", "Query"), key: dial("key", "Key") };
  const selects = state.schedule.map((_, n) => element("select", {
    onchange: (event) => set({ schedule: state.schedule.with(n, Number(event.target.value)) }),
  }, ...patterns.map(({ name }, k) => element("option", { value: k }, name))));
  const root = explorerRoot("reach", "Explorer: reach");
  root.append(formula, picture, note,
    element("div", { class: "att-dials" }, dials.query.node, dials.key.node),
    element("div", { class: "att-layers" },
      ...selects.map((select, n) => element("label", {}, `Layer ${n} `, select)).reverse(),
      element("button", { type: "button", onclick: () => set(begin()) }, "Reset")),
    said);

  function lines(layers, rows) {
    const parts = layers.flatMap((keys, n) => [...rows[n + 1]].flatMap((i) =>
      taken(keys, i).map((j) => `M${x(j)},${y(n)}L${x(i)},${y(n + 1)}`)));
    return shape("path", { class: "att-edges", d: parts.join("") });
  }
  function dot(row, position, on) {
    const at = { "data-row": row, "data-position": position, class: on ? "att-on" : "att-off" };
    if (row > 0) return shape("circle", { ...at, cx: x(position), cy: y(row), r: 4.5 });
    return shape("rect", { ...at, x: x(position) - 4.5, y: y(row) - 4.5, width: 9, height: 9 });
  }
  // Every column of the lowest row can be clicked, with room around its mark.
  const target = (position) => shape("rect", {
    class: "att-target", x: x(position) - STEP / 2, y: y(0) - 14, width: STEP, height: 48 + BARS,
    onclick: () => set({ key: position }),
  });
  function number(position) {
    const text = shape("text", { x: x(position), y: ground + 22, "text-anchor": "middle" });
    text.textContent = String(position);
    return text;
  }

  function draw() {
    const { schedule, query, key } = state;
    const layers = schedule.map((k) => patterns[k].keys);
    const rows = coneOf(layers, query);
    const mass = massOf(layers, query);
    const most = Math.max(...mass);
    const path = pathOf(layers, query, key);
    const positions = Array.from({ length: L }, (_, position) => position);
    picture.replaceChildren(
      lines(layers, rows),
      shape("path", { class: "att-path", d: path.map((p, n) => `${n ? "L" : "M"}${x(p)},${y(n)}`).join("") }),
      ...rows.flatMap((row, n) => positions.map((position) => dot(n, position, row.has(position)))),
      ...positions.filter((p) => p % 4 === 0 || p === key).filter((p) => p === key || Math.abs(p - key) > 1)
        .map(number),
      ...positions.map((j) => shape("rect", {
        class: "att-mass", "data-mass": mass[j], x: x(j) - 5, width: 10,
        y: ground + 30, height: most ? (BARS * mass[j]) / most : 0,
      })),
      ...positions.map(target));
    selects.forEach((select, n) => { select.value = schedule[n]; });
    dials.query.put(query);
    dials.key.put(key);
    formula.replaceChildren(symbol("R"), " = ",
      ...schedule.map((_, n) => [symbol("B", n), " "]).reverse().flat(),
      " :  ", symbol("R", `${query},${key}`),
      ` = ${Number(rows[0].has(key))}, mass ${decimal(mass[key], 3)}`);
    const reached = `Query ${query} can be reached from ${rows[0].size} of ${L} positions, the earliest is`
      + ` ${Math.min(...rows[0])}.`;
    note.textContent = path.length
      ? `${reached} A path from key ${key}: ${path.join(" → ")}.`
        + ` Its share of the mass, with equal weights: ${decimal(mass[key], 3)}.`
      : `${reached} There is no path from key ${key}.`;
    announce(note.textContent);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
