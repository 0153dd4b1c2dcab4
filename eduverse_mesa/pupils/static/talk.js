// The chat: what others say comes by itself, what is said here is sent until the server has it.
"use strict";
const at = (id) => document.getElementById(id);
const talk = document.querySelector("[data-talk]");
const [said, unsent, form, field, end] = ["said", "waiting", "say", "text", "end"].map(at);
const run = talk.dataset.talk;
const base = `/talk/${run}`;
const csrf = document.querySelector("meta[name=csrf]").content;
const peers = JSON.parse(talk.dataset.peers);
const kept = { draft: `draft ${run}`, waiting: `waiting ${run}`, again: `again ${run}` };
let step = Number(talk.dataset.step);

const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");
const waiting = () => JSON.parse(sessionStorage.getItem(kept.waiting) || "[]");

const keep = (list) => sessionStorage.setItem(kept.waiting, JSON.stringify(list));

function post(what, fields) {
  return fetch(`${base}/${what}`, { method: "POST", headers: { "X-CSRF": csrf }, body: new URLSearchParams(fields) });
}

function tell(text) {
  at("trouble").textContent = text;
  at("trouble").hidden = !text;
}

// What troubled is over; what still troubles is said again.
const calm = () => tell(away ? talk.dataset.away : "");

// --- what was said ---

// Whether the end is in sight, asked at the moment: an observer tells of it a frame later, and who has just scrolled up
// would be pulled down again by the next message.
const below = () =>
  end.getBoundingClientRect().top <= Math.min(innerHeight, at("scroller").getBoundingClientRect().bottom) + 80;
new IntersectionObserver((seen) => {
  if (seen.at(-1).isIntersecting) at("new").hidden = true;
}, { rootMargin: "80px" }).observe(end);
const toEnd = () => end.scrollIntoView({ block: "end" });

// A keyboard that opens takes half of a phone's window: who saw the end sees it still. Scrolling comes after resizing,
// so that what is known here is how it was before. Enlarging with two fingers is no keyboard, nor is the line with the
// address that comes and goes.
const KEYBOARD = 120;
let sawEnd = false, tall = 0, wide = 0;
const look = () => { sawEnd = below(); };
function stay() {
  if ((window.visualViewport?.scale ?? 1) !== 1) return;
  const high = Math.min(innerHeight, window.visualViewport?.height ?? innerHeight);
  tall = innerWidth === wide ? Math.max(tall, high) : high;
  wide = innerWidth;
  if (sawEnd && high < tall - KEYBOARD) toEnd();
}
addEventListener("scroll", look, { passive: true, capture: true });
addEventListener("resize", stay);
window.visualViewport?.addEventListener("resize", stay);

// A piece is a text, or [element, attributes, pieces]: no markup is ever read from it.
function built(piece) {
  if (typeof piece === "string") return piece;
  const [name, attributes, pieces] = piece;
  const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  node.append(...pieces.map(built));
  return node;
}

function bubble(who, pieces) {
  const item = document.createElement("li");
  const name = document.createElement("b");
  const text = document.createElement("p");
  name.textContent = who;
  text.append(...pieces);
  item.dataset.initial = [...who].at(/^\p{Script=Han}+$/u.test(who) ? -1 : 0);
  const place = peers.indexOf(who);
  if (who === talk.dataset.me) item.className = "is-me";
  else if (place >= 0) item.className = `is-peer-${place % 3}`;
  item.append(name, text);
  return item;
}

function show(message) {
  if (said.querySelector(`[data-step="${message.step}"]`)) return;
  const item = bubble(message.speaker, message.shown.map(built));
  item.dataset.step = message.step;
  const mine = message.speaker === talk.dataset.me && arrived(message);
  const follow = below() || mine;
  said.append(item);
  if (follow) toEnd();
  else at("new").hidden = false;
  look();
}

// What is on its way stands below what was said, until it comes back with its number.
function showWaiting(one) {
  const item = bubble(talk.dataset.me, [one.text]);
  item.dataset.key = one.key;
  unsent.append(item);
  unsent.hidden = false;
}

function arrived(message) {
  const items = [...unsent.children];
  const known = items.find((item) => item.dataset.step === String(message.step));
  const mine = known || items.find((item) => item.lastChild.textContent === message.text);
  mine?.remove();
  unsent.hidden = !unsent.children.length;
  return Boolean(mine); // written here, and not in another window
}

// What there is to wait for; who has said nothing yet is told that it may.
function turn({ typing, waits, over }) {
  const named = (text, name) => text.replace("{name}", name);
  const quiet = !said.querySelector(".is-me") && !unsent.childElementCount;
  let text = "";
  if (typing.length) text = named(talk.dataset.typing, typing.join(talk.dataset.or));
  else if (waits && !unsent.childElementCount) text = named(talk.dataset.waits, waits);
  else if (quiet && !over) text = talk.dataset.begin;
  if (at("typing").textContent !== text) at("typing").textContent = text;
}

