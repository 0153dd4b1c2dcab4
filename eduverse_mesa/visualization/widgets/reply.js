// Asks somebody in a seat. Everything that is shown is set as text; choices are the browser's own inputs.
const DRAFT_AFTER = 400;
const LONGEST = 200000; // as reply.py takes in

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...children.filter((child) => child !== "" && child !== null && child !== undefined));
  return made;
}

// --- small pictures: strokes of a pen on a sheet of 24 by 24 ---

const ICONS = {
  head_up: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M9 10v1M15 10v1M9 15q3 2 6 0",
  note_taking: "M5 4h9l5 5v11H5zM14 4v5h5M8 13h8M8 16h5",
  hand_raise: "M8 12V6a1.5 1.5 0 0 1 3 0v4V4.500a1.500 1.500 0 0 1 3 0V10V6a1.500 1.500 0 0 1 3 0v8c0 4-2.500 6-5.500 6S7 18.500 4.500 13.500c1.200-1.300 2.500-.8 3.500.5",
  answer_question: "M4 5h16v11H11l-4 4v-4H4zM8 9h8M8 12h5",
  stand_answer: "M4 5h16v11H11l-4 4v-4H4zM8 9h8M8 12h5",
  ask_teacher: "M4 5h16v11H11l-4 4v-4H4zM10.300 8.500a1.900 1.900 0 1 1 2.500 1.900c-.6.300-.8.600-.8 1.300M12 13.600v.1",
  ask_peer: "M3 4h11v8H8l-3 3v-3H3zM17 8h4v8h-2v3l-3-3h-5v-2M7.500 6.700a1.300 1.300 0 1 1 1.500 1.300v.6M9 10.200v.1",
  side_talk: "M3 5h11v8H8l-3 3v-3H3zM16 9h5v8h-2v3l-3-3h-6v-2",
  chat: "M4 5h16v11H11l-4 4v-4H4zM8.500 9v.1M15.500 9v.1M9 12q3 2 6 0",
  group_discussion: "M8 8a2.500 2.500 0 1 0 0-.1M16 8a2.500 2.500 0 1 0 0-.1M3 19c0-3 2-5 5-5s4 1 4 3c0-2 2-3 4-3 3 0 5 2 5 5",
  read_aloud: "M12 7c-2-2-5-2-8-1.500V18c3-.5 6-.5 8 1.500 2-2 5-2 8-1.500V5.500C17 5 14 5 12 7zM12 7v12",
  head_down: "M4 18h16M6 18c0-4 2-6 5-6h3c2 0 4 2 4 6M13 12a3 3 0 1 1 4-4",
  sleep: "M5 15a7 7 0 1 0 9-9 6 6 0 0 1-9 9M15 4h5l-5 5h5",
  refuse_reply: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M9 10v1M15 10v1M9 15.500h6",
  positive: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17M9 9.500v1M15 9.500v1M8 14q4 4 8 0",
  confused: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17M8 8.500l2 .8M15 9.500v1M9 10.500v.5M8.500 15.500q2-1.800 3.500-.5t3.500-.5",
  negative: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17M9 9.500v1M15 9.500v1M8 16.500q4-4 8 0",
  yes: "M5 12.500l4.500 4.500L19 7.500",
  no: "M6 6l12 12M18 6L6 18",
  stay: "M5 12h14M13 6l6 6-6 6",
  extend: "M12 5v14M5 12h14",
  advance: "M5 6l6 6-6 6M12 6l6 6-6 6",
  other: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M8.500 12v.1M12 12v.1M15.500 12v.1", // of what has no picture of its own
};

function picture(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name] || ICONS.other);
  svg.append(path);
  return svg;
}

// --- parts: each makes its element, and says how to show what is wrong with it ---

