// A mount that fails keeps its fallback; the others go on.
for (const element of document.querySelectorAll(".att-mount")) {
  const front = fronts[element.dataset.mount];
  const data = element.querySelector('script[type="application/json"]');
  if (!front || !data) continue;
  const stage = document.createElement("div");
  // MathJax has no business inside: a dollar in an answer is a dollar.
  stage.className = "att-stage mathjax_ignore tex2jax_ignore";
  try {
    front.mount(stage, JSON.parse(data.textContent));
    element.replaceChildren(stage);
  } catch (error) {
    element.dataset.failed = String(error);
    console.error(error);
  }
}

// A box that scrolls sideways can be scrolled by keyboard.
function reach() {
  for (const box of document.querySelectorAll("div.math, .att-plate")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
reach();
document.addEventListener("DOMContentLoaded", () => window.MathJax?.startup?.promise?.then(reach));
addEventListener("resize", reach);
