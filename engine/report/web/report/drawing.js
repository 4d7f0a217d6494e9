// A chart as SVG, for the width that there is. The same charts on paper: engine/report/chart_svg.cpp.

const LOOKS = {
  light: { page: "#ffffff", ink: "#1f2430", text: "#4a5260", soft: "#6b7482", line: "#e3e6eb", axis: "#8a93a1",
           colours: ["#d18a12", "#3f8fca", "#38479e", "#2f9e85", "#b0578d", "#8a6d3b", "#7a8794"] },
  dark: { page: "#14171c", ink: "#e6e9ee", text: "#b3bbc7", soft: "#98a2b1", line: "#2a313a", axis: "#5c6672",
          colours: ["#f0bb5e", "#58b0e6", "#8f97ea", "#3fb79b", "#d383b5", "#bfa06a", "#9aa6b2"] },
};
const SHAPES = ["m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0", "m-3.1 -3.1h6.2v6.2h-6.2z", "m0 -4l3.9 6.8h-7.8z",
                "m0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z", "m0 4l3.9 -6.8h-7.8z"];
const DASHES = ["", "7 3", "2.5 2.5", "9 3 2 3", "4 2"];
const MOST_MARKED = 40, LETTER = 6.4, LINE = 17, ASIDE = 5;
const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes, text) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}

const textLength = (text) => LETTER * [...text].length;
const isMarked = (s) => s.look === "marks" || (s.look === "line" && s.x.length <= MOST_MARKED);
const shorten = (text, most) => ([...text].length <= most ? text : `${[...text].slice(0, most - 1).join("")}\u2026`);

