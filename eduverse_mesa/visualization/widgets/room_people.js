// A student, or the teacher, as a figure whose parts are changed, never drawn anew.
const HAIRS = 4;
const CLOTHES = 5;
const LOOKING_DOWN = new Set(["sleep", "head_down", "note_taking"]);
const TURNED = new Set(["side_talk", "chat", "group_discussion", "ask_question"]);

function newPerson(name, teacher) {
  const luck = hash(name);
  const hair = HAIR[luck % HAIR.length];
  const part = {};
  const add = (key, tag, attributes, ...children) => (part[key] = make(tag, attributes, ...children));
  const root = make("g", { class: teacher ? "ev-r-person ev-r-teacher" : "ev-r-person", role: "button", tabindex: -1 });
  add("title", "title", {});
  add("brows", "path", { class: "ev-r-feature" });
  add("eyes", "path", { class: "ev-r-eyes" });
  add("mouth", "path", { class: "ev-r-feature" });
  add("face", "g", { class: "ev-r-move" }, part.brows, part.eyes, part.mouth);
  add("head", "g", { class: "ev-r-move" });
  const tint = `ev-r-hair ev-r-hair${(luck >>> 4) % HAIRS}`;
  if (hair.back) part.head.append(make("path", { class: tint, d: hair.back }));
  part.head.append(make("circle", { class: "ev-r-skin", r: 0.6 }), part.face, make("path", { class: tint, d: hair.front }));
  add("props", "g", {});
  const frame = teacher
    ? (name, grow) => make("rect", { class: name, x: -grow, y: -grow, width: 2 * grow, height: 2 * grow, rx: 0.42 * grow })
    : (name, grow) => make("circle", { class: name, r: grow });
  add("arm", "g", { class: "ev-r-arm" }, make("path", { class: "ev-r-cuff", d: ARM }), make("path", { class: "ev-r-sleeve", d: ARM }), make("path", { class: "ev-r-skin", d: HAND }));
  add("figure", "g", { class: "ev-r-figure" }, make("path", { class: `ev-r-body ev-r-body${(luck >>> 8) % CLOTHES}`, d: BODY }), part.head, part.props);
  add("pawn", "g", { class: "ev-r-move ev-r-pawn" }, frame("ev-r-disc", 0.98), part.figure, frame("ev-r-ring", 1), frame("ev-r-ring2", 1.17), part.arm);
  const mark = "M-.14-.14A.15.15 0 1 1 .08 0Q0 .05 0 .13M0 .27h.001";
  add("question", "g", { class: "ev-r-question" }, make("path", { d: mark }), make("path", { d: mark }));
  add("spark", "g", { class: "ev-r-spark" }, make("circle", { r: 0.3 }), make("path", { d: SPARK }));
  add("sign", "path", { class: "ev-r-icon" });
  add("doing", "g", { class: "ev-r-doing" }, make("circle", { r: 0.4 }), part.sign);
  add("mark", "path", { class: "ev-r-icon" });
  add("feedbackTitle", "title", {});
  add("feedback", "g", { class: "ev-r-feedback" }, part.feedbackTitle, make("rect", { x: -0.36, y: -0.28, width: 0.72, height: 0.56, rx: 0.28 }), part.mark);
  add("body", "g", {}, make("ellipse", { class: "ev-r-shade", cy: 1, rx: 0.8, ry: 0.2 }), frame("ev-r-halo", 1.42), frame("ev-r-near", 1.24),
    frame("ev-r-chosen", 1.3), make("path", { class: "ev-r-stalk", d: "M-.34.8H.34L.44 1.06H-.44z" }), part.pawn, part.question, part.spark, part.doing, part.feedback, frame("ev-r-focus", 1.46));
  add("name", "text", { class: "ev-r-name", "text-anchor": "middle" });
  place(part.question, "translate(-.84px,-.86px)");
  place(part.doing, "translate(-.8px,.74px)");
  place(part.feedback, "translate(.84px,.78px)");
  root.append(part.title, part.body, part.name);
  root.evPart = part;
  root.evName = name;
  return root;
}

// `look` is where the face turns, as a direction of length 1 or less.
function dressPerson(node, one, look, speaking) {
  const part = node.evPart;
  const behaviour = one.behaviour || "";
  const emotion = FACES[one.emotion] || "";
  put(node, "data-level", one.level || (one.hidden ? "hidden" : "none"));
  put(node, "data-behaviour", behaviour);
  put(node, "data-emotion", emotion);
  put(node, "data-called", one.called ? "yes" : null);
  put(node, "data-high", one.high ? "yes" : null);
  put(node, "data-feedback", one.feedback || null);
  put(node, "data-hand", one.hand_up ? "yes" : null);
  const asleep = behaviour === "sleep";
  const down = LOOKING_DOWN.has(behaviour);
  put(part.eyes, "d", one.hidden ? "" : down ? EYES.down : EYES.open);
  put(part.brows, "d", one.hidden || asleep ? "" : BROWS[emotion] ?? "");
  put(part.mouth, "d", one.hidden ? "" : (speaking ? SPEAKING : MOUTH)[emotion] ?? MOUTH[""]);
  put(part.mouth, "class", speaking ? "ev-r-feature ev-r-speaking" : "ev-r-feature");
  place(part.head, asleep ? "translate(.1px,.2px) rotate(68deg)" : down ? "translate(0px,.06px)" : "translate(0px,-.1px)");
  const [x, y] = down ? [0, 0.13] : [0.15 * look[0], 0.1 * look[1]];
  place(part.face, `translate(${x.toFixed(3)}px,${y.toFixed(3)}px)`);
  place(part.pawn, behaviour === "stand_answer" ? "translate(0px,-.26px)" : "");
  place(part.spark, one.hand_up ? "translate(.46px,-1.04px)" : "translate(.82px,-.78px)");
  if (part.props.evFor !== behaviour) {
    part.props.evFor = behaviour;
    part.props.replaceChildren(...paths(POSTURES[behaviour] || []));
    put(part.sign, "d", SIGNS[behaviour] || "");
    put(node, "data-sign", SIGNS[behaviour] ? "yes" : null);
  }
  if (one.feedback) put(part.mark, "d", FEEDBACK[one.feedback] || FEEDBACK.neutral);
}

// To whom a student turns: its partner, its group, or the board.
function gaze(one, here, spots, stage) {
  let target = [stage.board[0], stage.board[1]];
  if (one.to && spots.has(one.to)) target = spots.get(one.to);
  else if (one.to === "teacher" && spots.has(stage.teacher)) target = spots.get(stage.teacher);
  else if (TURNED.has(one.behaviour) && stage.groups[one.name]) {
    const mates = Object.keys(stage.groups).filter((name) => name !== one.name && stage.groups[name] === stage.groups[one.name] && spots.has(name));
    if (mates.length) target = [0, 1].map((axis) => mates.reduce((sum, name) => sum + spots.get(name)[axis], 0) / mates.length);
  }
  const [dx, dy] = [target[0] - here[0], target[1] - here[1]];
  const far = Math.hypot(dx, dy) || 1;
  // Only who turns to somebody near turns fully: a class that looks at the board looks ahead.
  const strength = one.to || TURNED.has(one.behaviour) ? 1 : 0.35;
  return [(strength * dx) / far, (strength * dy) / far];
}
