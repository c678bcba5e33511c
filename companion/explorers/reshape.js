// From tokens to heads: where view and transpose put a number, and where a view alone would.

// The place in memory of x[b, t, c]; rows of heads * dim numbers, one after the other.
const address = ({ tokens, heads, dim }, b, t, c) => (b * tokens + t) * heads * dim + c;

// x.view(B, L, H, D).transpose(1, 2): the column says which head, the token stays.
const cutRight = ({ dim }, t, c) => ({ head: Math.floor(c / dim), row: t, d: c % dim });

// x.view(B, H, L, D): the same numbers in the same order, under other names.
function cutWrong({ tokens, heads, dim }, t, c) {
  const place = t * heads * dim + c;
  return { head: Math.floor(place / (tokens * dim)), row: Math.floor(place / dim) % tokens, d: place % dim };
}

// Heads put together by a reshape alone: token and column at which x[t, c] arrives.
function joinWrong({ tokens, heads, dim }, t, c) {
  const { head, row, d } = cutRight({ dim }, t, c);
  const place = (head * tokens + row) * dim + d;
  return { token: Math.floor(place / (heads * dim)), column: place % (heads * dim) };
}

// Every [t, c] of a sentence.
const numbersOf = ({ tokens, heads, dim }) => Array.from({ length: tokens * heads * dim },
  (_, place) => [Math.floor(place / (heads * dim)), place % (heads * dim)]);

// How many numbers of a sentence end in the row of another token.
const strays = (size, way) => numbersOf(size).filter(([t, c]) => {
  const { row, token } = way(size, t, c);
  return (row ?? token) !== t;
}).length;

// A grid of cells in the order of `places`, each { t, c, at: [row, column] }; gaps after every `dim` columns.
function cells(size, places, columns, make) {
  const ordered = places.sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1]);
  const grid = element("div", { class: "att-cells", style: `--columns:${columns}` },
    ...ordered.map(({ t, c, at }) => make(t, c, at)));
  grid.querySelectorAll("[data-place]").forEach((node, k) => {
    const column = k % columns;
    if (column && column % size.dim === 0) node.classList.add("att-cut");
  });
  return grid;
}

