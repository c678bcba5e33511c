// The pattern explorer: combine patterns, give layers a schedule, see what follows.

const whole = (x) => x.toLocaleString("en-US");

// {0, 1, 33, …, 40}
const shortened = (positions) => `{${listed(runs(positions).flatMap(([j, length]) =>
  (length > 3 ? [j, "…", j + length - 1] : range(length).map((k) => j + k))))}}`;

// i in the colour of queries, j in that of keys.
const typeset = (text) => text.split(/\b([ij])\b/).map((piece, place) =>
  (place % 2 ? element("span", { class: `att-sym att-${piece}` }, piece) : piece));

const labelled = (text, ...nodes) => element("label", {}, `${text} `, ...nodes);
let mounted = 0;

function mount(el, spec) {
  const { tokens: n, dim, itemsize, kinds } = spec;
  const state = {};
  let masks;
  const parts = (letter = state.shown) => state[letter].filter(({ op }) => op !== "–");
  const windowPart = () => parts().find(({ kind }) => kind === "sliding_window");
  const bytes = (queries, keys) => whole(2 * dim * itemsize * (queries + keys));
  // An example's note holds until more than the row changes.
  const change = (next) => {
    Object.assign(state, { note: spec.hint }, next);
    draw();
  };
  const pick = (row) => {
    state.row = row;
    drawRow();
  };

  const [formula, set, depth, note, trouble] = ["formula", "set", "depth", "note", "hint"]
    .map((name) => element("p", { class: `att-${name}` }));
  const code = element("code");
  const copied = element("button", { type: "button", onclick: copy }, "Copy");
  const view = picture(n, `att-hatch-${(mounted += 1)}`, drawRow, pick, (w) => {
    windowPart().args = [w];
    change();
  });
  const slider = element("input", {
    type: "range", class: "att-plain", max: n - 1, oninput: () => pick(slider.valueAsNumber),
  });
  const facts = element("dl");
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const complain = (text) => {
    trouble.textContent = text || "As in Python, & binds before |.";
    trouble.classList.toggle("att-out", text);
    announce(text);
  };
  const shown = select("Pattern shown", "AB", (letter) => change({ shown: letter }));
  const editors = range(3).map((k) => partControls(k, spec, change, complain));
  const size = select("Block size", spec.sizes, (value) => change({ size: Number(value) }));
  const layers = range(4).map((k) => select(`Layer ${k + 1}`, k ? "AB–" : "AB", (letter) => {
    state.layers[k] = letter;
    change();
  }));
  const root = explorerRoot("pattern", "Explorer: patterns");
  root.append(
    element("p", { class: "att-python" }, code, copied), formula,
    element("div", { class: "att-view" },
      element("div", {}, view.node, element("label", { class: "att-dial" }, "row", slider), set),
      element("div", {},
        element("p", { class: "att-buttons" }, ...spec.examples.map((example) => element("button", {
          type: "button", onclick: () => change(structuredClone(example)),
        }, example.name))),
        note, labelled("Pattern", shown), ...editors.map(({ node }) => node), trouble,
        element("p", { class: "att-buttons" },
          ...layers.map((layer, k) => labelled(k ? k + 1 : "Layers 1", layer)), labelled("Blocks of", size))),
      element("div", {}, facts, depth)),
    said);

  // Without a clipboard the text stands selected.
  function copy() {
    getSelection().selectAllChildren(code);
    navigator.clipboard?.writeText(code.textContent).then(() => { copied.textContent = "Copied"; }, () => {});
  }

  function draw() {
    masks = { A: maskOf(parts("A"), n), B: maskOf(parts("B"), n) };
    const mask = masks[state.shown];
    const blocks = blocksOf(mask, n, state.size);
    const full = blocks.filter((block) => block[2]).length;
    const computed = blocks.length * state.size ** 2;
    const pairs = pairsOf(mask);
    const dense = (n * (n + 1)) / 2;
    const keys = range(n).filter((j) => range(n).some((i) => mask[i * n + j])).length;
    const operations = (count) => whole(4 * dim * count);
    code.textContent = expression(parts());
    copied.textContent = "Copy";
    formula.replaceChildren(...typeset("For j ≤ i: j ∈ "), symbol("G", "i"), " when ",
      ...typeset(condition(parts(), kinds)));
    view.draw(mask, blocks, state.size);
    facts.replaceChildren(...[
      ["pairs, dense causal", whole(dense), dense],
      ["pairs, this pattern", whole(pairs), pairs],
      ["pairs, its blocks", whole(computed), computed],
      ["density", decimal(pairs / n ** 2)],
      ["share of causal", decimal(pairs / dense)],
      ["blocks, full and partial", `${full}, ${blocks.length - full}`],
      ["masked in blocks", `${computed && Math.round(100 * (1 - pairs / computed))} %`],
      ["operations", operations(pairs)],
      ["operations, its blocks", operations(computed)],
      ["bytes, at least", bytes(n, keys)],
    ].map(([name, value, count]) => element("div", {
      style: count >= 0 && `--fill:${(100 * count) / n ** 2}%`,
    }, element("dt", {}, name), element("dd", {}, value))));
    note.textContent = state.note;
    complain("");
    shown.value = state.shown;
    for (const option of shown.options) option.text = `${option.value}: ${expression(parts(option.value))}`;
    editors.forEach(({ show }, k) => show(state[state.shown][k]));
    size.value = state.size;
    layers.forEach((layer, k) => { layer.value = state.layers[k]; });
    drawRow();
    announce(`${code.textContent}. Pairs: ${whole(pairs)}. ${depth.textContent}`);
  }

  function drawRow(i = state.row) {
    const positions = rowOf(masks[state.shown], n, i);
    const names = state.layers.map((letter, k) => `${k + 1} ${letter}`).filter((name) => name[2] !== "–");
    const through = names.map((name) => masks[name[2]]);
    const reached = reachOf(through, n, i);
    view.drawRow(i, positions, names, reached, windowPart()?.args[0] ?? 0);
    slider.value = i;
    set.replaceChildren(symbol("G", i), ` = ${shortened(positions)}, |`, symbol("G", i),
      `| = ${positions.length}. Decoding row ${i} reads ${bytes(0, positions.length)} bytes.`);
    depth.textContent = `Pairs in all layers: ${whole(total(through.map(pairsOf)))}. `
      + `Positions that can reach row ${i}: ${reached.at(-1).length}.`;
  }

  change(structuredClone(spec.start));
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
