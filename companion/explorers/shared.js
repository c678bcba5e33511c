// What every explorer uses: elements, numbers as the book writes them, dragging, announcements.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat());
  return node;
}

const element = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
const shape = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

// Two decimals and a real minus sign; never a negative zero.
function decimal(x, digits = 2) {
  const text = x.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "\u2212");
}
const point2 = (p) => `[${decimal(p[0])}, ${decimal(p[1])}]`;

// A symbol of the formula with its subscript.
const symbol = (letter, index) => element("span", { class: "att-sym" }, letter,
  ...(index === undefined ? [] : [element("sub", {}, String(index))]));

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const snap = (x) => Math.round(x * 10) / 10;

// Pointer and arrow keys move a handle: `at()` is where it is, `move(point)` asks for another place.
function draggable(handle, { toPlane, at, move }) {
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    event.preventDefault();
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) move(toPlane(event).map(snap));
  });
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  handle.addEventListener("keydown", (event) => {
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    const step = event.shiftKey ? 1 : 0.1;
    move(at().map((x, axis) => snap(x + step * way[axis])));
  });
}

// Tells assistive technology, once things have been quiet for a moment.
function announcer(node) {
  let timer;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => { node.textContent = text; }, 500);
  };
}

// The root of an explorer: no key reaches the notebook around it.
function explorerRoot(kind, label) {
  const root = element("section", { class: `att-explorer att-${kind}`, "data-explorer": kind, "aria-label": label });
  for (const type of ["keydown", "keyup", "keypress"]) {
    root.addEventListener(type, (event) => event.stopPropagation());
  }
  return root;
}
