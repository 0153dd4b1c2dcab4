// What is said and asked: bubbles that keep clear of people and of each other, and arrows between peers.
const LINE = 16;
const PAD = 8;

// A sentence behind another: a blank follows each, but none follows Chinese.
function runOn(before, after) {
  return /[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]/.test(before) ? before + after : `${before} ${after}`;
}

// One bubble for each who speaks: [{speaker, channel, to, text, must}], those that matter most first.
function spoken(frame, chosen) {
  const talk = new Map();
  for (const said of frame.sentences) {
    const mine = said.role === "T" ? said.to === "class" : true;
    if (!mine) continue;
    const known = talk.get(said.speaker);
    if (!known) talk.set(said.speaker, { speaker: said.speaker, channel: said.channel, to: said.to, text: said.text, teacher: said.role === "T" });
    else if (known.text.length < 2000) known.text = runOn(known.text, said.text);
  }
  const rank = (one) => (one.must ? 0 : one.teacher ? 1 : one.channel === "class" ? 2 : one.channel === "group" ? 3 : 4);
  const list = [...talk.values()];
  for (const one of list) one.must = one.teacher || chosen.has(one.speaker);
  return list.sort((one, other) => rank(one) - rank(other));
}

function newBubble() {
  const node = make("g", { class: "ev-r-bubble" });
  const part = { title: make("title"), tail: make("path", { class: "ev-r-tail" }), box: make("rect", { rx: 10 }), seam: make("path", { class: "ev-r-seam" }) };
  part.lines = [make("text"), make("text"), make("text")];
  node.append(part.title, part.box, part.tail, part.seam, ...part.lines);
  node.evPart = part;
  return node;
}

// Where a bubble may be: [across in halves of its width, down in rows of its height], above first.
const AROUND = [
  [0, -1], [0.6, -1], [-0.6, -1], [1.1, -1], [-1.1, -1], [2, -0.4], [-2, -0.4], [2, 0.2], [-2, 0.2], [0, -1.8], [0.7, -1.8],
  [-0.7, -1.8], [0, 1], [0.6, 1], [-0.6, 1], [1.1, 1], [-1.1, 1],
];
const TOO_MUCH = 0.14;

function overlap(a, b) {
  const across = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const down = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return across > 0 && down > 0 ? across * down : 0;
}

// The place around a speaker where a bubble covers least. All in drawing units.
function freePlace(spot, radius, width, height, gap, view, people, bubbles) {
  let best = null;
  AROUND.forEach(([dx, dy], rank) => {
    const beside = Math.abs(dx) === 2;
    let x = spot[0] + (beside ? Math.sign(dx) * (radius + gap + width / 2) : (dx * width) / 2);
    let y = spot[1] + (beside ? dy * radius : Math.sign(dy) * (radius + gap + height * (Math.abs(dy) - 0.5)));
    if (!beside && dy > 0) y += gap * 2.4;
    x = Math.min(Math.max(x, view[0] + width / 2 + 4), view[2] - width / 2 - 4);
    y = Math.min(Math.max(y, view[1] + height / 2 + 4), view[3] - height / 2 - 4);
    const area = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
    let covers = 0;
    for (const [other, weight] of people) covers += overlap(area, other) * weight;
    for (const other of bubbles) covers += overlap(area, other) * 9;
    covers /= width * height;
    const cost = covers + rank * 0.012;
    if (!best || cost < best.cost) best = { cost, covers, x, y, area };
  });
  return best;
}

function drawBubbles(parts, talk, scene) {
  const { spots, radius, unit, font } = scene;
  const people = [];
  for (const [x, y] of spots.values()) {
    const [left, top] = [x * CELL, y * CELL];
    people.push([[left - radius, top - radius, left + radius, top + radius], 3]);
  }
  for (const name of scene.names) people.push([name, 8]);
  for (const board of scene.boards) people.push([board, 1.2]);
  const taken = [];
  const seen = new Set();
  for (const one of talk) {
    if (!spots.has(one.speaker) || !one.text.trim()) continue;
    const [x, y] = spots.get(one.speaker);
    const bubble = shapeBubble(one, [x * CELL, y * CELL], { people, taken, radius, view: windowAt(scene, x * CELL), unit, font });
    if (!bubble) continue;
    seen.add(one.speaker);
    drawBubble(keyed(parts.bubbles, parts.bubblesKept, one.speaker, newBubble), one, bubble, scene);
  }
  sweep(parts.bubblesKept, seen);
}

