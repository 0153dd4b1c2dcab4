// The room itself: floor, wall, board, furniture, seats, arenas; and what may be laid over it.

function drawRoom(parts, stage, { radius: r, words, named, box: shown }) {
  const right = (stage.width - 0.5) * CELL;
  const bottom = (stage.height - 0.5) * CELL;
  const left = -0.5 * CELL;
  const podium = platform(stage);
  parts.floor.replaceChildren(
    make("rect", { class: "ev-r-floor", x: left, y: left, width: right - left, height: bottom - left }),
    make("rect", { class: "ev-r-wall", x: left - 9 * CELL, y: -2.4 * CELL, width: right - left + 18 * CELL, height: 1.9 * CELL }),
    make("rect", { class: "ev-r-skirting", x: left - 9 * CELL, y: -0.6 * CELL, width: right - left + 18 * CELL, height: 0.1 * CELL }),
  );
  if (podium) {
    const [x, y, width, height] = podium;
    parts.floor.append(
      make("rect", { class: "ev-r-step", x: x * CELL, y: y * CELL + 5, width: width * CELL, height: height * CELL, rx: 8 }),
      make("rect", { class: "ev-r-podium", x: x * CELL, y: y * CELL, width: width * CELL, height: height * CELL, rx: 8 }),
    );
  }
  parts.seats.replaceChildren(...stage.seats.filter((seat) => !tableOf(stage, seat)).map((seat) => seatDesk(stage, seat, r)));
  parts.pieces.replaceChildren(...stage.pieces.map((piece) => newPiece(stage, piece, { r, words, named, shown })));
  parts.arenas.replaceChildren(...stage.arenas.map((arena) => newArena(arena, words)));
}

function platform(stage) {
  const [x, y] = stage.podium;
  const zone = stage.arenas.find(({ box }) => box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3]);
  if (!zone || zone.presentation || zone.box[3] - zone.box[1] > 4) return null;
  const [left, top, right, bottom] = zone.box;
  return [left - 0.4, Math.max(top - 0.4, -0.4), right - left + 0.8, bottom - top + 0.9];
}

// The round table at which a seat is, if it is at one.
function tableOf(stage, spot) {
  return stage.pieces.find(
    (piece) => piece.kind === "table" && piece.radius > 0 && Math.hypot(piece.x - spot.x, piece.y - spot.y) <= piece.radius + 1.6,
  );
}

function seatDesk(stage, seat, r) {
  const width = 2.5 * r;
  const x = seat.x * CELL - width / 2;
  const y = seat.y * CELL - 1.62 * r;
  return make("rect", { class: "ev-r-desk", x, y, width, height: 1.15 * r, rx: 5 });
}

function newPiece(stage, piece, { r, words, named, shown }) {
  const node = make("g", { class: `ev-r-piece ev-r-${piece.kind}` });
  const called = (name) => isolated(clean(named(name), 80));
  node.append(make("title", {}), make("g", {}));
  node.firstChild.textContent = [piece.name, ...piece.items.slice(0, 20)].map(called).join(words("joint.listed"));
  node.evPiece = piece;
  node.evLabel = [called(piece.name), words(`piece.${piece.kind}`)].join(words("joint.listed"));
  place(node, `translate(${piece.x * CELL}px,${piece.y * CELL}px)`);
  node.lastChild.append(...pieceShapes(stage, piece, r, shown));
  return node;
}

function box(name, width, height, rx, x = -width / 2, y = -height / 2) {
  return make("rect", { class: name, x, y, width, height, rx });
}

function pieceShapes(stage, piece, r, shown) {
  if (piece.kind === "board" || (piece.kind === "whiteboard" && piece.y <= 1)) return boardShapes(stage, piece, shown);
  if (piece.kind === "whiteboard") return [box("ev-r-panel", 1.7 * CELL, 0.36 * CELL, 3), box("ev-r-tray", 1.9 * CELL, 0.1 * CELL, 2, -0.95 * CELL, 0.2 * CELL)];
  if (piece.kind === "water_dispenser")
    return [box("ev-r-metal", 0.8 * CELL, 0.9 * CELL, 6), make("circle", { class: "ev-r-water", r: 0.26 * CELL, cy: -0.08 * CELL })];
  if (piece.kind === "cupboard") return [box("ev-r-wood", 1 * CELL, 1.7 * CELL, 4), make("path", { class: "ev-r-grain", d: `M0 ${-0.8 * CELL}V${0.8 * CELL}M-5-4v8M5-4v8` })];
  if (piece.kind === "lectern") return [make("path", { class: "ev-r-wood", d: "M-22-13H22L17 13H-17z" }), make("path", { class: "ev-r-grain", d: "M-14-3H14" }), ...itemShapes(piece, 0.6 * CELL)];
  if (piece.kind === "table" && piece.radius > 0) {
    const radius = Math.max(piece.radius * CELL - r - 0.34 * CELL, 0.6 * CELL);
    return [make("circle", { class: "ev-r-wood", r: radius }), make("circle", { class: "ev-r-grain", r: radius - 6 }), ...itemShapes(piece, 1.1 * CELL)];
  }
  const shape = piece.kind === "desk" || piece.kind === "table" ? box("ev-r-wood", 1.5 * CELL, 0.95 * CELL, 6) : box("ev-r-wood", 0.9 * CELL, 0.9 * CELL, 6);
  return [shape, ...itemShapes(piece, 0.9 * CELL)];
}

