// The problem is checked by the server a moment after the last key: what is wrong is said beside its field.
"use strict";
const form = document.getElementById("editor");
const verdict = document.getElementById("verdict");
const csrf = document.querySelector("meta[name=csrf]").content;
const isText = document.getElementById("document") !== null;
let timer, asked = 0;

function show(fields) {
  for (const place of form.querySelectorAll("[data-at]")) {
    const said = fields[place.dataset.at] || "";
    if (place.textContent !== said) place.textContent = said;
    const field = form.elements[`f.${place.dataset.at}`];
    if (!field || !field.setAttribute) continue;
    if (said) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
}

async function check() {
  const mine = ++asked;
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch("/problems/check", { method: "POST", headers: { "X-CSRF": csrf }, body });
  if (!answer.ok || mine !== asked) return;
  const { trouble, fields } = await answer.json();
  if (!isText) show(fields);
  verdict.textContent = !trouble ? form.dataset.good : isText ? trouble : form.dataset.wrong;
  verdict.className = trouble ? "ev-bad" : "ev-ok";
}

form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => check().catch(() => {}), 400); });
if (isText) check().catch(() => {});
