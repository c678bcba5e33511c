// The drawing of the weighted sum: values, hull, the terms head to tail, the output.

const SIDE = 400;

const diamond = (size) => `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`;

// A path from a to b with an open head; a short arrow gets a short head.
function arrowPath(a, b) {
  const way = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(...way);
  if (length < 0.5) return "";
  const head = Math.min(9, length * 0.7) / length;
  const wing = (side) => [
    b[0] - head * (way[0] + side * 0.5 * way[1]),
    b[1] - head * (way[1] - side * 0.5 * way[0]),
  ];
  return `M${a}L${b}M${wing(1)}L${b}L${wing(-1)}`;
}

// Builds the plane for the state's values; `move.value(j, point)` and `move.output(point)` ask for changes.
function plane(spec, state, move) {
  const unit = SIDE / spec.side;
  const screen = (p) => [(p[0] - spec.low[0]) * unit, SIDE - (p[1] - spec.low[1]) * unit];
  const place = (node, p) => node.setAttribute("transform", `translate(${screen(p)})`);
  const svg = shape("svg", {
    viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group", class: "att-plane",
    "aria-label": "The plane: values, their convex hull, and the output",
  });
  const toPlane = (event) => {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [p.x / unit + spec.low[0], (SIDE - p.y) / unit + spec.low[1]];
  };

  const label = (text, index, attributes) => shape("text", attributes, text,
    ...(index === undefined ? [] : [shape("tspan", { class: "att-sub", dy: 4 }, String(index))]));
  const handle = (size, kind, name, token, at, go) => {
    const node = shape("g", {
      class: kind, tabindex: 0, role: "button", "aria-roledescription": "movable point", "data-token": token,
    }, shape("circle", { r: 18, class: "att-reach" }), shape("path", { d: diamond(size) }));
    draggable(node, { toPlane, at, move: go });
    return { node, name, at };
  };

  const box = shape("rect", { class: "att-bounds" });
  const hull = shape("polygon", { class: "att-hull" });
  const terms = state.values.map((_, j) => shape("path", { class: "att-step", "data-token": j }));
  const mean = shape("g", { class: "att-mean" }, shape("path", { d: "M-6 0H6M0-6V6" }),
    label("mean", undefined, { x: -10, y: 4, "text-anchor": "end" }));
  const aim = shape("path", { class: "att-aim" });
  const names = state.values.map((_, j) => label("v", j, { class: "att-name", "data-token": j }));
  const output = label("o", undefined, { class: "att-name" });
  const values = state.values.map((_, j) => handle(8, "att-value", `v_${j}`, j,
    () => state.values[j], (p) => move.value(j, p)));
  const target = handle(7, "att-output", "o", false, () => combine(state.alpha, state.values), move.output);
  svg.append(axes(spec, screen), box, hull, mean, ...terms, aim, ...names, output,
    ...values.map(({ node }) => node), target.node);

  const draw = () => {
    const { values: points, alpha } = state;
    const o = combine(alpha, points);
    const middle = combine(points.map(() => 1 / points.length), points);
    const low = screen([0, 1].map((axis) => Math.min(...points.map((p) => p[axis]))));
    const high = screen([0, 1].map((axis) => Math.max(...points.map((p) => p[axis]))));
    fill(box, { x: low[0], y: high[1], width: high[0] - low[0], height: low[1] - high[1] }, []);
    hull.setAttribute("points", outline(points).map(screen).join(" "));
    place(mean, middle);
    let tail = [0, 0];
    terms.forEach((term, j) => {
      const head = tail.map((x, axis) => x + alpha[j] * points[j][axis]);
      term.setAttribute("d", arrowPath(screen(tail), screen(head)));
      tail = head;
    });
    aim.setAttribute("d", state.aim ? `M${screen(o)}L${screen(state.aim)}m-6-6l12 12m0-12l-12 12` : "");
    names.forEach((name, j) => place(name, aside(points[j], middle, unit)));
    place(output, [o[0] + 15 / unit, o[1] - 15 / unit]);
    for (const { node, name, at } of [...values, target]) {
      place(node, at());
      node.setAttribute("aria-label", `${name} at ${point2(at())}`);
    }
  };
  return { svg, draw };
}

// The place of the name of `p`: on the side that looks away from `from`, above the axis.
const aside = (p, from, unit) => [p[0] + (p[0] < from[0] ? -20 : 20) / unit, p[1] + 8 / unit];

function axes(spec, screen) {
  const [left, bottom] = spec.low;
  const group = shape("g", { class: "att-axes", "aria-hidden": "true" });
  const line = (a, b) => group.append(shape("path", { d: `M${screen(a)}L${screen(b)}` }));
  const note = (p, dx, dy, anchor, text) => {
    const [x, y] = screen(p);
    group.append(shape("text", { x: x + dx, y: y + dy, "text-anchor": anchor }, text));
  };
  line([left, 0], [left + spec.side, 0]);
  line([0, bottom], [0, bottom + spec.side]);
  for (let step = 1; step < spec.side; step += 1) {
    const x = left + step;
    const y = bottom + step;
    if (x) note([x, 0], 0, 16, "middle", decimal(x, 0));
    if (y) note([0, y], -8, 4, "end", decimal(y, 0));
  }
  return group;
}