// Of a drawing that is wider than its place, the part that is seen when somebody in it is.
function windowAt({ view, across }, x) {
  if (across >= view[2] - view[0] || !across) return view;
  const left = Math.min(Math.max(x - across / 2, view[0]), view[2] - across);
  return [left, view[1], left + across, view[3]];
}

// Pixels a line may have, and how many lines: the usual shape first, then those that fit where it does not.
const SHAPES = { teacher: [[250, 2], [180, 3], [128, 3]], student: [[176, 2], [120, 3], [96, 2]] };

// The lines of a bubble and where it goes; none where it would hide too much of what must be seen.
function shapeBubble(one, spot, { people, taken, radius, view, unit, font }) {
  const to = one.channel === "peer" ? `→ ${isolated(clean(one.to, 24))}  ` : "";
  const face = `12.5px ${font}`;
  const text = to + clean(one.text, 400);
  const size = one.teacher ? radius * 1.12 : radius;
  let best = null;
  for (const [rank, [wanted, most]] of (one.teacher ? SHAPES.teacher : SHAPES.student).entries()) {
    const lines = wrap(text, Math.min(wanted, (view[2] - view[0]) / unit - 60), most, face);
    const width = Math.max(...lines.map((line) => wide(line, face)), 12) + 2 * PAD;
    const height = lines.length * LINE + 1.2 * PAD;
    const free = freePlace(spot, size * 1.12, width * unit, height * unit, 7 * unit, view, people, taken);
    free.cost += 0.06 * rank;
    if (!best || free.cost < best.free.cost) best = { lines, width, height, free };
    if (best.free.covers < 0.02) break;
  }
  const { lines, width, height, free } = best;
  if (free.covers > TOO_MUCH && !one.must) return null;
  taken.push(free.area);
  const named = free.y > spot[1] + size && Math.abs(free.x - spot[0]) < size ? NAMED + (0.2 * radius) / unit : 0; // not over the name
  const [tail, seam] = tailOf([(spot[0] - free.x) / unit, (spot[1] - free.y) / unit], (size * 1.08) / unit + named, width, height);
  return { lines, width, height, tail, seam, x: free.x, y: free.y };
}

function drawBubble(node, one, { lines, width, height, tail, seam, x, y }, { unit, words }) {
  const part = node.evPart;
  put(node, "data-channel", one.teacher ? "teacher" : one.channel);
  write(part.title, fill(words("joint.told"), { name: isolated(clean(one.speaker, 80)), text: isolated(clean(one.text, 4000)) }));
  place(node, `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) scale(${unit.toFixed(4)})`);
  put(part.box, "x", (-width / 2).toFixed(1));
  put(part.box, "y", (-height / 2).toFixed(1));
  put(part.box, "width", width.toFixed(1));
  put(part.box, "height", height.toFixed(1));
  put(part.tail, "d", tail);
  put(part.seam, "d", seam);
  part.lines.forEach((line, at) => {
    write(line, lines[at] ?? "");
    put(line, "x", (-width / 2 + PAD).toFixed(1));
    put(line, "y", (-height / 2 + LINE * (at + 1) + 0.6 * PAD - 3.5).toFixed(1));
  });
}

// A pointed tail from the edge of the bubble to the rim of the speaker's ring, and a seam that opens the edge there.
function tailOf([x, y], radius, w, h) {
  const far = Math.hypot(x, y) || 1;
  const tip = [x - (x / far) * radius, y - (y / far) * radius];
  if (Math.abs(tip[0]) < w / 2 && Math.abs(tip[1]) < h / 2) return ["", ""];
  const flat = Math.abs(tip[1]) >= h / 2;
  if (flat) {
    const edge = (Math.sign(tip[1]) * h) / 2;
    const base = Math.min(Math.max(tip[0], -w / 2 + 15), w / 2 - 15);
    return [`M${base - 5} ${edge}L${tip[0].toFixed(1)} ${tip[1].toFixed(1)}L${base + 5} ${edge}`, `M${base - 4} ${edge}H${base + 4}`];
  }
  const edge = (Math.sign(tip[0]) * w) / 2;
  const base = Math.min(Math.max(tip[1], -h / 2 + 9), h / 2 - 9);
  return [`M${edge} ${base - 4.5}L${tip[0].toFixed(1)} ${tip[1].toFixed(1)}L${edge} ${base + 4.5}`, `M${edge} ${base - 3.5}V${base + 3.5}`];
}