let away = false; // the peers' language model does not answer
function stand(now) {
  now.messages.forEach((message) => { show(message); step = Math.max(step, message.step); });
  let reached = false;
  for (const stage of document.querySelectorAll("[data-stage]")) {
    const here = stage.dataset.stage === now.stage;
    reached ||= here;
    stage.classList.toggle("is-done", !reached);
    if (here) stage.setAttribute("aria-current", "step");
    else stage.removeAttribute("aria-current");
    if (here && !now.over && at("now").textContent !== stage.dataset.now) at("now").textContent = stage.dataset.now;
  }
  turn(now);
  if (now.away !== away) {
    away = now.away;
    calm();
  }
  at("solved").hidden = reached || !now.right;
  at("agreed").hidden = reached || now.right;
  if (now.over && at("over").hidden) finish();
}

function finish() {
  const writing = form.contains(document.activeElement);
  at("over").hidden = false;
  at("now").textContent = "";
  form.hidden = true;
  if (writing) at("over").focus();
  else if (below()) at("over").scrollIntoView({ block: "nearest" });
}

// --- the connection ---

let pause = 1000;
let source, later;
function listen() {
  clearTimeout(later);
  source?.close();
  source = new EventSource(`${base}/events?after=${step}`);
  source.onopen = () => { pause = 1000; calm(); send(); };
  source.onmessage = (event) => stand(JSON.parse(event.data));
  source.onerror = () => {
    source.close();
    tell(navigator.onLine ? talk.dataset.lost : talk.dataset.offline);
    pause = Math.min(pause * 1.5, 10000);
    later = setTimeout(listen, pause);
    leaveIfOut();
  };
}

// Logged out, or the dialogue is gone: the page says so when it is loaded again.
async function leaveIfOut() {
  const answer = await fetch(location.href, { method: "HEAD", headers: { "X-CSRF": csrf } }).catch(() => null);
  if (answer?.status === 401 || answer?.status === 404) location.reload();
}

addEventListener("offline", () => tell(talk.dataset.offline));
addEventListener("online", listen);

let sending = false;
async function send() {
  if (sending) return;
  sending = true;
  try {
    for (let list = waiting(); list.length; list = waiting()) {
      const answer = await post("say", list[0]);
      if (answer.status === 401) { location.reload(); return; }
      if (answer.status === 403 && !sessionStorage.getItem(kept.again)) { // from an older login of this browser
        sessionStorage.setItem(kept.again, "yes");
        location.reload();
        return;
      }
      const refused = [400, 404, 409, 413].includes(answer.status);
      if (!answer.ok && !refused) throw new Error(answer.status);
      sessionStorage.removeItem(kept.again);
      keep(waiting().filter((one) => one.key !== list[0].key));
      const item = unsent.querySelector(`[data-key="${list[0].key}"]`);
      const number = refused ? 0 : (await answer.json()).step;
      if (item && !refused && !said.querySelector(`[data-step="${number}"]`)) item.dataset.step = number;
      else item?.remove();
      unsent.hidden = !unsent.children.length;
      if (refused) tell(talk.dataset.refused.replace("{text}", list[0].text.slice(0, 80)));
      else calm();
    }
  } catch {
    tell(navigator.onLine ? talk.dataset.unsent : talk.dataset.offline);
    setTimeout(send, 2000);
  } finally {
    sending = false;
  }
}

// --- writing ---

function submit() {
  const text = field.value.trim();
  if (!/[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0\ufe0e\ufe0f]/u.test(text)) return; // nothing of it shows
  field.value = "";
  grow();
  sessionStorage.removeItem(kept.draft);
  const one = { key: key(), text };
  keep([...waiting(), one]);
  showWaiting(one);
  at("typing").textContent = "";
  toEnd();
  send();
  field.focus();
}

const grow = () => { field.rows = Math.min(6, field.value.split("\n").length); };
form.addEventListener("submit", (event) => { event.preventDefault(); submit(); });
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
});
let told = 0;
field.addEventListener("input", () => {
  grow();
  sessionStorage.setItem(kept.draft, field.value);
  if (Date.now() - told > 2000) { told = Date.now(); post("typing", {}).catch(() => {}); }
});
at("new").addEventListener("click", () => { toEnd(); field.focus(); });

field.value ||= sessionStorage.getItem(kept.draft) || ""; // somebody may have begun before this script was there
grow();
waiting().forEach(showWaiting);
// In its own frame the chat begins at its end; where the whole page is scrolled, the problem is read first.
const scroller = at("scroller");
scroller.scrollTop = scroller.scrollHeight;
if (said.querySelector(".is-me") && scroller.scrollHeight === scroller.clientHeight) toEnd();
look();
stay();
listen();
talk.dataset.live = ""; // from here on keys do what the page says