function mount(el, spec) {
  const state = {};
  const size = () => ({ tokens: state.tokens, heads: state.heads, dim: state.dim });
  const formula = element("p", { class: "att-formula" });
  const panels = element("div", { class: "att-panels" });
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const root = explorerRoot("reshape", "Explorer: from tokens to heads");
  root.dataset.explorer = "reshape";

  const choose = (name, text, options) => {
    const select = element("select", {
      onchange: () => {
        Object.assign(state, { [name]: Number(select.value) });
        state.token = Math.min(state.token, state.tokens - 1);
        state.column = Math.min(state.column, state.heads * state.dim - 1);
        build();
      },
    }, ...options.map((x) => element("option", { value: x }, String(x))));
    return { name, select, node: element("label", {}, `${text} `, select) };
  };
  const choices = [
    choose("sentence", "sentence b", [0, 1]),
    choose("tokens", "tokens L", spec.sizes.tokens),
    choose("heads", "heads H", spec.sizes.heads),
    choose("dim", "numbers a head D", spec.sizes.dim),
  ];
  root.append(formula, panels, note,
    element("p", { class: "att-buttons" }, ...choices.map(({ node }) => node),
      element("button", { type: "button", onclick: () => start() }, "Reset")),
    said);

  const place = (t, c) => address(size(), state.sentence, t, c);
  const pick = (t, c, focus) => {
    Object.assign(state, { token: t, column: c });
    draw();
    if (focus) panels.querySelector("button[data-place][aria-pressed=true]").focus();
  };
  const step = (event) => {
    const ways = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    pick(clamp(state.token + way[0], 0, state.tokens - 1),
      clamp(state.column + way[1], 0, state.heads * state.dim - 1), true);
  };
  const about = (t, c) => ({ "data-place": place(t, c), "data-of": t, onclick: () => pick(t, c) });
  const button = (t, c) => element("button", {
    type: "button", ...about(t, c), onkeydown: step,
    "aria-label": `Number ${place(t, c)}: token ${t}, column ${c}`,
  }, String(place(t, c)));
  const mark = (t, c) => element("span", about(t, c), String(place(t, c)));

  function panel(title, code, ...grids) {
    return element("div", { class: "att-panel" }, element("p", { class: "att-panel-title" }, title, " ",
      element("code", {}, code)), element("div", { class: "att-grids" }, ...grids));
  }
  // One small grid a head.
  const byHead = (way) => Array.from({ length: state.heads }, (_, head) => {
    const mine = numbersOf(size()).map(([t, c]) => ({ t, c, to: way(size(), t, c) }))
      .filter(({ to }) => to.head === head).map(({ t, c, to }) => ({ t, c, at: [to.row, to.d] }));
    return element("div", { "aria-hidden": "true" }, element("p", { class: "att-hint" }, `head ${head}`),
      cells(size(), mine, state.dim, mark));
  });

  function build() {
    const whole = numbersOf(size());
    const width = state.heads * state.dim;
    const source = cells(size(), whole.map(([t, c]) => ({ t, c, at: [t, c] })), width, button);
    fill(source, { role: "group", "aria-label": "The input: pick a number, arrow keys move" }, []);
    const joined = cells(size(), whole.map(([t, c]) => {
      const { token, column } = joinWrong(size(), t, c);
      return { t, c, at: [token, column] };
    }), width, mark);
    joined.setAttribute("aria-hidden", "true");
    panels.replaceChildren(
      panel("Input", "x: (B, L, H*D)", source),
      panel("Right cut", "x.view(B, L, H, D).transpose(1, 2)", ...byHead(cutRight)),
      panel("Wrong cut", "x.view(B, H, L, D)", ...byHead(cutWrong)),
      panel("Right cut, wrong join", "heads.reshape(B, L, H*D)", joined),
    );
    draw();
  }
  function start() {
    const { tokens, heads, dim, token, column } = spec;
    Object.assign(state, { sentence: 0, tokens, heads, dim, token, column });
    build();
  }

  function draw() {
    const { sentence: b, token: t, column: c } = state;
    choices.forEach(({ name, select }) => { select.value = state[name]; });
    const right = cutRight(size(), t, c);
    const wrong = cutWrong(size(), t, c);
    const back = joinWrong(size(), t, c);
    const index = (name, ...at) => element("span", { class: "att-place" }, `${name}[${at.join(", ")}]`);
    formula.replaceChildren(index("x", b, t, c), ` is number ${place(t, c)}. `, element("br"), "Right: ",
      index("heads", b, right.head, right.row, right.d), ". Wrong: ",
      index("heads", b, wrong.head, wrong.row, wrong.d), ".");
    root.querySelectorAll("[data-place]").forEach((node) => {
      const on = node.dataset.place === String(place(t, c));
      node.classList.toggle("att-on", on);
      node.classList.toggle("att-same", node.dataset.of === String(t));
      if (node.tagName === "BUTTON") fill(node, { "aria-pressed": String(on), tabindex: on ? 0 : -1 }, []);
    });
    const total = state.tokens * state.heads * state.dim;
    const cut = wrong.row === t && wrong.head === right.head
      ? "The wrong cut puts it in the right place."
      : `The wrong cut puts it in row ${wrong.row} of head ${wrong.head}, not in row ${t} of head `
        + `${right.head}.`;
    const join = back.token === t
      ? "The wrong join keeps it in its token."
      : `The wrong join gives it to token ${back.token}.`;
    const lost = [cutWrong, joinWrong].map((way) => strays(size(), way));
    note.textContent = `${cut} ${join} Of ${total} numbers, the wrong cut puts ${lost[0]} in the row of `
      + `another token, the wrong join ${lost[1]}.`;
    announce(`${formula.textContent} ${note.textContent}`);
  }

  start();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
