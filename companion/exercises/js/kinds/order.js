// Items to be put in order: dragged, or moved by their two buttons.

function orderInput(spec, key, on) {
  const said = h("span", { class: "att-hidden", "aria-live": "polite" });
  const items = spec.items.map((item, index) => {
    const move = (by) => () => shift(index, by);
    return h(
      "li",
      { "data-item": index, onpointerdown: (event) => drag(event, items[index]) },
      h("span", { class: "att-grip", "aria-hidden": "true" }, "⠿"),
      h("span", { class: "att-item", html: item }),
      button("↑", move(-1), { "aria-label": `Move up: ${spoken(item)}` }),
      button("↓", move(1), { "aria-label": `Move down: ${spoken(item)}` }),
    );
  });
  const body = h("ol", { class: "att-order" }, ...items);
  const place = (item) => [...body.children].indexOf(item);

  function put(item, at) {
    const others = [...body.children].filter((other) => other !== item);
    body.insertBefore(item, others[at] ?? null);
  }

  function shift(index, by) {
    const at = place(items[index]) + by;
    if (at < 0 || at >= items.length) return;
    const focused = document.activeElement;
    put(items[index], at);
    focused.focus();
    said.textContent = `Now ${at + 1} of ${items.length}.`;
    on.edit();
  }

  function drag(event, item) {
    if (event.button !== 0 || event.target.closest("button")) return;
    event.preventDefault();
    item.classList.add("att-dragged");
    const moved = (move) => {
      const others = [...body.children].filter((other) => other !== item);
      const above = others.filter((other) => {
        const box = other.getBoundingClientRect();
        return move.clientY > box.top + box.height / 2;
      });
      if (above.length !== place(item)) put(item, above.length);
    };
    const dropped = () => {
      document.removeEventListener("pointermove", moved);
      item.classList.remove("att-dragged");
      on.edit();
    };
    document.addEventListener("pointermove", moved);
    document.addEventListener("pointerup", dropped, { once: true });
    document.addEventListener("pointercancel", dropped, { once: true });
  }

  return {
    body: h("div", { role: "group", "aria-label": "Steps, to be put in order" }, body, said),
    read: () => [...body.children].map((item) => Number(item.dataset.item)),
    write(answer) {
      const order = list(answer).filter((index) => index in items);
      body.append(
        ...(order.length === items.length ? order : items.map((_, index) => index)).map(
          (index) => items[index],
        ),
      );
    },
  };
}
