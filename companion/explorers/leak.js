// The leak: poke one key or value and see whose outputs move, with the mask in four places.

const STILL = 1e-9; // smaller changes are rounding
const MASKS = {
  before: "before the softmax",
  after: "after it",
  divided: "after it, rows divided",
  none: "nowhere",
};

const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

// Weights of query i. A position that lies ahead may be counted in the denominator and still not be read.
function rowWeights(scores, i, mask) {
  const counted = scores.map((s, j) => (mask !== "before" || j <= i ? s : -Infinity));
  const peak = Math.max(...counted);
  const powers = counted.map((s) => Math.exp(s - peak));
  const whole = total(powers);
  const weights = powers.map((x, j) => (mask === "none" || j <= i ? x / whole : 0));
  const kept = total(weights);
  return mask === "divided" ? weights.map((x) => x / kept) : weights;
}

function attention({ query, key, value }, mask) {
  const scale = query[0].length ** -0.5;
  return query.map((q, i) => {
    const scores = key.map((k) => scale * total(k.map((x, c) => x * q[c])));
    const weights = rowWeights(scores, i, mask);
    const output = value[0].map((_, c) => total(weights.map((weight, j) => weight * value[j][c])));
    return { weights, output };
  });
}

// The inputs with `amount` added to every entry of one key or one value: poke is "key 3", or "".
function poked(spec, poke, amount) {
  const [name, j] = poke.split(" ");
  if (!name) return spec;
  const rows = spec[name].map((row, k) => (k === Number(j) ? row.map((x) => x + amount) : row));
  return { ...spec, [name]: rows };
}

// What each row does: "still", "moves" (its own past was poked) or "leaks" (its future was).
function states(before, after, poke) {
  const place = Number(poke.split(" ")[1]);
  return before.map(({ output }, i) => {
    const way = Math.max(...output.map((x, c) => Math.abs(x - after[i].output[c])));
    if (way < STILL) return "still";
    return place > i ? "leaks" : "moves";
  });
}

// e^s with a subscript, and a sum of such powers with its range.
const power = (index) => ["e", element("sup", {}, symbol("s", `i,${index}`))];
const sumOver = (range) => ["\u2211", element("sub", {}, range), "\u202f", ...power("k")];
function rule(mask) {
  const all = sumOver("k");
  const past = sumOver("k ≤ i");
  const parts = {
    before: [...power("j"), " / ", ...past, "  for j ≤ i"],
    after: [...power("j"), " / ", ...all, "  for j ≤ i"],
    divided: ["(", ...power("j"), " / ", ...all, ") / (", ...past, " / ", ...sumOver("k"), ")  for j ≤ i"],
    none: [...power("j"), " / ", ...all, "  for all j"],
  };
  return [element("span", { class: "att-is-weight" }, symbol("α", "i,j")), " = ", ...parts[mask]];
}

const listed = (rows) => {
  const names = rows.length > 1 ? `${rows.slice(0, -1).join(", ")} and ${rows.at(-1)}` : String(rows[0]);
  return `${rows.length > 1 ? "Rows" : "Row"} ${names}`;
};

function verdict(found, poke, amount) {
  if (!poke) return "Nothing is poked. Choose a key or a value.";
  const [name, j] = poke.split(" ");
  const rows = (state) => found.flatMap((other, i) => (other === state ? [i] : []));
  const told = [`${decimal(amount, 1)} is added to every entry of ${name} ${j}.`];
  const [leaking, moving] = [rows("leaks"), rows("moves")];
  const does = (verb, those) => `${listed(those)} ${verb}${those.length > 1 ? "" : "s"}`;
  if (leaking.length) told.push(`${does("leak", leaking)}: position ${j} lies ahead.`);
  if (moving.length) told.push(`${does("move", moving)}, and may.`);
  if (!leaking.length) told.push(moving.length ? "No row before it moves." : "No row moves.");
  return told.join(" ");
}

