// The number of a program, the tile that it owns, and where in memory the tile's vectors lie.

const ACROSS = 16; // vectors in a line of the picture
let strips = 0;

// The last tile of a head comes first.
function owned(program, tokens, rows, group) {
  const tiles = Math.ceil(tokens / rows);
  const head = Math.floor(program / tiles);
  const tile = tiles - 1 - (program % tiles);
  return { tiles, tile, head, keyHead: Math.floor(head / group) };
}

// Elements from head to head and from token to token.
const stridesOf = (heads, tokens, dim, tokensFirst) =>
  (tokensFirst ? { head: dim, token: heads * dim } : { head: tokens * dim, token: dim });
const addressOf = (head, token, strides) => head * strides.head + token * strides.token;

// Addresses of some tokens of a head: those that exist, and those that are masked.
function reads(head, first, count, tokens, strides) {
  const all = Array.from({ length: count }, (_, r) => first + r);
  const at = (wanted) => wanted.map((token) => addressOf(head, token, strides));
  return { live: at(all.filter((token) => token < tokens)), masked: at(all.filter((token) => token >= tokens)) };
}

function mount(el, spec) {
  const { heads, dim, rows, keyHeads, layouts } = spec;
  const state = { ...spec.start };
  const set = (change) => { Object.assign(state, change); draw(); };
  const formula = element("p", { class: "att-formula" });
  const strip = (name) => {
    const hatch = `att-addresses-hatch-${strips += 1}`;
    const body = shape("g");
    const node = shape("svg", { class: `att-strip att-${name}`, "aria-hidden": "true" },
      shape("pattern", {
        id: hatch, width: 0.25, height: 0.25, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
      }, shape("path", { class: "att-hatching", d: "M0,0v0.25" })), body);
    return { node, body, hatch };
  };
  const [queries, keys] = [strip("queries"), strip("keys")];
  const note = element("p", { class: "att-note" });
  const slider = (key, label) => element("input", {
    type: "range", class: "att-plain", step: 1, "aria-label": label,
    oninput: (event) => set({ [key]: event.target.valueAsNumber }),
  });
  const program = slider("program", "Program");
  const tokens = slider("tokens", "Tokens");
  const shown = [0, 1].map(() => element("span", { class: "att-shown" }));
  const dial = (text, input, told) => element("div", { class: "att-dial" }, element("span", {}, text), input, told);
  const choice = (key, label, names) => {
    const select = element("select", { onchange: () => set({ [key]: Number(select.value) }) },
      ...names.map((name, i) => element("option", { value: i }, String(name))));
    return { key, select, node: element("label", {}, label, " ", select) };
  };
  const choices = [
    choice("rows", "Rows a program", rows), choice("keyHeads", "Key heads", keyHeads),
    choice("layout", "Memory", layouts),
  ];
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("addresses", "Explorer: addresses");
  root.append(formula,
    element("p", { class: "att-whose" }, "queries"), queries.node,
    element("p", { class: "att-whose" }, "keys"), keys.node, note,
    element("div", { class: "att-dials" }, dial("program", program, shown[0]), dial("tokens", tokens, shown[1])),
    element("p", { class: "att-buttons" }, ...choices.map(({ node }) => node),
      element("button", { type: "button", onclick: () => set({ ...spec.start }) }, "Reset")),
    said);

  // A square for each vector in the order of memory; its number is the head that owns it.
  function drawStrip({ node, body, hatch }, count, strides, { live, masked }) {
    const owner = new Map();
    for (let head = 0; head < count; head += 1) {
      for (let token = 0; token < state.tokens; token += 1) owner.set(addressOf(head, token, strides), head);
    }
    const marks = [...new Set([...owner.keys(), ...masked])].map((address) => {
      const at = address / dim;
      const corner = { x: 2 + (at % ACROSS), y: Math.floor(at / ACROSS), width: 1, height: 1 };
      const kind = live.includes(address) ? "live" : masked.includes(address) ? "masked" : "idle";
      const box = shape("rect", { ...corner, class: `att-${kind}` });
      if (kind === "masked") box.style.fill = `url(#${hatch})`;
      const label = shape("text", { x: corner.x + 0.5, y: corner.y + 0.7, "text-anchor": "middle", class: `att-on-${kind}` });
      label.textContent = owner.get(address) ?? "";
      return shape("g", {}, box, label);
    });
    const lines = Math.ceil((Math.max(...owner.keys(), ...masked) / dim + 1) / ACROSS);
    const numbers = Array.from({ length: lines }, (_, line) => {
      const label = shape("text", { x: 1.8, y: line + 0.7, "text-anchor": "end" });
      label.textContent = line * ACROSS * dim;
      return label;
    });
    node.setAttribute("viewBox", `0 -0.1 ${ACROSS + 2.1} ${lines + 0.2}`);
    body.replaceChildren(...numbers, ...marks);
  }

  function draw() {
    const [count, tile, kv] = [state.tokens, rows[state.rows], keyHeads[state.keyHeads]];
    const programs = heads * Math.ceil(count / tile);
    state.program = clamp(state.program, 0, programs - 1);
    const mine = owned(state.program, count, tile, heads / kv);
    const first = mine.tile * tile;
    const strides = [heads, kv].map((number) => stridesOf(number, count, dim, state.layout === 1));
    const read = [reads(mine.head, first, tile, count, strides[0]), reads(mine.keyHead, 0, count, count, strides[1])];
    drawStrip(queries, heads, strides[0], read[0]);
    drawStrip(keys, kv, strides[1], read[1]);
    formula.replaceChildren(
      element("span", {}, `tile = ${mine.tiles} − 1 − ${state.program} mod ${mine.tiles} = ${mine.tile}`), " ",
      element("span", {}, `head = ⌊${state.program} / ${mine.tiles}⌋ = ${mine.head}`), " ",
      element("span", {}, `key head = ⌊${mine.head} / ${heads / kv}⌋ = ${mine.keyHead}`), " ",
      element("span", {}, `row ${first}: ${mine.head} × ${strides[0].head} + ${first} × ${strides[0].token} = ${read[0].live[0]}`));
    Object.assign(program, { min: 0, max: programs - 1, value: state.program });
    Object.assign(tokens, { min: spec.range[0], max: spec.range[1], value: count });
    choices.forEach(({ key, select }) => { select.value = state[key]; });
    shown[0].textContent = state.program;
    shown[1].textContent = count;
    const masked = read[0].masked.length ? `, masked ${read[0].masked.join(", ")}` : "";
    note.textContent = `Program ${state.program} of ${programs} owns tile ${mine.tile} of head ${mine.head}. `
      + `Addresses of its queries: ${read[0].live.join(", ")}${masked}. `
      + `It reads keys of head ${mine.keyHead}.`;
    announce(note.textContent);
  }

  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
