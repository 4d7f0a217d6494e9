// A chart in the page: it follows the window's width and the theme, says its values under the pointer or the arrow
// keys, and can be saved as a drawing.

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

function isDark() {
  const { theme: chosen, printing } = document.documentElement.dataset;
  if (printing !== undefined) return false;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const PAPER = { width: 400, height: 250 };  // of a drawing that takes half of a printed page's width

class ChartView {
  constructor(chart) {
    this.figure = element("figure");
    this.figure.id = `chart-${chart.name}`;
    const head = element("figcaption");
    this.title = element("h3");
    this.save = element("button", "Save SVG", "quiet");
    this.save.addEventListener("click", () => this.saveAsSvg());
    head.append(this.title, this.save);
    this.stage = element("div", undefined, "stage");
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "img");
    this.note = element("p", "", "note");
    this.said = element("p", "", "said");
    this.said.setAttribute("aria-live", "polite");
    this.figure.append(head, this.stage, this.said, this.note);
    this.listen();
    this.show(chart);
    new ResizeObserver(() => this.draw()).observe(this.stage);
  }

  show(chart) {
    this.chart = chart;
    this.at = -1;
    this.title.textContent = chart.title;
    this.save.setAttribute("aria-label", `Save ${chart.title} as SVG`);
    this.note.textContent = chart.note ?? "";
    this.note.hidden = !chart.note;
    this.stage.setAttribute("aria-label", `Chart: ${chart.title}. ${this.summary()} Arrow keys read its values.`);
    this.places = [...new Set(chart.series.flatMap((s) => s.x.filter((_, i) => s.y[i] !== null)))].sort((a, b) => a - b);
    this.draw();
  }

  /// For screen readers.
  summary() {
    return this.chart.series.map((s) => {
      const known = s.y.filter((y) => y !== null), unit = this.chart.y.unit;
      if (!known.length) return "";
      return `${s.name || this.chart.y.label}: ${valueText(Math.min(...known), unit)} to ${valueText(Math.max(...known), unit)}.`;
    }).join(" ");
  }

  draw() {
    const onPaper = document.documentElement.dataset.printing !== undefined;
    const width = onPaper ? PAPER.width : Math.round(this.stage.clientWidth);
    if (!width || !this.chart) return;
    const height = onPaper ? PAPER.height : Math.round(Math.min(360, Math.max(240, width * 0.5)));
    this.drawing = new Drawing(this.chart, width, height, isDark() ? "dark" : "light");
    this.drawing.root.setAttribute("aria-hidden", "true");
    this.stage.replaceChildren(this.drawing.root);
    this.drawPointer();
  }

  listen() {
    this.stage.addEventListener("pointermove", (e) => {
      const x = e.clientX - this.stage.getBoundingClientRect().left;
      this.point(this.nearest(x), false);
    });
    this.stage.addEventListener("pointerleave", () => this.point(-1, false));
    this.stage.addEventListener("blur", () => this.point(-1, false));
    this.stage.addEventListener("keydown", (e) => {
      const far = e.shiftKey ? 10 : 1, n = this.places.length;
      const next = { ArrowRight: this.at + far, ArrowLeft: this.at < 0 ? n - 1 : this.at - far, Home: 0, End: n - 1 }[e.key];
      if (next === undefined || !n) return;
      e.preventDefault();
      this.point(Math.min(Math.max(next, 0), n - 1), true);
    });
  }

  nearest(x) {
    let best = -1, least = Infinity;
    this.places.forEach((place, i) => {
      const off = Math.abs(this.drawing.px(place) - x);
      if (off < least) [best, least] = [i, off];
    });
    return best;
  }

  /// Holds on to a place along the x axis; `aloud`: for screen readers as well.
  point(at, aloud) {
    if (at === this.at) return;
    this.at = at;
    this.drawPointer();
    const text = at < 0 ? "" : this.words(this.places[at]);
    this.said.textContent = text;
    this.said.setAttribute("aria-live", aloud ? "polite" : "off");
  }

  words(x) {
    const { chart } = this;
    const where = chart.x.names ? chart.x.names[x] : valueText(x, chart.x.unit);
    const parts = chart.series.map((s) => {
      const k = this.indexAt(s, x);
      if (k < 0 || s.y[k] === null) return "";
      const range = s.low && s.low[k] !== null ? ` (${valueText(s.low[k], chart.y.unit)} to ${valueText(s.high[k], chart.y.unit)})` : "";
      return `${s.name ? `${s.name} ` : ""}${valueText(s.y[k], chart.y.unit)}${range}`;
    });
    return `${where}: ${parts.filter(Boolean).join(", ")}`;
  }

  /// The point at x; of steps the one that still holds there.
  indexAt(s, x) {
    if (s.look !== "steps" && s.look !== "area") return s.x.indexOf(x);
    let low = -1;
    for (let k = 0; k < s.x.length && s.x[k] <= x; k++) low = k;
    return low;
  }

  drawPointer() {
    this.stage.querySelector(".pointer")?.remove();
    if (this.at < 0 || !this.drawing) return;
    const d = this.drawing, x = d.px(this.places[this.at]).toFixed(1);
    d.root.append(svg("path", { class: "pointer", d: `M${x} ${d.top}V${d.bottom}`, stroke: d.look.soft, "stroke-dasharray": "3 3" }));
  }

  saveAsSvg() {
    const { root } = new Drawing(this.chart, 640, 400, "light", true);
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" }));
    link.download = `${this.chart.name}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
}
