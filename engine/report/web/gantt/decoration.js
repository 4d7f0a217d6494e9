// Everything around the rectangles: slices, lost time, axes, the job that stands out.

const FONT = 'system-ui, "Segoe UI", "Liberation Sans", Helvetica, Arial, sans-serif';
const STRIP = 18;  // height of the strip that names the slices

function classColour(chart, cls) { return chart.theme.classes[cls % chart.theme.classes.length]; }

/// First and last slice in view, or null.
function slicesInView(chart) {
  const { slices } = chart.model;
  if (slices.count === 0) return null;
  const first = Math.max(0, lastAtMost(slices.begin, chart.view.t0)), last = lastAtMost(slices.begin, chart.view.t1);
  return last < first ? null : [first, last];
}

/// Behind the rectangles: a breath of the class's colour in its slices, stripes where time is lost.
function drawSliceBands(context, chart) {
  const range = slicesInView(chart);
  if (!range) return;
  const { slices } = chart.model, { box, theme } = chart;
  const wide = (chart.xOf(chart.view.t1) - chart.xOf(chart.view.t0)) / (range[1] - range[0] + 1);
  if (wide < 4) return;
  const lost = stripes(mix(theme.plot, theme.ink, 0.22), 5);
  for (let i = range[0]; i <= range[1]; i++) {
    const x0 = chart.xOf(slices.begin[i]), dead = chart.xOf(slices.dead[i]), x1 = chart.xOf(slices.end[i]);
    context.fillStyle = mix(theme.plot, classColour(chart, slices.cls[i]), 0.1);
    context.fillRect(x0, box.y, dead - x0, box.height);
    if (x1 - dead < 0.3) continue;
    context.fillStyle = lost;
    context.fillRect(dead, box.y, x1 - dead, box.height);
  }
}

// What away.lost says of what is drawn behind jobs.
const GONE = 0, LOST = 1, RESERVED = 2;
const RESERVED_COLOUR = "#5a9a3a";

/// Behind them, too: grey where nodes are not there, crossed where a run was interrupted, green where they are reserved.
function drawAway(context, chart) {
  const { model: { away }, theme, view } = chart;
  const styles = [];
  styles[GONE] = mix(theme.plot, theme.ink, 0.2);
  styles[LOST] = stripes(mix(theme.plot, theme.ink, 0.22), 5, true);
  styles[RESERVED] = mix(theme.plot, RESERVED_COLOUR, 0.3);
  for (let i = 0; i < away.count; i++) {
    if (away.to[i] < view.t0 || away.from[i] > view.t1) continue;
    const x0 = chart.xOf(away.from[i]), y0 = chart.yOf(away.first[i]);
    context.fillStyle = styles[away.lost[i]];
    context.fillRect(x0, y0, chart.xOf(away.to[i]) - x0, chart.yOf(away.first[i] + away.nodes[i]) - y0);
  }
}

