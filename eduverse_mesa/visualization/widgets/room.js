// A classroom from above. The stage says what is there, the frame what happens; only what changed is touched.
const LAYERS = ["floor", "arenas", "cells", "seats", "reach", "pieces", "links", "arrows", "people", "bubbles"];
const MANY = 9;

function newView(model, el) {
  const root = document.createElement("div");
  root.className = "ev-room";
  const svg = make("svg", { class: "ev-r-svg", role: "group", preserveAspectRatio: "xMidYMid meet" });
  const parts = { peopleKept: new Map(), linksKept: new Map(), bubblesKept: new Map(), arrowsKept: new Map() };
  for (const name of LAYERS) svg.append((parts[name] = make("g", { class: `ev-r-${name}` })));
  parts.circle = make("circle", { class: "ev-r-radius" });
  parts.reach.append(parts.circle);
  parts.target = make("rect", { class: "ev-r-target", x: -CELL / 2 + 2, y: -CELL / 2 + 2, width: CELL - 4, height: CELL - 4, rx: 8 });
  parts.cells.after(parts.target);
  show(parts.target, false);
  const scroll = document.createElement("div");
  scroll.className = "ev-r-scroll";
  scroll.append(svg);
  root.append(scroll, (parts.legend = document.createElement("div")));
  parts.legend.className = "ev-r-legend";
  el.append(root);
  const labels = () => model.get("labels") || {};
  const view = { model, root, scroll, svg, parts, spots: new Map(), hovered: "", radius: CELL * 0.7, unit: 1, font: "sans-serif", width: 0 };
  view.named = (name) => nameOf(String(name ?? ""), labels());
  view.reason = (text) => labels()[`reason.${text}`] ?? text;
  view.words = (key) => labels()[key] ?? key.slice(key.indexOf(".") + 1).replaceAll("_", " ");
  view.editing = () => model.get("mode") === "edit";
  view.on = (name) => (model.get("overlays") || []).includes(name);
  return view;
}

// --- drawing ---

function drawAll(view) {
  const { model, parts } = view;
  view.stage = model.get("stage");
  view.frame = model.get("frame");
  const ready = Boolean(view.stage?.seats && view.frame?.students);
  show(view.svg, ready);
  if (!ready) return;
  const focus = keepFocus(view);
  view.width = view.root.clientWidth || view.width || 800;
  view.font = getComputedStyle(view.root).fontFamily || "sans-serif";
  view.root.classList.toggle("ev-r-editing", view.editing());
  view.root.classList.toggle("ev-r-compact", Boolean(model.get("compact")));
  put(view.svg, "aria-label", view.words("room"));
  fit(view);
  drawRoom(parts, view.stage, view);
  show(parts.arenas, view.on("arenas") || view.editing());
  drawCells(view, view.editing());
  for (const node of parts.pieces.children) show(node, whollySeen(view, node.evPiece));
  if (view.editing()) for (const node of parts.pieces.children) movable(view, node, "thing", node.evPiece.name, [node.evPiece.x, node.evPiece.y], node.evLabel);
  drawLegend(view);
  drawFrame(view);
  view.cells = cellsOf(view.frame);
  focus();
}

// Things and seats are drawn anew with a new stage: whoever moves one with the keys goes on moving it.
function keepFocus(view) {
  const active = view.svg.contains(document.activeElement) && document.activeElement.closest("[data-move]");
  if (!active) return () => {};
  const [kind, name] = [active.getAttribute("data-move"), active.evName];
  return () => {
    if (active.isConnected && active.evName === name) return;
    [...view.svg.querySelectorAll(`[data-move="${kind}"]`)].find((node) => node.evName === name)?.focus({ preventScroll: true });
  };
}

