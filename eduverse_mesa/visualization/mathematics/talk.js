// The chat: what others say comes by itself, what is said here is sent until the server has it.
"use strict";
const talk = document.querySelector("[data-talk]");
const said = document.getElementById("said");
const form = document.getElementById("say");
const field = document.getElementById("text");
const trouble = document.getElementById("trouble");
const run = talk.dataset.talk;
const base = `/talk/${run}`;
const csrf = document.querySelector("meta[name=csrf]").content;
const kept = { drafts: `draft ${run}`, waiting: `waiting ${run}` };
let step = Number(talk.dataset.step);

const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, "0")).join("");
const waiting = () => JSON.parse(sessionStorage.getItem(kept.waiting) || "[]");
const keep = (list) => sessionStorage.setItem(kept.waiting, JSON.stringify(list));

function post(what, fields) {
  return fetch(`${base}/${what}`, { method: "POST", headers: { "X-CSRF": csrf }, body: new URLSearchParams(fields) });
}

function show(message) {
  if (said.querySelector(`[data-step="${message.step}"]`)) return;
  const item = document.createElement("li");
  const name = document.createElement("b");
  const text = document.createElement("p");
  name.textContent = message.speaker;
  text.textContent = message.text;
  item.dataset.step = message.step;
  if (message.speaker === talk.dataset.me) item.className = "is-me";
  item.append(name, text);
  said.append(item);
  said.scrollTop = said.scrollHeight;
}

function stand(now) {
  now.messages.forEach((message) => { show(message); step = Math.max(step, message.step); });
  for (const stage of document.querySelectorAll("[data-stage]")) {
    if (stage.dataset.stage === now.stage) stage.setAttribute("aria-current", "step");
    else stage.removeAttribute("aria-current");
  }
  const names = now.typing;
  document.getElementById("typing").textContent =
    names.length === 1 ? talk.dataset.typing.replace("{name}", names[0]) : names.length ? talk.dataset.typingSome : "";
  document.getElementById("over").hidden = !now.over;
  form.hidden = now.over;
}

let source;
function listen() {
  source = new EventSource(`${base}/events?after=${step}`);
  source.onopen = () => { trouble.textContent = ""; send(); };
  source.onmessage = (event) => stand(JSON.parse(event.data));
  source.onerror = () => {
    trouble.textContent = talk.dataset.lost;
    source.close();
    setTimeout(listen, 1500);
  };
}

let sending = false;
async function send() {
  if (sending) return;
  sending = true;
  try {
    for (let list = waiting(); list.length; list = waiting()) {
      const answer = await post("say", list[0]);
      if (answer.status === 401 || answer.status === 403) { location.reload(); return; }
      // What cannot be said (too long, the dialogue is over) is not tried again; anything else is.
      if (!answer.ok && ![400, 404, 409, 413].includes(answer.status)) throw new Error(answer.status);
      keep(waiting().filter((one) => one.key !== list[0].key));
      trouble.textContent = "";
    }
  } catch {
    trouble.textContent = talk.dataset.unsent;
    setTimeout(send, 2000);
  } finally {
    sending = false;
  }
}

function submit() {
  const text = field.value.trim();
  if (!text) return;
  keep([...waiting(), { key: key(), text }]);
  field.value = "";
  sessionStorage.removeItem(kept.drafts);
  send();
}

form.addEventListener("submit", (event) => { event.preventDefault(); submit(); });
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
});
let told = 0;
field.addEventListener("input", () => {
  sessionStorage.setItem(kept.drafts, field.value);
  if (Date.now() - told > 2000) { told = Date.now(); post("typing", {}).catch(() => {}); }
});
field.value = sessionStorage.getItem(kept.drafts) || "";
said.scrollTop = said.scrollHeight;
listen();
