// What somebody has typed outlives a page that has to be loaded again by itself: it is kept in the browser's tab for that
// moment, and put back where its field is shown again. Passwords are not kept, nor what a seat keeps on the server.
(() => {
  const KEPT = "ev-typed", FRESH = 120000;
  const TEXTS = ".ev-main :is(input:not([type=checkbox], [type=radio], [type=range], [type=file], [type=password]), textarea, select)";
  const typed = new Map(); // what a field was given by hand
  let waiting = new Map(); // what has to be put back

  const fields = () => [...document.querySelectorAll(TEXTS)].filter((node) => !node.readOnly && !node.closest(".ev-reply"));
  const named = (node) => {
    const part = node.closest("[role=group][aria-label], .ev-card");
    const heading = part?.getAttribute("aria-label") ?? part?.querySelector("h2")?.textContent ?? "";
    return JSON.stringify([location.pathname, heading, node.labels?.[0]?.textContent ?? node.getAttribute("aria-label") ?? ""]);
  };

  // A name for each field that is shown: those that are called the same are counted.
  function known() {
    const counts = new Map(), found = new Map();
    for (const node of fields()) {
      const name = named(node), count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      found.set(`${name} ${count}`, node);
    }
    return found;
  }

  function hear(event) {
    if (!event.isTrusted || !event.target.matches?.(TEXTS)) return;
    for (const [name, node] of known()) if (node === event.target) {
      typed.set(name, node.value);
      waiting.delete(name); // whoever types anew means that
    }
  }

  function keep() {
    const shown = known();
    const kept = [...typed].filter(([name, text]) => shown.get(name)?.value === text);
    if (kept.length) sessionStorage.setItem(KEPT, JSON.stringify({ at: Date.now(), kept }));
  }

  function putBack() {
    if (!waiting.size) return;
    const shown = known();
    for (const [name, text] of [...waiting]) {
      const node = shown.get(name);
      if (!node) continue;
      waiting.delete(name);
      if (node.value === text || (node.tagName === "SELECT" && ![...node.options].some((option) => option.value === text))) continue;
      node.value = text;
      for (const said of ["input", "change"]) node.dispatchEvent(new Event(said, { bubbles: true }));
      typed.set(name, text);
    }
    if (!waiting.size) watcher.disconnect();
  }

  const watcher = new MutationObserver(putBack);
  try {
    const { at, kept } = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
    if (Date.now() - at < FRESH) waiting = new Map(kept);
  } catch { /* nothing of ours */ }
  sessionStorage.removeItem(KEPT);
  if (waiting.size) watcher.observe(document, { childList: true, subtree: true });
  document.addEventListener("input", hear, true);
  window.addEventListener("ev-loading-again", keep);
})();