// What lies on a thing: books, cups and pens lie there as such, the rest as a small box. Its title names all.
function itemShapes(piece, spread) {
  const items = piece.items.slice(0, 3);
  return items.map((item, at) => {
    const x = items.length > 1 ? (at / (items.length - 1) - 0.5) * spread : 0;
    if (item === "cup") return make("circle", { class: "ev-r-cup", cx: x, r: 4.5 });
    if (item === "pen" || item === "chalk") return make("path", { class: "ev-r-stick", d: `M${x - 5} 4L${x + 5}-4` });
    if (item === "bag") return make("path", { class: "ev-r-bag", d: `M${x - 6} 6V-2Q${x}-8 ${x + 6}-2V6z` });
    return make("rect", { class: "ev-r-book", x: x - 6, y: -4.5, width: 12, height: 9, rx: 1.5 });
  });
}

// The board hangs on the front wall, wholly in the part that is shown, and says what the lesson is about; elsewhere it
// stands where it stands.
function boardShapes(stage, piece, shown) {
  const [left, top, right, bottom] = boardArea(stage, piece, shown).map((edge, at) => edge - (at % 2 ? piece.y : piece.x) * CELL);
  const [width, high, x] = [right - left, bottom - top, (left + right) / 2];
  const shapes = [box("ev-r-frame", width + 10, high + 10, 5, left - 5, top - 5), box("ev-r-slate", width, high, 2, left, top)];
  if (piece.y > 1) return shapes;
  const line = (name) => make("text", { class: name, "text-anchor": "middle", x });
  const chalk = [line("ev-r-chalk"), line("ev-r-chalk")];
  const small = line("ev-r-chalk ev-r-chalk2");
  const tray = box("ev-r-tray", width * 0.4, 5, 2, x - width * 0.2, bottom + 4);
  shapes[1].evBoard = { chalk, small, width, top, high };
  return [...shapes, ...chalk, small, tray];
}

// The slate's left, top, right and bottom.
function boardArea(stage, piece, shown) {
  const zone = stage.arenas.find((arena) => arena.name === piece.arena);
  const wanted = Math.min(Math.max(zone ? zone.box[2] - zone.box[0] - 2 : 6, 5), 9) * CELL;
  const middle = piece.x * CELL;
  if (piece.y > 1) return [middle - wanted / 2, (piece.y - 0.25) * CELL, middle + wanted / 2, (piece.y + 0.25) * CELL];
  const width = Math.min(wanted, shown[2] - shown[0] - 36);
  const x = Math.min(Math.max(middle, shown[0] + 18 + width / 2), shown[2] - 18 - width / 2);
  return [x - width / 2, -1.95 * CELL, x + width / 2, -0.45 * CELL];
}

// As large as the board has room for, and never so small that it could not be read.
function writeBoards(layer, title, phase, { font, unit }) {
  const [large, middling, little] = [Math.max(17, 11 * unit), Math.max(14, 10 * unit), Math.max(13, 9.5 * unit)];
  for (const slate of layer.querySelectorAll(".ev-r-slate")) {
    if (!slate.evBoard) continue;
    const { chalk, small, width, top, high } = slate.evBoard;
    const whole = clean(title, 200);
    const short = wide(whole, `600 ${large}px ${font}`) <= width - 30;
    const lines = short ? [whole] : wrap(whole, width - 30, 2, `600 ${middling}px ${font}`);
    const size = short ? large : middling;
    const under = phase && lines.length * size + little + 12 <= high;
    const rest = high - lines.length * size - (under ? little + 2 : 0);
    const first = top + size * 0.86 + rest * (under ? 0.36 : 0.42);
    chalk.forEach((line, at) => {
      write(line, lines[at] ?? "");
      line.style.fontSize = `${size.toFixed(2)}px`;
      put(line, "y", (first + 1.12 * size * at).toFixed(1));
    });
    write(small, under ? shorten(clean(phase, 120), width - 24, `${little}px ${font}`) : "");
    small.style.fontSize = `${little.toFixed(2)}px`;
    put(small, "y", (top + high - rest * 0.3 - 2).toFixed(1));
  }
}

function newArena(arena, words) {
  const [left, top, right, bottom] = arena.box;
  const node = make("g", { class: arena.presentation ? "ev-r-arena ev-r-presentation" : "ev-r-arena" });
  node.append(
    make("rect", { x: (left - 0.46) * CELL, y: (top - 0.46) * CELL, width: (right - left + 0.92) * CELL, height: (bottom - top + 0.92) * CELL, rx: 8 }),
    make("text", { x: (left - 0.3) * CELL, y: (bottom + 0.28) * CELL, class: "ev-r-zone" }),
  );
  node.lastChild.textContent = clean(words(`zone.${arena.name}`), 40);
  return node;
}

function drawLinks(parts, stage, spots, shown) {
  show(parts.links, shown);
  if (!shown) return;
  const seen = new Set();
  for (const [one, other] of stage.edges) {
    if (!spots.has(one) || !spots.has(other)) continue;
    const key = JSON.stringify([one, other]);
    seen.add(key);
    const [a, b] = [spots.get(one), spots.get(other)];
    const line = keyed(parts.links, parts.linksKept, key, () => make("path", { class: "ev-r-link" }));
    // A little bowed, so that links along a row do not lie on one another.
    const bow = Math.hypot(b[0] - a[0], b[1] - a[1]) > 2.9 ? 0.12 : 0;
    const [mx, my] = [(a[0] + b[0]) / 2 - (b[1] - a[1]) * bow, (a[1] + b[1]) / 2 + (b[0] - a[0]) * bow];
    put(line, "d", `M${a[0] * CELL} ${a[1] * CELL}Q${mx * CELL} ${my * CELL} ${b[0] * CELL} ${b[1] * CELL}`);
  }
  sweep(parts.linksKept, seen);
}
