// The cache of a model: what it takes of a device's memory, and how a step that reads it uses the device.

// name: label, symbol, and the smallest and largest power of two; in the order of the formula.
const DIALS = {
  layers: ["layers", ["N"], 0, 7],
  kv: ["key heads", ["H", "kv"], 0, 7],
  dim: ["D", null, 4, 8],
  tokens: ["tokens", ["S"], 7, 20],
  batch: ["sequences", ["B"], 0, 8],
  bytes: ["bytes a number", ["b"], 0, 2],
  heads: ["query heads", ["H", "q"], 0, 7],
  memory: ["memory, GiB", null, 0, 10],
};
const GIB = 2 ** 30;

const cacheBytes = ({ layers, kv, dim, tokens, batch, bytes }) =>
  2 * layers * kv * dim * tokens * batch * bytes;
// Two products of D multiplications and additions for each query head, layer, token and sequence.
const operations = ({ layers, heads, dim, tokens, batch }) => 4 * layers * heads * dim * tokens * batch;
const intensity = (model) => operations(model) / cacheBytes(model);
const seconds = (model, { peak, bandwidth }) =>
  Math.max(operations(model) / peak, cacheBytes(model) / bandwidth);
// The part of its operations a second that the device can use, and what the cache takes of its memory.
const use = (model, { peak, bandwidth }) => Math.min(1, (intensity(model) * bandwidth) / peak);
const share = (model) => cacheBytes(model) / (model.memory * GIB);

// A power of two of bytes.
function size(bytes) {
  const step = Math.min(5, Math.floor(Math.log2(bytes) / 10));
  return `${bytes / 1024 ** step} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][step]}`;
}
function time(x) {
  const [factor, unit] = x < 1e-3 ? [1e6, "µs"] : x < 1 ? [1e3, "ms"] : [1, "s"];
  return `${Number((factor * x).toPrecision(2))} ${unit}`;
}
const percent = (x) => `${Number((100 * x).toPrecision(2))} %`;

// Query heads are a multiple of key heads: the dial that was not moved gives way.
function withHeads(model, change) {
  const next = { ...model, ...change };
  if (next.heads < next.kv) Object.assign(next, "kv" in change ? { heads: next.kv } : { kv: next.heads });
  return next;
}

function bar(name) {
  const fill = element("span", { class: "att-meter-bar" });
  const number = element("span", { class: "att-meter-number" });
  const node = element("div", { class: "att-meter" }, element("span", {}, name),
    element("span", { class: "att-meter-track", "aria-hidden": "true" }, fill), number);
  return {
    node,
    draw: (part, text, over) => {
      fill.style.width = `${100 * Math.min(1, part)}%`;
      number.textContent = text;
      node.classList.toggle("att-over", over);
    },
  };
}

function mount(el, spec) {
  let model = { ...spec.start };
  const set = (change) => { model = withHeads(model, change); draw(); };
  const dials = Object.entries(DIALS).map(([name, [label, sign, low, high]]) => {
    const input = element("input", {
      type: "range", class: "att-plain", min: low, max: high, step: 1, "aria-label": label,
      oninput: (event) => set({ [name]: 2 ** event.target.valueAsNumber }),
    });
    const shown = element("span", { class: "att-shown" });
    const text = name === "dim" ? [symbol("D")] : [label, ...(sign ? [" ", symbol(...sign)] : [])];
    const node = element("div", { class: "att-dial" }, element("span", {}, ...text), input, shown);
    return { name, input, shown, node };
  });
  const memory = element("span");
  const total = element("span", { class: "att-result" });
  const ratio = element("span");
  const product = ["N", ["H", "kv"], "D", "S", "B", "b"].flatMap((sign) => [symbol(...[sign].flat()), " "]);
  const taken = bar("memory in use");
  const used = bar("arithmetic in use");
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("decoding", "Explorer: the cache");
  root.append(
    element("p", { class: "att-formula" }, "cache = 2 ", product, "= ", memory, " ", total),
    element("p", { class: "att-formula" }, "operations per byte = 2 ", symbol("H", "q"), " / (",
      symbol("H", "kv"), " ", symbol("b"), ") = ", ratio),
    element("div", { class: "att-meters" }, taken.node, used.node), note,
    element("div", { class: "att-dials" }, ...dials.map((dial) => dial.node)),
    element("p", { class: "att-buttons" },
      element("button", { type: "button", onclick: () => set({ ...spec.start }) }, "Reset")), said);

  function draw() {
    const { layers, kv, heads, dim, tokens, batch, bytes } = model;
    const [cache, part] = [size(cacheBytes(model)), share(model)];
    const per = Number(intensity(model).toPrecision(3));
    const fits = part <= 1 ? `takes ${percent(part)} of the memory` : `is ${part} times the memory`;
    memory.textContent = `2 × ${[layers, kv, dim, tokens, batch, bytes].join(" × ")}`;
    total.textContent = `= ${cache}`;
    ratio.textContent = `2 × ${heads} / (${kv} × ${bytes}) = ${per}`;
    taken.draw(part, part <= 1 ? percent(part) : "does not fit", part > 1);
    used.draw(use(model, spec), percent(use(model, spec)), false);
    note.textContent = `The cache ${fits}. A step of attention takes at least ${time(seconds(model, spec))}.`
      + ` The device could do ${Math.round(spec.peak / spec.bandwidth)} operations for each byte.`;
    note.classList.toggle("att-out", part > 1);
    dials.forEach(({ name, input, shown }) => {
      input.value = Math.log2(model[name]);
      input.setAttribute("aria-valuetext", String(model[name]));
      shown.textContent = model[name].toLocaleString("en-US");
    });
    announce(`Cache ${cache}, ${fits}. ${per} operations per byte.`);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