function drawFrame(view) {
  const { model, parts, stage } = view;
  const frame = (view.frame = model.get("frame"));
  if (!stage?.seats || !frame?.students) return;
  if (namesShown(view) && !namesLaid(view)) fit(view); // another class, and its room is still to come
  const began = performance.now();
  const selected = model.get("selected");
  view.spots = new Map(frame.students.map((one) => [one.name, [one.x, one.y]]));
  view.spots.set(frame.teacher.name, [frame.teacher.x, frame.teacher.y]);
  const talk = spoken(frame, new Set([selected, view.hovered]));
  const speaking = new Set(talk.map((one) => one.speaker));
  drawPeople(view, frame, selected, speaking);
  writeBoards(parts.pieces, frame.title, frame.phase ? view.words(`phase.${frame.phase}`) : "", view);
  drawLinks(parts, stage, view.spots, view.on("graph"));
  drawReach(view, selected);
  const small = Boolean(model.get("compact"));
  const boards = stage.pieces.filter((piece) => piece.kind === "board" && piece.y <= 1).map((piece) => boardArea(stage, piece, view.box));
  const names = namesShown(view) ? view.names.map((one) => nameArea(view, one)) : [];
  const scene = { spots: view.spots, radius: view.radius, view: view.box, unit: view.unit, font: view.font, words: view.words, reason: view.reason, boards, names, across: view.scroll.clientWidth * view.unit };
  drawArrows(parts, frame, scene, view.on("exchanges") && !view.editing());
  const said = !view.on("bubbles") || small || view.editing() ? [] : view.narrow ? talk.filter((one) => one.must) : talk.slice(0, MANY);
  drawBubbles(parts, said, scene);
  view.root.dataset.step = frame.step;
  view.root.dataset.took = (performance.now() - began).toFixed(2);
}

function drawPeople(view, frame, selected, speaking) {
  const { parts, stage, words } = view;
  const seen = new Set();
  const chosen = frame.students.find((one) => one.name === selected);
  const near = view.on("perception") && chosen ? new Set(chosen.perceived) : null;
  const row = [["T", frame.teacher], ...frame.students.map((one) => ["S", one])];
  for (const [role, one] of row) {
    const key = role + one.name;
    seen.add(key);
    const node = keyed(parts.people, parts.peopleKept, key, () => newPerson(one.name, role === "T"));
    const here = [one.x, one.y];
    const size = role === "T" ? view.radius * 1.12 : view.radius;
    node.evCell = here;
    place(node, `translate(${one.x * CELL}px,${one.y * CELL}px)`);
    place(node.evPart.body, `scale(${size.toFixed(2)})`);
    if (role === "T") dressTeacher(node, one, view, speaking.has(one.name));
    else {
      const hidden = Boolean(frame.viewer) && !one.behaviour && !one.emotion;
      dressPerson(node, { ...one, hidden }, gaze(one, here, view.spots, stage), speaking.has(one.name) && !hidden);
    }
    put(node, "data-chosen", one.name === selected ? "yes" : null);
    put(node, "aria-pressed", one.name === selected ? "true" : "false");
    // The teacher is heard from everywhere, so is never shaded.
    put(node, "data-near", near && one !== chosen ? (near.has(one.name) ? "yes" : role === "T" ? null : "no") : null);
    put(node, "data-me", one.name === frame.viewer ? "yes" : null);
    const label = describe(one, role, words);
    put(node, "aria-label", label);
    write(node.evPart.title, label);
    nameTag(view, node, key);
    if (view.editing()) movable(view, node, role === "T" ? "teacher" : "student", one.name, here, label);
  }
  sweep(parts.peopleKept, seen);
  rove(view);
}

function dressTeacher(node, teacher, view, speaking) {
  const mood = { encouraging: "positive", critical: "negative" }[teacher.tone] || "";
  const called = teacher.called.length === 1 ? view.spots.get(teacher.called[0]) : null;
  const aim = called ? [called[0] - teacher.x, called[1] - teacher.y] : [0, 0.6];
  const far = Math.max(Math.hypot(...aim), 1);
  dressPerson(node, { behaviour: "", emotion: mood, level: "teacher" }, [aim[0] / far, aim[1] / far], speaking);
}