// --- arrows ---

function newArrow() {
  const node = make("g", { class: "ev-r-arrow" });
  const part = { title: make("title"), hit: make("path", { class: "ev-r-hit" }), line: make("path", { class: "ev-r-line" }), head: make("path", { class: "ev-r-head" }), cross: make("path", { class: "ev-r-cross" }) };
  node.append(part.title, part.hit, part.line, part.head, part.cross);
  node.evPart = part;
  return node;
}

function drawArrows(parts, frame, scene, shown) {
  show(parts.arrows, shown);
  if (!shown) return;
  const seen = new Set();
  for (const one of frame.exchanges) {
    const [from, to] = [scene.spots.get(one.sender), scene.spots.get(one.receiver)];
    if (!from || !to) continue;
    const key = JSON.stringify([one.sender, one.receiver, one.made]);
    seen.add(key);
    const node = keyed(parts.arrows, parts.arrowsKept, key, newArrow);
    put(node, "data-status", one.status);
    const { words } = scene;
    const reason = one.reason ? fill(words("joint.aside"), { text: isolated(clean(scene.reason(one.reason), 200)) }) : "";
    const asked = [words(`request.${one.kind}`), words(`status.${one.status}`)].join(words("joint.listed"));
    const pair = `${isolated(clean(one.sender, 80))} → ${isolated(clean(one.receiver, 80))}`;
    write(node.evPart.title, fill(words("joint.told"), { name: pair, text: asked + reason }));
    bend(node.evPart, from, to, scene.radius, scene.unit, one.status === "rejected");
  }
  sweep(parts.arrowsKept, seen);
}

function bend(part, from, to, radius, unit, crossed) {
  const [ax, ay, bx, by] = [from[0] * CELL, from[1] * CELL, to[0] * CELL, to[1] * CELL];
  const far = Math.hypot(bx - ax, by - ay) || 1;
  const [ux, uy] = [(bx - ax) / far, (by - ay) / far];
  // Bowed to the left of its way, so that an answer does not lie on its question.
  const bow = Math.min(0.32 * far + 4, 60);
  const [cx, cy] = [(ax + bx) / 2 + uy * bow, (ay + by) / 2 - ux * bow];
  const start = toward([ax, ay], [cx, cy], radius * 1.12);
  const end = toward([bx, by], [cx, cy], radius * 1.2);
  const d = `M${start[0].toFixed(1)} ${start[1].toFixed(1)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${end[0].toFixed(1)} ${end[1].toFixed(1)}`;
  put(part.line, "d", d);
  put(part.hit, "d", d);
  const turn = Math.atan2(end[1] - cy, end[0] - cx);
  const size = 9 * unit;
  const wing = (angle) => `${(end[0] - size * Math.cos(turn + angle)).toFixed(1)} ${(end[1] - size * Math.sin(turn + angle)).toFixed(1)}`;
  put(part.head, "d", `M${wing(0.5)}L${end[0].toFixed(1)} ${end[1].toFixed(1)}L${wing(-0.5)}z`);
  const [mx, my] = [(start[0] + 2 * cx + end[0]) / 4, (start[1] + 2 * cy + end[1]) / 4];
  const s = 4.5 * unit;
  put(part.cross, "d", crossed ? `M${mx - s} ${my - s}L${mx + s} ${my + s}M${mx + s} ${my - s}L${mx - s} ${my + s}` : "");
}

function toward(from, to, by) {
  const far = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  return [from[0] + ((to[0] - from[0]) / far) * by, from[1] + ((to[1] - from[1]) / far) * by];
}
