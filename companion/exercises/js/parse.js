// Typed text to numbers. What cannot be read is null, never an error.

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function plain(text) {
  return String(text ?? "")
    .replace(/[\u2010-\u2015\u2212\uFE63\uFF0D]/g, "-")
    .replace(/\u2044/g, "/")
    .replace(/[\u200B\u2066-\u2069\uFEFF]/g, "")
    .trim();
}

// One decimal or fraction, with a decimal point; a decimal comma too when `comma`.
function parseNumber(text, comma = true) {
  const parts = plain(text)
    .split("/")
    .map((part) => part.trim().replace(/^([+-])\s+/, "$1"))
    .map((part) => (comma ? part.replace(/^([^,.]*),([^,.]*)$/, "$1.$2") : part));
  if (parts.length > 2 || !parts.every((part) => DECIMAL.test(part))) return null;
  const value = parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
  return Number.isFinite(value) ? value : null;
}

// Every way to read one number: "1,024" is 1.024 where commas are decimal, else 1024.
function readNumber(text) {
  const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain(text));
  const readings = [parseNumber(text), grouped ? parseNumber(plain(text).replace(/,/g, "")) : null];
  return readings.filter((value) => value !== null).map((value) => [value]);
}

// Every way to read a row of numbers. "2,5 0,5" is [2.5, 0.5] or [2, 5, 0, 5]: who asks knows how many.
function readVector(text) {
  const row = plain(text)
    .replace(/[[\](){}\u27E8\u27E9]/g, " ")
    .replace(/\s*\/\s*/g, "/")
    .replace(/(^|[,;])(\s*[+-])\s+/g, "$1$2")
    .trim();
  if (row === "") return [];
  const pieces = (separator) =>
    row
      .split(separator)
      .map((piece) => piece.trim())
      .filter(Boolean);
  const commas = pieces(/,/);
  const readings = [
    pieces(/[\s,;]+/).map((piece) => parseNumber(piece, false)),
    pieces(/;/.test(row) ? /;/ : /\s+/).map((piece) => parseNumber(piece.replace(/,$/, ""))),
  ];
  if (!/[\s;]/.test(row) && commas.length % 2 === 0 && commas.every((piece) => /^[+-]?\d+$/.test(piece))) {
    const pairs = commas.filter((_, index) => index % 2 === 0);
    readings.push(pairs.map((piece, index) => parseNumber(`${piece}.${commas[2 * index + 1]}`)));
  }
  const unlike = (reading, index, all) =>
    index === all.findIndex((other) => String(other) === String(reading));
  return readings.filter((reading) => reading.length > 0 && !reading.includes(null)).filter(unlike);
}
