// What all parts of the room's drawing use: nodes that are changed only where something changed, and text that fits.
const SVG = "http://www.w3.org/2000/svg";
const CELL = 40;

function make(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

// Writing an attribute costs even where it has the value already; what was written is kept with the node.
function put(node, name, value) {
  const kept = (node.evKept ??= {});
  const text = value == null ? null : String(value);
  if (kept[name] === text) return;
  kept[name] = text;
  if (text === null) node.removeAttribute(name);
  else node.setAttribute(name, text);
}

function write(node, text) {
  if (node.evText === text) return;
  node.evText = text;
  node.textContent = text;
}

// Set through the style object: a style attribute would be against the pages' content policy.
function place(node, transform) {
  if (node.evPlace === transform) return;
  node.evPlace = transform;
  node.style.transform = transform;
}

function show(node, shown) {
  if (node.evShown === shown) return;
  node.evShown = shown;
  node.style.display = shown ? "" : "none";
}

function keyed(layer, kept, key, build) {
  let node = kept.get(key);
  if (!node) {
    node = build();
    kept.set(key, node);
    layer.append(node);
  }
  return node;
}

function sweep(kept, seen) {
  for (const [key, node] of kept) {
    if (seen.has(key)) continue;
    node.remove();
    kept.delete(key);
  }
}

// --- text ---

const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff]+/g;

// One line that keeps to itself: what turns the direction of writing is taken out, towers of accents are cut.
function clean(text, limit) {
  const line = String(text ?? "").slice(0, 2 * limit).replace(INVISIBLE, " ").replace(/(\p{M}{3})\p{M}+/gu, "$1");
  return [...line.replace(/\s+/g, " ").trim()].slice(0, limit).join("");
}

// A thing of a built-in room as the reader's language calls it, also with a letter or a number; any other name stays.
function nameOf(name, labels) {
  const [, what, which] = /^(.*) (\w|\d+)$/.exec(name) ?? [];
  return labels[name] ?? (labels[what] ? `${labels[what]} ${which}` : name);
}

function isolated(text) {
  return `\u2068${text}\u2069`;
}

let pen = null;
const widths = new Map();

function wide(text, font) {
  const key = font + text;
  let width = widths.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d");
    if (pen.font !== font) pen.font = font;
    width = pen.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

function shorten(text, room, font) {
  if (wide(text, font) <= room) return text;
  const letters = [...text];
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (wide(`${letters.slice(0, middle).join("")}…`, font) <= room) low = middle;
    else high = middle - 1;
  }
  // What ends in dots itself gets no more of them.
  return `${letters.slice(0, low).join("").replace(/[\s.…。,，、;；:：]+$/u, "")}…`;
}

// Break where words end, or anywhere between Chinese characters; what does not fit ends in an ellipsis.
function wrap(text, room, most, font) {
  const pieces = text.match(/[\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]|[^\s\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]+|\s+/gu) || [];
  const lines = [];
  let line = "";
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at];
    if (wide(line + piece.trimEnd(), font) <= room || (!line && piece.trim() === "")) {
      line += piece;
      continue;
    }
    if (lines.length === most - 1) return [...lines, shorten((line + pieces.slice(at).join("")).slice(0, 400), room, font)];
    if (!line) {
      lines.push(shorten(piece, room, font));
      continue;
    }
    lines.push(line.trim());
    line = "";
    if (piece.trim()) at--;
  }
  if (line.trim()) lines.push(line.trim());
  return lines;
}

function hash(text) {
  let value = 2166136261;
  for (const letter of text.slice(0, 80)) value = Math.imul(value ^ letter.codePointAt(0), 16777619);
  return value >>> 0;
}
