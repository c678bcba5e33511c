// The map lights up around a concept that is pointed at or focused: all that comes before it, all that builds
// on it, and what is related to it.
for (const map of document.querySelectorAll(".att-map")) {
  const nodes = [...map.querySelectorAll("[data-concept]")];
  const edges = [...map.querySelectorAll("[data-from]")];
  const ofKind = (kind) => edges.filter((edge) => edge.classList.contains(kind));

  // All concepts on a way of "before" lines that starts at `id` and goes from one end of each to the other.
  function reach(id, here, there) {
    const found = new Set([id]);
    for (const one of found) {
      ofKind("att-before").forEach(({ dataset }) => dataset[here] === one && found.add(dataset[there]));
    }
    return found;
  }

  function light(id) {
    const before = reach(id, "to", "from");
    const after = reach(id, "from", "to");
    const related = new Set(ofKind("att-related")
      .filter(({ dataset }) => dataset.from === id || dataset.to === id)
      .flatMap(({ dataset }) => [dataset.from, dataset.to]));
    const sets = { before, after, related };
    const role = (one) => Object.keys(sets).find((name) => sets[name].has(one)) ?? "other";
    nodes.forEach(({ dataset }) => {
      dataset.role = dataset.concept === id ? "self" : role(dataset.concept);
    });
    edges.forEach((edge) => {
      const ends = [edge.dataset.from, edge.dataset.to];
      const lit = edge.classList.contains("att-related")
        ? { related: ends.includes(id) }
        : { before: ends.every((end) => before.has(end)), after: ends.every((end) => after.has(end)) };
      edge.dataset.role = Object.keys(lit).find((name) => lit[name]) ?? "other";
    });
  }

  function rest() {
    [...nodes, ...edges].forEach((one) => { delete one.dataset.role; });
  }

  for (const node of nodes) {
    const lightThis = () => light(node.dataset.concept);
    ["pointerenter", "focus"].forEach((event) => node.addEventListener(event, lightThis));
    ["pointerleave", "blur"].forEach((event) => node.addEventListener(event, rest));
  }
}
