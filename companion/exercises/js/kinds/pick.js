// Tokens that go in and out of a set, and terms of an expression: buttons that stay pressed.

function toggle(label, on, more = {}) {
  const press = () => {
    one.setAttribute("aria-pressed", one.getAttribute("aria-pressed") !== "true");
    on.edit();
  };
  const one = button("", press, { "aria-pressed": "false", ...more });
  one.append(...named(label));
  return one;
}

function toggles(buttons) {
  return {
    read: () => buttons.flatMap((one, index) => (one.getAttribute("aria-pressed") === "true" ? [index] : [])),
    write: (answer) =>
      buttons.forEach((one, index) => one.setAttribute("aria-pressed", list(answer).includes(index))),
  };
}

function tokensInput(spec, key, on) {
  const width = spec.tokens.length;
  const readout = h("p", { class: "att-readout" });
  const edit = () => {
    show();
    on.edit();
  };
  const rows = Array.from({ length: spec.rows ?? 1 }, (_, row) =>
    spec.tokens.map((_, index) => toggle(tokenLabel(spec, index), { edit }, tokenState(spec, row, index))),
  );
  const buttons = rows.flat();
  const { read, write } = toggles(buttons);
  const show = () => {
    const picked = read();
    const set = (row) =>
      picked.filter((index) => Math.floor(index / width) === row).map((index) => index % width);
    const name = (row) => (spec.rows ? `${spec.name}<sub>${row}</sub>` : spec.name);
    readout.innerHTML = rows
      .map((_, row) => `<span>${name(row)} = {${set(row).join(", ")}}</span>`)
      .join(" ");
  };
  const cells = spec.rows ? rows.flatMap((row, index) => [h("span", {}, `query ${index}`), ...row]) : buttons;
  const grid = h("div", { class: spec.rows ? "att-tokens att-grid" : "att-tokens" }, ...cells);
  grid.style.setProperty("--columns", width);
  rove(buttons, width);
  show();
  return {
    body: h(
      "div",
      { role: "group", "aria-label": spec.rows ? "Tokens, one row a query" : "Tokens" },
      grid,
      readout,
    ),
    read,
    write(answer) {
      write(answer);
      show();
    },
  };
}

function tokenLabel(spec, index) {
  const token = spec.tokens[index];
  return token === String(index) ? token : `${token}<small>${index}</small>`;
}

function tokenState(spec, row, index) {
  if (!spec.rows) return {};
  return { "aria-label": `query ${row}, token ${index}`, class: row === index ? "att-diagonal" : null };
}

function termsInput(spec, key, on) {
  const buttons = spec.terms.map((term) => toggle(term, on));
  rove(buttons);
  const joined = buttons.flatMap((one, index) => (index ? [h("span", { html: spec.joiner }), one] : [one]));
  const lead = spec.lead ? [h("span", { html: spec.lead })] : [];
  return {
    body: h("div", { class: "att-terms", role: "group", "aria-label": "Terms" }, ...lead, ...joined),
    ...toggles(buttons),
  };
}