function nameTag(view, node, key) {
  const shown = namesShown(view);
  const text = node.evPart.name;
  show(text, shown);
  if (!shown) return;
  const tag = view.tags.get(key);
  write(text, shorten(tag.text, tag.room + 0.5, nameFont(view)));
  put(text, "data-narrow", closely(view) ? "yes" : null);
  place(text, `translate(${(tag.shift * view.unit).toFixed(1)}px,${((tag.base + NAMED - 3) * view.unit - tag.y * CELL + lowered(view, tag.name)).toFixed(1)}px) scale(${view.unit.toFixed(4)})`);
}

// A phrase with its gaps filled.
function fill(phrase, given) {
  return phrase.replace(/\{(\w+)\}/g, (_, gap) => given[gap]);
}

// What a figure shows, in words: for who cannot see it, and for the tooltip.
function describe(one, role, words) {
  const name = isolated(clean(one.name, 80));
  if (role === "T") {
    const teacher = name + fill(words("joint.aside"), { text: words("teacher") });
    return one.act ? fill(words("joint.told"), { name: teacher, text: words(`act.${one.act}`) }) : teacher;
  }
  const parts = [one.behaviour && words(`behaviour.${one.behaviour}`), one.emotion && words(`emotion.${one.emotion}`), one.cognition && words(`cognition.${one.cognition}`), one.called && words("called"), one.feedback && words(`feedback.${one.feedback}`)];
  const known = parts.filter(Boolean).join(words("joint.listed"));
  return known ? fill(words("joint.told"), { name, text: known }) : name;
}

function drawReach(view, selected) {
  const chosen = view.frame.students.find((one) => one.name === selected);
  const radius = chosen && view.on("perception") ? view.stage.radii[chosen.name] : 0;
  show(view.parts.reach, Boolean(radius));
  if (!radius) return;
  put(view.parts.circle, "r", radius * CELL);
  place(view.parts.circle, `translate(${chosen.x * CELL}px,${chosen.y * CELL}px)`);
}

function drawLegend(view) {
  const shown = view.on("legend") && !view.model.get("compact");
  view.parts.legend.hidden = !shown;
  if (!shown) return view.parts.legend.replaceChildren();
  const entry = (text, ...shapes) => {
    const item = document.createElement("span");
    const icon = make("svg", { viewBox: "-1.35 -1.35 2.7 2.7", "aria-hidden": "true" }, ...shapes);
    const label = document.createElement("span");
    label.textContent = text;
    item.append(icon, label);
    return item;
  };
  const sample = (key, value, ...shapes) => make("g", { class: "ev-r-sample", [key]: value }, ...shapes);
  const ring = (level) =>
    sample("data-level", level, ...[["disc", 0.98], ["ring", 1], ["ring2", 1.17]].map(([name, r]) => make("circle", { class: `ev-r-${name}`, r })));
  const line = (name, d) => make("path", { class: `ev-r-${name}`, d, transform: "scale(1.6)" });
  const face = (emotion) =>
    sample("data-emotion", emotion, make("circle", { class: "ev-r-skin", r: 1 }), line("feature", MOUTH[emotion]), line("feature", BROWS[emotion]), line("eyes", EYES.open));
  const spark = sample("data-high", "yes", make("g", { class: "ev-r-spark", transform: "scale(3.4)" }, make("circle", { r: 0.3 }), make("path", { d: SPARK })));
  const levels = LEVELS.map((level) => entry(view.words(`level.${level}`), ring(level)));
  const faces = Object.entries(FACES).map(([emotion, level]) => entry(view.words(`emotion.${emotion}`), face(level)));
  const badge = (kind) =>
    sample("data-feedback", kind, make("g", { class: "ev-r-feedback", transform: "scale(2.6)" }, make("rect", { x: -0.36, y: -0.28, width: 0.72, height: 0.56, rx: 0.28 }), make("path", { class: "ev-r-icon", d: FEEDBACK[kind] })));
  const arrow = (status) =>
    make("g", { class: "ev-r-arrow", "data-status": status, transform: "scale(.068)" }, make("path", { class: "ev-r-line", d: "M-17 6Q-2-12 12 0" }),
      make("path", { class: "ev-r-head", d: "M11-8L18 5L4 4z" }), make("path", { class: "ev-r-cross", d: status === "rejected" ? "M-7-9L1-1M1-9L-7-1" : "" }));
  const feedback = ["positive", "neutral", "negative"].map((kind) => entry(view.words(`feedback.${kind}`), badge(kind)));
  const requests = view.on("exchanges") ? ["accepted", "rejected", "pending"].map((status) => entry(view.words(`asked.${status}`), arrow(status))) : [];
  view.parts.legend.replaceChildren(...levels, ...faces, entry(view.words("high"), spark), ...feedback, ...requests);
  return undefined;
}

