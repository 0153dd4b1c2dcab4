const charts = JSON.parse(document.getElementById("charts").textContent);
const places = [...document.querySelectorAll(".chart")];
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const drawn = new Map();
// Beside the plots of a chart that is made of several: axis labels and titles.
const MARGIN = 64;

const style = (width) => ({
  background: null,
  font: getComputedStyle(document.body).fontFamily,
  axis: {
    labelColor: "currentColor", titleColor: "currentColor", gridColor: "#8883", domainColor: "#8886",
    tickColor: "#8886", labelFontSize: 11, titleFontSize: 11, titleFontWeight: 500, labelOverlap: true,
  },
  legend: {
    labelColor: "currentColor", titleColor: "currentColor", labelFontSize: 11,
    columns: Math.max(2, Math.floor(width / 105)),
  },
  title: { color: "currentColor", anchor: "start", fontWeight: 500, fontSize: 12 },
  text: { fill: "currentColor" },
  view: { stroke: null },
});

function fitted(chart, width) {
  const spec = structuredClone(chart);
  const aspect = spec.usermeta?.aspect;
  if (spec.vconcat) {
    for (const part of spec.vconcat) part.width = width - MARGIN;
  } else {
    spec.width = width;
    spec.autosize = { type: "fit-x", contains: "padding" };
    if (aspect) spec.height = Math.round(width / aspect);
  }
  return spec;
}

async function draw(place) {
  const width = Math.floor(place.clientWidth);
  const before = drawn.get(place);
  if (!width || (before && before.width === width && before.dark === dark.matches)) return;
  drawn.set(place, { width, dark: dark.matches, view: before?.view });
  const spec = fitted(charts[Number(place.dataset.chart)], width);
  const { view } = await window.vegaEmbed(place, spec, { renderer: "svg", actions: false, config: style(width) });
  before?.view?.finalize();
  drawn.set(place, { width, dark: dark.matches, view });
}

const drawAll = () => Promise.all(places.map(draw));
let waiting;
window.addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150);
});
dark.addEventListener("change", drawAll);
drawAll().then(() => document.documentElement.classList.add("drawn"));

const search = document.getElementById("search");
const found = document.getElementById("found");
const lines = [...document.querySelectorAll("#transcript li")];
search?.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  let sentences = 0;
  let shown = 0;
  for (const line of lines) {
    const part = line.classList.contains("part");
    line.hidden = wanted !== "" && (part || !line.textContent.toLowerCase().includes(wanted));
    if (!part) {
      sentences += 1;
      shown += !line.hidden;
    }
  }
  found.textContent = wanted === "" ? "" : `${shown} of ${sentences} sentences`;
});
