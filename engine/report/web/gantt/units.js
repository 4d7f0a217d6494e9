// Times and numbers as people read them.

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];

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

/// A whole number of some unit that makes ticks no closer than `least` seconds.
function timeStep(least) {
  if (least <= 1) return decimalStep(least);
  for (const step of STEPS) if (step >= least) return step;
  return decimalStep(least / 86400) * 86400;
}

/// 1, 2 or 5 times a power of ten, at least `least`.
function decimalStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (power * factor >= least * (1 - 1e-9)) return power * factor;
  return power * 10;
}

/// A tick shows its own unit only: 50 min, 1 h, 10 min; `strong` where a larger unit begins.
function tickLabel(t, step) {
  const whole = Math.round(t * 1000) / 1000;
  if (whole === 0) return { text: "0", strong: true };
  const finest = step >= 1 ? UNITS.findIndex(([, length]) => step >= length && step % length === 0) : UNITS.length - 1;
  for (let u = 0; u <= finest; u++) {
    const [name, length] = UNITS[u];
    if (whole % length !== 0 && u < UNITS.length - 1) continue;
    const n = u > 0 ? whole % UNITS[u - 1][1] / length : whole / length;
    return { text: `${Math.round(n * 1000) / 1000}\u202f${name}`, strong: u < finest };
  }
  return { text: span(whole), strong: false };
}

/// What ticks of that step leave unsaid about the left edge: "3 d 5 h", or "".
function tickContext(t, step) {
  const finest = UNITS.findIndex(([, length]) => step >= length);
  const parent = finest > 0 ? UNITS[finest - 1][1] : finest < 0 ? 60 : 0;
  if (parent === 0 || t < parent) return "";
  return span(Math.floor(t / parent) * parent);
}
