// On every page: mathematics that is copied becomes what was typed, nothing half written is lost by a
// click, and who logs out leaves nothing in the browser.
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
