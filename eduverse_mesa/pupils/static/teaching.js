// What only helps on the teacher's pages: printing, and going through a dialogue with the arrow keys.
"use strict";
for (const button of document.querySelectorAll("[data-print]")) button.addEventListener("click", () => window.print());
const step = { ArrowLeft: "back_one", ArrowRight: "on_one", Home: "first", End: "last" };
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, [tabindex]") || event.altKey || event.ctrlKey || event.metaKey) return;
  const link = document.querySelector(`[data-replay="${step[event.key]}"]`);
  if (link) { event.preventDefault(); link.click(); }
});
