// A form of plain fields. What it shows is set as text and as values of inputs, never as markup.
const SEND_AFTER = 120;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...children);
  return made;
}

function setText(node, text) {
  const wanted = text == null ? "" : String(text);
  if (node.textContent !== wanted) node.textContent = wanted;
}

// --- the kinds of fields: each makes its control, shows a value in it, and says when it was changed ---

const plainInput = (type) => ({
  make: (id, send) => {
    const input = element("input", { id, type, autocomplete: "off", spellcheck: type === "text" });
    const say = () => send(type === "number" ? (input.value === "" ? null : Number(input.value)) : input.value);
    input.addEventListener("change", say);
    let waiting = 0;
    input.addEventListener("input", () => { // what is searched for is looked for while it is typed
      if (!input.evLive) return;
      clearTimeout(waiting);
      waiting = setTimeout(say, SEND_AFTER);
    });
    return input;
  },
  show: (input, field) => {
    input.evLive = Boolean(field.live);
    for (const name of ["min", "max", "step", "placeholder", "maxlength"]) dress(input, name, field[name]);
    setValue(input, field);
  },
});

const KINDS = {
  text: plainInput("text"),
  number: plainInput("number"),
  area: {
    make: (id, send) => {
      const area = element("textarea", { id, spellcheck: "true" });
      area.addEventListener("change", () => send(area.value));
      return area;
    },
    show: (area, field) => {
      area.rows = field.rows || 3;
      dress(area, "placeholder", field.placeholder);
      setValue(area, field);
    },
  },
  range: {
    make: (id, send) => {
      const input = element("input", { id, type: "range" });
      let waiting = 0;
      const say = () => { clearTimeout(waiting); waiting = 0; send(Number(input.value)); };
      input.addEventListener("input", () => {
        setText(input.evShown, shownNumber(input.value, input.step));
        waiting ||= setTimeout(say, SEND_AFTER);
      });
      input.addEventListener("change", say);
      return input;
    },
    show: (input, field) => {
      for (const name of ["min", "max", "step"]) dress(input, name, field[name]);
      setValue(input, field);
      setText(input.evShown, shownNumber(input.value, input.step));
    },
  },
  select: {
    make: (id, send) => {
      const select = element("select", { id });
      select.addEventListener("change", () => {
        send(select.value);
        if (select.evField.again) select.value = String(select.evField.value ?? "");
      });
      return select;
    },
    show: (select, field) => {
      select.evField = field;
      const options = (field.options || []).map(String).join("\n");
      if (select.evOptions !== options) {
        select.evOptions = options;
        select.evValue = undefined;
        select.replaceChildren(...(field.options || []).map(([value, label]) => {
          const option = element("option", { value });
          option.textContent = label;
          return option;
        }));
      }
      setValue(select, field);
      if (field.again && select.value !== String(field.value ?? "")) select.value = String(field.value ?? "");
    },
  },
  check: {
    make: (id, send) => {
      const input = element("input", { id, type: "checkbox" });
      input.addEventListener("change", () => send(input.checked));
      return input;
    },
    show: (input, field) => { input.checked = Boolean(field.value); },
  },
  file: {
    make: (id, send) => {
      const input = element("input", { id, type: "file" });
      input.addEventListener("change", async () => {
        const [file] = input.files;
        if (!file) return;
        const large = file.size > (input.evMost || 1e6);
        send({ name: file.name, size: file.size, text: large ? "" : await file.text() });
        input.value = "";
      });
      return input;
    },
    show: (input, field) => {
      dress(input, "accept", field.accept);
      input.evMost = field.max;
    },
  },
  copy: {
    make: (id) => element("textarea", { id, readonly: true, spellcheck: "false", class: "ev-f-code" }),
    show: (area, field) => {
      area.rows = field.rows || 8;
      if (area.value !== field.value) area.value = field.value ?? "";
    },
  },
};

