// Times and numbers as people read them.

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/// "2 d 3 h 5 s"; nothing is lost down to a millisecond.
function span(seconds) {
  if (seconds < 0) return "\u2212" + span(-seconds);
  let rest = Math.round(seconds * 1000) / 1000;
  const parts = [];
  for (const [name, length] of UNITS) {
    const n = name === "s" ? Math.round(rest * 1000) / 1000 : Math.floor(rest / length);
    rest -= n * length;
    if (n > 0) parts.push(`${n}\u202f${name}`);
  }
  return parts.length ? parts.join(" ") : "0\u202fs";
}

function grouped(n) { return Math.round(n).toLocaleString("en-US"); }

// Round values along an axis and their labels, as engine/report/axis_ticks.cpp makes them: every label is the whole value,
// all of an axis in one unit. A step is a number of `unit`, which is what one of it is on the axis: 3600 for hours of an
// axis in seconds.

const LARGEST_WRITTEN = 1e15, MOST_DECIMALS = 9;
const STEPS = { 3600: [0.5, 1, 2, 3, 6, 12, 24, 48], 60: [0.5, 1, 2, 5, 10, 15, 30, 60, 120], 1: [1, 2, 5, 10, 15, 30, 60, 120] };
const NUMBER = { step: 1, unit: 1, name: "" }, SHARE = { step: 1, unit: 0.01, name: "\u202f%" };

/// 1, 2 or 5 times a power of ten, at least `least`.
function decimalStep(least) {
  const power = powerOfTen(Math.floor(Math.log10(least)));
  for (const factor of [1, 2, 5]) if (power * factor >= least * (1 - 1e-9)) return power * factor;
  return power * 10;
}

/// 10 ** -1 is not always 0.1.
function powerOfTen(k) { return Number(`1e${k}`); }

/// A step in a unit of time: halves at least, but for seconds.
function stepIn(unit, least) {
  if (unit === 86400) return decimalStep(Math.max(least, 0.5));
  if (unit === 1 && least <= 1) return decimalStep(least);
  return STEPS[unit].find((step) => step >= least * (1 - 1e-9)) ?? decimalStep(least);
}

function decimalSteps(low, high, most, of) { return { ...of, step: decimalStep((high - low) / of.unit / most) }; }

/// Of seconds, in the unit that fits the range.
function timeStep(low, high, most) {
  const largest = Math.max(Math.abs(low), Math.abs(high)), least = (high - low) / most;
  const hours = (length) => length === 86400 && largest <= 3 * length && least <= length / 2; // half a day is 12 h
  const [name, unit] = UNITS.find(([, length]) => largest >= 2 * length && least >= length / 4 && !hours(length)) ?? ["s", 1];
  return { step: stepIn(unit, least / unit), unit, name: `\u202f${name}` };
}

function decimalsOf(step) { return Math.max(0, -Math.floor(Math.log10(step) + 1e-9)); }

/// Commas between the thousands of a decimal number.
function withCommas(digits) {
  const [whole, rest] = digits.split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest === undefined ? "" : `.${rest}`);
}

/// `n` is a multiple of `step`; no other value of the axis is larger than `largest`.
function stepText(n, step, largest, name) {
  if (Math.abs(n) < step * 1e-6) return "0";
  const decimals = decimalsOf(step);
  if (decimals > MOST_DECIMALS || largest >= LARGEST_WRITTEN) {
    const digits = Math.floor(Math.log10(Math.abs(n)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9);
    return n.toExponential(Math.min(Math.max(digits, 0), 16)) + name;
  }
  const text = withCommas(n.toFixed(decimals));
  return (decimals ? text.replace(/\.?0+$/, "") : text) + name;
}

/// All multiples of the step from `low` to `high`, rising.
function roundValues(low, high, { step, unit, name }) {
  const from = low / unit / step, to = high / unit / step, out = [];
  if (!Number.isFinite(from) || !Number.isFinite(to)) return out;
  const largest = Math.max(Math.abs(low), Math.abs(high)) / unit;
  for (let k = Math.ceil(from - 1e-9); k <= to + 1e-9; k++) {
    out.push({ value: k * step * unit, text: stepText(k * step, step, largest, name) });
  }
  return out;
}

/// The unit for times of a logarithmic axis.
function timeUnitOfPowers(low, high) {
  const [name, unit] = UNITS.find(([, length]) => low >= length / 10 && high >= 2 * length) ?? ["s", 1];
  return { step: 1, unit, name: `\u202f${name}` };
}

/// Of a logarithmic axis: powers of ten, with 2 and 5 between them where there is room; multiples of a step where the
/// range is short.
function roundPowers(low, high, most, of) {
  const from = low / of.unit, to = high / of.unit, decades = Math.log10(to / from), out = [];
  const room = decades * 3 <= most, stride = Math.max(1, Math.ceil(decades / most - 1e-9));
  for (let k = Math.floor(Math.log10(from)); powerOfTen(k) <= to * (1 + 1e-9); k++) {
    if (k % stride !== 0) continue;
    for (const factor of room ? [1, 2, 5] : [1]) {
      const power = powerOfTen(k), n = factor * power;
      if (n >= from * (1 - 1e-9) && n <= to * (1 + 1e-9)) out.push({ value: n * of.unit, text: stepText(n, power, n, of.name) });
    }
  }
  return out.length > 2 || decades > 1 ? out : roundValues(low, high, decimalSteps(low, high, most, of));
}

/// A value that stands alone, with all of its digits.
function exactNumber(x) { return Math.abs(x) < 1000 || Math.abs(x) >= LARGEST_WRITTEN ? String(x) : withCommas(String(x)); }

/// These values, in whatever unit of time gives all of them short labels.
function labelledTimes(seconds) {
  const halves = ([, length]) => seconds.every((t) => Math.abs(t / length * 2 - Math.round(t / length * 2)) < 1e-9);
  const [name, unit] = UNITS.find(halves) ?? ["s", 1];
  return seconds.map((value) => ({ value, text: value === 0 ? "0" : `${exactNumber(value / unit)}\u202f${name}` }));
}

/// As many instants as fit beside one another on this many pixels, with letters of this width.
function timesThatFit(low, high, pixels, letter) {
  for (let most = Math.max(2, Math.floor(pixels / 60)); ; most--) {
    const step = timeStep(low, high, most), values = roundValues(low, high, step);
    const longest = Math.max(0, ...values.map((v) => v.text.length)), apart = step.step * step.unit / (high - low) * pixels;
    if (most <= 2 || letter * longest + 8 <= apart) return values;
  }
}
