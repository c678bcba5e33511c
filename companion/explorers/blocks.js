// Blocks of a size over a pattern: how many are listed, and what share of the pairs in them is waste.

const CHART = { width: 420, height: 170, left: 44, right: 24, top: 18, bottom: 40 };
const grouped = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");
let hatches = 0;

// Listed blocks of n tokens; the last of a row or column may be cut.
function listedBlocks(mask, n, size) {
  const across = Math.ceil(n / size);
  const live = new Map();
  mask.forEach((allowed, pair) => {
    const block = floor(floor(pair, n), size) * across + floor(pair % n, size);
    if (allowed) live.set(block, (live.get(block) ?? 0) + 1);
  });
  const side = (k) => Math.min(size, n - k * size);
  return [...live].map(([block, count]) => {
    const [i, j] = [floor(block, across), block % across];
    return { x: j * size, y: i * size, w: side(j), h: side(i), full: count === side(i) * side(j) };
  });
}

function summed(mask, n, size) {
  const blocks = listedBlocks(mask, n, size);
  const full = blocks.filter((block) => block.full).length;
  const computed = total(blocks.map(({ w, h }) => w * h));
  const allowed = pairsOf(mask);
  return { blocks, full, partial: blocks.length - full, computed, allowed, waste: 1 - allowed / computed };
}

function mount(el, spec) {
  const { sizes, patterns } = spec;
  const start = { pattern: spec.pattern, size: spec.size, tokens: spec.tokens };
  const state = { ...start };
  const set = (change) => { Object.assign(state, change); draw(); };
  const hatch = `att-blocks-hatch-${hatches += 1}`;
  const word = (x, y, anchor, text) => {
    const made = shape("text", { x, y, "text-anchor": anchor });
    made.textContent = text;
    return made;
  };
  const path = (name, d) => shape("path", { class: `att-${name}`, d });

  const formula = element("p", { class: "att-formula" });
  const body = shape("g");
  const grid = shape("svg", { class: "att-cut", "aria-hidden": "true" },
    shape("pattern", {
      id: hatch, width: 2, height: 2, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
    }, path("hatching", "M0,0v2")), body);
  const curve = shape("svg", {
    class: "att-plane", viewBox: `0 0 ${CHART.width} ${CHART.height}`, "aria-hidden": "true",
  });
  const note = element("p", { class: "att-note" });
  const select = element("select", { onchange: () => set({ pattern: Number(select.value) }) },
    ...patterns.map(({ name }, i) => element("option", { value: i }, name)));
  const slider = (key, label, min, max) => element("input", {
    type: "range", class: "att-plain", min, max, step: 1, "aria-label": label,
    oninput: (event) => set({ [key]: event.target.valueAsNumber }),
  });
  const size = slider("size", "Block size", 0, sizes.length - 1);
  const tokens = slider("tokens", "Tokens", ...spec.range);
  const shown = [0, 1].map(() => element("span", { class: "att-shown" }));
  const dial = (letter, input, told) =>
    element("div", { class: "att-dial" }, element("span", {}, symbol(letter)), input, told);
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("blocks", "Explorer: blocks");
  root.append(formula, grid, curve, note,
    element("div", { class: "att-dials" }, dial("B", size, shown[0]), dial("L", tokens, shown[1])),
    element("p", { class: "att-buttons" }, element("label", {}, "Pattern ", select),
      element("button", { type: "button", onclick: () => set(start) }, "Reset")),
    said);

  function drawGrid(mask, n, { blocks }) {
    const corners = (full) => blocks.filter((block) => block.full === full)
      .map(({ x, y, w, h }) => `M${x},${y}h${w}v${h}h${-w}z`).join("");
    const live = range(n).flatMap((i) => rowOf(mask, n, i).map((j) => `M${j},${i}h1v1h-1z`)).join("");
    const partial = path("partial", corners(false));
    partial.style.fill = `url(#${hatch})`;
    grid.setAttribute("viewBox", `-1 -1 ${n + 2} ${n + 2}`);
    body.replaceChildren(partial, path("live", live), path("full", corners(true)),
      path("edge", corners(false) + corners(true)), path("stair", `M0,0${"h1v1".repeat(n)}`));
  }

  function drawCurve(all) {
    const { width, height, left, right, top, bottom } = CHART;
    const most = Math.log2(Math.max(...all.map(({ blocks }) => blocks.length))) || 1;
    const x = ({ blocks }) => left + (width - left - right) * (Math.log2(blocks.length) / most);
    const y = ({ waste }) => height - bottom - (height - top - bottom) * waste;
    const counts = range(Math.floor(most / 3) + 1).map((k) => 8 ** k);
    curve.replaceChildren(
      shape("g", { class: "att-axes" }, path("axis", `M${left},${top}V${height - bottom}H${width - right}`)),
      ...counts.map((count) => word(x({ blocks: { length: count } }), height - bottom + 17, "middle", grouped(count))),
      word((left + width - right) / 2, height - 4, "middle", "blocks listed"),
      word(left - 8, y({ waste: 1 }) + 5, "end", "1"), word(left - 8, y({ waste: 0 }) + 5, "end", "0"),
      word(left + 6, top - 4, "start", "waste"),
      path("sizes", `M${all.map((at) => `${x(at).toFixed(1)},${y(at).toFixed(1)}`).join("L")}`),
      ...all.map((at, k) => shape("circle", {
        class: k === state.size ? "att-now" : "att-size", cx: x(at), cy: y(at), r: k === state.size ? 6 : 3.5,
      })),
      word(x(all[state.size]), y(all[state.size]) - 11, "middle", `B = ${sizes[state.size]}`));
  }

  function draw() {
    const n = state.tokens;
    const mask = maskOf(patterns[state.pattern].parts, n);
    const all = sizes.map((size) => summed(mask, n, size));
    const now = all[state.size];
    drawGrid(mask, n, now);
    drawCurve(all);
    formula.replaceChildren("waste = 1 − allowed / computed = 1 − ",
      `${grouped(now.allowed)} / ${grouped(now.computed)} = ${decimal(now.waste)}`);
    select.value = state.pattern;
    size.value = state.size;
    tokens.value = n;
    size.setAttribute("aria-valuetext", `${sizes[state.size]}`);
    shown[0].textContent = sizes[state.size];
    shown[1].textContent = n;
    note.textContent = `${patterns[state.pattern].name}, ${n} tokens, blocks of ${sizes[state.size]}: `
      + `${grouped(now.partial)} partial and ${grouped(now.full)} full are listed, of ${grouped(Math.ceil(n / sizes[state.size]) ** 2)}. `
      + `Waste ${decimal(now.waste)}.`;
    announce(note.textContent);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
