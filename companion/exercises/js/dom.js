// Elements. Strings among the children are text; only `html` takes markup, and only Python's.

let made = 0;
const unique = () => `att-${(made += 1)}-${Math.random().toString(36).slice(2, 8)}`;

function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "html") fill(element, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

// Markup, with the punctuation behind a formula on its line: a browser may break even before a comma.
function fill(element, html) {
  element.innerHTML = html;
  for (const formula of element.querySelectorAll("math:not([display=block])")) {
    const text = formula.nextSibling;
    const [touching] = (text?.nodeType === Node.TEXT_NODE && text.data.match(/^[.,;:!?)\]’”-]+/)) || [];
    if (!touching) continue;
    text.splitText(touching.length);
    const tied = h("span", { class: "att-tied" });
    formula.replaceWith(tied);
    tied.append(formula, text);
  }
}

const hidden = (text) => h("span", { class: "att-hidden" }, text);
const button = (name, press, more = {}) => h("button", { type: "button", onclick: press, ...more }, name);

// The text of some HTML, its mathematics letter by letter, bold ones as plain ones.
function spoken(html) {
  const texts = document.createTreeWalker(h("span", { html }), NodeFilter.SHOW_TEXT);
  const said = [];
  while (texts.nextNode()) said.push(texts.currentNode.data.normalize("NFKC").trim());
  return said.filter(Boolean).join(" ");
}

// HTML that names a control. A name made of MathML is none to every reader, so its text goes along.
function named(html) {
  if (!html.includes("<math")) return [h("span", { html })];
  return [h("span", { "aria-hidden": "true", html }), hidden(spoken(html))];
}

// Arrow keys move among `buttons`, of which one is in the tab order; `columns` of them make a row.
function rove(buttons, columns = buttons.length) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
  const stop = (index) =>
    buttons.forEach((other, at) => other.setAttribute("tabindex", at === index ? 0 : -1));
  stop(0);
  buttons.forEach((one, index) => {
    one.addEventListener("focus", () => stop(index));
    one.addEventListener("keydown", (event) => {
      const goal = { Home: 0, End: buttons.length - 1 }[event.key] ?? index + step[event.key];
      if (!(goal in buttons)) return;
      event.preventDefault();
      buttons[goal].focus();
    });
  });
}

// Text in base64 of UTF-8, as Python's seal made it.
function unseal(sealed) {
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0))));
}

// A variant's card: the base card's text, cut at < and >, with some stretches replaced.
function patch(base, delta) {
  const pieces = base.split(/([<>])/);
  for (let at = delta.length - 3; at >= 0; at -= 3) {
    const [start, end, text] = delta.slice(at, at + 3);
    pieces.splice(start, end - start, text);
  }
  return JSON.parse(pieces.join(""));
}
