// The picture: mask and blocks, one row lit, what can reach that row. One unit is one pair.

// Neighbouring positions as [start, length].
function runs(positions) {
  const found = [];
  for (const j of positions) {
    const last = found.at(-1);
    if (last && last[0] + last[1] === j) last[1] += 1;
    else found.push([j, 1]);
  }
  return found;
}
// Cells of row y: the stroke's dashes make the squares.
const strip = (positions, y) => runs(positions).map(([j, length]) => `M${j},${y + 0.5}h${length}`).join("");

// `show(i)` shows a row until `show()`, `pick(i)` keeps it, `slide(w)` sets the window.
function picture(n, hatch, show, pick, slide) {
  const path = (name, d = "") => shape("path", { class: `att-${name}`, d });
  const words = (x, y, anchor, name, ...text) =>
    shape("text", { x, y, "text-anchor": anchor, class: `att-${name}` }, ...text);
  const ground = shape("rect", { class: "att-ground", width: n, height: n });
  const [partial, live, full, lit, grasp, line] =
    ["partial", "live", "full", "lit", "grasp", "line"].map((name) => path(name));
  const grip = shape("circle", { class: "att-grip", r: 1.1 });
  partial.style.fill = `url(#${hatch})`;
  const row = shape("g", { class: "att-row" });
  const place = (event) => {
    const box = ground.getBoundingClientRect();
    return [(n * (event.clientX - box.left)) / box.width, (n * (event.clientY - box.top)) / box.height];
  };
  const edge = shape("g", {
    class: "att-edge",
    onpointerdown: (event) => edge.setPointerCapture(event.pointerId),
    onpointermove: (event) => {
      const [x, y] = place(event);
      if (edge.hasPointerCapture(event.pointerId)) slide(clamp(Math.round(y - x + 0.5), 1, n));
    },
  }, grasp, line, grip);
  const rowAt = (event) => clamp(floor(place(event)[1], 1), 0, n - 1);
  const plane = shape("g", {
    onpointermove: (event) => show(rowAt(event)),
    onpointerleave: () => show(),
    onclick: (event) => pick(rowAt(event)),
  }, ground, partial, live, full, path("stair", `M0,0${"h1v1".repeat(n)}`), lit, row, edge);
  const ticks = [0, n / 4, n / 2, (3 * n) / 4, n - 1];
  const svg = shape("svg", { "aria-hidden": "true" },
    shape("pattern", {
      id: hatch, width: 1, height: 1, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
    }, path("hatching", "M0,0v1")),
    ...ticks.map((t) => words(t + 0.5, -2, "middle", "tick", t)),
    ...ticks.map((t) => words(-2.4, t + 0.5, "end", "tick", t)), plane);
  const node = element("div", {
    class: "att-mask", role: "slider", tabindex: 0, "aria-label": "Query row", "aria-valuemax": n - 1,
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1, Home: -n, End: n }[event.key];
      if (!step) return;
      event.preventDefault();
      pick(clamp(Number(node.getAttribute("aria-valuenow")) + step, 0, n - 1));
    },
  }, svg);

  function draw(mask, blocks, size) {
    const corners = (whole) => blocks.filter((block) => block[2] === whole).map(([i, j]) =>
      `M${j * size},${i * size}h${size}v${size}h${-size}z`).join("");
    const solid = new Set(blocks.filter((block) => block[2]).map(([i, j]) => i * n + j));
    partial.setAttribute("d", corners(false));
    full.setAttribute("d", corners(true));
    live.setAttribute("d", range(n).map((i) =>
      strip(rowOf(mask, n, i).filter((j) => !solid.has(floor(i, size) * n + floor(j, size))), i)).join(""));
  }

  // `reached` has a list for each of `names`, the layers; `w` is 0 where no window can be dragged.
  function drawRow(i, positions, names, reached, w) {
    const y = (layer) => n + 5.5 + 3 * layer;
    lit.setAttribute("d", strip(positions, i));
    row.replaceChildren(
      shape("rect", { class: "att-frame", y: i, width: n, height: 1 }),
      shape("circle", { class: "att-dot", cx: -1, cy: i + 0.5, r: 0.6 }),
      words(n + 1, i + 0.5, "start", "i", "q", shape("tspan", { dy: 0.8 }, i)),
      path("lit", strip(positions, -1)),
      words(0, n + 2.4, "start", "tick", `what can reach row ${i} after layer`),
      ...names.flatMap((name, layer) => {
        const before = reached[layer - 1] ?? [];
        return [
          words(-1, y(layer), "end", "tick", name),
          path("floor", `M0,${y(layer) + 1.2}h${n}`),
          path("lit", strip(before, y(layer))),
          path("new", strip(reached[layer].filter((j) => !before.includes(j)), y(layer) - 0.5)),
          words(n + 1, y(layer), "start", "j", reached[layer].length),
        ];
      }));
    edge.style.display = w ? "" : "none";
    for (const each of [grasp, line]) each.setAttribute("d", `M0,${w - 0.5}L${n - w + 0.5},${n}`);
    const at = Math.max(i, w - 1);
    grip.setAttribute("cx", at - w + 1);
    grip.setAttribute("cy", at + 0.5);
    svg.setAttribute("viewBox", `-6 -4 ${n + 11} ${y(names.length) + 2.5}`);
    node.setAttribute("aria-valuenow", i);
    node.setAttribute("aria-valuetext", `row ${i}, keys ${positions.join(", ") || "none"}`);
  }

  return { node, draw, drawRow };
}
