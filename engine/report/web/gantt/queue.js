// Below the nodes: how many jobs wait, over the same time.

function drawQueue(context, chart) {
  const { queueBox: box, theme, model, view } = chart;
  const { highest, mean } = queueColumns(model, view, Math.max(1, Math.round(box.width)));
  const top = highest.reduce((a, b) => Math.max(a, b), 1);
  const y = (n) => box.y + box.height - n / top * box.height;
  fillSteps(context, box, highest, y, mix(theme.plot, theme.ink, 0.22));
  fillSteps(context, box, mean, y, mix(theme.plot, theme.ink, 0.52));
  context.font = `12px ${FONT}`;
  context.fillStyle = theme.soft;
  context.textAlign = "right";
  context.textBaseline = "middle";
  let step = Math.max(1, decimalStep(top / Math.max(1, box.height / 26)));
  if (step > top) step = Math.max(1, decimalStep(top / 2.5));
  for (let n = 0; n <= top; n += step) {
    if (n > 0 && y(n) < box.y - 2) break;
    context.fillText(grouped(n), box.x - 9, y(n));
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(box.x - 4, Math.round(y(n)) + 0.5);
    context.lineTo(n === 0 ? box.x + box.width : box.x, Math.round(y(n)) + 0.5);
    context.stroke();
  }
  caption(context, chart, "waiting", box.y + box.height / 2);
}

/// The highest and the mean count in each column of the view.
function queueColumns(model, view, columns) {
  const { at, waiting } = model.queue, per = (view.t1 - view.t0) / columns;
  const highest = new Float32Array(columns), mean = new Float32Array(columns);
  for (let i = Math.max(0, lastAtMost(at, view.t0)); i < at.length && at[i] < view.t1; i++) {
    const from = Math.max(view.t0, at[i]), to = Math.min(view.t1, i + 1 < at.length ? at[i + 1] : model.to);
    if (waiting[i] === 0 || to <= from) continue;
    const first = Math.max(0, Math.floor((from - view.t0) / per)), last = Math.min(columns - 1, Math.floor((to - view.t0) / per));
    for (let c = first; c <= last; c++) {
      const part = Math.min(to, view.t0 + (c + 1) * per) - Math.max(from, view.t0 + c * per);
      if (part <= 0) continue;
      highest[c] = Math.max(highest[c], waiting[i]);
      mean[c] += waiting[i] * part / per;
    }
  }
  return { highest, mean };
}

function fillSteps(context, box, values, y, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(box.x, y(0));
  const wide = box.width / values.length;
  for (let c = 0; c < values.length; c++) {
    context.lineTo(box.x + c * wide, y(values[c]));
    context.lineTo(box.x + (c + 1) * wide, y(values[c]));
  }
  context.lineTo(box.x + box.width, y(0));
  context.fill();
}

/// While the chosen job waits, its wait lies on the queue.
function drawChosenWait(context, chart, job) {
  const { queueBox: box, theme, model } = chart;
  const x0 = chart.xOf(model.jobs.submit[job]), x1 = chart.xOf(model.jobs.start[job]);
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.22;
  context.fillRect(x0, box.y, x1 - x0, box.height);
  context.globalAlpha = 1;
  context.fillRect(x0, box.y + box.height - 3, Math.max(2, x1 - x0), 3);
}
