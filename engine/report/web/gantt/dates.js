// Instants as dates, where the workload says what date its second 0 was; else seconds of the trace. As
// engine/report/charts/axis_ticks.cpp makes them.

const DATE_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const DAY = 86400, SHORTEST_OF_DATES = 5;

/// "2026-03-01 08:30:00" at whole seconds since 1970.
function dateOf(local) { return new Date(local * 1000).toISOString().slice(0, 19).replace("T", " "); }

/// `clock` is the local second since 1970 at second 0 of the trace; undefined: there is none.
function instant(clock, seconds) {
  if (clock === undefined) return span(seconds);
  const whole = Math.floor(seconds + 1e-9), rest = Math.round((seconds - whole) * 1000);
  return dateOf(clock + whole) + (rest > 0 ? `.${String(rest).padStart(3, "0").replace(/0+$/, "")}` : "");
}

/// All multiples of the step by the local clock.
function datesApart(clock, low, high, step) {
  const out = [];
  let midnight = false;
  for (let local = Math.ceil((Math.ceil(low) + clock) / step) * step; local - clock <= high; local += step) {
    const text = dateOf(local), isDate = local % DAY === 0;
    midnight ||= isDate;
    out.push({ value: local - clock, text: isDate ? text.slice(0, 10) : text.slice(11, step % 60 === 0 ? 16 : 19) });
  }
  if (!midnight && out.length) out[0].text = `${dateOf(out[0].value + clock).slice(0, 10)} ${out[0].text}`;
  return out;
}

/// As many round instants as fit beside one another on this many pixels, with letters of this width.
function instantsThatFit(clock, low, high, pixels, letter) {
  if (clock === undefined || high - low < SHORTEST_OF_DATES) return timesThatFit(low, high, pixels, letter);
  for (let i = 0; ; i++) {
    const step = i < DATE_STEPS.length ? DATE_STEPS[i] : DAY * 2 ** (i - DATE_STEPS.length + 1);
    const apart = step / (high - low) * pixels;
    if (letter * 5 + 8 > apart && apart < pixels) continue;
    const values = datesApart(clock, low, high, step);
    const fits = values.every((v, k) => k === 0 || letter * (values[k - 1].text.length + v.text.length) / 2 + 8 <= apart);
    if (fits || apart >= pixels) return values;
  }
}
