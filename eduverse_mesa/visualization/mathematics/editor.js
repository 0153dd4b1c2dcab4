// The problem is checked by the server a moment after the last key.
"use strict";
const field = document.getElementById("document");
const verdict = document.getElementById("verdict");
const csrf = document.querySelector("meta[name=csrf]").content;
let timer, asked = 0;

async function check() {
  const mine = ++asked;
  const body = new URLSearchParams({ document: field.value });
  const answer = await fetch("/problems/check", { method: "POST", headers: { "X-CSRF": csrf }, body });
  if (!answer.ok || mine !== asked) return;
  const { trouble } = await answer.json();
  verdict.textContent = trouble || field.form.dataset.good;
  verdict.className = trouble ? "ev-bad" : "ev-ok";
}

field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => check().catch(() => {}), 400); });
check().catch(() => {});
