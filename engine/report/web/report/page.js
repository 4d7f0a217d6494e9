// The beginning of everything: charts, the campaign's chart, the Gantt in a frame of its own, the theme.

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

/// The Gantt is a page of its own. It is put into its frame when it comes into view: a large one takes a moment.
function frameGantt() {
  const frame = document.getElementById("gantt-frame");
  if (!frame) return;
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    observer.disconnect();
    frame.addEventListener("load", passTheme);
    frame.srcdoc = JSON.parse(document.getElementById("gantt-data").textContent);
  }, { rootMargin: "300px" });
  observer.observe(frame);
}

function passTheme() {
  const root = document.getElementById("gantt-frame")?.contentDocument?.documentElement;
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
  passTheme();
}

function begin() {
  const data = document.documentElement.dataset;
  try {
    drawCharts();
    const campaign = readJson("campaign-data");
    if (campaign) views.push(new CampaignView(campaign).view);
    frameGantt();
    listenToTheme();
    data.ready = "yes";
  } catch (error) {
    data.ready = "failed";
    throw error;
  }
}

begin();
