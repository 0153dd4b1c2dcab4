// On every page: mathematics that is copied becomes what was typed, and who logs out leaves nothing in the browser.
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

document.addEventListener("submit", (event) => {
  if (event.target.getAttribute("action") === "/logout") sessionStorage.clear();
});
