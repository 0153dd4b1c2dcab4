// Play, step, scrub. While a hand is on the slider it leads; where the page has got to follows as fast as it can.
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

  const first = button(label("first"), "|◀", () => ({ do: "seek", to: 0 }), send);
  const back = button(label("back"), "◀", () => ({ do: "seek", to: model.get("at") - 1 }), send);
  const play = button(label("play"), "▶", () => ({ do: model.get("playing") ? "pause" : "play" }), send);
  const step = button(label("step"), "▶|", () => ({ do: "step" }), send);
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

  let wanted = null, waiting = false;
  const seek = () => {
    if (waiting || wanted === null) return;
    waiting = true;
    send({ do: "seek", to: wanted });
    wanted = null;
    setTimeout(() => { waiting = false; seek(); }, 400); // an answer that never comes does not stop the hand
  };
  slider.addEventListener("input", () => { wanted = Number(slider.value); tell(Number(slider.value)); seek(); });

  const tell = (at) => {
    const names = model.get("names");
    told.textContent = names[at] ?? String(at);
    slider.setAttribute("aria-valuetext", told.textContent);
  };
  const show = () => {
    const last = model.get("last"), at = model.get("at"), playing = model.get("playing");
    slider.max = Math.max(last, 1);
    if (document.activeElement !== slider || wanted === null) { slider.value = at; tell(at); }
    play.textContent = playing ? "❚❚" : "▶";
    play.title = label(playing ? "pause" : "play");
    play.setAttribute("aria-label", play.title);
    first.disabled = back.disabled = at <= 0;
    step.disabled = play.disabled = model.get("over") && at >= last;
    play.hidden = !model.get("plays");
    slider.disabled = last === 0;
    waiting = false;
    seek();
  };
  const draw = () => {
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
  model.on("change:phases", draw);
  model.on("change:last", draw);
  draw();
  show();
  return () => document.removeEventListener("keydown", keys);
}

export default { render };
