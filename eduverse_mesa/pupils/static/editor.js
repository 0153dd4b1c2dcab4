// The problem is checked by the server a moment after the last key: what is wrong is said beside its field. What is
// still empty is counted, and said only where somebody has been, or once the form was sent.
"use strict";
const form = document.getElementById("editor");
const verdict = document.getElementById("verdict");
const csrf = document.querySelector("meta[name=csrf]").content;
const isText = document.getElementById("document") !== null;
const visited = new Set();
let timer, asked = 0;

const put = (place, said) => { if (place.textContent !== said) place.textContent = said; };
const filled = (phrase, n) => n ? phrase.replace("{n}", n) : "";
const within = (found, at) => Object.keys(found).filter((one) => one === at || one.startsWith(`${at}.`)).length;

function show({ fields, empty, doubts, name }) {
  for (const place of form.querySelectorAll("[data-at]")) {
    const { at } = place.dataset;
    const said = fields[at] || ("sent" in form.dataset || visited.has(at) ? empty[at] : "") || "";
    put(place, said);
    const field = form.elements[`f.${at}`];
    if (!field || !field.setAttribute) continue;
    if (said) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
  for (const place of form.querySelectorAll("[data-doubt]")) put(place, doubts[place.dataset.doubt] || "");
  for (const place of form.querySelectorAll("[data-count]")) {
    const { toFill, toMend, toLook } = form.dataset;
    const bad = within(fields, place.dataset.count);
    const counts = [filled(toFill, within(empty, place.dataset.count)), filled(toMend, bad)];
    counts.push(filled(toLook, within(doubts, place.dataset.count)));
    place.classList.toggle("ev-bad", bad > 0);
    put(place, counts.filter(Boolean).join(" · "));
  }
  form.elements["f.name"].placeholder = name;
  const list = document.getElementById("known-names");
  const names = [...form.querySelectorAll("[name^='f.givens.'][name$='.name'], [name^='f.subtasks.'][name$='.variable']")];
  list.replaceChildren(...names.filter((one) => one.value).map((one) => new Option("", one.value)));
  const todo = [filled(form.dataset.filled, Object.keys(empty).length), filled(form.dataset.mended, Object.keys(fields).length)];
  verdict.className = Object.keys(fields).length ? "ev-bad" : "ev-quiet";
  return todo.filter(Boolean).join(" ");
}

async function check() {
  const mine = ++asked;
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch("/problems/check", { method: "POST", headers: { "X-CSRF": csrf }, body });
  if (!answer.ok || mine !== asked) return;
  const told = await answer.json();
  const todo = isText ? told.trouble : show(told);
  if (isText) verdict.className = "ev-bad";
  if (!todo) verdict.className = "ev-ok";
  verdict.textContent = todo || form.dataset.good;
}

const soon = () => { clearTimeout(timer); timer = setTimeout(() => check().catch(() => {}), 400); };
form.addEventListener("input", soon);
form.addEventListener("focusout", ({ target }) => {
  if (isText || !target.name?.startsWith("f.") || visited.has(target.name.slice(2))) return;
  visited.add(target.name.slice(2));
  soon();
});
if (isText) check().catch(() => {});
