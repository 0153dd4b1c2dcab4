// Draws an Altair chart. Vega comes from `source`: the dashboard's own server, or, in a notebook, with the widget.
// Each widget is a module of its own, but there is one Vega in a page.
function load(source) {
  window.evVega ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = source.startsWith("/") ? source : URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    script.onload = done;
    script.onerror = () => {
      window.evVega = undefined; // the next chart tries again
      failed(new Error("the charts' library could not be loaded"));
    };
    document.head.append(script);
  });
  return window.evVega;
}

function colours(el) {
  const style = getComputedStyle(el);
  const of = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const text = of("--ev-text", "#333"), muted = of("--ev-muted", "#666"), line = of("--ev-line", "#ddd");
  const font = "system-ui, sans-serif";
  return {
    background: "transparent", font,
    axis: { labelColor: muted, titleColor: muted, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: 500 },
    // Where there are several, one stands below the other: side by side they would be cut off.
    legend: { labelColor: text, titleColor: muted, layout: { bottom: { anchor: "start", direction: "vertical", margin: 4 } } },
    header: { labelColor: text, titleColor: muted },
    title: { color: text },
    text: { fill: text },
    view: { stroke: null },
  };
}

async function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "ev-chart";
  el.append(root);
  let view = null, drawn = 0, gone = false, shape = "";
  const label = () => {
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", model.get("label"));
  };
  const signals = () => {
    if (!view) return;
    for (const [name, value] of Object.entries(model.get("signals"))) {
      try { view.signal(name, value); } catch { continue; } // this chart has no such signal
    }
    view.runAsync();
  };
  // From step to step only rows change: they are put into the chart that is there.
  const refill = (datasets) => {
    for (const [name, rows] of Object.entries(datasets)) view.data(name, structuredClone(rows));
    return view.runAsync();
  };
  const draw = async (anew) => {
    const { datasets = {}, ...look } = model.get("spec");
    const now = JSON.stringify([look, Object.keys(datasets)]);
    if (!anew && view && now === shape) {
      await refill(datasets);
      root.dataset.drawn = ++drawn;
      return;
    }
    const turn = ++drawn;
    const spec = structuredClone(model.get("spec"));
    if (!Object.keys(spec).length || !root.clientWidth) return;
    await load(model.get("source"));
    if (turn !== drawn || gone) return; // a newer one is on its way
    const { config = {}, ...rest } = spec;
    const held = document.createElement("div");
    held.style.width = "100%";
    held.setAttribute("aria-hidden", "true"); // Vega's marks have English words or none: the label around them is read
    if (view) view.finalize();
    view = null;
    root.style.minHeight = `${root.offsetHeight}px`; // the page does not jump while it is drawn anew
    root.replaceChildren(held);
    const ours = colours(el);
    const merged = { ...config, ...ours, aria: false }; // the label says what it shows, in the reader's language
    const result = await window.evVegaEmbed(held, { ...rest, description: model.get("label"), config: merged }, { actions: false, renderer: "svg" });
    if (turn !== drawn || gone) return result.finalize();
    view = result.view;
    shape = now;
    view.addEventListener("click", (event, item) => {
      if (item && item.datum && item.datum.ev_on !== undefined) model.send({ on: item.datum.ev_on });
    });
    signals();
    root.style.minHeight = "";
    root.dataset.drawn = turn;
  };
  // A chart is as wide as its place: it is drawn when it has one, and follows it.
  let wide = 0;
  const place = new ResizeObserver(() => {
    const now = root.clientWidth;
    if (!now || Math.abs(now - wide) < 2) return;
    const first = wide === 0;
    wide = now;
    if (first) redraw(true);
    else if (view) window.dispatchEvent(new Event("resize")); // what Vega listens to
  });
  const redraw = (anew) => draw(anew).catch((error) => { root.textContent = error.message; });
  label();
  model.on("change:spec", () => redraw(false));
  model.on("change:signals", signals);
  model.on("change:label", label);
  const theme = new MutationObserver(() => redraw(true));
  const app = document.getElementById("app") || document.body;
  theme.observe(app, { attributes: true, attributeFilter: ["class"] });
  place.observe(root);
  return () => {
    gone = true;
    place.disconnect();
    theme.disconnect();
    if (view) view.finalize();
  };
}

export default { render };
