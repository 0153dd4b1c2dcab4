// What was opened by a button closes by Escape, and the focus goes back to the button. Pages mark such a button with
// aria-expanded, and what it opens with the id in its aria-controls (kit.py); <details> have all that of themselves.
(() => {
  const OPENED = "[aria-controls][aria-expanded=true]";
  const panel = (opener) => document.getElementById(opener.getAttribute("aria-controls"));

  // The innermost around the focus; where nothing has the focus, the last of the page.
  function opened(here) {
    const openers = [...document.querySelectorAll(OPENED)].filter((one) => panel(one));
    if (here === document.body) return openers.at(-1);
    return openers.filter((one) => one === here || panel(one).contains(here)).at(-1);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    const here = document.activeElement ?? document.body;
    const opener = opened(here), details = here.closest("details[open]");
    if (details && (!opener || panel(opener).contains(details))) {
      details.open = false;
      details.querySelector("summary")?.focus();
    } else if (opener) {
      opener.focus();
      opener.click();
    }
  });

  // It may close in other ways, and what had the focus goes with it.
  new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      if (oldValue !== "true" || target.getAttribute("aria-expanded") !== "false") continue;
      const here = document.activeElement;
      if (!here || here === document.body || panel(target)?.contains(here)) target.focus();
    }
  }).observe(document, { subtree: true, attributeFilter: ["aria-expanded"], attributeOldValue: true });
})();
