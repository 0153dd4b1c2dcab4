// Says in the page's own words that its connection is lost, and finds the way back: Solara's own notices are taken out
// of the page (headers.py). What a page is called by, and how it stands, is told by Solara's script (`solara.debug`).
(() => {
  const LOOK = 300, SHOWN_AFTER = 900, ASK = 2000, PATIENCE = 5, AGAIN = "ev-loaded-again";
  const OPENING = 20000; // milliseconds that a connection which is being opened has: a server may have much to do
  const AT_REST = 15000; // milliseconds between two loadings of a page by itself
  let since = 0, asked = 0, opened = 0, tries = 0, opening = null, leaving = false, note = null;

  const words = (name) => document.querySelector(".ev-app")?.dataset[name] ?? note?.dataset[name] ?? "";
  const gone = () => Boolean(window.app?.$data?.needsRefresh);
  const lost = () => window.app?.$data?.wasConnected && (gone() || window.app.$data.connectionStatus !== "connected");

  function show() {
    if (!note) {
      note = document.createElement("div");
      note.className = "ev-lost";
      note.setAttribute("role", "alert");
      for (const name of ["lost", "lostMore"]) note.dataset[name] = words(name);
      const [what, more] = [document.createElement("strong"), document.createElement("span")];
      note.append(what, more);
      document.body.append(note);
      [what.textContent, more.textContent] = [words("lost"), words("lostMore")];
      document.documentElement.toggleAttribute("data-ev-lost", true);
    }
  }

  function hide() {
    note?.remove();
    note = null;
    document.documentElement.toggleAttribute("data-ev-lost", false);
  }

  // A page whose kernel is gone cannot go on: it is loaded again, and finds on the desk what was open.
  function load() {
    const before = Number(sessionStorage.getItem(AGAIN) || 0);
    if (Date.now() - before < AT_REST) return;
    sessionStorage.setItem(AGAIN, String(Date.now()));
    window.dispatchEvent(new Event("ev-loading-again")); // typed.js keeps what was typed
    window.location.reload();
  }

  async function ask() {
    try {
      await fetch("/eduverse/icon.svg", { cache: "no-store" });
    } catch { return; } // nobody is there yet
    if (gone()) return load();
    const { debug } = window.solara ?? {}, now = Date.now(), line = debug?.ws();
    if (line !== opening) [opening, opened] = [line, now];
    if (line?.readyState === WebSocket.CONNECTING && now - opened < OPENING) return;
    tries += 1;
    if (tries > PATIENCE) load();
    else if (window.app.$data.connectionStatus !== "connected") debug?.kernel()?.reconnect().catch(() => {});
  }

  // A page that is turned into another language without being loaded says so to who reads it aloud.
  function speak() {
    const { lang } = document.querySelector(".ev-app") ?? {};
    if (lang && document.documentElement.lang !== lang) document.documentElement.lang = lang;
  }

  function look() {
    const now = Date.now();
    speak();
    if (leaving || !lost()) {
      [since, tries] = [0, 0];
      if (note) hide();
      return;
    }
    since ||= now;
    if (now - since < SHOWN_AFTER) return;
    show();
    if (now - asked >= ASK) { asked = now; ask(); }
  }

  // Keys that play and step would be kept, and sent all at once when the connection is back.
  window.addEventListener("keydown", (event) => {
    if (note && event.target === document.body) event.stopImmediatePropagation();
  }, true);
  window.addEventListener("pagehide", () => { leaving = true; });
  window.addEventListener("pageshow", () => { leaving = false; });
  setInterval(look, LOOK);
})();
