// The size of things, and where names stand: a drawing is as large as it has to be for everybody's name to be read,
// and is scrolled where its place is smaller.
const NARROW = 560;
const CLOSEST = 42; // pixels from one figure to the next, at least
const WIDEST = 3; // times as wide as its place a drawing gets at most
const NAMED = 15; // pixels that a line of names takes
const APART = 4; // pixels between two names
const SLIDE = 8; // pixels that a name goes aside at most where nobody is
const [BESIDE, REACH] = [0.4, 4]; // cells: how far from a row, and from each other, two are that stand beside each other
const LONG_NAME = 90; // pixels; longer ones are cut before the drawing grows for them

function everybody({ frame }) {
  return [["T", frame.teacher], ...frame.students.map((one) => ["S", one])].map(([role, one]) => ({ role, name: one.name, x: one.x, y: one.y }));
}

function namesShown(view) {
  return view.on("names") && !view.model.get("compact");
}

// Small letters, where there is little place: on a phone, and where the whole room is seen at once.
function closely(view) {
  return view.narrow || view.editing();
}

function nameFont(view) {
  return `600 ${closely(view) ? 10.5 : 11.5}px ${view.font}`;
}

function fit(view) {
  view.narrow = view.width < NARROW;
  view.names = everybody(view).map((one) => {
    const text = one.name === view.frame.viewer ? isolated(clean(one.name, 80)) + fill(view.words("joint.aside"), { text: view.words("you") }) : clean(one.name, 80);
    return { ...one, text, wide: Math.min(wide(text, nameFont(view)), 4 * LONG_NAME) };
  });
  view.unit = 1;
  for (let turn = 0; turn < 3; turn++) { // figures make way for names, the part shown for figures, the scale for all
    view.radius = radiusOf(view);
    frameRoom(view);
    rescale(view);
  }
  if (namesShown(view)) layNames(view);
}

function radiusOf(view) {
  let [near, below] = [3.6, Infinity];
  const line = namesShown(view) ? (NAMED * view.unit) / CELL : 0;
  for (let i = 0; i < view.names.length; i++)
    for (let j = i + 1; j < view.names.length; j++) {
      const [one, other] = [view.names[i], view.names[j]];
      const [dx, dy] = [Math.abs(one.x - other.x), Math.abs(one.y - other.y)];
      near = Math.min(near, Math.max(Math.hypot(dx, dy), 1));
      if (dx < 1.5 && dy > dx) below = Math.min(below, (dy - line) / 2.25); // a name stands between the two
    }
  return CELL * Math.min(Math.max(Math.min(0.355 * near, below), 0.4), view.width < NARROW ? 1.2 : 0.92);
}

// The part of the room that is shown: where the lesson is, widened to the shape of the place it is shown in.
function frameRoom(view) {
  const { stage, frame } = view;
  const whole = view.editing() || view.on("arenas");
  let [left, top, right, bottom] = whole ? [0, 0, stage.width - 1, stage.height - 1] : stage.core;
  for (const one of frame.students) [left, top, right, bottom] = [Math.min(left, one.x), Math.min(top, one.y), Math.max(right, one.x), Math.max(bottom, one.y)];
  const margin = whole ? 0.7 : view.radius / CELL + 0.7;
  [left, right, bottom] = [left - margin, right + margin, bottom + margin + (whole ? 0 : frame.students.length > 12 ? 0.3 : 1.5)];
  top = top <= 1 ? -2.3 : top - margin;
  view.least = [left, right].map((value) => value * CELL);
  const wanted = view.narrow ? 0.8 : 1.5;
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
}

// How much of the drawing there is to a pixel: all of it in its place, but never less than can be read.
function rescale(view) {
  const { svg, box } = view;
  if (!view.model.get("compact")) sparePlace(view);
  const [width, height] = [box[2] - box[0], box[3] - box[1]];
  put(svg, "viewBox", `${box[0].toFixed(1)} ${box[1].toFixed(1)} ${width.toFixed(1)} ${height.toFixed(1)}`);
  Object.assign(svg.style, { width: "", height: "", maxHeight: "" });
  const tall = svg.clientHeight || view.width / (width / height);
  const natural = Math.max(width / (view.width || width), height / tall);
  const legible = view.model.get("compact") ? natural : Math.max(legibleUnit(view), width / (WIDEST * (view.width || width)));
  view.unit = Math.min(natural, legible);
  if (view.unit < natural) {
    const wanted = Math.max(width / view.unit, view.width);
    Object.assign(svg.style, { width: `${wanted.toFixed(0)}px`, height: `${(height / view.unit).toFixed(0)}px`, maxHeight: "none" });
  }
}

