// Play, step, scrub. While a hand is on the slider it leads; where the page has got to follows as fast as it can: what the
// hand passes is only glanced at until it rests.
const REST = 150; // milliseconds
const PATIENCE = 400;
function button(label, sign, what, send) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = sign;
  element.title = label;
  element.setAttribute("aria-label", label);
  element.onclick = () => send(what());
  return element;
}

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "ev-transport";
  el.append(root);
  const label = (name) => model.get("labels")[name] ?? name;
  const send = (what) => model.send({ on: what });
  const act = (what) => {
    hand = null; // what is done now has its own answer
    send(what);
  };

  let hand = null, wanted = null, waiting = 0, rest = 0;
  const first = button(label("first"), "|◀", () => ({ do: "seek", to: 0 }), act);
  const back = button(label("back"), "◀", () => ({ do: "seek", to: (hand ?? model.get("at")) - 1 }), act);
  const play = button(label("play"), "▶", () => ({ do: model.get("playing") ? "pause" : "play" }), act);
  const step = button(label("step"), "▶|", () => ({ do: "step" }), act);
  play.classList.add("ev-play");
  const track = document.createElement("div");
  track.className = "ev-track";
  const phases = document.createElement("div");
  phases.className = "ev-phases";
  phases.setAttribute("aria-hidden", "true");
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = 0;
  slider.setAttribute("aria-label", label("scrub"));
  track.append(slider, phases);
  const told = document.createElement("output");
  told.className = "ev-told";
  root.append(first, back, play, step, track, told);

  const glance = () => {
    if (waiting || wanted === null) return;
    send({ do: "glance", to: wanted });
    wanted = null;
    waiting = setTimeout(answered, PATIENCE); // an answer that never comes does not stop the hand
  };
  const answered = () => {
    clearTimeout(waiting);
    waiting = 0;
    glance();
  };
  const settle = () => {
    if (wanted !== null) answered();
    send({ do: "rest" });
    rest = setTimeout(release, PATIENCE); // until then answers to what was passed do not draw the slider back
  };
  const release = () => {
    hand = null;
    draw();
  };
  slider.addEventListener("input", () => {
    const to = Number(slider.value);
    if (to === hand) return;
    hand = wanted = to;
    tell(to);
    clearTimeout(rest);
    rest = setTimeout(settle, REST);
    glance();
  });

  const tell = (at) => {
    const names = model.get("names");
    told.textContent = names[at] ?? String(at);
    slider.setAttribute("aria-valuetext", told.textContent);
  };
  const draw = () => {
    const last = model.get("last"), at = model.get("at"), playing = model.get("playing");
    slider.max = Math.max(last, 1);
    if (hand === null) { slider.value = at; tell(at); }
    play.textContent = playing ? "❚❚" : "▶";
    play.title = label(playing ? "pause" : "play");
    play.setAttribute("aria-label", play.title);
    first.disabled = back.disabled = at <= 0;
    step.disabled = play.disabled = model.get("over") && at >= last;
    play.hidden = !model.get("plays");
    slider.disabled = last === 0;
  };
  const show = () => {
    draw();
    answered();
  };
  const drawPhases = () => {
    const marks = model.get("phases"), last = Math.max(model.get("last"), 1);
    phases.replaceChildren(...marks.map(([name, from, to, kind]) => {
      const part = document.createElement("span");
      part.textContent = name;
      part.title = name;
      part.dataset.phase = kind;
      part.style.left = `${(100 * from) / last}%`;
      part.style.width = `${(100 * (to - from)) / last}%`;
      return part;
    }));
  };
  const keys = (event) => {
    if (event.target !== document.body || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && !play.hidden) play.click();
    else if (event.key === "ArrowRight") step.click();
    else if (event.key === "ArrowLeft") back.click();
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", keys);
  for (const name of ["at", "last", "playing", "over", "names"]) model.on(`change:${name}`, show);
  model.on("change:phases", drawPhases);
  model.on("change:last", drawPhases);
  drawPhases();
  draw();
  return () => {
    clearTimeout(rest);
    document.removeEventListener("keydown", keys);
  };
}

export default { render };