function dress(node, name, value) {
  if (value === undefined || value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

// What somebody is writing stays, unless the value behind it has changed meanwhile.
function setValue(input, field) {
  const value = field.value == null ? "" : String(field.value);
  if (document.activeElement === input && (input.evValue === value || field.live)) return;
  if (input.evValue === value && field.keep) return;
  input.evValue = value;
  if (input.value !== value) input.value = value;
}

function shownNumber(value, step) {
  const digits = (String(step).split(".")[1] || "").length;
  return Number(value).toFixed(Math.min(digits, 4));
}

// --- fields ---

function makeField(field, prefix, send) {
  const node = element("div", { class: "ev-f", "data-kind": field.kind });
  if (field.kind === "head") return { node, update: (now) => { if (!node.firstChild) node.append(element("h3")); setText(node.firstChild, now.label); } };
  if (field.kind === "note") return { node, update: (now) => { if (!node.firstChild) node.append(element("p")); setText(node.firstChild, now.label); dress(node, "data-tone", now.tone); } };
  if (field.kind === "buttons") return { node, update: (now) => updateButtons(node, now, send) };
  return makeInput(node, field, prefix, send);
}

function updateButtons(node, field, send) {
  dress(node, "role", field.label ? "group" : undefined);
  dress(node, "aria-label", field.label);
  const marks = JSON.stringify(field.options);
  if (node.evMarks === marks) return;
  node.evMarks = marks;
  // A button that stays is the same element: one that is being pressed while others change is still clicked.
  const there = new Map([...node.children].map((button) => [button.evValue, button]));
  const focused = document.activeElement;
  const place = [...node.children].indexOf(focused);
  const wanted = field.options.map(([value, label, look, off, name]) => {
    const button = there.get(value) ?? element("button", { type: "button" });
    if (button.evValue === undefined) button.addEventListener("click", () => send(node.evId, value));
    button.evValue = value;
    const pressed = look === "on" ? "true" : look === "off" ? "false" : undefined;
    const looks = { class: `ev-f-button is-${look || "plain"}`, "aria-label": name, title: name, "aria-pressed": pressed };
    for (const [attribute, wish] of Object.entries(looks)) dress(button, attribute, wish);
    button.disabled = Boolean(off);
    setText(button, label);
    return button;
  });
  for (const button of [...node.children]) if (!wanted.includes(button)) button.remove();
  wanted.forEach((button, at) => { if (node.children[at] !== button) node.insertBefore(button, node.children[at] ?? null); });
  if (place >= 0 && document.activeElement !== focused) node.children[place]?.focus();
}

function makeInput(node, field, prefix, send) {
  const id = `${prefix}-${field.id}`;
  const kind = KINDS[field.kind] || KINDS.text;
  const control = kind.make(id, (value) => send(field.id, value));
  control.addEventListener("keydown", (event) => {
    // Enter that only ends a word of an input method (isComposing) sends nothing.
    if (event.key !== "Enter" || event.isComposing || !control.evEnter || !control.value.trim()) return;
    event.preventDefault();
    send(field.id, control.value);
    control.value = control.evValue = "";
    send(...control.evEnter);
  });
  const name = element("label", { for: id });
  const shown = element("output", { for: id, "aria-hidden": "true" });
  const ends = element("div", { class: "ev-f-ends", "aria-hidden": "true" }, element("span"), element("span"));
  const help = element("p", { class: "ev-f-help", id: `${id}-help` });
  const wrong = element("p", { class: "ev-f-wrong", id: `${id}-wrong` });
  control.evShown = shown;
  const head = element("div", { class: "ev-f-head" }, name, shown);
  node.append(...(field.kind === "check" ? [element("div", { class: "ev-f-check" }, control, name)] : [head, control]), ends, help, wrong);
  let copy = null;
  const update = (now) => {
    setText(name, now.label);
    kind.show(control, now);
    control.disabled = Boolean(now.disabled);
    control.evEnter = now.enter;
    shown.hidden = now.kind !== "range";
    ends.hidden = !(now.low || now.high);
    setText(ends.children[0], now.low);
    setText(ends.children[1], now.high);
    setText(help, now.help);
    help.hidden = !now.help;
    const error = now.refused || now.error;
    setText(wrong, error);
    wrong.hidden = !error;
    dress(wrong, "role", now.refused ? "alert" : undefined);
    dress(control, "aria-invalid", error ? "true" : undefined);
    dress(control, "aria-describedby", [now.help && help.id, error && wrong.id].filter(Boolean).join(" ") || undefined);
    if (now.kind === "copy" && !copy) node.append((copy = copyButton(control)));
    if (copy) [copy.evWords, copy.textContent] = [now.words, copy.evDone ? copy.textContent : now.words[0]];
  };
  return { node, update, goBack: () => { if (control.evValue !== undefined) control.value = control.evValue; } };
}

function copyButton(area) {
  const button = element("button", { type: "button", class: "ev-f-button is-plain" });
  button.addEventListener("click", async () => {
    area.select();
    try { await navigator.clipboard.writeText(area.value); } catch { document.execCommand("copy"); }
    button.evDone = true;
    button.textContent = button.evWords[1];
    setTimeout(() => { button.evDone = false; button.textContent = button.evWords[0]; }, 2000);
  });
  return button;
}

// --- the form ---

function listenForKeys(model, send) {
  const hear = (event) => {
    const keys = model.get("shortcuts") || {};
    const name = `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${event.shiftKey ? "shift+" : ""}${event.key.toLowerCase()}`;
    if (!(name in keys) || event.target.closest?.("input:not([type=range]):not([type=checkbox]), textarea, [contenteditable]")) return;
    event.preventDefault();
    send(...keys[name]);
  };
  window.addEventListener("keydown", hear);
  return () => window.removeEventListener("keydown", hear);
}

function render({ model, el }) {
  const prefix = `ev-form-${(window.evForms = (window.evForms || 0) + 1)}`;
  const root = element("div", { class: "ev-form" });
  el.append(root);
  const kept = new Map();
  const send = (id, value) => { // a text that is too long stays here, and the one before it comes back
    const letters = typeof value === "string" ? value.length : 0;
    if (letters <= model.get("longest")) return model.send({ id, value });
    kept.get(id)?.goBack?.();
    model.send({ id, letters });
  };
  const draw = () => {
    const refused = model.get("refused") || {};
    const fields = (model.get("fields") || []).map((field) => (field.id === refused.id ? { ...field, refused: refused.text } : field));
    dress(root, "aria-label", model.get("label") || undefined);
    dress(root, "role", model.get("label") ? "group" : undefined);
    dress(root, "data-look", model.get("look") || undefined);
    const wanted = fields.map((field) => {
      let entry = kept.get(field.id);
      if (!entry || entry.kind !== field.kind) kept.set(field.id, (entry = { kind: field.kind, ...makeField(field, prefix, send) }));
      entry.node.evId = field.id;
      dress(entry.node, "data-width", field.width);
      entry.update(field);
      return entry.node;
    });
    for (const [id, entry] of kept) if (!wanted.includes(entry.node)) kept.delete(id);
    wanted.forEach((node, place) => { if (root.children[place] !== node) root.insertBefore(node, root.children[place] || null); });
    while (root.children.length > wanted.length) root.lastChild.remove();
  };
  for (const name of ["fields", "label", "look", "refused"]) model.on(`change:${name}`, draw);
  draw();
  return listenForKeys(model, send);
}

export default { render };
