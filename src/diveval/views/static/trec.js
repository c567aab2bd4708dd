/* TREC's judgments and runs, read in the browser: what the Python reader refuses is refused here, with its codes. */

const BLANK = /[ \t\v\f\r\n]+/;
const NUMBER = /^[ \t\n\r\v\f]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t\n\r\v\f]*$/;
const UNUSUAL = /[\t\v\f\r]|  |^ | $|^$/; // lines that are not fields with one blank between them
const OTHERS = [
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["zip", [0x50, 0x4b, 3, 4]],
]; // what Python decompresses too, by the first bytes
const LONGEST_TAG = 5; // words

/** A mistake in a file: where, what is wrong, and the code that Python's errors have too. */
export class Refusal extends Error {
  constructor(code, text, { file = "", line = 0 } = {}) {
    super(`${file}${line ? `:${line}` : ""}${file ? ": " : ""}${text}`);
    Object.assign(this, { code, file, line });
  }
}

/** The text of a file: gzip is decompressed; what is not UTF-8 is refused. */
export async function textOfFile(name, buffer) {
  let data = new Uint8Array(buffer);
  if (data[0] === 0x1f && data[1] === 0x8b) {
    const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
    try {
      data = new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
      throw new Refusal("broken-compression", "the compressed data is broken or truncated", { file: name });
    }
  }
  const packed = OTHERS.find(([, magic]) => magic.every((byte, i) => data[i] === byte));
  if (packed)
    throw new Refusal("cannot-read", `is compressed with ${packed[0]}; this page reads gzip, so decompress it first`, {
      file: name,
    });
  if ((data[0] === 0xff && data[1] === 0xfe) || (data[0] === 0xfe && data[1] === 0xff))
    throw new Refusal("not-utf8", "is UTF-16; convert it to UTF-8", { file: name });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw new Refusal("not-utf8", "is not UTF-8; convert it", { file: name });
  }
}

/** Numbered fields of the lines that are neither blank nor comments. */
function* linesOf(text, file) {
  let start = 0,
    line = 0;
  while (start < text.length) {
    const at = text.indexOf("\n", start),
      end = at < 0 ? text.length : at;
    line += 1;
    const written = text.slice(start, end);
    start = end + 1;
    const plain = !UNUSUAL.test(written);
    if (!plain && /\r(?![ \t\v\f\r]*$)/.test(written.replace(/^[ \t\v\f\r]+/, "")))
      throw new Refusal("cr-line-ends", "a line has a CR that is not at its end", { file, line });
    const fields = plain ? written.split(" ") : written.split(BLANK).filter((field) => field !== "");
    if (fields.length && !fields[0].startsWith("#")) yield [line, fields];
  }
}

function numberOf(text, what, place) {
  const value = NUMBER.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(value))
    throw new Refusal("not-a-number", `expected ${what}, a finite number, got ${text}`, place);
  return value;
}

/** Judgments, `topic aspect document grade`: by topic the grades by document and aspect; and what is worth a note. */
export function readJudgments(text, file = "judgments") {
  const topics = new Map();
  let highest = 0,
    repeated = 0,
    conflict = null; // the first one; a line that cannot be read is reported before it
  for (const [line, fields] of linesOf(text, file)) {
    if (fields.length !== 4)
      throw new Refusal("wrong-columns", `expected 4 columns (topic aspect document grade), got ${fields.length}`, {
        file,
        line,
      });
    const [topic, aspect, document] = fields,
      grade = numberOf(fields[3], "a grade", { file, line });
    if (!topics.has(topic)) topics.set(topic, { aspects: new Set(), documents: new Map() });
    const own = topics.get(topic);
    own.aspects.add(aspect);
    if (!own.documents.has(document)) own.documents.set(document, new Map());
    const grades = own.documents.get(document);
    if (grades.has(aspect)) {
      if (grades.get(aspect) !== grade)
        conflict ??= new Refusal(
          "conflicting-grades",
          `topic ${topic}, aspect ${aspect}, document ${document} is judged ${grades.get(aspect)} and ${grade}`,
          { file, line },
        );
      repeated += 1;
    }
    grades.set(aspect, grade);
    highest = Math.max(highest, grade);
  }
  if (!topics.size)
    throw new Refusal("empty-input", "is empty: it contains nothing but blank lines and comments", { file });
  if (conflict) throw conflict;
  const notes = repeated ? [`${file}: ${repeated} judgments occur more than once, always with the same grade.`] : [];
  return { topics, highest, notes };
}

/** Code points in order, as Python compares texts; JavaScript compares halves of pairs. */
function compareTexts(one, two) {
  if (one === two) return 0;
  const [a, b] = [[...one], [...two]],
    i = a.findIndex((mark, at) => mark !== b[at]);
  if (i < 0) return -1;
  return b[i] === undefined || a[i].codePointAt(0) > b[i].codePointAt(0) ? 1 : -1;
}

export const byName = compareTexts;

/** A run, `topic Q0 document rank score tag`: by topic its documents by falling score, equal ones by falling id. */
export function readRun(text, file = "run") {
  const topics = new Map(),
    repeated = new Map(), // a fault of the topic, which matters only if it is judged
    notes = [];
  let tag = null,
    ignored = false;
  for (const [line, fields] of linesOf(text, file)) {
    if (fields.length < 6)
      throw new Refusal(
        "wrong-columns",
        `expected 6 columns (topic Q0 document rank score tag), got ${fields.length}`,
        { file, line },
      );
    const [topic, , document, , score, ...last] = fields;
    tag = tag ?? last;
    const varies = Math.max(last.length, tag.length) > 1 && last.join(" ") !== tag.join(" ");
    ignored ||= varies;
    if (last.length > LONGEST_TAG || (varies && last[0] !== tag[0]))
      throw new Refusal(
        "wrong-columns",
        `expected 6 columns (topic Q0 document rank score tag), got ${fields.length}`,
        { file, line },
      );
    const own = topics.get(topic) ?? topics.set(topic, new Map()).get(topic);
    if (own.has(document) && !repeated.has(topic))
      repeated.set(
        topic,
        new Refusal("duplicate-document", `topic ${topic} has document ${document} twice`, { file, line }),
      );
    own.set(document, numberOf(score, "a score in column 5", { file, line }));
  }
  if (!topics.size)
    throw new Refusal("empty-input", "is empty: it contains nothing but blank lines and comments", { file });
  if (ignored) notes.push(`${file}: text after the tag ${tag[0]} is ignored.`);
  const lists = new Map();
  for (const [topic, scores] of topics) {
    const listed = [...scores].sort((a, b) => b[1] - a[1] || compareTexts(b[0], a[0]));
    lists.set(
      topic,
      listed.map(([document]) => document),
    );
  }
  return { lists, repeated, notes };
}
