// Weights on the simplex (each at least 0, sum 1) and the points that they make of values in the plane.

const TINY = 1e-9;

const combine = (alpha, values) =>
  [0, 1].map((axis) => alpha.reduce((sum, weight, j) => sum + weight * values[j][axis], 0));

// Set weight j; the others share what is left in the proportion that they had.
function reweigh(alpha, j, weight) {
  const rest = alpha.reduce((sum, other, k) => (k === j ? sum : sum + other), 0);
  return alpha.map((other, k) =>
    k === j ? weight : (1 - weight) * (rest > TINY ? other / rest : 1 / (alpha.length - 1)));
}

// The change of least length that takes the weights of `members` to `point` and sum 1; null if none does.
function correction(members, values, point, alpha) {
  const rows = [
    members.map(() => 1),
    ...[0, 1].map((axis) => members.map((j) => values[j][axis])),
  ];
  const wanted = [1, ...point];
  const change = members.map(() => 0);
  const basis = [];
  for (let r = 0; r < 3; r += 1) {
    const row = rows[r].slice();
    let gap = wanted[r] - row.reduce((sum, x, m) => sum + x * alpha[members[m]], 0);
    const size = Math.hypot(...row) || 1;
    for (const { unit, reach } of basis) {
      const along = row.reduce((sum, x, m) => sum + x * unit[m], 0);
      row.forEach((_, m) => { row[m] -= along * unit[m]; });
      gap -= along * reach;
    }
    const length = Math.hypot(...row);
    if (length < TINY * size) {
      if (Math.abs(gap) > 1e-7 * size) return null;
    } else {
      const unit = row.map((x) => x / length);
      basis.push({ unit, reach: gap / length });
      unit.forEach((x, m) => { change[m] += (x * gap) / length; });
    }
  }
  return { change, rank: basis.length };
}

// Visits each set of values that can make `point`, with its weights nearest to `alpha`
// and whether these are its only ones.
function supports(values, point, alpha, visit) {
  for (let set = 1; set < 1 << values.length; set += 1) {
    const members = values.map((_, j) => j).filter((j) => set & (1 << j));
    const found = correction(members, values, point, alpha);
    if (!found) continue;
    const weights = values.map(() => 0);
    members.forEach((j, m) => { weights[j] = alpha[j] + found.change[m]; });
    if (weights.every((weight) => weight > -TINY)) {
      visit(weights.map((weight) => Math.max(weight, 0)), members.length === found.rank);
    }
  }
}

// The weights nearest to `alpha` that make `point`; null where no weights do.
function solve(values, point, alpha) {
  let best = null;
  let least = Infinity;
  supports(values, point, alpha, (weights) => {
    const far = Math.hypot(...weights.map((weight, j) => weight - alpha[j]));
    if (far < least - TINY) [best, least] = [weights, far];
  });
  return best;
}

// Corners of the set of all weights that make `point`: each rests on independent values.
function corners(values, point) {
  const found = [];
  supports(values, point, values.map(() => 0), (weights, independent) => {
    const known = found.some((other) => other.every((weight, j) => Math.abs(weight - weights[j]) < 1e-7));
    if (independent && !known) found.push(weights);
  });
  return found;
}

// Smallest and largest value of every weight among all weights that make the same output as `alpha`.
function ranges(values, alpha) {
  const ends = corners(values, combine(alpha, values));
  return alpha.map((weight, j) => [
    Math.min(weight, ...ends.map((end) => end[j])),
    Math.max(weight, ...ends.map((end) => end[j])),
  ]);
}

// The longest way through the weights of the same output that passes through `alpha`: its two ends, or null.
function slack(values, alpha) {
  const ends = corners(values, combine(alpha, values));
  let way = null;
  let longest = 1e-6;
  ends.forEach((from, a) => ends.slice(a + 1).forEach((to) => {
    const step = to.map((weight, j) => weight - from[j]);
    if (Math.hypot(...step) > longest + TINY) [way, longest] = [step, Math.hypot(...step)];
  }));
  if (!way) return null;
  const stops = (sign) => Math.min(...way.map((step, j) =>
    (sign * step < -TINY ? alpha[j] / Math.abs(step) : Infinity)));
  return [-1, 1].map((sign) => alpha.map((weight, j) => Math.max(weight + sign * stops(sign) * way[j], 0)));
}

// The point of the hull nearest to `point`: itself, or the nearest point of a segment between two values.
function nearest(values, point) {
  if (solve(values, point, values.map(() => 1 / values.length))) return point;
  let best = values[0];
  values.forEach((a) => values.forEach((b) => {
    const way = [b[0] - a[0], b[1] - a[1]];
    const length = way[0] ** 2 + way[1] ** 2;
    const along = length ? ((point[0] - a[0]) * way[0] + (point[1] - a[1]) * way[1]) / length : 0;
    const t = Math.min(Math.max(along, 0), 1);
    const candidate = [a[0] + t * way[0], a[1] + t * way[1]];
    const far = (p) => Math.hypot(p[0] - point[0], p[1] - point[1]);
    if (far(candidate) < far(best)) best = candidate;
  }));
  return best;
}

// The corners of the hull in order around it.
function outline(values) {
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const chain = (points) => {
    const kept = [];
    for (const point of points) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), point) <= 0) kept.pop();
      kept.push(point);
    }
    return kept.slice(0, -1);
  };
  const sorted = values.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...chain(sorted), ...chain(sorted.reverse())];
}
