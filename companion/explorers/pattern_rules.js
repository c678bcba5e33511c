// The rules of companion.patterns, and what follows from a mask: one byte a pair, row by row.
// A pattern is a list of parts { op, kind, args }, where op joins a part to those before it.

const floor = (x, size) => Math.floor(x / size);
const range = (n) => Array.from({ length: n }, (_, k) => k);
const total = (numbers) => numbers.reduce((sum, x) => sum + x, 0);

// The blocks that random_blocks draws for query block b, by a hash of 31 bits.
function scramble(x) {
  x = Math.imul(x ^ (x >> 16), 0x2c1b3c6d) & 0x7fffffff;
  x = Math.imul(x ^ (x >> 12), 0x297a2d39) & 0x7fffffff;
  return x ^ (x >> 15);
}
function drawn(b, count, seed) {
  if (b < count) return range(count);
  const blocks = [];
  for (let k = 0; k < count; k += 1) {
    const last = b - count + 1 + k;
    const block = scramble(b ^ scramble(scramble(seed) ^ k)) % (last + 1);
    blocks.push(blocks.includes(block) ? last : block);
  }
  return blocks;
}

// For a kind's arguments, the test of a pair j <= i.
const KINDS = {
  causal: () => () => true,
  sliding_window: (w) => (i, j) => i - w < j,
  dilated: (w, step) => (i, j) => (i - j) % step === 0 && i - j < w * step,
  strided: (step) => (i, j) => (i - j) % step === 0,
  sinks: (n) => (i, j) => j < n,
  global_tokens: (ids) => (i, j) => ids.includes(i) || ids.includes(j),
  chunks: (size) => (i, j) => floor(i, size) === floor(j, size),
  random_blocks: (size, count, seed) => {
    const blocks = [];
    return (i, j) => (blocks[floor(i, size)] ??= drawn(floor(i, size), count, seed)).includes(floor(j, size));
  },
  documents: (lengths) => {
    const document = lengths.flatMap((length, number) => Array(length).fill(number));
    return (i, j) => document[i] === document[j];
  },
};

function maskOf(parts, n) {
  const either = []; // & binds before |
  for (const { op, kind, args } of parts) {
    if (op !== "&") either.push([]);
    either.at(-1).push(KINDS[kind](...args));
  }
  const mask = new Uint8Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      mask[i * n + j] = either.some((all) => all.every((allows) => allows(i, j)));
    }
  }
  return mask;
}

// Blocks that hold a pair: [row, column, whether all are allowed]. size divides n.
function blocksOf(mask, n, size) {
  const live = new Map();
  mask.forEach((allowed, pair) => {
    const block = floor(floor(pair, n), size) * n + floor(pair % n, size);
    if (allowed) live.set(block, (live.get(block) ?? 0) + 1);
  });
  return [...live].map(([block, count]) => [floor(block, n), block % n, count === size * size]);
}

const pairsOf = (mask) => total([...mask]);
const rowOf = (mask, n, i) => range(n).filter((j) => mask[i * n + j]);

// What can influence row i after each layer: back to the first layer, residuals kept.
const reachOf = (masks, n, i) => masks.map((_, top) => {
  let reached = [i];
  for (let layer = top; layer >= 0; layer -= 1) {
    reached = range(n).filter((j) => reached.some((m) => m === j || masks[layer][m * n + j]));
  }
  return reached;
});

// As Python writes the pattern, and its rule in words.
const listed = (arg) => [arg].flat().join(", ");
const written = (arg) => (Array.isArray(arg) ? `[${listed(arg)}]` : arg);
const joined = (parts, make) => parts.map((part, k) => (k ? ` ${part.op} ` : "") + make(part)).join("");
const expression = (parts) => joined(parts, ({ kind, args }) => `${kind}(${listed(args.map(written))})`);
const condition = (parts, kinds) => joined(parts, ({ kind, args }) =>
  kinds[kind].rule.replace(/\[(\d)\]/g, (_, place) => listed(args[place])))
  .replaceAll("&", "and").replaceAll("|", "or");
