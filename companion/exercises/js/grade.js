// grade(kind, key, answer) -> { state, message, parts }: pure, and it never throws.
// key: the unsealed card. answer: what the kind's input gives. message: HTML made by Python or here.
// state: right, wrong, empty, unreadable (these two cost nothing), or open (an explanation not yet scored).

function grade(kind, key, answer) {
  return (GRADERS[kind] ?? gradePick)(key, answer);
}

const GRADERS = {
  choice: (key, answer) =>
    judge(
      key,
      [[answer]],
      (value) => [value],
      () => true,
      "Choose an option first.",
    ),
  choices: gradeChoices,
  number: (key, answer) => gradeTyped(key, readNumber(answer), answer, 1),
  vector: (key, answer) => gradeTyped(key, readVector(answer), answer, key.length),
  tokens: gradePick,
  terms: gradePick,
  order: gradeOrder,
  explain: gradeExplain,
  code: (key, answer) =>
    answer === true
      ? { state: "right", message: "Marked as solved.", parts: null }
      : { state: "empty", message: "Solve it in the notebook, then mark it here.", parts: null },
};

const list = (answer) => (Array.isArray(answer) ? answer : []);
const found = (rule, parts = null) => ({
  state: rule.right ? "right" : "wrong",
  message: rule.message,
  parts,
});
const same = (a, b) => a.length === b.length && a.every((item, index) => item === b[index]);
const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

function judge(key, answers, toList) {
  const rule = key.rules.find((rule) => answers.some((answer) => same(answer, toList(rule.value))));
  return rule ? found(rule) : { state: "empty", message: "Choose an option first.", parts: null };
}

function gradeChoices(key, answer) {
  const picked = [...new Set(list(answer))].sort((a, b) => a - b);
  const right = key.rules[0].value;
  if (picked.length === 0) return { state: "empty", message: "Tick at least one option first.", parts: null };
  if (same(picked, right)) return found(key.rules[0]);
  const parts = compare(picked, right);
  const wrong = key.wrong.find((option) => picked.includes(option.option));
  if (wrong) return { state: "wrong", message: wrong.message, parts };
  return {
    state: "wrong",
    message: `What you ticked holds, but ${parts.missing} more ${parts.missing === 1 ? "does" : "do"} too.`,
    parts,
  };
}

function compare(picked, right) {
  return {
    missing: right.filter((index) => !picked.includes(index)).length,
    extra: picked.filter((index) => !right.includes(index)).length,
  };
}

function gradePick(key, answer) {
  const picked = [...new Set(list(answer))].sort((a, b) => a - b);
  const parts = compare(picked, key.rules[0].value);
  const rule = key.rules.find((rule) => same(picked, rule.value));
  if (rule) return found(rule, parts);
  if (picked.length === 0) return { state: "empty", message: "Pick at least one first.", parts };
  const counts = [parts.missing && `${parts.missing} missing`, parts.extra && `${parts.extra} too many`];
  return { state: "wrong", message: `${counts.filter(Boolean).join(", ")}. ${key.otherwise}`, parts };
}

function gradeTyped(key, readings, answer, length) {
  if (plain(answer) === "") return { state: "empty", message: "Type an answer first.", parts: null };
  const near = (x, y) => Math.abs(x - y) <= key.tolerance + 1e-9 * Math.max(1, Math.abs(y));
  const entries = (value) => (Array.isArray(value) ? value : [value]);
  const matches = (row, value) =>
    row.length === entries(value).length && row.every((x, index) => near(x, entries(value)[index]));
  const rule = key.rules.find((rule) => readings.some((row) => matches(row, rule.value)));
  const fitting = readings.filter((row) => row.length === length);
  const right = entries(key.rules[0].value);
  const parts = fitting.length === 1 ? fitting[0].map((x, index) => near(x, right[index])) : null;
  if (rule) return found(rule, parts);
  if (readings.length === 0)
    return { state: "unreadable", message: UNREADABLE[length === 1 ? 0 : 1], parts: null };
  if (fitting.length === 0) {
    const message = `${counted(length, "number")} expected, ${readings[0].length} read.`;
    return { state: "unreadable", message, parts: null };
  }
  if (length > 1 && fitting.length > 1) {
    return {
      state: "unreadable",
      message: "This can be read in two ways. Write it with decimal points.",
      parts: null,
    };
  }
  return {
    state: "wrong",
    message: length > 1 && parts.includes(true) ? entriesSaid(parts) : key.otherwise,
    parts,
  };
}

const UNREADABLE = [
  "This does not read as a number. Write it like 0.5, 1/2 or 1e-3.",
  "This does not read as a row of numbers. Write it like [0.5, 2] or 1/2 2.",
];

function entriesSaid(parts) {
  const at = (good) => parts.flatMap((part, index) => (part === good ? [index] : []));
  const named = (indices) => `${indices.length === 1 ? "entry" : "entries"} ${indices.join(", ")}`;
  const [right, wrong] = [at(true), at(false)];
  const verb = right.length === 1 ? "is" : "are";
  return `Counting from 0, ${named(right)} ${verb} right, ${named(wrong)} not yet.`;
}

function gradeOrder(key, answer) {
  const order = list(answer);
  const rule = key.rules.find((rule) => same(order, rule.value));
  if (rule) return found(rule);
  const prefix = (value) => [...value, null].findIndex((item, index) => item !== order[index]);
  const placed = Math.max(...key.rules.filter((rule) => rule.right).map((rule) => prefix(rule.value)));
  const message =
    placed > 0
      ? `The first ${placed === 1 ? "one is" : `${placed} are`} in place.`
      : "The first one is not in place yet.";
  return { state: "wrong", message: `${message} ${key.otherwise}`, parts: { placed } };
}

function gradeExplain(key, answer) {
  if (plain(answer?.text) === "")
    return { state: "empty", message: "Write a sentence or two first.", parts: null };
  if (!Array.isArray(answer.marks)) {
    return {
      state: "open",
      message: "Compare with the model answer below, tick the points that yours makes, and check again.",
      parts: null,
    };
  }
  const made = new Set(answer.marks).size;
  if (made === key.rubric.length) return { state: "right", message: key.why, parts: { made } };
  return {
    state: "wrong",
    message: `${made} of ${key.rubric.length} points. Add what is missing, then tick it and check again.`,
    parts: { made },
  };
}
