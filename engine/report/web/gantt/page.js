// The page: the view, its drawing, and the beginning of everything.

const SLOW = 14;    // ms of painting above which a moving view shows the last painting, stretched
const PAUSE = 110;  // ms without movement before it is painted again

class Chart {
  constructor(model) {
    this.model = model;
    this.canvas = document.getElementById("chart");
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.overlay = document.getElementById("overlay").getContext("2d");
    this.details = new Details(model);
    this.raster = new Raster();
    this.rectangles = new Rectangles();
    this.chosen = -1;
    this.colouring = this.byJob() ? "job" : "class";
    document.getElementById("colouring").value = this.colouring;
    this.paintTime = 0;
    this.full = { t0: model.from, t1: model.to, n0: 0, n1: model.nodes };
    this.view = { ...this.full };
    this.retheme();
    this.layOut();
    new ResizeObserver(() => this.resize()).observe(document.getElementById("stage"));
  }

  /// Jobs on one node are told apart, unless colours say whose slice it is.
  byJob() { return this.model.shared && this.model.slices.count === 0; }

  retheme() {
    this.theme = THEMES[isDark() ? "dark" : "light"];
    this.recolour();
  }

  colour(name) {
    this.colouring = name;
    document.getElementById("colouring").value = name;
    this.recolour();
  }

  recolour() {
    this.shades = new Shades(this.model, this.colouring, this.theme);
    this.raster.view = null;
    drawLegend(this);
    this.redraw();
  }

  /// A canvas that changes its size is black until it is drawn: at once, not with the next frame.
  resize() {
    const stage = document.getElementById("stage");
    if (stage.clientWidth === this.width && stage.clientHeight === this.height && this.ratio === (devicePixelRatio || 1)) return;
    this.layOut();
    this.draw();
  }