class Drawing {
  constructor(chart, width, height, theme, titled = false) {
    Object.assign(this, { chart, width, height, look: LOOKS[theme], titled });
    this.x = scaleOf(chart, false);
    this.y = scaleOf(chart, true);
    this.rows = Math.max(3, Math.floor(height / 46));
    this.layOut();
    this.root = svg("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height, "font-size": 12,
                             "font-family": "Helvetica, Arial, 'Liberation Sans', sans-serif", fill: this.look.text });
    this.draw();
  }

  layOut() {
    const { chart } = this;
    const longest = Math.max(0, ...this.y.ticks(this.rows).map((t) => textLength(t.text)));
    this.left = Math.ceil(longest) + 12 + (chart.y.label ? 22 : 4);
    this.right = this.width - 16;
    this.top = this.titled ? 40 : 12;
    this.placeLegend();
    const slot = (this.right - this.left) / Math.max(1, chart.x.names?.length ?? 1);
    this.slanted = (chart.x.names ?? []).some((n) => textLength(n) > slot - 6);
    const most = Math.min(24, Math.max(8, Math.floor((this.left + slot / 2) / (0.87 * LETTER))));
    this.names = (chart.x.names ?? []).map((n) => (this.slanted ? shorten(n, most) : n));
    this.slant = this.slanted ? Math.max(...this.names.map(textLength)) * 0.5 : 0;
    this.bottom = Math.max(this.top + 40, this.height - 8 - (chart.x.label ? LINE + 4 : 6) - LINE - this.slant);
  }

  placeLegend() {
    this.entries = [];
    let x = this.left, y = this.top + 2;
    this.chart.series.forEach((s, i) => {
      if (!s.name || !s.y.some((y) => y !== null)) return;  // what has nothing to show is not named
      const name = shorten(s.name, Math.max(8, Math.floor((this.right - this.left - 26) / LETTER)));
      const wide = 54 + textLength(name);
      if (x > this.left && x + wide > this.right + 18) { x = this.left; y += LINE; }
      this.entries.push({ i, x, y, name });
      x += wide;
    });
    if (this.entries.length) this.top = y + 14;
  }

  px(v) { return this.left + this.x.place(v) * (this.right - this.left); }
  py(v) { return this.bottom - this.y.place(v) * (this.bottom - this.top); }
  colour(i) {
    const own = this.chart.series[i].colour ?? i;
    return this.look.colours[own % this.look.colours.length];
  }
  /// Bars have no marks and no dashes: those of a colour that others have are lighter, and in a frame.
  barLook(i) {
    const s = this.chart.series[i], fill = this.colour(i), round = Math.floor((s.colour ?? i) / this.look.colours.length);
    if (s.faint) return { fill, "fill-opacity": 0.3, stroke: fill, "stroke-opacity": 0.8 };
    if (round === 0) return { fill };
    return { fill, "fill-opacity": round === 1 ? 0.35 : 0.05, stroke: fill, ...(round > 2 ? { "stroke-dasharray": "3 2" } : {}) };
  }
  add(name, attributes, text) { this.root.append(svg(name, attributes, text)); }
  text(x, y, anchor, words, more = {}) {
    this.add("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, ...more }, words);
  }

  draw() {
    const { chart, look } = this;
    if (this.titled) {
      this.add("rect", { width: this.width, height: this.height, fill: look.page });
      this.text(this.left, 24, "start", chart.title, { "font-size": 15, "font-weight": 600, fill: look.ink });
    }
    for (const e of this.entries) this.drawEntry(e);
    this.drawAxes();
    const behind = (s) => s.faint || s.look === "area" || s.look === "bars";
    chart.series.forEach((s, i) => { if (behind(s)) this.drawSeries(s, i); });
    chart.series.forEach((s, i) => { if (!behind(s)) this.drawSeries(s, i); });
  }

  drawEntry({ i, x, y, name }) {
    const s = this.chart.series[i], opacity = s.faint ? 0.35 : 1;
    if (s.look === "bars") {
      this.add("rect", { x: x + 0.5, y: y - 4.5, width: 17, height: 9, ...this.barLook(i) });
    } else if (s.look === "area") {
      this.add("rect", { x, y: y - 5, width: 18, height: 10, fill: this.colour(i), opacity });
    } else {
      if (s.look !== "marks") {
        this.add("path", { d: `M${x} ${y}h18`, stroke: this.colour(i), "stroke-width": 2, opacity, ...this.dash(i) });
      }
      if (isMarked(s)) this.mark(i, x + 9, y);
    }
    this.text(x + 26, y + 4, "start", name);
  }

  dash(i) {
    const s = this.chart.series[i], dash = DASHES[i % DASHES.length];
    return isMarked(s) || this.chart.series.length < 2 || !dash ? {} : { "stroke-dasharray": dash };
  }

  drawAxes() {
    const { chart, look } = this;
    for (const t of this.y.ticks(this.rows)) {
      const y = this.bottom - t.at * (this.bottom - this.top);
      this.add("path", { d: `M${this.left} ${y.toFixed(1)}H${this.right}`, stroke: look.line });
      this.text(this.left - 7, y + 4, "end", t.text);
    }
    this.drawTimes();
    this.add("path", { d: `M${this.left} ${this.bottom}H${this.right}`, stroke: look.axis });
    if (chart.x.label) this.text((this.left + this.right) / 2, this.bottom + LINE * 2 + this.slant, "middle", chart.x.label);
    if (!chart.y.label) return;
    this.add("text", { transform: `translate(14 ${(this.top + this.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" },
             chart.y.label);
  }

  drawTimes() {
    let last = -1e9;
    this.x.ticks(this.mostColumns()).forEach((t, i) => {
      const x = this.left + t.at * (this.right - this.left);
      if (this.slanted) {
        this.add("text", { transform: `translate(${x + 4} ${this.bottom + 16}) rotate(-30)`, "text-anchor": "end" }, this.names[i]);
        return;
      }
      if (!this.chart.x.names) this.add("path", { d: `M${x.toFixed(1)} ${this.bottom}v5`, stroke: this.look.axis });
      const half = textLength(t.text) / 2, middle = this.labelMiddle(t);
      if (middle - half < last + 5) return;
      last = middle + half;
      this.text(middle, this.bottom + LINE, "middle", t.text);
    });
  }

  /// A label at the end of the axis stays in the drawing.
  labelMiddle(t) { return Math.min(this.left + t.at * (this.right - this.left), this.width - 3 - textLength(t.text) / 2); }

  /// As many ticks along the chart as have room for their labels.
  mostColumns() {
    let most = Math.max(2, Math.floor((this.right - this.left) / 62));
    const fits = (ticks) => ticks.every((t, i) => i === 0 ||
      this.labelMiddle(t) - textLength(t.text) / 2 >= this.labelMiddle(ticks[i - 1]) + textLength(ticks[i - 1].text) / 2 + 5);
    while (most > 2 && !fits(this.x.ticks(most))) most--;
    return most;
  }

  drawSeries(s, i) {
    if (s.look === "bars") return this.drawBars(s, i);
    if (s.look === "area") this.drawArea(s, i);
    else if (s.look !== "marks") this.drawLine(s, i);
    const aside = this.aside(i);
    s.y.forEach((y, k) => {
      if (y === null) return;
      this.errorBar(s, k, this.px(s.x[k]) + aside, this.colour(i));
      if (isMarked(s)) this.mark(i, this.px(s.x[k]) + aside, this.py(y));
    });
  }

  /// Lines with intervals stand a little beside one another, so that these can be told apart.
  aside(i) {
    const apart = (s) => s.look === "line" && s.low?.some((v) => v !== null);
    if (!apart(this.chart.series[i])) return 0;
    const before = this.chart.series.slice(0, i).filter(apart).length, all = this.chart.series.filter(apart).length;
    return (before - (all - 1) / 2) * Math.min(ASIDE, 4 * ASIDE / all);
  }

  drawLine(s, i) {
    let d = "", open = false;
    const aside = this.aside(i);
    s.y.forEach((y, k) => {
      if (y === null) { open = false; return; }
      const px = (this.px(s.x[k]) + aside).toFixed(2), py = this.py(y).toFixed(2);
      d += !open ? `M${px} ${py}` : s.look === "steps" ? `H${px}V${py}` : `L${px} ${py}`;
      open = true;
    });
    this.add("path", { d, fill: "none", stroke: this.colour(i), "stroke-width": 1.8, "stroke-linejoin": "round",
                       opacity: s.faint ? 0.35 : 1, ...this.dash(i) });
  }

  drawArea(s, i) {
    if (!s.x.length) return;
    let d = `M${this.px(s.x[0]).toFixed(2)} ${this.bottom}`;
    s.y.forEach((y, k) => { d += `H${this.px(s.x[k]).toFixed(2)}V${this.py(y ?? 0).toFixed(2)}`; });
    this.add("path", { d: `${d}V${this.bottom}Z`, fill: this.colour(i), opacity: s.faint ? 0.3 : 0.75 });
  }

  drawBars(s, i) {
    const bars = this.chart.series.filter((b) => b.look === "bars"), mine = bars.indexOf(s);
    const slot = this.px(1) - this.px(0) || this.right - this.left, wide = slot * 0.76 / bars.length;
    s.y.forEach((y, k) => {
      if (y === null) return;
      const x = this.px(s.x[k]) - slot * 0.38 + wide * mine, base = this.py(Math.max(0, this.y.low)), end = this.py(y);
      this.add("rect", { x: (x + 0.5).toFixed(2), y: Math.min(base, end).toFixed(2), width: Math.max(wide - 1, 0.5).toFixed(2),
                         height: Math.abs(base - end).toFixed(2), ...this.barLook(i) });
      this.errorBar(s, k, x + wide / 2, this.look.ink);
    });
  }

  errorBar(s, k, x, stroke) {
    if (!s.low || s.low[k] === null) return;
    const low = this.py(s.low[k]).toFixed(2), high = this.py(s.high[k]).toFixed(2), at = x.toFixed(2), left = (x - 3).toFixed(2);
    this.add("path", { d: `M${at} ${low}V${high}M${left} ${low}h6M${left} ${high}h6`, stroke, "stroke-width": 1.2 });
  }

  mark(i, x, y) {
    const s = this.chart.series[i], shape = SHAPES[(s.colour ?? i) % SHAPES.length];
    this.add("path", { d: `M${x.toFixed(2)} ${y.toFixed(2)}${shape}`, fill: s.look === "marks" ? this.look.page : this.colour(i),
                       stroke: this.colour(i), "stroke-width": 1.4 });
  }
}
