// On every page: mathematics that is copied becomes what was typed, nothing half written is lost by a
// click, who logs out leaves nothing in the browser, and a teacher sees at once that a child may need help.
"use strict";

function typed(nodes) {
  for (const math of nodes.querySelectorAll("math[alttext]")) math.replaceWith(math.getAttribute("alttext"));
  for (const line of nodes.querySelectorAll("li, p, tr, h1, h2, h3, b")) line.append("\n");
  return nodes.textContent.replace(/\n{2,}/g, "\n").trim();
}

document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const around = range.commonAncestorContainer;
  const math = (around.nodeType === Node.ELEMENT_NODE ? around : around.parentElement)?.closest("math[alttext]");
  const part = range.cloneContents();
  if (!math && !part.querySelector("math[alttext]")) return;
  event.clipboardData.setData("text/plain", math ? math.getAttribute("alttext") : typed(part));
  event.preventDefault();
});

// A careful form asks whoever leaves it with something that is not kept yet.
const careful = document.querySelector("form[data-careful]");
let unsaved = careful?.dataset.careful === "changed";
careful?.addEventListener("input", () => { unsaved = true; });
careful?.addEventListener("submit", () => { unsaved = false; });
addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });

document.addEventListener("submit", (event) => {
  if (event.target.getAttribute("action") === "/logout") sessionStorage.clear();
});

// Calls for help: fetched every few seconds, whatever the page, and answered without leaving it.
let alerts = document.getElementById("alerts");
let shown = alerts?.outerHTML;

function byOurClock(within) {
  for (const time of within.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.textContent = at.toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    }
  }
}

async function lookForAlerts() {
  if (alerts.contains(document.activeElement)) return; // a button is about to be pressed
  const answer = await fetch(alerts.dataset.page);
  if (answer.redirected || !answer.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("alerts");
  if (!now || now.outerHTML === shown) return;
  shown = now.outerHTML;
  alerts.replaceChildren(...document.importNode(now, true).childNodes);
  byOurClock(alerts);
}

if (alerts) {
  setInterval(() => lookForAlerts().catch(() => {}), 4000);
  alerts.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(event.target, event.submitter));
    const csrf = document.querySelector("meta[name=csrf]").content;
    const answer = await fetch(event.target.action, { method: "POST", headers: { "X-CSRF": csrf }, body }).catch(() => null);
    document.activeElement.blur();
    if (answer?.ok) await lookForAlerts().catch(() => {});
    else location.reload();
  });
}
byOurClock(document);
