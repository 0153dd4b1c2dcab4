// A classroom from above. The stage says what is there, the frame what happens; only what changed is touched.
const LAYERS = ["floor", "arenas", "cells", "seats", "reach", "pieces", "links", "arrows", "people", "bubbles"];
const NARROW = 560;
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
  root.append(svg, (parts.legend = document.createElement("div")));
  parts.legend.className = "ev-r-legend";
  el.append(root);
  const labels = () => model.get("labels") || {};
  const view = { model, root, svg, parts, spots: new Map(), hovered: "", radius: CELL * 0.7, unit: 1, font: "sans-serif", width: 0 };
  view.words = (key) => labels()[key] ?? key.slice(key.indexOf(".") + 1).replaceAll("_", " ");
  view.editing = () => model.get("mode") === "edit";
  view.on = (name) => (model.get("overlays") || []).includes(name);
  return view;
}

// --- the size of things ---

function radiusOf(view) {
  const spots = [...view.frame.students.map((one) => [one.x, one.y]), view.stage.podium];
  let near = 3.6;
  for (let i = 0; i < spots.length; i++)
    for (let j = i + 1; j < spots.length; j++) {
      const [dx, dy] = [Math.abs(spots[i][0] - spots[j][0]), Math.abs(spots[i][1] - spots[j][1])];
      near = Math.min(near, Math.max(Math.hypot(dx, dy), 1));
    }
  return CELL * Math.min(Math.max(0.355 * near, 0.4), view.width < NARROW ? 1.2 : 0.92);
}

// How wide a name may be: up to the one beside it.
function nameRooms(view) {
  const rooms = new Map();
  for (const one of view.frame.students) {
    let beside = 4;
    for (const other of view.frame.students) if (other !== one && Math.abs(other.y - one.y) < 1) beside = Math.min(beside, Math.abs(other.x - one.x) || 4);
    rooms.set(one.name, Math.max((beside * CELL) / view.unit - 6, 30));
  }
  return rooms;
}

// The part of the room that is shown: where the lesson is, widened to the shape of the place it is shown in.
function fit(view) {
  const { stage, frame } = view;
  const whole = view.editing() || view.on("arenas");
  let [left, top, right, bottom] = whole ? [0, 0, stage.width - 1, stage.height - 1] : stage.core;
  for (const one of frame.students) [left, top, right, bottom] = [Math.min(left, one.x), Math.min(top, one.y), Math.max(right, one.x), Math.max(bottom, one.y)];
  const margin = whole ? 0.7 : view.radius / CELL + 0.7;
  [left, right, bottom] = [left - margin, right + margin, bottom + margin + (whole ? 0 : frame.students.length > 12 ? 0.3 : 0.9)];
  top = top <= 1 ? -2.3 : top - margin;
  const narrow = view.width < NARROW;
  const wanted = narrow ? 0.8 : 1.5;
  if ((right - left) / (bottom - top) < wanted) {
    const more = wanted * (bottom - top) - (right - left);
    const [wall, far] = [Math.min(-0.9, left), Math.max(stage.width - 0.1, right)];
    const spare = [left - wall, far - right];
    let take = [more / 2, more / 2];
    if (take[0] > spare[0]) take = [spare[0], Math.min(more - spare[0], spare[1])];
    else if (take[1] > spare[1]) take = [Math.min(more - spare[1], spare[0]), spare[1]];
    [left, right] = [left - take[0], right + take[1]];
  }
  view.box = [left, top, right, bottom].map((value) => value * CELL);
  const [width, height] = [view.box[2] - view.box[0], view.box[3] - view.box[1]];
  put(view.svg, "viewBox", `${view.box[0].toFixed(1)} ${view.box[1].toFixed(1)} ${width.toFixed(1)} ${height.toFixed(1)}`);
  const tall = view.svg.clientHeight || view.width / (width / height);
  view.unit = Math.max(width / (view.width || width), height / tall);
  view.narrow = narrow;
}

// What would be cut off by the edge of the drawing is left out of it.
function whollySeen(view, piece) {
  const [left, , right, bottom] = view.box.map((edge) => edge / CELL);
  return view.editing() || (piece.x - 0.8 >= left && piece.x + 0.8 <= right && piece.y + 0.8 <= bottom);
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
  view.radius = radiusOf(view);
  view.root.classList.toggle("ev-r-editing", view.editing());
  view.root.classList.toggle("ev-r-compact", Boolean(model.get("compact")));
  put(view.svg, "aria-label", view.words("room"));
  fit(view);
  view.rooms = nameRooms(view);
  drawRoom(parts, view.stage, view.frame, view.radius, view.words);
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
  const began = performance.now();
  const selected = model.get("selected");
  view.spots = new Map(frame.students.map((one) => [one.name, [one.x, one.y]]));
  view.spots.set(frame.teacher.name, [frame.teacher.x, frame.teacher.y]);
  const talk = spoken(frame, new Set([selected, view.hovered]));
  const speaking = new Set(talk.map((one) => one.speaker));
  drawPeople(view, frame, selected, speaking);
  writeBoards(parts.pieces, frame.title, frame.phase ? view.words(`phase.${frame.phase}`) : "", view.font);
  drawLinks(parts, stage, view.spots, view.on("graph"));
  drawReach(view, selected);
  const small = Boolean(model.get("compact"));
  const boards = stage.pieces.filter((piece) => piece.kind === "board" && piece.y <= 1).map((piece) => [piece.x * CELL - 2.5 * CELL, -2 * CELL, piece.x * CELL + 2.5 * CELL, -0.5 * CELL]);
  const scene = { spots: view.spots, radius: view.radius, view: view.box, unit: view.unit, font: view.font, words: view.words, boards };
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
    nameTag(view, node, one.name, size, role);
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

function nameTag(view, node, name, size, role) {
  const shown = view.on("names") && !view.model.get("compact");
  const text = node.evPart.name;
  show(text, shown);
  if (!shown) return;
  const pixels = view.narrow ? 10.5 : 11.5;
  const room = role === "T" ? 150 : view.rooms.get(name) ?? 60;
  const shownName = name === view.frame.viewer ? `${isolated(clean(name, 80))} (${view.words("you")})` : clean(name, 80);
  write(text, shorten(shownName, room, `600 ${pixels}px ${view.font}`));
  place(text, `translate(0px,${(size * 1.08 + (pixels + 2) * view.unit).toFixed(1)}px) scale(${view.unit.toFixed(4)})`);
}

// What a figure shows, in words: for who cannot see it, and for the tooltip.
function describe(one, role, words) {
  const name = isolated(clean(one.name, 80));
  if (role === "T") return [`${name} (${words("teacher")})`, one.act && words(`act.${one.act}`)].filter(Boolean).join(": ");
  const parts = [one.behaviour && words(`behaviour.${one.behaviour}`), one.emotion && words(`emotion.${one.emotion}`), one.cognition && words(`cognition.${one.cognition}`), one.called && words("called"), one.feedback && words(`feedback.${one.feedback}`)];
  const known = parts.filter(Boolean).join(", ");
  return known ? `${name}: ${known}` : name;
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
  const levels = ["off_task", "passive", "active", "interactive"].map((level) => entry(view.words(`level.${level}`), ring(level)));
  const faces = ["positive", "confused", "negative"].map((emotion) => entry(view.words(`emotion.${emotion}`), face(emotion)));
  view.parts.legend.replaceChildren(...levels, ...faces, entry(view.words("high"), spark));
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
