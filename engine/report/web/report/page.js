// The beginning of everything: charts, the campaign's chart, Gantts in frames of their own, the theme.

const views = [];

function readJson(id) {
  const text = document.getElementById(id).textContent;
  return text.trim() ? JSON.parse(text) : null;
}

function drawCharts() {
  const box = document.getElementById("charts-box");
  for (const chart of readJson("charts-data") ?? []) {
    const view = new ChartView(chart);
    views.push(view);
    box.append(view.figure);
  }
}

const frames = () => [...document.querySelectorAll(".gantt-frame")];
const rootOf = (frame) => frame.contentDocument?.documentElement;

/// A Gantt is a page of its own. It is put into its frame when it comes into view: a large one takes a moment.
function frameGantts() {
  for (const frame of frames()) {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((e) => e.isIntersecting)) return;
      observer.disconnect();
      frame.addEventListener("load", () => { passTheme(frame); link(frame); });
      frame.srcdoc = JSON.parse(document.getElementById(frame.dataset.from).textContent);
    }, { rootMargin: "300px" });
    observer.observe(frame);
  }
}

/// What one Gantt shows, the others show as well: the same time, the same job. `shown` is for those that come later.
const shown = {};
function link(frame) {
  const root = rootOf(frame);
  for (const what of ["moved", "held"]) {
    root.addEventListener(what, ({ detail }) => {
      shown[what] = detail;
      for (const other of frames()) if (other !== frame) tell(other, what);
    });
  }
  root.addEventListener("begun", () => { for (const what of Object.keys(shown)) tell(frame, what); });
}

function tell(frame, what) {
  rootOf(frame)?.dispatchEvent(new CustomEvent("follow", { detail: { [what]: shown[what] } }));
}

function passTheme(frame) {
  const root = rootOf(frame);
  if (!root) return;
  Object.assign(root.dataset, { embedded: "yes", theme: isDark() ? "dark" : "light" });
  root.dispatchEvent(new CustomEvent("embedded"));
}

function listenToTheme() {
  document.getElementById("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    retheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", retheme);
}

function retheme() {
  for (const view of views) view.draw();
  frames().forEach(passTheme);
}

/// Paper is white.
function listenToPrinter() {
  const print = (data) => {
    document.documentElement.toggleAttribute("data-printing", data);
    for (const view of views) view.draw();
  };
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
}

function begin() {
  const data = document.documentElement.dataset;
  try {
    drawCharts();
    const campaign = readJson("campaign-data");
    if (campaign) views.push(new CampaignView(campaign).view);
    frameGantts();
    listenToTheme();
    listenToPrinter();
    data.ready = "yes";
  } catch (error) {
    data.ready = "failed";
    throw error;
  }
}

begin();