function choice(part, id, page) {
  const type = part.many ? "checkbox" : "radio";
  const wrong = element("p", { class: "ev-r-wrong", id: `${id}-wrong`, role: "alert" });
  const box = element("fieldset", { class: "ev-r-part", "data-look": part.look || "tiles", "data-name": part.name, "aria-describedby": wrong.id });
  box.append(element("legend", {}, part.label), ...(part.help ? [element("p", { class: "ev-r-help" }, part.help)] : []));
  let group = null, list = null;
  for (const option of part.options) {
    if (!list || (option.group ?? null) !== group) {
      group = option.group ?? null;
      if (group) box.append(element("p", { class: "ev-r-group" }, group));
      box.append((list = element("div", { class: "ev-r-options" })));
    }
    const input = element("input", { type, name: id, value: option.value });
    const has = page.values[part.name];
    input.checked = part.many ? Array.isArray(has) && has.includes(option.value) : has === option.value;
    input.addEventListener("change", () => {
      if (part.many) page.values[part.name] = [...box.querySelectorAll("input:checked")].map((one) => one.value);
      else page.values[part.name] = option.value;
      page.changed(part.name);
    });
    const words = element("span", { class: "ev-r-label" }, element("bdi", {}, option.label), option.hint ? element("small", { dir: "auto" }, option.hint) : "");
    list.append(element("label", { class: "ev-r-option", "data-value": option.value }, input, option.icon ? picture(option.icon) : "", words));
  }
  box.append(wrong);
  const set = (value) => { for (const input of box.querySelectorAll("input")) input.checked = [].concat(value).includes(input.value); };
  return { node: box, wrong, set, focus: () => (box.querySelector("input:checked") || box.querySelector("input"))?.focus() };
}

function words(part, id, page) {
  const wrong = element("p", { class: "ev-r-wrong", id: `${id}-wrong`, role: "alert" });
  const count = element("span", { class: "ev-r-count", "aria-hidden": "true" });
  const area = element("textarea", { id, rows: part.rows || 3, dir: "auto", placeholder: part.placeholder, "aria-describedby": wrong.id });
  const tell = () => {
    count.textContent = area.value.length > part.most * 0.8 ? `${area.value.length} / ${part.most}` : "";
    count.classList.toggle("is-over", area.value.length > part.most);
  };
  area.value = page.values[part.name] ?? "";
  area.addEventListener("input", () => { page.values[part.name] = area.value; tell(); page.changed(part.name); });
  area.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) page.send(); });
  tell();
  const head = element("div", { class: "ev-r-head" }, element("label", { for: id }, part.label), count);
  const node = element("div", { class: "ev-r-part", "data-kind": "words", "data-name": part.name }, head, part.help ? element("p", { class: "ev-r-help" }, part.help) : "", area, wrong);
  const set = (text) => { area.value = text; tell(); };
  return { node, wrong, set, focus: () => area.focus() };
}

function quote(part) {
  const node = element("figure", { class: "ev-r-part ev-r-quote" }, element("blockquote", { dir: "auto" }, part.text));
  if (part.by) node.prepend(element("figcaption", { dir: "auto" }, part.by));
  return { node };
}

function hint(part, id, page) {
  const node = element("div", { class: "ev-r-part ev-r-hint" }, element("span", { class: "ev-r-help" }, part.label), element("p", { dir: "auto" }, part.text));
  if (part.fill) {
    const button = element("button", { type: "button", class: "ev-r-small" }, part.button);
    button.addEventListener("click", () => page.fill(part.fill));
    node.append(button);
  }
  return { node };
}

function head(part) {
  const node = element("div", { class: "ev-r-part ev-r-heading" }, element("h3", { dir: "auto" }, part.label));
  if (part.text) node.append(element("p", { dir: "auto" }, part.text));
  return { node };
}

const KINDS = { choice, words, quote, hint, head };

// --- the time that is left ---

function clock(labels) {
  const bar = element("span", { class: "ev-r-bar", "aria-hidden": "true" }, element("span"));
  const shown = element("span", { class: "ev-r-left", "aria-hidden": "true" });
  const said = element("span", { class: "ev-r-said", role: "status" });
  const node = element("div", { class: "ev-r-clock" }, shown, bar, said);
  let ends = 0, whole = 1, ticking = 0;
  const tick = () => {
    const left = Math.max(0, (ends - performance.now()) / 1000);
    const seconds = Math.ceil(left);
    shown.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    bar.firstChild.style.width = `${Math.min(100, (100 * left) / whole)}%`;
    node.classList.toggle("is-short", left <= 10);
    if (left <= 10 && left > 0 && !said.textContent) said.textContent = labels.soon;
    if (left <= 0) { clearInterval(ticking); said.textContent = shown.textContent = labels.over; }
  };
  const start = (left, all) => {
    clearInterval(ticking);
    node.hidden = left == null;
    said.textContent = "";
    if (left == null) return;
    [ends, whole] = [performance.now() + 1000 * left, Math.max(all || left, 1)];
    ticking = setInterval(tick, 250);
    tick();
  };
  return { node, start, stop: () => clearInterval(ticking) };
}

