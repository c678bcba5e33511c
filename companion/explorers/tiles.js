// A row read tile by tile in float32, with the running maximum or a fixed number as reference.

const f32 = Math.fround;
const exp32 = (x) => f32(Math.exp(f32(x)));

// The state after `read` keys, and the factor c of the last tile.
function online({ scores, values }, { size, read, factor, fixed }) {
  const s = scores.map((x) => f32(factor * x));
  let [m, l, u, c] = [fixed ?? -Infinity, 0, [0, 0], 1];
  for (let start = 0; start < read; start += size) {
    const tile = s.slice(start, Math.min(start + size, read));
    const top = fixed ?? Math.max(m, ...tile);
    c = exp32(m - top);
    m = top;
    [l, u] = [f32(c * l), u.map((x) => f32(c * x))];
    tile.forEach((x, i) => {
      const p = exp32(x - m);
      l = f32(l + p);
      u = u.map((y, axis) => f32(y + f32(p * values[start + i][axis])));
    });
  }
  return { s, m, l, u, c, p: s.slice(0, read).map((x) => exp32(x - m)) };
}

function figure(x) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (x === 0 || (size >= 0.01 && size < 1e4)) return decimal(x);
  return x.toExponential(1).replace("+", "").replaceAll("-", "−");
}
const pair = (v) => `[${v.map(figure).join(", ")}]`;

function mount(el, spec) {
  const n = spec.words.length;
  const first = { size: spec.size, read: 0, factor: 1, fixed: null, m: 0 };
  let state = { ...first };
  const set = (change) => { state = { ...state, ...change }; draw(); };

  const rows = spec.words.map((word) => {
    const [score, term, share] = [element("td"), element("td"), element("td")];
    const bar = element("span", { class: "att-weight-bar" });
    const track = element("span", { class: "att-weight-track", "aria-hidden": "true" }, bar);
    const node = element("tr", {}, element("th", { scope: "row" }, word), score, term,
      element("td", { class: "att-weight-cell" }, track), share);
    return { node, score, term, share, bar };
  });
  const head = ["", ["score ", symbol("s")], [symbol("e"), element("sup", {}, symbol("s"), " − ", symbol("m"))],
    "weight so far", ""];
  const table = element("table", { class: "att-scores" },
    element("thead", {}, element("tr", {}, ...head.map((parts) => (parts === ""
      ? element("td") : element("th", { scope: "col" }, ...[parts].flat()))))),
    element("tbody", {}, ...rows.map((row) => row.node)));

  const sums = element("p", { class: "att-formula" });
  const output = element("p", { class: "att-formula" });
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const slider = (label, min, max, step, change) => element("input", {
    type: "range", class: "att-plain", min, max, step, "aria-label": label,
    oninput: (event) => set(change(event.target.valueAsNumber)),
  });
  const size = slider("Keys in a tile", 1, n, 1, (value) => ({ size: value, read: 0 }));
  const mark = slider("Fixed reference m", -300, 300, 10, (value) => ({ m: value, fixed: value }));
  const [sizeShown, markShown] = [1, 2].map(() => element("span", { class: "att-shown" }));
  const choice = (options, change) => element("select", { onchange: (event) => set(change(event.target.value)) },
    ...options.map(([value, text]) => element("option", { value }, text)));
  const way = choice([["max", "running maximum"], ["fixed", "fixed number"]],
    (value) => ({ fixed: value === "max" ? null : state.m }));
  const factor = choice([1, 10, 100].map((x) => [x, `× ${x}`]), (value) => ({ factor: Number(value) }));
  const next = element("button", {
    type: "button", onclick: () => set({ read: Math.min(n, state.read + state.size) }),
  }, "Next tile");

  const root = explorerRoot("tiles", "Explorer: tiles");
  root.append(sums, output, table, note,
    element("p", { class: "att-buttons" }, next,
      element("button", { type: "button", onclick: () => set({ read: 0 }) }, "Start again"),
      element("button", { type: "button", onclick: () => set({ ...first }) }, "Reset")),
    element("p", { class: "att-buttons" }, element("label", {}, "Reference ", way),
      element("label", {}, "Scores ", factor)),
    element("div", { class: "att-dials" },
      element("div", { class: "att-dial" }, element("span", {}, "keys in a tile"), size, sizeShown),
      element("div", { class: "att-dial" }, element("span", {}, "fixed ", symbol("m")), mark, markShown)),
    said);

  function draw() {
    const { read, fixed } = state;
    const now = online(spec, state);
    const o = now.u.map((x) => f32(x / now.l));
    const fresh = read - ((read - 1) % state.size) - 1;
    const broken = read > 0 && o.some((x) => !Number.isFinite(x));
    sums.replaceChildren(symbol("m"), ` = ${figure(now.m)},  `, symbol("c"), ` = ${figure(now.c)},  `,
      symbol("l"), ` = ${figure(now.l)},  `,
      element("span", { class: "att-result" }, symbol("u"), ` = ${pair(now.u)}`));
    output.replaceChildren(symbol("o"), " = ", symbol("u"), " / ", symbol("l"), " = ",
      element("span", { class: "att-result" }, read ? pair(o) : "not yet"));
    output.classList.toggle("att-out", broken);
    rows.forEach((row, j) => {
      const weight = now.p[j] / now.l;
      const seen = j < read;
      row.node.dataset.state = !seen ? "unread" : j >= fresh ? "tile" : "before";
      row.score.textContent = figure(now.s[j]);
      row.term.textContent = seen ? figure(now.p[j]) : "unread";
      row.share.textContent = seen ? figure(weight) : "";
      row.bar.style.width = `${seen && weight <= 1 ? 100 * weight : 0}%`;
    });
    const what = broken ? `The float32 sum is ${figure(now.l)}, so the output is lost.`
      : read === n ? "All keys are read."
        : read ? `The output over the first ${read} ${read === 1 ? "key" : "keys"}.` : "Nothing is read yet.";
    note.textContent = `${read} of ${n} keys read. ${what}`;
    note.classList.toggle("att-out", broken);
    size.value = state.size;
    mark.value = state.m;
    mark.disabled = fixed === null;
    way.value = fixed === null ? "max" : "fixed";
    factor.value = state.factor;
    sizeShown.textContent = String(state.size);
    markShown.textContent = decimal(state.m, 0);
    next.disabled = read === n;
    announce(`${note.textContent} m ${figure(now.m)}, l ${figure(now.l)}, output ${read ? pair(o) : "none"}.`);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
