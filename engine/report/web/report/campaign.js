// A campaign: any figure over any axis, means over the seeds with their intervals.

const MOST_LABELLED = 8;  // values along the chart that are labelled themselves
const FEWEST_ALIKE = 6;   // so many equal differences come by chance in less than one of 20 cases

/// The mean of values and the half width of its confidence interval; null where one value alone says nothing of it.
function meanOf(values, quantiles) {
  const n = values.length, mean = values.reduce((a, b) => a + b, 0) / n;
  if (n < 2) return { n, mean, half: null };
  const squares = values.reduce((a, b) => a + (b - mean) ** 2, 0);
  const t = quantiles[Math.min(n - 1, quantiles.length - 1)];
  return { n, mean, half: t * Math.sqrt(squares / (n - 1) / n) };
}

/// Lines of values above 0, which can stand on a logarithmic scale: bars begin at 0, and differences may be negative.
function isAbove0(series) {
  return series.every((s) => s.look === "line" && s.y.every((y) => y === null || y > 0));
}

/// How the numbers of a table are written: in one unit, with as many digits as their intervals leave sure.
function tableStyle(chart) {
  const { unit } = chart.y, all = chart.series.flatMap((s) => s.y.filter((y) => y !== null)), most = Math.max(0, ...all.map(Math.abs));
  if (unit === "share") return { name: "%", scale: 0.01 };
  if (unit !== "time") return { name: "", scale: 1 };
  const [name, scale] = UNITS.find(([, length]) => most >= 2 * length) ?? ["s", 1];
  return { name, scale };
}

/// "0.61 \u00b1 0.28": two digits of the half width; four of a value that stands alone.
function estimateText(mean, half, scale) {
  const value = mean / scale, width = half === null ? 0 : half / scale;
  if (!(width > 0)) return exactNumber(Number(value.toPrecision(4)));
  const digits = Math.min(Math.max(0, 1 - Math.floor(Math.log10(width))), 6);
  const text = (x) => (digits ? x.toFixed(digits) : grouped(Math.round(x)));
  return `${text(value)} \u00b1 ${text(width)}`;
}

class CampaignView {
  constructor(data) {
    // axes: [{name, values}], figures: [{title, unit, values}], places: per run, per axis; null where an axis does not
    // apply: a policy without a parameter stands beside the others at each of its values
    Object.assign(this, data);
    this.state = { figure: data.figure, x: data.x, by: data.by, versus: -1, log: data.log, fixed: this.axes.map(() => 0) };
    this.box = document.getElementById("campaign-choices");
    this.table = document.getElementById("campaign-table");
    this.view = new ChartView(this.chart());
    document.getElementById("campaign-chart").append(this.view.figure);
    this.refresh();
  }

  axisNames() { return this.axes.map((a) => a.name); }

  refresh() {
    const { state } = this, choices = [];
    choices.push(this.choice("Figure", "figure", this.figures.map((f) => f.title), state.figure, (i) => { state.figure = i; }));
    choices.push(this.choice("Over", "x", this.axisNames(), state.x, (i) => {
      if (state.by === i) state.by = state.x;
      state.x = i;
      state.versus = -1;
    }));
    const others = this.axes.map((_, i) => i).filter((i) => i !== state.x);
    if (others.length) {
      const names = [...others.map((i) => this.axes[i].name), "nothing"];
      const at = state.by < 0 ? names.length - 1 : others.indexOf(state.by);
      choices.push(this.choice("Lines by", "by", names, at, (k) => { state.by = k < others.length ? others[k] : -1; state.versus = -1; }));
    }
    if (state.by >= 0) {
      const names = ["values", ...this.axes[state.by].values.map((v) => `difference to ${v}`)];
      choices.push(this.choice("Show", "versus", names, state.versus + 1, (k) => { state.versus = k - 1; }));
    }
    this.axes.forEach((axis, i) => {
      if (i === state.x || i === state.by || axis.values.length < 2) return;
      choices.push(this.choice(axis.name, `axis-${i}`, axis.values, state.fixed[i], (k) => { state.fixed[i] = k; }));
    });
    if (isAbove0(this.chart().series))
      choices.push(this.choice("Scale", "scale", ["linear", "logarithmic"], Number(state.log), (k) => { state.log = k === 1; }));
    const focused = document.activeElement?.id;
    this.box.replaceChildren(...choices);
    if (focused) document.getElementById(focused)?.focus();
    this.view.show(this.chart());
    this.fillTable();
  }

  choice(label, id, names, chosen, take) {
    const box = element("label", label), select = element("select");
    select.id = `choose-${id}`;
    names.forEach((name, i) => {
      const option = element("option", name);
      option.value = i;
      option.selected = i === chosen;
      select.append(option);
    });
    select.addEventListener("change", () => { take(Number(select.value)); this.refresh(); });
    box.append(select);
    return box;
  }

  /// From a bit below the least value: an interval that reaches 0 ends at the edge.
  logarithmic(axis, series) {
    const above = series.flatMap((s) => [...s.y, ...s.low]).filter((y) => y !== null && y > 0);
    const least = Math.min(...series.flatMap((s) => s.y).filter((y) => y !== null));
    return { ...axis, log: true, low: Math.max(Math.min(...above), least / 10) / 1.3 };
  }