// --- choosing ---

function choose(view, name) {
  if (view.model.get("selected") === name) return;
  view.model.set("selected", name);
  view.model.save_changes();
}

// While looking, one figure is in the order of tabs, and arrow keys go on from it; while editing, all are.
function rove(view) {
  if (view.editing()) return;
  const people = [...view.parts.people.children];
  const current = people.find((node) => node.getAttribute("data-chosen")) || people.find((node) => node.evName === view.roving) || people[0];
  for (const node of people) {
    put(node, "tabindex", node === current ? 0 : -1);
    put(node, "data-move", null);
    put(node, "role", "button");
  }
}

function neighbour(view, node, [dx, dy]) {
  let best = null;
  for (const other of view.parts.people.children) {
    const [x, y] = [other.evCell[0] - node.evCell[0], other.evCell[1] - node.evCell[1]];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (other === node || along <= 0 || aside > 2 * along) continue;
    const cost = along + 2 * aside;
    if (!best || cost < best.cost) best = { cost, other };
  }
  return best?.other;
}

function listen(view) {
  const { svg } = view;
  const person = (event) => event.target.closest?.(".ev-r-person");
  // Who is pointed at, or has the focus, is heard, also where there is no room for everybody's bubble.
  const listenTo = (name) => {
    if (name === view.hovered || view.editing()) return;
    view.hovered = name;
    drawFrame(view);
  };
  svg.addEventListener("pointerover", (event) => listenTo(person(event)?.evName ?? ""));
  svg.addEventListener("pointerleave", () => listenTo(""));
  // Not on the drawing itself: one that hears of focus would become a stop of the tab key.
  view.root.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && listenTo(person(event)?.evName ?? ""));
  svg.addEventListener("click", (event) => {
    if (view.dropped) return void (view.dropped = false);
    const node = person(event);
    choose(view, node ? node.evName : "");
  });
  svg.addEventListener("keydown", (event) => {
    const node = person(event);
    if (!node) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(view, node.evName);
    } else if (event.key === "Escape") choose(view, "");
    else if (ARROWS[event.key] && !view.editing()) {
      event.preventDefault();
      const next = neighbour(view, node, ARROWS[event.key]);
      if (!next) return;
      view.roving = next.evName;
      put(node, "tabindex", -1);
      put(next, "tabindex", 0);
      next.focus();
    }
  });
}

function render({ model, el }) {
  const view = newView(model, el);
  listen(view);
  startEditing(view);
  const all = () => drawAll(view);
  const heard = ["stage", "overlays", "mode", "labels", "compact"].map((name) => [`change:${name}`, all]);
  heard.push(["change:frame", () => newFrame(view)], ["change:selected", () => drawFrame(view)]);
  for (const [event, hear] of heard) model.on(event, hear);
  let width = 0;
  const watcher = new ResizeObserver(() => {
    if (Math.abs(view.root.clientWidth - width) < 1) return;
    width = view.root.clientWidth;
    all();
    bringForward(view);
  });
  watcher.observe(view.root);
  all();
  return () => {
    watcher.disconnect();
    for (const [event, hear] of heard) model.off(event, hear);
  };
}

// A frame in which somebody has moved may need another part of the room, or other sizes.
function newFrame(view) {
  const frame = view.model.get("frame");
  if (view.cells === cellsOf(frame) && !view.editing()) return drawFrame(view);
  return drawAll(view);
}

function cellsOf(frame) {
  return JSON.stringify(frame?.students?.map((one) => [one.name, one.x, one.y]));
}

export default { render };