// What a drawing was widened by for its shape is given up before it would have to be scrolled.
function sparePlace(view) {
  const { box, least, width } = view;
  const [left, right] = [least[0] - box[0], box[2] - least[1]];
  const more = Math.min(box[2] - box[0] - legibleUnit(view) * width, left + right);
  if (!(more > 0)) return;
  box[0] += (more * left) / (left + right);
  box[2] -= (more * right) / (left + right);
}

function legibleUnit(view) {
  let most = Infinity;
  const { names } = view;
  for (let i = 0; i < names.length; i++)
    for (let j = i + 1; j < names.length; j++) {
      const [one, other] = [names[i], names[j]];
      const [dx, dy] = [Math.abs(one.x - other.x), Math.abs(one.y - other.y)];
      most = Math.min(most, (Math.max(Math.hypot(dx, dy), 1) * CELL) / CLOSEST);
      // Who moves furniture wants to see where to: there a long name is rather cut than the room scrolled, unless it
      // has to be scrolled anyway.
      if (!namesShown(view) || (view.editing() && !view.narrow) || dy > BESIDE || dx > REACH) continue;
      const [first, second] = one.x < other.x ? [one, other] : [other, one];
      const slides = SLIDE * (alone(names, first, -1) + alone(names, second, 1));
      const between = (Math.min(one.wide, LONG_NAME) + Math.min(other.wide, LONG_NAME)) / 2 + APART - slides;
      most = Math.min(most, (Math.max(dx, 1) * CELL) / between);
    }
  return most;
}

// Nobody is near on that side: there a name may slide.
function alone(names, one, side) {
  return !names.some((other) => other !== one && Math.abs(other.y - one.y) <= BESIDE && (other.x - one.x) * side > 0 && (other.x - one.x) * side <= REACH);
}

// Names of a row make way for each other, as far as each stays under its own figure, and farther where nobody is beside
// it; what is left over is cut.
function layNames(view) {
  const slack = (0.5 * view.radius) / view.unit;
  const limit = (one, side) => side * slack * (alone(view.names, one, side) ? 2 : 1);
  for (const one of view.names) {
    const size = one.role === "T" ? view.radius * 1.12 : view.radius;
    [one.room, one.shift] = [Math.min(one.wide, 2 * LONG_NAME), 0];
    [one.left, one.base] = [(one.x * CELL) / view.unit, (one.y * CELL + size * 1.08) / view.unit];
  }
  const pairs = [];
  for (const one of view.names)
    for (const other of view.names) {
      const near = other.left - one.left < (one.room + other.room) / 2 + APART + 2 * slack;
      if (one !== other && one.left <= other.left && near && Math.abs(one.base - other.base) < NAMED - 2) pairs.push([one, other]);
    }
  const over = ([one, other]) => (one.room + other.room) / 2 + APART - (other.left + other.shift - one.left - one.shift);
  for (let turn = 0; turn < 8; turn++)
    for (const pair of pairs) {
      const much = over(pair);
      if (much <= 0) continue;
      pair[0].shift = Math.max(pair[0].shift - much / 2, limit(pair[0], -1));
      pair[1].shift = Math.min(pair[1].shift + much / 2, limit(pair[1], 1));
    }
  for (const pair of pairs) {
    const much = over(pair);
    if (much <= 0.5) continue;
    const [short, long] = [...pair].sort((one, other) => one.room - other.room);
    const alike = long.room - short.room < 2 * much; // else the longer one makes way
    for (const one of alike ? pair : [long]) one.room = Math.max(one.room - (alike ? much : 2 * much), 24);
  }
  view.tags = new Map(view.names.map((one) => [one.role + one.name, one]));
}

// Every name of the frame has its place.
function namesLaid(view) {
  return Boolean(view.tags) && everybody(view).every((one) => view.tags.has(one.role + one.name));
}

// Where a name stands, in the units of the drawing.
function nameArea(view, { left, shift, room, base, name }) {
  const { unit } = view;
  const [middle, top] = [(left + shift) * unit, base * unit + lowered(view, name)];
  return [middle - (room / 2) * unit, top, middle + (room / 2) * unit, top + NAMED * unit];
}

// The name of who is chosen stands below the ring around it.
function lowered(view, name) {
  return name === view.model.get("selected") ? 0.2 * view.radius : 0;
}

// What would be cut off by the edge of the drawing is left out of it.
function whollySeen(view, piece) {
  const [left, , right, bottom] = view.box.map((edge) => edge / CELL);
  return view.editing() || (piece.x - 0.8 >= left && piece.x + 0.8 <= right && piece.y + 0.8 <= bottom);
}

// Who teaches is seen first, where not everybody is.
function bringForward(view) {
  const over = view.scroll.scrollWidth - view.scroll.clientWidth;
  if (over > 0) view.scroll.scrollLeft = (view.frame.teacher.x * CELL - view.box[0]) / view.unit - view.scroll.clientWidth / 2;
}