  /// The figure by seed of the runs at that place of the x axis and of the lines, and the seed that gives the same run.
  valuesAt(x, line) {
    const { state } = this, out = new Map();
    this.places.forEach((place, run) => {
      for (let i = 0; i < this.axes.length; i++) {
        const wanted = i === state.x ? x : i === state.by ? line : state.fixed[i];
        if (place[i] !== null && place[i] !== wanted) return;
      }
      const value = this.figures[state.figure].values[run];
      if (value !== null) out.set(this.seeds[run], { value, unit: this.units[run] });
    });
    return out;
  }

  /// Whether the lines' axis applies to any run that is shown.
  splits() {
    const { state } = this, shown = (place) => place.every((at, i) => at === null || i === state.x || i === state.by || at === state.fixed[i]);
    return state.by >= 0 && this.places.some((place) => place[state.by] !== null && shown(place));
  }

  estimate(x, line) {
    const own = this.valuesAt(x, line), base = this.state.versus < 0 ? null : this.valuesAt(x, this.state.versus);
    // Each unit counts once: seeds whose runs are the same say no more than one.
    const units = new Map();
    for (const [seed, { value, unit }] of own) {
      if (!base) units.set(unit, value);
      else if (base.has(seed)) units.set(`${unit} ${base.get(seed).unit}`, value - base.get(seed).value);
    }
    if (!units.size) return null;
    const found = meanOf([...units.values()], this.quantiles);
    // A few equal differences are coarse, not certain (app/lab/compare/statistics.h).
    return base && found.half === 0 && found.mean !== 0 && found.n < FEWEST_ALIKE ? { ...found, half: null } : found;
  }

  chart() {
    const { state } = this, axis = this.axes[state.x], figure = this.figures[state.figure];
    const numeric = axis.values.length > 1 && axis.values.every((v) => v !== "" && Number.isFinite(Number(v)));
    const lines = !this.splits() ? [-1] : this.axes[state.by].values.map((_, i) => i).filter((i) => i !== state.versus);
    const series = lines.map((line) => {
      const found = axis.values.map((_, x) => this.estimate(x, line));
      const order = axis.values.map((_, i) => i);
      if (numeric) order.sort((a, b) => axis.values[a] - axis.values[b]);
      const pick = (f) => order.map((i) => f(found[i], i));
      return {
        name: line < 0 ? "" : this.axes[state.by].values[line], look: numeric ? "line" : "bars", colour: Math.max(line, 0),
        x: pick((_, i) => (numeric ? Number(axis.values[i]) : i)), y: pick((e) => (e ? e.mean : null)), n: pick((e) => (e ? e.n : 0)),
        low: pick((e) => (e && e.half !== null ? e.mean - e.half : null)), high: pick((e) => (e && e.half !== null ? e.mean + e.half : null)),
      };
    });
    const logarithmic = state.log && isAbove0(series);
    const upright = { label: figure.title, unit: figure.unit };
    const runs = series.flatMap((s) => s.n).filter(Boolean), most = Math.max(0, ...runs), least = Math.min(...runs, most);
    const fixed = this.axes.map((a, i) => (i === state.x || i === state.by || a.values.length < 2 ? "" : `${a.name} ${a.values[state.fixed[i]]}`)).filter(Boolean);
    const counts = most === least ? `${most} seed${most === 1 ? "" : "s"}` : `${least} to ${most} seeds`;
    const difference = state.versus < 0 ? "" : `, difference to ${this.axes[state.by].values[state.versus]} on the same seeds`;
    return {
      name: figure.title.replace(/[^a-z0-9]+/gi, "-"), title: `${figure.title} over ${axis.name}${difference}`,
      note: `${most > 1 ? `Means over ${counts} with intervals of 95\u202f%.` : "One seed: nothing says what is chance."}${fixed.length ? ` At ${fixed.join(", ")}.` : ""}`,
      x: { label: axis.name, unit: "number", names: numeric ? undefined : axis.values,
           ticks: numeric && axis.values.length <= MOST_LABELLED ? axis.values.map(Number).sort((a, b) => a - b) : undefined },
      y: logarithmic ? this.logarithmic(upright, series) : upright, series,
    };
  }

  /// The chart in numbers.
  fillTable() {
    const { chart } = this.view, head = element("tr"), rows = [], { name, scale } = tableStyle(chart);
    head.append(element("th", chart.x.label, "text"), ...chart.series.map((s) => element("th", s.name || chart.y.label)));
    const places = chart.series[0]?.x ?? [];
    places.forEach((x, k) => {
      const row = element("tr");
      row.append(element("td", chart.x.names ? chart.x.names[x] : String(x), "text"));
      for (const s of chart.series) {
        const half = s.high[k] === null ? null : s.high[k] - s.y[k];
        row.append(element("td", s.y[k] === null ? "\u2013" : estimateText(s.y[k], half, scale)));
      }
      rows.push(row);
    });
    const top = element("thead"), body = element("tbody");
    top.append(head);
    body.append(...rows);
    this.table.replaceChildren(element("caption", `${chart.y.label}${name ? `, ${name}` : ""}`), top, body);
  }
}