  layOut() {
    const stage = document.getElementById("stage");
    const ratio = devicePixelRatio || 1;
    this.width = stage.clientWidth;
    this.height = stage.clientHeight;
    for (const canvas of [this.canvas, this.overlay.canvas]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    this.ratio = ratio;
    const sliced = this.model.slices.count > 0, left = 40 + this.longestLabel() * 7;
    this.top = 28;
    this.bottom = this.height - 8;
    const queue = Math.max(46, Math.min(110, this.height * 0.15));
    const y = this.top + (sliced ? STRIP : 2), x = Math.max(left, 56);
    this.box = { x, y, width: Math.max(40, this.width - x - 10), height: Math.max(40, this.bottom - queue - 18 - y) };
    this.queueBox = { x, y: this.bottom - queue, width: this.box.width, height: queue };
    this.raster.view = null;
  }

  /// Letters of the longest name of a kind, and of some nodes.
  longestLabel() {
    const { nodes, about } = this.model, ends = (about.kinds ?? []).flatMap((k) => [k.first, k.first + k.count - 1]);
    const names = about.kinds ? [...about.kinds.map((k) => k.name), ...ends.map((n) => this.model.nodeName(n))] : [String(nodes - 1)];
    return Math.min(16, Math.max(...names.map((name) => name.length)));
  }

  xOf(t) { return this.box.x + (t - this.view.t0) / (this.view.t1 - this.view.t0) * this.box.width; }
  yOf(node) { return this.box.y + (node - this.view.n0) / (this.view.n1 - this.view.n0) * this.box.height; }
  timeAt(x) { return this.view.t0 + (x - this.box.x) / this.box.width * (this.view.t1 - this.view.t0); }
  nodeAt(y) { return this.view.n0 + (y - this.box.y) / this.box.height * (this.view.n1 - this.view.n0); }

  /// No farther than everything, no closer than ten milliseconds and one node.
  /// `following`: another picture moved first.
  setView(view, following = false) {
    const { full } = this;
    const time = clamp(view.t0, view.t1, full.t0, full.t1, 0.01), nodes = clamp(view.n0, view.n1, full.n0, full.n1, 1);
    this.view = { t0: time[0], t1: time[1], n0: nodes[0], n1: nodes[1] };
    this.moved = performance.now();
    this.redraw();
    if (!following) this.tell("moved", { ...this.view });
  }

  /// For a page that has several pictures.
  tell(what, detail) { document.documentElement.dispatchEvent(new CustomEvent(what, { detail })); }

  follow({ moved, held }) {
    if (moved) this.setView(moved.n1 <= this.model.nodes ? moved : { ...moved, n0: this.view.n0, n1: this.view.n1 }, true);
    if (held !== undefined) this.choose(held === null ? -1 : this.model.find(held), true);
  }

  everything() { this.setView(this.full); }

  pan(dx, dy) {
    const { view, box } = this, dt = dx / box.width * (view.t1 - view.t0), dn = dy / box.height * (view.n1 - view.n0);
    this.setView({ t0: view.t0 + dt, t1: view.t1 + dt, n0: view.n0 + dn, n1: view.n1 + dn });
  }

  /// By factors of time and nodes, about a place on the canvas or its middle.
  zoom(time, nodes, place) {
    const { view, box } = this;
    const t = place ? this.timeAt(Math.max(box.x, place.x)) : (view.t0 + view.t1) / 2;
    const n = place ? Math.min(this.nodeAt(place.y), view.n1) : (view.n0 + view.n1) / 2;
    this.setView({ t0: t + (view.t0 - t) * time, t1: t + (view.t1 - t) * time,
                   n0: n + (view.n0 - n) * nodes, n1: n + (view.n1 - n) * nodes });
  }

  zoomToChosen() {
    if (this.chosen < 0) return;
    const { jobs } = this.model, job = this.chosen, margin = (jobs.end[job] - jobs.submit[job]) * 0.12;
    this.setView({ ...this.view, t0: jobs.submit[job] - margin, t1: jobs.end[job] + margin, n0: 0, n1: this.model.nodes });
  }

  choose(job, following = false) {
    if (!following) this.tell("held", job < 0 ? null : this.model.jobs.id[job]);
    this.chosen = job;
    this.pieces = job < 0 ? [] : this.model.barsOf(job);
    this.swaps = job < 0 ? [] : this.model.swapsOf(job);
    this.details.pin(following ? -1 : job, this.pieces, this.swaps);
    this.details.hide();
    this.redraw();
  }

  piecesOf() { return this.pieces; }
  swapsOf() { return this.swaps; }

  barAt(place) {
    const { box } = this;
    const inside = place.x >= box.x && place.x < box.x + box.width && place.y >= box.y && place.y < box.y + box.height;
    return inside ? this.model.barAt(this.timeAt(place.x), this.nodeAt(place.y)) : -1;
  }

  hover(place, pageX, pageY) {
    this.pointer = place;
    const { box } = this;
    if (!place || place.x < box.x || place.x > box.x + box.width) {
      this.pointer = null;
      this.details.hide();
    } else {
      const t = this.timeAt(place.x);
      this.details.hover(pageX, pageY, this.barAt(place), t, this.nodeAt(place.y), place.y >= this.queueBox.y - 8);
    }
    this.drawOverlay();
  }

  /// As if the pointer were at that time on that node.
  hoverAt(t, node) {
    const stage = this.canvas.getBoundingClientRect();
    const place = { x: this.xOf(t), y: Number.isFinite(node) ? this.yOf(node + 0.5) : this.queueBox.y + 10 };
    this.hover(place, stage.left + place.x, stage.top + place.y);
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.draw(); });
  }

  draw() {
    if (!this.box) return;
    const begin = performance.now(), { context, theme, box } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = theme.page;
    context.fillRect(0, 0, this.width, this.height);
    context.fillStyle = theme.plot;
    context.fillRect(box.x, box.y, box.width, box.height);
    this.clipped(box, () => {
      drawSliceBands(context, this);
      drawAway(context, this);
    });
    drawTimeAxis(context, this);
    this.clipped(box, () => {
      this.drawJobs();
      if (this.chosen >= 0) drawChosen(context, this, this.chosen);
    });
    this.clipped({ x: box.x, y: this.top - 2, width: box.width, height: STRIP }, () => drawSliceStrip(context, this));
    drawNodeAxis(context, this);
    drawQueue(context, this);
    if (this.chosen >= 0) this.clipped(this.queueBox, () => drawChosenWait(context, this, this.chosen));
    this.drawOverlay();
    this.report(performance.now() - begin);
  }

  clipped(box, f) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(box.x, box.y, box.width, box.height);
    this.context.clip();
    f();
    this.context.restore();
  }

  /// One by one if they are few, else painted; while the view moves faster than it can be painted, the last painting.
  drawJobs() {
    const { view, box, raster } = this;
    this.drawn = this.rectangles.look(this.model, view, box.width * box.height);
    if (this.drawn >= 0) {
      this.rectangles.draw(this.context, this);
      return;
    }
    const same = raster.view && ["t0", "t1", "n0", "n1"].every((key) => raster.view[key] === view[key]);
    const moving = performance.now() - (this.moved ?? 0) < PAUSE;
    if (!same && raster.view && moving && this.paintTime > SLOW) {
      setTimeout(() => this.redraw(), PAUSE);
      this.drawn = this.painted;
    } else if (!same) {
      const begin = performance.now();
      raster.resize(box.width, box.height, this.ratio);
      this.painted = this.drawn = raster.paint(this.model, view, this.shades);
      this.paintTime = performance.now() - begin;
    } else {
      this.drawn = this.painted;
    }
    raster.show(this.context, view, box);
  }

  drawOverlay() {
    const { overlay: context, pointer } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (pointer) drawCross(context, this, this.timeAt(pointer.x));
  }

  /// For screen readers, and for tests.
  report(time) {
    const { model, view, drawn, box } = this, data = document.documentElement.dataset;
    const stage = this.canvas.getBoundingClientRect();
    const plot = [stage.left + box.x, stage.top + box.y, box.width, box.height];
    Object.assign(data, { drawn, drawMs: time.toFixed(1), painted: String(this.rectangles.count < 0),
                          plot: plot.join(" "), view: [view.t0, view.t1, view.n0, view.n1].join(" ") });
    this.canvas.setAttribute("aria-label", `Gantt chart of ${grouped(model.jobs.count)} jobs on ${grouped(model.nodes)} nodes, ` +
      `from ${instant(model.clock, Math.round(view.t0))} to ${instant(model.clock, Math.round(view.t1))}, nodes ${Math.floor(view.n0)} to ${Math.ceil(view.n1) - 1}`);
  }
}