// --- the form ---

const tooLong = (value) => typeof value === "string" && value.length > LONGEST;

function render({ model, el }) {
  const root = element("form", { class: "ev-reply", novalidate: true });
  el.append(root);
  const labels = model.get("labels") || {};
  const time = clock(labels);
  let page = null, waiting = 0;

  const say = (what) => model.send({ do: what, id: page.id, values: page.values });
  const visible = (part) => !part.when || Object.entries(part.when).every(([name, wanted]) => {
    const has = page.values[name];
    return Array.isArray(has) ? has.some((one) => wanted.includes(one)) : wanted.includes(has);
  });
  const settle = () => { for (const { part, node } of page.parts) node.hidden = !visible(part); };

  const changed = (...names) => {
    for (const one of page.parts) if (one.wrong && names.includes(one.part.name)) tell(one, "");
    settle();
    waiting ||= setTimeout(() => { waiting = 0; if (!Object.values(page.values).some(tooLong)) say("draft"); }, DRAFT_AFTER);
  };
  // Several parts at once; the words come last to be read over.
  const fill = (values) => {
    Object.assign(page.values, values);
    const filled = page.parts.filter(({ part }) => part.name in values);
    for (const { part, set } of filled) set(values[part.name]);
    changed(...Object.keys(values));
    (filled.find(({ part }) => part.kind === "words") || filled[0]).focus();
  };
  const send = () => {
    if (page.busy) return;
    if (Object.values(page.values).some(tooLong)) {
      judge(Object.fromEntries(Object.entries(page.values).filter(([, value]) => tooLong(value)).map(([name]) => [name, labels.too_long])));
      return;
    }
    clearTimeout(waiting);
    waiting = 0;
    busy(true);
    say("reply");
  };
  const busy = (now) => {
    page.busy = now;
    page.button.disabled = now;
    page.button.textContent = now ? labels.sending : model.get("form").send;
  };

  const tell = ({ wrong, node }, text) => {
    wrong.textContent = text;
    node.classList.toggle("is-wrong", Boolean(text));
    for (const input of node.querySelectorAll("input, textarea")) input.setAttribute("aria-invalid", text ? "true" : "false");
  };
  const judge = (errors) => {
    let first = null;
    for (const { part, wrong, node, focus } of page.parts) {
      if (!wrong) continue;
      tell({ wrong, node }, errors[part.name] || "");
      if (errors[part.name] && !first && !node.hidden) first = focus;
    }
    page.general.textContent = errors[""] || "";
    busy(false);
    first?.();
  };

  const draw = () => {
    const form = model.get("form") || {};
    root.hidden = form.id === undefined;
    if (waiting) { clearTimeout(waiting); waiting = 0; }
    const prefix = `ev-reply-${(window.evForms = (window.evForms || 0) + 1)}`;
    page = { id: form.id, values: { ...(form.values || {}) }, parts: [], changed, send, fill };
    page.parts = (form.parts || []).map((part, place) => ({ part, ...KINDS[part.kind](part, `${prefix}-${place}`, page) }));
    page.general = element("p", { class: "ev-r-wrong", role: "alert" });
    page.button = element("button", { type: "submit", class: "ev-r-send" }, form.send || "");
    const title = element("h2", { class: "ev-r-title", dir: "auto", tabindex: "-1" }, form.title || "");
    root.replaceChildren(element("div", { class: "ev-r-top" }, title, time.node), ...page.parts.map(({ node }) => node), page.general, page.button);
    time.start(form.left, form.all);
    settle();
    if (!root.hidden) requestAnimationFrame(() => greet(title));
  };
  // What was answered is gone, and with it the focus: it goes to what is asked now, and that comes into view.
  const greet = (title) => {
    if (document.activeElement === document.body) title.focus({ preventScroll: true });
    const scene = root.closest(".ev-scene") || root;
    if (scene.getBoundingClientRect().top < 0) scene.scrollIntoView({ block: "start" });
  };

  root.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  model.on("change:form", draw);
  model.on("change:verdict", () => judge((model.get("verdict") || {}).errors || {}));
  draw();
  return () => { time.stop(); clearTimeout(waiting); };
}

export default { render };
