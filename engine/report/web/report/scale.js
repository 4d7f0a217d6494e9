// Where values lie along an axis and which of them are labelled: as engine/report/chart_scale.cpp does it.

const NAMED_TIMES = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 21600, 86400, 864000, 8640000];

function axisNumber(x) {
  const size = Math.abs(x);
  if (size >= 1e9) return x.toExponential(2).replace(/\.?0*e\+?/, "e");
  if (size >= 1000 && x === Math.round(x)) return grouped(x);
  return String(size < 1e-12 ? 0 : Number(x.toPrecision(6)));
}

/// One unit only, the largest that the time is a multiple of.
function spanLabel(seconds) {
  for (const [name, length] of UNITS) {
    const n = seconds / length;
    if (n >= 1 && Math.abs(n - Math.round(n)) < 1e-9) return `${axisNumber(Math.round(n))}\u202f${name}`;
  }
  return `${axisNumber(seconds)}\u202fs`;
}

/// A value as tips and tables say it.
function valueText(x, unit) {
  if (x === null || x === undefined) return "";
  if (unit === "share") return `${Number((x * 100).toPrecision(4))}\u202f%`;
  const round = (to) => span(Math.round(x / to) * to);
  if (unit === "time") return Math.abs(x) >= 36000 ? round(60) : Math.abs(x) >= 10 ? round(1) : `${Number(x.toPrecision(3))}\u202fs`;
  return Math.abs(x) >= 1000 ? grouped(x) : String(Number(x.toPrecision(4)));
}

class Scale {
  constructor(axis, low, high) {
    this.axis = axis;
    if (axis.names) [low, high] = [-0.5, axis.names.length - 0.5];
    if (axis.log && !(low > 0)) low = high > 0 ? Math.min(1, high / 1000) : 1;
    if (!(high > low)) high = axis.log ? low * 10 : low + 1;
    Object.assign(this, { low, high });
  }

  /// From 0 to 1.
  place(value) {
    const { low, high } = this;
    if (!this.axis.log) return Math.min(Math.max((value - low) / (high - low), 0), 1);
    return value > low ? Math.min(Math.log(value / low) / Math.log(high / low), 1) : 0;
  }

  ticks(most) {
    const { axis, low, high } = this;
    if (axis.names) return axis.names.map((text, i) => ({ value: i, at: this.place(i), text }));
    if (axis.ticks) return this.labelled(axis.ticks.filter((v) => v >= low && v <= high));
    if (axis.log) return this.powers(most);
    const time = axis.unit === "time", scale = axis.unit === "share" ? 100 : 1;
    const least = (high - low) / Math.max(1, most);
    const step = time ? timeStep(least) : decimalStep(least * scale) / scale, ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-6; k++) {
      const value = k * step, label = time ? tickLabel(value, step) : { text: this.label(value) };
      ticks.push({ value, at: this.place(value), ...label });
    }
    return ticks;
  }

  label(value) {
    if (this.axis.unit === "share") return `${axisNumber(value * 100)}\u202f%`;
    return this.axis.unit === "time" ? spanLabel(value) : axisNumber(value);
  }

  powers(most) {
    const { axis, low, high } = this, values = [];
    if (axis.unit === "time") values.push(...NAMED_TIMES);
    else {
      const room = Math.log10(high / low) * 3 <= most;
      for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
        values.push(power, ...(room ? [2 * power, 5 * power] : []));
      }
    }
    return this.labelled(values.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)));
  }

  labelled(values) { return values.map((value) => ({ value, at: this.place(value), text: this.label(value) })); }
}

/// The scale of an axis for the data of a chart.
function scaleOf(chart, upright) {
  const axis = upright ? chart.y : chart.x;
  let low = Infinity, high = -Infinity;
  const see = (v) => { if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); } };
  for (const s of chart.series) {
    s.y.forEach((y, i) => {
      if (y === null) return;
      see(upright ? y : s.x[i]);
      if (upright && s.low && s.low[i] !== null) { see(s.low[i]); see(s.high[i]); }
    });
  }
  if (low > high) [low, high] = [0, 0];
  if (upright && !axis.log) {
    const air = 0.04 * (Math.max(high, 0) - Math.min(low, 0));
    low = low < 0 ? low - air : 0;
    high = high > 0 ? high + air : 0;
  } else if (upright && low > 0) {
    [low, high] = [low / 1.15, high * 1.15];
  } else if (!upright && !axis.names && !axis.log) {
    const points = chart.series.some((s) => s.look === "marks" || s.x.length <= 30);
    const air = points ? 0.03 * (high - low) : 0;
    [low, high] = [low - air, high + air];
  }
  return new Scale(axis, axis.low ?? low, axis.high ?? high);
}
