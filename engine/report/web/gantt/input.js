// Pointer, wheel, keys, the controls, and the address: `#from=0&to=7200&job=12` shows that window and that job.

class Input {
  constructor(chart) {
    this.chart = chart;
    this.pointers = new Map();  // pressed ones, where they were last
    this.canvas = document.getElementById("chart");
    this.bindPointer();
    this.bindControls();
    addEventListener("keydown", (e) => this.key(e));
    addEventListener("hashchange", () => this.readAddress());
    document.documentElement.addEventListener("embedded", () => chart.retheme());
    document.documentElement.addEventListener("follow", (e) => chart.follow(e.detail));
  }

  bindPointer() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (e) => this.press(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.release(e));
    canvas.addEventListener("pointercancel", (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener("pointerleave", () => this.chart.hover(null));
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("dblclick", (e) => this.chart.zoom(0.4, 1, this.at(e)));
  }

  /// The pointer's place on the canvas.
  at(e) {
    const box = this.canvas.getBoundingClientRect();
    return { x: e.clientX - box.left, y: e.clientY - box.top };
  }

  press(e) {
    if (e.button !== 0) return;
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, this.at(e));
    this.travelled = this.pointers.size > 1 ? Infinity : 0;
  }

  move(e) {
    const now = this.at(e), before = this.pointers.get(e.pointerId);
    if (!before) return this.chart.hover(now, e.clientX, e.clientY);
    this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (this.travelled > 4) {
      this.canvas.classList.add("moving");
      this.chart.hover(null);
      if (this.pointers.size > 1) this.pinch(e.pointerId, before, now);
      else this.chart.pan(before.x - now.x, before.y - now.y);
    }
    this.pointers.set(e.pointerId, now);
  }

  pinch(id, before, now) {
    const [other] = [...this.pointers].filter(([key]) => key !== id).map(([, place]) => place);
    const apart = (a) => Math.max(12, Math.hypot(a.x - other.x, a.y - other.y));
    this.chart.zoom(apart(before) / apart(now), 1, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    this.chart.pan((before.x - now.x) / 2, (before.y - now.y) / 2);
  }

  release(e) {
    if (!this.pointers.delete(e.pointerId)) return;
    this.canvas.classList.remove("moving");
    if (this.travelled <= 4) this.click(this.at(e));
  }

  click(place) {
    const b = this.chart.barAt(place), job = b < 0 ? -1 : this.chart.model.bars.job[b];
    this.chart.choose(job === this.chart.chosen ? -1 : job);
  }

  /// Inside another page the wheel scrolls that page, until a click here.
  wheel(e) {
    if (document.documentElement.dataset.embedded && document.activeElement !== this.canvas && !e.ctrlKey) return;
    e.preventDefault();
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 200 : 1;
    const along = e.deltaY || (e.shiftKey ? e.deltaX : 0);
    if (!along || (!e.shiftKey && Math.abs(e.deltaX) > Math.abs(e.deltaY))) return this.chart.pan(e.deltaX * unit, 0);
    const factor = Math.exp(Math.max(-240, Math.min(240, along * unit)) * (e.ctrlKey ? 0.008 : 0.0022));
    this.chart.zoom(e.shiftKey ? 1 : factor, e.shiftKey || e.ctrlKey ? factor : 1, this.at(e));
  }

  bindControls() {
    const { chart } = this, on = (id, event, f) => document.getElementById(id).addEventListener(event, f);
    on("colouring", "change", (e) => chart.colour(e.target.value));
    on("closer", "click", () => chart.zoom(0.6, 1));
    on("farther", "click", () => chart.zoom(1 / 0.6, 1));
    on("all", "click", () => chart.everything());
    on("theme", "click", () => this.toggleTheme());
    on("help", "click", () => document.getElementById("keys").showModal());
    on("close", "click", () => chart.choose(-1));
    on("to-job", "click", () => chart.zoomToChosen());
    on("search", "submit", (e) => { e.preventDefault(); this.search(document.getElementById("job").value); });
    on("job", "input", (e) => e.target.setCustomValidity(""));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart.retheme());
  }

  search(text) {
    const { chart } = this, job = text.trim() === "" ? -1 : chart.model.find(Number(text));
    if (job >= 0) {
      chart.choose(job);
      chart.zoomToChosen();
      return;
    }
    const field = document.getElementById("job");
    field.setCustomValidity(text.trim() === "" ? "Type the number of a job." : `No job ${text.trim()} runs in this picture.`);
    field.reportValidity();
    chart.details.say(field.validationMessage);
  }

  toggleTheme() {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    this.chart.retheme();
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName) || document.getElementById("keys").open) return;
    const { chart } = this, wide = chart.box.width * 0.12, tall = chart.box.height * 0.12;
    const actions = {
      ArrowLeft: () => chart.pan(-wide, 0), ArrowRight: () => chart.pan(wide, 0),
      ArrowUp: () => (e.shiftKey ? chart.zoom(1, 0.8) : chart.pan(0, -tall)),
      ArrowDown: () => (e.shiftKey ? chart.zoom(1, 1.25) : chart.pan(0, tall)),
      "+": () => chart.zoom(0.75, 1), "=": () => chart.zoom(0.75, 1), "-": () => chart.zoom(1 / 0.75, 1),
      0: () => chart.everything(), Home: () => chart.everything(),
      f: () => document.getElementById("job").focus(), z: () => chart.zoomToChosen(),
      c: () => chart.colour(next(Object.keys(COLOURINGS), chart.colouring)),
      t: () => this.toggleTheme(), "?": () => document.getElementById("keys").showModal(), Escape: () => chart.choose(-1),
    };
    if (!actions[e.key]) return;
    e.preventDefault();
    actions[e.key]();
  }

  /// What the address asks for; what it does not name stays as it is.
  readAddress() {
    const { chart } = this, asked = new URLSearchParams(location.hash.slice(1));
    const number = (name, otherwise) => (asked.has(name) && Number.isFinite(Number(asked.get(name))) ? Number(asked.get(name)) : otherwise);
    if (/^(light|dark)$/.test(asked.get("theme"))) {
      document.documentElement.dataset.theme = asked.get("theme");
      chart.retheme();
    }
    if (Object.keys(COLOURINGS).includes(asked.get("colour"))) chart.colour(asked.get("colour"));
    if (asked.has("job")) chart.choose(chart.model.find(number("job", NaN)));
    const view = chart.view;
    const [n0, n1] = (asked.get("nodes") ?? "").split("-").map(Number);
    chart.setView({ t0: number("from", view.t0), t1: number("to", view.t1),
                    n0: n1 >= n0 ? n0 : view.n0, n1: n1 >= n0 ? n1 + 1 : view.n1 });
    if (asked.has("at")) chart.hoverAt(...asked.get("at").split(",").map(Number));
  }
}

function next(list, item) { return list[(list.indexOf(item) + 1) % list.length]; }

function isDark() {
  const asked = document.documentElement.dataset.theme;
  return asked ? asked === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
