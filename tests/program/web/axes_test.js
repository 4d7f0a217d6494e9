// The axes of pages: the sources of their scales are read as they are, by Node or in a browser (axes_test.py).
// `axesTest(golden, dateAxes)` returns a list of what is wrong.

function axesTest(golden, dateAxes) {
  const wrong = [], lengths = { s: 1, min: 60, h: 3600, d: 86400 };
  const check = (what, happened) => { if (!happened) wrong.push(what); };
  const near = (a, b, by) => Math.abs(a - b) <= by;

  const read = (text) => {
    const [digits, unit = ""] = text.split("\u202f");
    return { number: Number(digits.replace(/,/g, "")), unit };
  };
  const lengthOf = (unit, of) => (of === "time" ? lengths[unit] : of === "share" ? 0.01 : 1);

  const checkAxis = (axis, low, high, most) => {
    const scale = new Scale(axis, low, high), ticks = scale.ticks(most), span = scale.high - scale.low, values = [];
    const where = `${JSON.stringify(axis)} ${low} to ${high}, at most ${most}: ${ticks.map((t) => t.text).join("|")}`;
    const units = new Set(ticks.filter((t) => t.text !== "0").map((t) => read(t.text).unit));
    check(`one unit: ${where}`, units.size <= 1);
    ticks.forEach((t, i) => {
      const { number, unit } = read(t.text), value = t.text === "0" ? 0 : number * lengthOf(unit, axis.unit);
      check(`${t.text} reads as its value: ${where}`, near(value, t.value, 1e-9 * Math.max(span, Math.abs(value))));
      check(`${t.text} stands at its place: ${where}`,
            axis.log ? near(scale.place(value), t.at, 1e-9) : near((value - scale.low) / span, t.at, 1e-4));
      check(`rising: ${where}`, i === 0 || (value > values[i - 1] && t.at > ticks[i - 1].at));
      values.push(value);
    });
    check(`not too many: ${where}`, ticks.length <= most + (axis.log ? 2 : 1));
    if (axis.log) return;
    for (let i = 2; i < values.length; i++) {
      check(`evenly: ${where}`, near(values[i] - values[i - 1], values[1] - values[0], 1e-3 * (values[1] - values[0])));
    }
    check(`not too few: ${where}`, most < 5 || ticks.length >= 2);
  };

  let state = 1;  // xorshift: the same ranges each time
  const random = () => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const uniform = (a, b) => a + (b - a) * random();
  for (let i = 0; i < 3000; i++) {
    const axis = { unit: ["time", "number", "share"][Math.floor(uniform(0, 3))], log: random() < 0.25 };
    const most = 2 + Math.floor(uniform(0, 14)), span = 10 ** uniform(-3, 9), kind = random();
    const from = axis.log ? 10 ** uniform(-3, 6)
      : kind < 0.3 ? 0 : kind < 0.6 ? -span * random() : uniform(-1, 1) * span * 10 ** uniform(0, 4);
    checkAxis(axis, from, axis.log ? from * 10 ** uniform(0.1, 9) : from + span, most);
  }

  for (const line of golden.split("\n").filter((l) => l && !l.startsWith("#"))) {
    const [, unit, kind, numbers, expected] = /^(\w+) (\w+) ([^:]*): (.*)$/.exec(line);
    const [low, high, most, ...given] = numbers.split(" ").map(Number);
    const ticks = new Scale({ unit, log: kind === "log", ticks: kind === "given" ? given : undefined }, low, high).ticks(most);
    const found = ticks.map((t) => t.text.replace("\u202f", " ")).join("|");
    check(`${line}, not ${found}`, found === expected);
  }
  return [...wrong, ...dateAxesTest(dateAxes)];
}

/// Second 0 is 2026-03-01 20:30:20 by the local clock.
function dateAxesTest(golden) {
  const wrong = [];
  for (const line of golden.split("\n").filter((l) => l && !l.startsWith("#"))) {
    const [, numbers, expected] = /^([^:]*): (.*)$/.exec(line);
    const [low, high, pixels, letter] = numbers.split(" ").map(Number);
    const found = instantsThatFit(1772389820 + 7200, low, high, pixels, letter).map((t) => t.text.replace("\u202f", " ")).join("|");
    if (found !== expected) wrong.push(`${line}, not ${found}`);
  }
  const clock = 1772389820 + 7200;
  if (instant(clock, 59.5) !== "2026-03-01 20:31:19.5") wrong.push(`an instant is ${instant(clock, 59.5)}`);
  if (instant(undefined, 90) !== "1\u202fmin 30\u202fs") wrong.push(`without a date it is ${instant(undefined, 90)}`);
  return wrong;
}