function choices(legend, name, options, start, choose) {
  const inputs = Object.entries(options).map(([value, label]) => element("label", {},
    element("input", {
      type: "radio", name, value, checked: value === start, onchange: () => choose(value),
    }), " ", ...[label].flat()));
  return element("fieldset", {}, element("legend", {}, legend), ...inputs);
}

let mounted = 0;

function mount(el, spec) {
  const start = { mask: "before", poke: `key ${spec.tokens.length - 1}`, amount: 0.5 };
  const state = { ...start };
  const group = `leak-${(mounted += 1)}`;
  const root = explorerRoot("leak", "Explorer: the leak");
  const formula = element("p", { class: "att-formula" });
  const body = element("tbody");
  const note = element("p", { class: "att-note" });
  const said = element("p", { class: "att-said", role: "status" });
  const announce = announcer(said);
  const shown = element("span");
  const amount = element("input", {
    type: "range", min: -1, max: 1, step: 0.1,
    oninput: (event) => change({ amount: event.target.valueAsNumber }),
  });
  const heads = spec.tokens.map((_, j) =>
    element("th", { scope: "col", class: "att-is-key" }, symbol("k", j)));
  const table = element("table", {},
    element("caption", { class: "att-said" }, "Weights and outputs, one row a query"),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "query"), ...heads,
      element("th", { scope: "col" }, "sum"),
      element("th", { scope: "col", class: "att-is-value" }, symbol("o", "i")))), body);
  const controls = element("div", { class: "att-choices" });
  root.append(formula, table, note, controls, said);

  function build() {
    const pokes = (letter, name) => spec.tokens.map((_, j) => [`${name} ${j}`, symbol(letter, j)]);
    controls.replaceChildren(
      choices("The mask stands", `${group}-mask`, MASKS, state.mask, (mask) => change({ mask })),
      choices("Poke", `${group}-poke`,
        Object.fromEntries([["", "nothing"], ...pokes("k", "key"), ...pokes("v", "value")]),
        state.poke, (poke) => change({ poke })),
      element("label", { class: "att-amount" }, "Add to every entry", amount, shown),
      element("p", { class: "att-buttons" },
        element("button", { type: "button", onclick: () => { change(start); build(); } }, "Reset")));
  }
  function change(next) {
    Object.assign(state, next);
    draw();
  }

  function row({ weights, output }, i, found) {
    const cells = weights.map((weight, j) => element("td", {
      class: j > i && weight === 0 ? "att-masked" : "att-cell",
      style: `--fill:${100 * Math.min(weight, 1)}%`,
    }, decimal(weight)));
    const head = element("th", { scope: "row" },
      element("span", { class: "att-is-query" }, symbol("q", i)), ` ${spec.tokens[i]} `,
      element("span", { class: "att-state" }, found));
    const sum = total(weights);
    return element("tr", { "data-row": i, "data-state": found }, head, ...cells,
      element("td", { class: Math.abs(sum - 1) > 5e-3 ? "att-short" : false }, decimal(sum)),
      element("td", { class: "att-is-value" },
        ...output.flatMap((x) => [element("span", {}, decimal(x)), " "])));
  }

  function draw() {
    const before = attention(spec, state.mask);
    const after = attention(poked(spec, state.poke, state.amount), state.mask);
    const found = states(before, after, state.poke);
    formula.replaceChildren(...rule(state.mask));
    body.replaceChildren(...after.map((each, i) => row(each, i, found[i])));
    amount.value = state.amount;
    shown.textContent = decimal(state.amount, 1);
    note.textContent = verdict(found, state.poke, state.amount);
    note.classList.toggle("att-out", found.includes("leaks"));
    announce(`The mask stands ${MASKS[state.mask]}. ${note.textContent}`);
  }

  build();
  draw();
  el.replaceChildren(root);
  return () => root.remove();
}

export default { mount, render: ({ model, el }) => mount(el, model.get("spec")) };
