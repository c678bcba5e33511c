// Paper is light. The theme's colours follow an attribute, so a dark page prints in the light ones.
(function () {
  "use strict";
  const root = document.documentElement;
  const paper = matchMedia("print");
  let theme = root.dataset.theme;
  paper.addEventListener("change", () => {
    if (paper.matches) [theme, root.dataset.theme] = [root.dataset.theme, "light"];
    else root.dataset.theme = theme;
  });
})();
