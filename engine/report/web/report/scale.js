// Where values lie along an axis and which of them are labelled: as engine/report/charts/chart_svg.cpp does it.

const NARROWEST = 1e-11;  // narrower ranges are none for a number of 53 bits

/// A value as tips and tables say it.
function valueText(x, unit) {
  if (x === null || x === undefined) return "";
  if (unit === "share") return `${Number((x * 100).toPrecision(x > 0.999 && x < 1 ? 7 : 4))}\u202f%`;
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
    high = Math.max(high, low + NARROWEST * Math.max(Math.abs(low), Math.abs(high)));
    Object.assign(this, { low, high });
  }

  /// From 0 to 1.
  place(value) {
    const { low, high } = this;
    if (!this.axis.log) return Math.min(Math.max((value - low) / (high - low), 0), 1);
    return value > low ? Math.min(Math.log(value / low) / Math.log(high / low), 1) : 0;
  }

  /// At most about that many, at round values; each label is the whole value, all are in one unit.
  ticks(most) {
    const { axis, low, high } = this, share = axis.unit === "share", time = axis.unit === "time";
    if (axis.names) return this.placed(axis.names.map((text, value) => ({ value, text })));
    if (axis.ticks) return this.placed(this.given(axis.ticks.filter((v) => v >= low && v <= high)));
    if (axis.log) return this.placed(roundPowers(low, high, most, time ? timeUnitOfPowers(low, high) : share ? SHARE : NUMBER));
    const step = time ? timeStep(low, high, most) : decimalSteps(low, high, most, share ? SHARE : NUMBER);
    return this.placed(roundValues(low, high, step));
  }

  given(values) {
    if (this.axis.unit === "time") return labelledTimes(values);
    const share = this.axis.unit === "share";
    return values.map((value) => ({ value, text: share ? `${exactNumber(Number((value * 100).toPrecision(12)))}${SHARE.name}` : exactNumber(value) }));
  }

  placed(values) { return values.map((v) => ({ ...v, at: this.place(v.value) })); }
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
