// Moving people, seats and furniture from cell to cell. The drawing only proposes; Python answers with a new stage.
const PATIENCE = 1500;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function startEditing(view) {
  const { svg } = view;
  let held = null;
  const at = (event) => {
    const matrix = svg.getScreenCTM();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x / CELL, point.y / CELL];
  };
  svg.addEventListener("pointerdown", (event) => {
    const item = view.editing() && event.button === 0 && event.target.closest("[data-move]");
    if (!item) return;
    const [x, y] = at(event);
    held = { item, from: item.evCell, grip: [x - item.evCell[0], y - item.evCell[1]], cell: item.evCell, moved: false };
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    item.focus({ preventScroll: true });
  });
  svg.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = at(event);
    const spot = [x - held.grip[0], y - held.grip[1]];
    held.cell = spot.map(Math.round);
    held.moved ||= Math.hypot(spot[0] - held.from[0], spot[1] - held.from[1]) > 0.3;
    if (!held.moved) return;
    held.item.classList.add("ev-r-held");
    shift(held.item, spot);
    showTarget(view, held.cell, refusal(view, held.item, held.cell));
  });
  const drop = (event) => {
    if (!held) return;
    const { item, from, cell, moved } = held;
    held = null;
    item.classList.remove("ev-r-held");
    showTarget(view, null);
    const kept = event.type === "pointerup" && moved && String(cell) !== String(from) && !refusal(view, item, cell);
    shift(item, kept ? cell : from);
    view.dropped = moved;
    if (!moved && event.type === "pointerup") pick(view, item);
    if (kept) propose(view, item, from, cell);
  };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("keydown", (event) => {
    const item = view.editing() && event.target.closest("[data-move]");
    const way = ARROWS[event.key];
    if (item && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return pick(view, item);
    }
    if (!item || !way) return;
    event.preventDefault();
    const from = item.evCell;
    const cell = [from[0] + way[0], from[1] + way[1]];
    if (refusal(view, item, cell)) return refuse(view, item, cell);
    shift(item, cell);
    item.evCell = cell;
    propose(view, item, from, cell);
  });
}

function shift(item, [x, y]) {
  place(item, `translate(${(x * CELL).toFixed(1)}px,${(y * CELL).toFixed(1)}px)${item.evScale || ""}`);
}

// Why something cannot stand in a cell: outside the room, or taken. People sit on seats; all else needs a free cell.
function refusal(view, item, [x, y]) {
  const stage = view.stage;
  if (x < 0 || y < 0 || x >= stage.width || y >= stage.height) return "outside";
  const kind = item.getAttribute("data-move");
  const here = (other) => other.x === x && other.y === y;
  const others = [
    ...stage.pieces.filter((piece) => !(kind === "thing" && piece.name === item.evName)),
    ...(kind === "seat" ? stage.seats.filter((seat) => seat.id !== item.evName) : []),
    ...view.frame.students.filter((one) => (kind === "student" && one.name !== item.evName && !view.model.get("swaps")) || kind === "teacher"),
    ...(kind === "thing" || kind === "teacher" ? stage.seats : []),
    ...(kind === "teacher" ? [] : [{ x: stage.podium[0], y: stage.podium[1] }]),
  ];
  if (kind === "thing") others.push(...view.frame.students);
  return others.some(here) ? "taken" : "";
}

// Somebody wants to know more of a thing that can be moved.
function pick(view, item) {
  if (!view.model.get("picks")) return;
  view.model.send({ act: "pick", kind: item.getAttribute("data-move"), name: item.evName });
}

function propose(view, item, from, cell) {
  view.model.send({ act: "move", kind: item.getAttribute("data-move"), name: item.evName, to: cell });
  const stage = view.model.get("stage");
  const frame = view.model.get("frame");
  // No new stage: the move was refused, and the thing goes back to where it is.
  setTimeout(() => {
    if (view.model.get("stage") !== stage || view.model.get("frame") !== frame || !item.isConnected) return;
    item.evCell = from;
    shift(item, from);
  }, PATIENCE);
}

function refuse(view, item, cell) {
  showTarget(view, cell, "taken");
  clearTimeout(view.refusing);
  view.refusing = setTimeout(() => showTarget(view, null), 400);
}

function showTarget(view, cell, refused) {
  show(view.parts.target, Boolean(cell));
  if (!cell) return;
  put(view.parts.target, "data-refused", refused || null);
  place(view.parts.target, `translate(${cell[0] * CELL}px,${cell[1] * CELL}px)`);
}

function drawCells(view, shown) {
  show(view.parts.cells, shown);
  if (!shown) return view.parts.cells.replaceChildren();
  const { width, height } = view.stage;
  let d = "";
  for (let x = 0; x <= width; x++) d += `M${(x - 0.5) * CELL} ${-0.5 * CELL}V${(height - 0.5) * CELL}`;
  for (let y = 0; y <= height; y++) d += `M${-0.5 * CELL} ${(y - 0.5) * CELL}H${(width - 0.5) * CELL}`;
  const handles = view.stage.seats.map((seat) => {
    const taken = view.frame.students.some((one) => one.x === seat.x && one.y === seat.y);
    const node = make("g", { class: "ev-r-seat" }, make("title"), make("circle", { r: view.radius * 0.72 }), make("text", { class: "ev-r-zone", "text-anchor": "middle", y: 4 }));
    node.firstChild.textContent = isolated(clean(seat.id, 80));
    node.lastChild.textContent = taken ? "" : clean(seat.id, 8);
    if (!taken) movable(view, node, "seat", seat.id, [seat.x, seat.y], `${view.words("seat")} ${isolated(clean(seat.id, 80))}`);
    place(node, `translate(${seat.x * CELL}px,${seat.y * CELL}px)`);
    return node;
  });
  view.parts.cells.replaceChildren(make("path", { class: "ev-r-grid", d }), ...handles);
  return undefined;
}

function movable(view, node, kind, name, cell, label) {
  put(node, "data-move", kind);
  put(node, "tabindex", 0);
  put(node, "role", "button");
  put(node, "aria-label", [label, `${view.words("cell")} ${cell[0]}, ${cell[1]}`].join(view.words("joint.listed")));
  put(node, "aria-roledescription", view.words("movable"));
  node.evName = name;
  node.evCell = cell;
}