/// Above them: whose slice it is. Too many to tell apart: how the time was shared, column by column.
function drawSliceStrip(context, chart) {
  const range = slicesInView(chart);
  if (!range) return;
  const { slices, about } = chart.model, { box, theme } = chart, y = box.y - STRIP;
  context.font = `11px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  if (box.width / (range[1] - range[0] + 1) < 1.5) return drawSliceShares(context, chart, range, y);
  for (let i = range[0]; i <= range[1]; i++) {
    const x0 = Math.max(box.x, chart.xOf(slices.begin[i])), x1 = Math.min(box.x + box.width, chart.xOf(slices.dead[i]));
    const colour = classColour(chart, slices.cls[i]);
    context.fillStyle = colour;
    context.fillRect(x0, y, Math.max(0.5, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), STRIP - 4);
    const name = about.classes[slices.cls[i]];
    if (x1 - x0 < context.measureText(name).width + 8) continue;
    context.fillStyle = isBright(colour) ? "#10131a" : "#ffffff";
    context.fillText(name, (x0 + x1) / 2, y + (STRIP - 4) / 2 + 0.5);
  }
  context.strokeStyle = mix(theme.plot, theme.ink, 0.25);
}

function drawSliceShares(context, chart, range, y) {
  const { slices, about } = chart.model, { box, view } = chart;
  const columns = Math.max(1, Math.floor(box.width / 2)), per = (view.t1 - view.t0) / columns;
  const shares = new Float64Array(columns * about.classes.length);
  for (let i = range[0]; i <= range[1]; i++) {
    const c = Math.floor((slices.begin[i] - view.t0) / per);
    if (c >= 0 && c < columns) shares[c * about.classes.length + slices.cls[i]] += slices.dead[i] - slices.begin[i];
  }
  for (let c = 0; c < columns; c++) {
    const all = about.classes.reduce((sum, _, k) => sum + shares[c * about.classes.length + k], 0);
    let at = y;
    for (let k = 0; all > 0 && k < about.classes.length; k++) {
      const tall = shares[c * about.classes.length + k] / all * (STRIP - 4);
      context.fillStyle = classColour(chart, k);
      context.fillRect(box.x + c * 2, at, 2, tall);
      at += tall;
    }
  }
}

function drawTimeAxis(context, chart) {
  const { box, view, theme, top, bottom } = chart;
  context.textBaseline = "alphabetic";
  context.textAlign = "center";
  context.font = `12px ${FONT}`;
  context.fillStyle = theme.soft;
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  let written = -Infinity;
  for (const { value, text } of instantsThatFit(chart.model.clock, view.t0, view.t1, box.width, 7)) {
    const x = Math.round(chart.xOf(value)) + 0.5, half = context.measureText(text).width / 2;
    context.beginPath();
    context.moveTo(x, top - 5);
    context.lineTo(x, bottom);
    context.stroke();
    const middle = Math.min(x, chart.width - 2 - half);
    if (middle - half < written + 4) continue;  // the last one, moved left, would lie over the one before
    context.fillText(text, middle, top - 9);
    written = middle + half;
  }
}

function drawNodeAxis(context, chart) {
  const { box, view, theme } = chart, row = box.height / (view.n1 - view.n0);
  const step = nodeStep(chart.model.nodes, 18 / row);
  context.font = `12px ${FONT}`;
  context.fillStyle = theme.soft;
  context.textAlign = "right";
  context.textBaseline = "middle";
  if (chart.model.about.kinds) return drawKinds(context, chart, row);
  for (let node = Math.ceil(view.n0 / step) * step; node < view.n1 && node < chart.model.nodes; node += step) {
    const y = chart.yOf(node + 0.5);
    if (y > box.y - 4 && y < box.y + box.height + 4) context.fillText(String(node), box.x - 9, Math.max(y, box.y + 5));
  }
  caption(context, chart, "nodes", box.y + box.height / 2);
}

/// Where nodes differ: names of nodes where there is room, else of kinds, and a line between kinds.
function drawKinds(context, chart, row) {
  const { box, view, theme, model } = chart, each = row >= 14, left = box.x - (model.gpuRows.size ? 14 : 9);
  context.strokeStyle = theme.soft;
  context.lineWidth = 1;
  for (const { name, first, count, gpus = 0 } of model.about.kinds) {
    const low = Math.max(first, view.n0), high = Math.min(first + count, view.n1);
    if (low >= high) continue;
    if (first > view.n0) {
      const y = Math.round(chart.yOf(first)) + 0.5;
      context.beginPath();
      context.moveTo(box.x, y);
      context.lineTo(box.x + box.width, y);
      context.stroke();
    }
    if (!each && (high - low) * row >= 12) context.fillText(name, left, chart.yOf((low + high) / 2), left - 4);
    for (let node = Math.floor(low); each && node < high; node++) {
      const y = chart.yOf(node + 0.5);
      if (y > box.y - 4 && y < box.y + box.height + 4) context.fillText(model.nodeName(node), left, Math.max(y, box.y + 5), left - 4);
      drawGpuNumbers(context, chart, node, gpus, row);
    }
  }
}

/// Of a node that has a row for each GPU, where there is room.
function drawGpuNumbers(context, chart, node, gpus, row) {
  const { box, model } = chart, rows = model.gpuRows.get(node) ?? 0;
  if (rows === 0 || row < 9 * rows) return;
  context.font = `9px ${FONT}`;
  for (let gpu = 0; gpu < gpus; gpu++) {
    const y = chart.yOf(node + (gpu + 0.5) / rows);
    if (y > box.y && y < box.y + box.height) context.fillText(String(gpu), box.x - 3, y);
  }
  context.font = `12px ${FONT}`;
}

/// Machines of 128 nodes are counted in powers of two, those of 100 in tens.
function nodeStep(nodes, least) {
  if (nodes % 16 !== 0) return Math.max(1, decimalStep(least));
  return 2 ** Math.max(0, Math.ceil(Math.log2(least)));
}

function caption(context, chart, text, y) {
  context.save();
  context.translate(15, y);
  context.rotate(-Math.PI / 2);
  context.font = `12px ${FONT}`;
  context.fillStyle = chart.theme.soft;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, 0, 0);
  context.restore();
}

/// The job that stands out: the others step back; its nodes are tinted from its first start to its end.
function drawChosen(context, chart, job) {
  const { model, box, theme } = chart, { jobs, sets } = model;
  context.globalAlpha = 0.62;
  context.fillStyle = theme.plot;
  context.fillRect(box.x, box.y, box.width, box.height);
  context.globalAlpha = 0.1;
  context.fillStyle = theme.accent;
  for (let r = sets.ranges[job]; r < sets.ranges[job + 1]; r++) {
    const y0 = chart.yOf(sets.first[r]), y1 = Math.max(chart.yOf(sets.last[r] + 1), y0 + 2);
    context.fillRect(chart.xOf(jobs.start[job]), y0, chart.xOf(jobs.end[job]) - chart.xOf(jobs.start[job]), y1 - y0);
  }
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = box.height / (chart.view.n1 - chart.view.n0) > 6 ? 2 : 1.5;
  for (const b of chart.piecesOf(job)) drawChosenPiece(context, chart, b);
  drawSwaps(context, chart, job);
  context.lineWidth = 1;
}

function drawChosenPiece(context, chart, b) {
  const { model, box, shades, theme } = chart, { bars } = model;
  const x0 = chart.xOf(bars.from[b]), w = Math.max(chart.xOf(bars.to[b]) - x0, 2);
  if (x0 > box.x + box.width || x0 + w < box.x) return;
  model.eachRectangle(b, (low, high) => {
    const y0 = chart.yOf(low), h = Math.max(chart.yOf(high) - y0, 2);
    context.fillStyle = shades.fill[shades.of[b]];
    context.fillRect(x0, y0, w, h);
    if (bars.kind[b] & LOADING) {
      context.fillStyle = stripes(mix(theme.plot, theme.ink, 0.06), 6);
      context.fillRect(x0, y0, w, h);
    }
    context.strokeRect(x0, y0, w, h);
  });
}

/// Small diamonds where its memory was written out.
function drawSwaps(context, chart, job) {
  const { model, theme } = chart, { sets, swaps } = model;
  context.fillStyle = theme.accent;
  for (const i of chart.swapsOf(job)) {
    const x = chart.xOf(swaps.at[i]), y = chart.yOf(sets.first[sets.ranges[job]]);
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x + 4, y);
    context.lineTo(x, y + 5);
    context.lineTo(x - 4, y);
    context.fill();
  }
}

/// Where the pointer is: a line through all charts, the time at its top.
function drawCross(context, chart, t) {
  const { theme, top, bottom, box } = chart, x = Math.round(chart.xOf(t)) + 0.5;
  context.strokeStyle = theme.soft;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, top - 4);
  context.lineTo(x, bottom);
  context.stroke();
  context.setLineDash([]);
  const second = (chart.view.t1 - chart.view.t0) / box.width;
  const text = instant(chart.model.clock,
                       second >= 60 ? Math.round(t / 60) * 60 : second >= 1 ? Math.round(t) : Math.round(t * 1000) / 1000);
  context.font = `600 12px ${FONT}`;
  const half = context.measureText(text).width / 2 + 6;
  const middle = Math.min(Math.max(x, half + 2), chart.width - half - 2);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.roundRect(middle - half, top - 23, half * 2, 19, 4);
  context.fill();
  context.fillStyle = theme.page;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, middle, top - 13);
}
