// Few rectangles: drawn one by one, with gaps, hatches, outlines and the jobs' numbers.

const MOST_RECTANGLES = 12000, MOST_LABELS = 1500;
const LEAST_AREA = 150;  // square pixels for each: with less, gaps and outlines would be all there is to see

/// Stripes for what makes no progress.
function stripes(colour, gap, crossed = false) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = gap;
  const context = tile.getContext("2d");
  context.strokeStyle = colour;
  context.lineWidth = 1.2;
  context.beginPath();
  for (const shift of [-gap, 0, gap]) {
    context.moveTo(shift - 1, gap + 1);
    context.lineTo(shift + gap + 1, -1);
    if (!crossed) continue;
    context.moveTo(shift - 1, -1);
    context.lineTo(shift + gap + 1, gap + 1);
  }
  context.stroke();
  return context.createPattern(tile, "repeat");
}

const VAIN = 256;  // beyond all shades: of a run that was interrupted

class Rectangles {
  constructor() { this.found = new Int32Array(MOST_RECTANGLES); }

  /// The number of rectangles in view, -1 if they are too many for this way.
  look(model, view, area) {
    this.count = model.visible(view, this.found);
    if (this.count * LEAST_AREA > area) this.count = -1;
    return this.count;
  }

  draw(context, chart) {
    const { model, shades, theme } = chart;
    const groups = new Map();  // by shade: one path each
    for (let i = 0; i < this.count; i++) {
      const bar = model.rects.bar[this.found[i]];
      const shade = shades.of[bar] + (model.bars.kind[bar] & IN_VAIN ? VAIN : 0);
      if (!groups.has(shade)) groups.set(shade, []);
      groups.get(shade).push(this.found[i]);
    }
    const white = mix(theme.plot, theme.ink, 0.06), hatch = stripes(white, 6), crossed = stripes(white, 6, true);
    for (const [shade, rects] of groups) this.drawGroup(context, chart, shade % VAIN, rects, shade < VAIN ? hatch : crossed);
    this.join(context, chart);
    this.label(context, chart);
  }

  /// Where a job goes on with other nodes, it is one shape on those that it keeps.
  join(context, chart) {
    const { model, view, shades } = chart, { bars, seams } = model, gap = this.gap(chart);
    const beside = (b) => Math.min(3, (chart.xOf(bars.to[b]) - chart.xOf(bars.from[b])) / 2);
    for (let i = 0; i < seams.bar.length; i++) {
      const b = seams.bar[i], t = bars.from[b];
      if (t <= view.t0 || t >= view.t1 || seams.low[i] >= view.n1 || seams.high[i] <= view.n0) continue;
      const left = beside(seams.before[i]), y = chart.yOf(seams.low[i]);
      context.fillStyle = shades.fill[shades.of[b]];
      context.fillRect(chart.xOf(t) - left, y + gap / 2, left + beside(b), chart.yOf(seams.high[i]) - y - gap);
    }
  }

  drawGroup(context, chart, shade, rects, hatch) {
    const foreign = (shade & FOREIGN) !== 0;
    context.beginPath();
    for (const i of rects) {
      const [x, y, w, h] = this.place(chart, i);
      if (w > 5 && h > 5) context.roundRect(x, y, w, h, Math.min(2.5, h / 4)); else context.rect(x, y, w, h);
    }
    context.fillStyle = chart.shades.fill[shade];
    context.fill();
    if (shade & LOADING) {
      context.fillStyle = hatch;
      context.fill();
    }
    this.outlineParts(context, chart, rects);
    if (!foreign) return;
    context.beginPath();
    for (const i of rects) {
      const [x, y, w, h] = this.place(chart, i);
      if (w > 4 && h > 4) context.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, Math.min(2, h / 4));
    }
    context.strokeStyle = chart.shades.colours[shade >> 2];
    context.lineWidth = 1;
    context.stroke();
  }

  /// Parts of a shared node are apart from one another, whatever their colours.
  outlineParts(context, chart, rects) {
    const { bars, rects: all } = chart.model;
    context.beginPath();
    for (const i of rects) {
      const [x, y, w, h] = this.place(chart, i);
      if (bars.lanes[all.bar[i]] > 1 && w > 3 && h > 3) context.roundRect(x + 0.5, y + 0.5, w - 1, h - 1, Math.min(2, h / 4));
    }
    context.strokeStyle = chart.theme.ink;
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    context.stroke();
    context.globalAlpha = 1;
  }

  /// Between rows, in pixels.
  gap({ view, box }) {
    const row = box.height / (view.n1 - view.n0);
    return row > 7 ? 1 : row > 3 ? 0.5 : 0;
  }

  /// Where the rectangle lies on the canvas: with a gap to its neighbours where there is room for one.
  place(chart, i) {
    const { model, box } = chart, b = model.rects.bar[i];
    const x0 = Math.max(box.x - 8, chart.xOf(model.bars.from[b])), x1 = Math.min(box.x + box.width + 8, chart.xOf(model.bars.to[b]));
    const y0 = chart.yOf(model.rects.low[i]), y1 = chart.yOf(model.rects.high[i]);
    const gap = this.gap(chart), w = x1 - x0;
    return [x0, y0 + gap / 2, w > 3 ? w - 1 : Math.max(w, 0.8), Math.max(y1 - y0 - gap, 0.8)];
  }

  /// By job that changed its nodes: which of its rectangles in view is the largest.
  largestOfChanged(chart) {
    const { rects, bars, changed } = chart.model, largest = new Map(), areas = new Map();
    if (changed.size === 0) return largest;
    for (let i = 0; i < this.count; i++) {
      const job = bars.job[rects.bar[this.found[i]]];
      if (!changed.has(job)) continue;
      const [, , w, h] = this.place(chart, this.found[i]);
      if (w * h <= (areas.get(job) ?? 0)) continue;
      areas.set(job, w * h);
      largest.set(job, this.found[i]);
    }
    return largest;
  }

  /// A job that changed its nodes is one shape with one name.
  label(context, chart) {
    const { model, shades, box } = chart, largest = this.largestOfChanged(chart);
    let left = MOST_LABELS;
    context.font = `600 11px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let i = 0; i < this.count && left > 0; i++) {
      const [x, y, w, h] = this.place(chart, this.found[i]);
      if (h < 11 || w < 16) continue;
      const b = model.rects.bar[this.found[i]], shade = shades.of[b];
      if (shade & LOADING) continue;
      if ((largest.get(model.bars.job[b]) ?? this.found[i]) !== this.found[i]) continue;
      const text = String(model.jobs.id[model.bars.job[b]]);
      const from = Math.max(x, box.x), to = Math.min(x + w, box.x + box.width);
      if (to - from < text.length * 6.6 + 6) continue;
      context.fillStyle = shades.bright[shade] ? "#10131a" : "#ffffff";
      context.fillText(text, (from + to) / 2, y + h / 2 + 0.5);
      left--;
    }
  }
}