/// [a, b] inside [low, high], at least `least` long, its length kept where that is possible.
function clamp(a, b, low, high, least) {
  const length = Math.min(Math.max(b - a, least), high - low);
  const from = Math.min(Math.max(b - a < least ? (a + b - length) / 2 : a, low), high - length);
  return [from, from + length];
}

function drawLegend(chart) {
  const { model, theme, shades, colouring } = chart, legend = document.getElementById("legend");
  const slices = new Set(model.slices.cls), drawn = new Set(shades.of.map((shade) => shade >> 2));  // what has colours
  const sample = shades.colours[drawn.has(1) ? 1 : Math.min(shades.colours.length - 1, ...drawn)];
  if (colouring === "class") slices.forEach((c) => drawn.add(c));
  const scale = colouring === "wait";  // whose steps tell only together what they mean
  const named = COLOURINGS[colouring].names(model).map((name, i) => [name, { fill: shades.colours[i] }]);
  const items = named.filter((_, i) => scale || drawn.has(i));
  if (scale) items.unshift(["Wait:", null]);
  if (colouring !== "class" && model.slices.count) {
    items.push(["\u2003Slices:", null]);
    model.about.classes.forEach((name, c) => slices.has(c) && items.push([name, { fill: classColour(chart, c) }]));
  }
  if (colouring === "job" && model.shared) items.push(["colours tell jobs apart; those that share a node are drawn side by side", null]);
  const has = (bit) => model.bars.kind.some((kind) => kind & bit);
  const loading = model.about.powered ? "nodes come up" : "loading memory";
  if (has(LOADING)) items.push([loading, { fill: mix(sample, theme.ink, 0.45), hatch: mix(theme.plot, theme.ink, 0.06) }]);
  if (has(IN_VAIN)) items.push(["interrupted run", { fill: mix(sample, theme.ink, 0.45), hatch: mix(theme.plot, theme.ink, 0.06), crossed: true }]);
  if (has(FOREIGN)) items.push(["foreign job in another class's slice", { fill: mix(sample, theme.plot, 0.5), outline: sample }]);
  if (model.slices.count && model.slices.end.some((end, i) => end > model.slices.dead[i])) {
    items.push(["lost at a slice's end", { fill: theme.plot, hatch: mix(theme.plot, theme.ink, 0.35) }]);
  }
  const { away } = model;
  if (away.count && away.lost.some((lost) => lost === LOST)) {
    items.push(["interrupted run", { fill: theme.plot, hatch: mix(theme.plot, theme.ink, 0.35), crossed: true }]);
  }
  if (away.count && away.lost.some((lost) => lost === GONE)) items.push(["node down", { fill: mix(theme.plot, theme.ink, 0.2) }]);
  if (away.count && away.lost.some((lost) => lost === RESERVED)) items.push(["reserved", { fill: mix(theme.plot, RESERVED_COLOUR, 0.3) }]);
  legend.replaceChildren(...items.map(([name, look]) => {
    const item = element("li");
    if (look) item.append(swatch(look));
    item.append(name);
    return item;
  }));
}

function swatch({ fill, hatch, crossed, outline }) {
  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
  canvas.width = 44;
  canvas.height = 24;
  context.scale(2, 2);
  for (const style of [fill, hatch && stripes(hatch, 5, crossed)]) {
    if (!style) continue;
    context.fillStyle = style;
    context.fillRect(0, 0, 22, 12);
  }
  if (outline) {
    context.strokeStyle = outline;
    context.strokeRect(0.5, 0.5, 21, 11);
  }
  return canvas;
}

async function begin() {
  const state = document.getElementById("state"), data = document.documentElement.dataset;
  try {
    const start = performance.now();
    const about = JSON.parse(document.getElementById("about").textContent);
    const model = new Model(about, readColumns(await unpack(document.getElementById("data").textContent), about.columns));
    document.getElementById("data").remove();
    document.getElementById("facts").textContent =
      `${grouped(model.jobs.count)} jobs on ${grouped(model.nodes)} nodes under ${about.policy}, ` +
      `${span(Math.round(model.to - model.from))}, at most ${grouped(model.mostWaiting)} waiting`;
    state.remove();
    const chart = new Chart(model);
    new Input(chart).readAddress();
    chart.draw();
    Object.assign(data, { jobs: model.jobs.count, bars: model.bars.count, rectangles: model.rects.count,
                          loadMs: (performance.now() - start).toFixed(1), ready: "yes" });
    chart.tell("begun");
  } catch (error) {
    state.textContent = `This page cannot be shown: ${error.message}`;
    data.ready = "failed";
    throw error;
  }
}

begin();
