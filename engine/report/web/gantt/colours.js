// Colours. Classes differ in lightness as well as in hue, so that they stay apart for every kind of sight and in print.

const THEMES = {
  light: {
    page: "#ffffff", plot: "#f6f7f9", ink: "#1f2430", soft: "#5d6675", line: "#d8dde4", faint: "#e9ecf0", accent: "#c2255c",
    classes: ["#eda93a", "#4a97cf", "#38479e", "#2f9e85", "#b0578d", "#8a6d3b", "#c8553d"],
    waits: ["#9bcfc0", "#66aeca", "#4a84c4", "#5560b4", "#70409a", "#8e2a6e", "#a5123f"],
  },
  dark: {
    page: "#14171c", plot: "#1b1f26", ink: "#e6e9ee", soft: "#98a2b1", line: "#343b46", faint: "#262c35", accent: "#ff6b9d",
    classes: ["#f0bb5e", "#58b0e6", "#7a83dc", "#3fb79b", "#d383b5", "#bfa06a", "#e8836b"],
    waits: ["#35606b", "#3f7396", "#5a76bd", "#8b72c4", "#c26ea8", "#ee8a74", "#ffcb66"],
  },
};
const JOB_COLOURS = ["#cc6677", "#4477aa", "#ddcc77", "#117733", "#88ccee", "#882255", "#44aa99", "#999933", "#aa4499",
                     "#6699cc", "#ee8866"];
const WAIT_BOUNDS = [1, 60, 600, 3600, 6 * 3600, 86400];  // seconds, upper ends of all groups but the last
const WAIT_NAMES = ["none", "up to 1 min", "10 min", "1 h", "6 h", "1 d", "longer"];

function rgb(hex) { return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)); }
function hex(channels) { return "#" + channels.map((c) => Math.round(c).toString(16).padStart(2, "0")).join(""); }
/// `share` of b in a.
function mix(a, b, share) {
  const to = rgb(b);
  return hex(rgb(a).map((c, i) => c + (to[i] - c) * share));
}
function isBright(colour) {
  const [r, g, b] = rgb(colour);
  return 0.299 * r + 0.587 * g + 0.114 * b > 120;
}

const COLOURINGS = {
  class: {
    title: "class",
    of: (model, job) => model.jobs.cls[job],
    colours: (theme, model) => [...model.about.classes, "other"].map((_, c) => theme.classes[c % theme.classes.length]),
    names: (model) => model.about.classes,
  },
  wait: {
    title: "wait",
    of: (model, job) => {
      const wait = model.jobs.start[job] - model.jobs.submit[job];
      const group = WAIT_BOUNDS.findIndex((bound, i) => (i === 0 ? wait < bound : wait <= bound));
      return group < 0 ? WAIT_BOUNDS.length : group;
    },
    colours: (theme) => theme.waits,
    names: () => WAIT_NAMES,
  },
  job: {
    title: "job",
    of: (model, job) => jobColours(model)[job],
    colours: () => JOB_COLOURS,
    names: () => [],
  },
};

/// A colour for each job, unlike those of the jobs that are beside it or were before it on its nodes when it starts. Those
/// that share a node with it count first.
function jobColours(model) {
  if (model.jobColours) return model.jobColours;
  const { jobs, sets, nodes } = model, recent = Array.from({ length: nodes + 2 }, () => []);  // by node + 1, latest last
  const colours = model.jobColours = new Uint8Array(jobs.count);
  const order = Uint32Array.from(colours.keys()).sort((a, b) => jobs.start[a] - jobs.start[b]);
  order.forEach((job, turn) => {
    const against = new Array(JOB_COLOURS.length).fill(0);
    const see = (node, own) => recent[node].forEach((other, i) => {
      if (own && jobs.end[other] > jobs.start[job]) against[colours[other]] += 1000;
      else if (i === recent[node].length - 1) against[colours[other]] += 1;
    });
    for (let r = sets.ranges[job]; r < sets.ranges[job + 1]; r++) {
      see(sets.first[r], false);
      see(sets.last[r] + 2, false);
      for (let node = sets.first[r] + 1; node <= sets.last[r] + 1; node++) {
        if (model.shared || node === sets.first[r] + 1 || node === sets.last[r] + 1) see(node, true);
      }
    }
    let colour = turn * 7 % JOB_COLOURS.length;
    for (let i = 0, c = colour; i < JOB_COLOURS.length; i++, c = (c + 1) % JOB_COLOURS.length) if (against[c] < against[colour]) colour = c;
    colours[job] = colour;
    for (let r = sets.ranges[job]; r < sets.ranges[job + 1]; r++) {
      for (let node = sets.first[r] + 1; node <= sets.last[r] + 1; node++) {
        recent[node] = [...recent[node].filter((other) => jobs.end[other] > jobs.start[job]), job];
      }
    }
  });
  return colours;
}

/// How each bar is filled: a shade is a colour of the colouring times a kind (running or loading, in its own slice or
/// in another's). `of[bar]` leads into `fill`.
class Shades {
  constructor(model, coloring, theme) {
    const colouring = COLOURINGS[coloring];
    this.colours = colouring.colours(theme, model);
    this.fill = [];
    for (const colour of this.colours) {
      const foreign = mix(colour, theme.plot, 0.5);
      this.fill.push(colour, mix(colour, theme.ink, 0.45), foreign, mix(foreign, theme.ink, 0.45));
    }
    this.rgb = Float32Array.from(this.fill.flatMap(rgb));
    this.bright = this.fill.map(isBright);
    const byJob = new Uint8Array(model.jobs.count);
    for (let j = 0; j < model.jobs.count; j++) byJob[j] = colouring.of(model, j);
    this.of = new Uint8Array(model.bars.count);
    for (let b = 0; b < model.bars.count; b++) this.of[b] = byJob[model.bars.job[b]] * 4 + (model.bars.kind[b] & IN_VAIN ? LOADING : model.bars.kind[b]);
  }
}
