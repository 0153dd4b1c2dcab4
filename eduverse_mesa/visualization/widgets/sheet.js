// Shows a tree of plain lists, [tag, attributes, ...children], as text: nothing in it can become markup or script.
const TAGS = new Set(("article b bdi blockquote button caption dd details div dl dt em figure figcaption footer h1 h2 h3 h4 " +
  "header hr i kbd label li mark nav ol p pre progress section small span strong summary table tbody td tfoot th thead " +
  "time tr ul").split(" "));
const ATTRIBUTES = new Set(("class colspan dir disabled for hidden id lang max open role rowspan scope tabindex title " +
  "type value").split(" "));

function allowed(name) {
  return ATTRIBUTES.has(name) || name.startsWith("aria-") || name.startsWith("data-");
}

function make(node, send) {
  if (!Array.isArray(node)) return document.createTextNode(node == null ? "" : String(node));
  const tag = TAGS.has(node[0]) ? node[0] : "span";
  const element = document.createElement(tag);
  if (tag === "button") element.type = "button";
  dress(element, {}, node[1] || {}, send);
  grow(element, [], node.slice(2), send);
  return element;
}

// `v` is a number for the style sheet (the length of a bar); `on` is what is sent back when the element is clicked.
function dress(element, before, after, send) {
  for (const name of Object.keys(before)) if (!(name in after) && allowed(name)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(after)) {
    if (name === "v") element.style.setProperty("--v", Number(value) || 0);
    else if (allowed(name) && before[name] !== value) {
      if (value === false || value == null) element.removeAttribute(name);
      else element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.evOn = after.on;
  element.onclick = after.on === undefined ? null : () => send(element.evOn);
}

function same(a, b) {
  if (!Array.isArray(a) || !Array.isArray(b)) return !Array.isArray(a) && !Array.isArray(b);
  return a[0] === b[0] && (a[1] || {}).key === (b[1] || {}).key;
}

// Elements that are still there are kept, and with them focus, scroll position and what is folded open.
function grow(element, before, after, send) {
  const kept = new Map();
  before.forEach((node, place) => {
    const key = Array.isArray(node) && node[1] && node[1].key;
    if (key !== undefined && key !== false && key !== null) kept.set(key, [node, element.childNodes[place]]);
  });
  const old = [...element.childNodes];
  const wanted = after.map((node, place) => {
    const key = Array.isArray(node) && node[1] ? node[1].key : undefined;
    const [was, child] = key !== undefined && kept.has(key) ? kept.get(key) : [before[place], old[place]];
    if (was === undefined || child === undefined || !same(was, node)) return make(node, send);
    if (!Array.isArray(node)) {
      const text = node == null ? "" : String(node);
      if (child.data !== text) child.data = text;
    } else if (was !== node) {
      dress(child, was[1] || {}, node[1] || {}, send);
      grow(child, was.slice(2), node.slice(2), send);
    }
    return child;
  });
  const staying = new Set(wanted);
  for (const child of old) if (!staying.has(child)) child.remove();
  wanted.forEach((child, place) => {
    if (element.childNodes[place] !== child) element.insertBefore(child, element.childNodes[place] || null);
  });
}

// The buttons of a [data-roving] list are one stop of the Tab key: arrows, Home and End go from one to the next. It is
// stopped at where somebody has been last, else at the end, where what is new stands.
function rove(root) {
  for (const list of root.querySelectorAll("[data-roving]")) {
    const buttons = [...list.querySelectorAll("button")];
    if (!buttons.includes(list.evStop)) list.evStop = null;
    for (const button of buttons) button.tabIndex = button === (list.evStop ?? buttons.at(-1)) ? 0 : -1;
  }
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

function walk(event) {
  const list = event.target.closest("[data-roving]");
  if (!list || !(event.key in STEPS) || event.ctrlKey || event.altKey || event.metaKey) return;
  const buttons = [...list.querySelectorAll("button")];
  const to = buttons.indexOf(event.target.closest("button")) + STEPS[event.key];
  event.preventDefault();
  buttons[Math.max(0, Math.min(buttons.length - 1, to))].focus();
}

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "ev-sheet";
  el.append(root);
  const send = (what) => model.send({ on: what });
  let shown = [];
  const show = () => {
    const atEnd = root.querySelector("[data-follow]");
    const follow = atEnd && atEnd.scrollHeight - atEnd.scrollTop - atEnd.clientHeight < 40;
    const tree = [model.get("tree")];
    grow(root, shown, tree, send);
    shown = tree;
    rove(root);
    const now = root.querySelector("[data-follow]");
    if (now && (follow || !atEnd)) now.scrollTop = now.scrollHeight;
    const here = root.querySelector("[data-here]");
    if (here) reveal(here);
  };
  root.addEventListener("keydown", walk);
  root.addEventListener("focusin", (event) => {
    const list = event.target.closest("[data-roving]");
    if (list) list.evStop = event.target;
    if (list) rove(root);
  });
  model.on("change:tree", show);
  show();
}

// Scroll the list, never the page.
function reveal(element) {
  const list = element.closest("[data-list]");
  if (!list || list.dataset.shown === element.dataset.here) return;
  list.dataset.shown = element.dataset.here;
  list.scrollTop += element.getBoundingClientRect().top - list.getBoundingClientRect().top - 8;
}

export default { render };
