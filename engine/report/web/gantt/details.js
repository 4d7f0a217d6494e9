// What is known of a job, in words: beside the pointer, and in a panel that stays.

const MOST_PIECES = 200, MOST_WAITING = 6, MOST_PARTNERS = 12;

function element(name, text, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

function doing(model, b) {
  const kind = model.bars.kind[b], i = model.sliceAt(model.bars.from[b]);
  const loading = model.about.powered ? "waiting for nodes that come up" : "loading its memory";
  const what = kind & LOADING ? loading : kind & IN_VAIN ? "running until it was interrupted" : "running";
  if (i < 0) return what;
  const whose = model.about.classes[model.slices.cls[i]];
  return kind & FOREIGN ? `${what} as a foreign job in a ${whose} slice` : `${what} in its ${whose} slice`;
}

/// Pairs of a name and a value.
function jobFacts(model, job) {
  const { jobs, bars } = model;
  const wait = jobs.start[job] - jobs.submit[job], response = jobs.end[job] - jobs.submit[job];
  const nodes = model.nodesOf(job);
  const facts = [
    ["class", model.about.classes[jobs.cls[job]] ?? "none"],
    ["size", jobs.size[job] === nodes ? `${grouped(nodes)} node${nodes === 1 ? "" : "s"}`
                                      : `${grouped(jobs.size[job])} processes on ${grouped(nodes)} nodes`],
    ["nodes", model.nodeText(job, 8)],
    ["submitted", instant(model.clock, jobs.submit[job])],
    ["started", instant(model.clock, jobs.start[job])],
    ["ended", instant(model.clock, jobs.end[job]) + (jobs.killed[job] ? ", killed at its limit" : "")],
    ["wait", span(wait)],
    ["run time", span(jobs.runtime[job])],
    ["limit", span(jobs.limit[job])],
    ["bounded slowdown", boundedSlowdown(model, job, response).toPrecision(3)],
  ];
  const partition = model.about.partitions?.[jobs.partition?.[job]];
  if (partition) facts.splice(3, 0, ["partition", partition]);
  if (jobs.user[job] >= 0) facts.splice(2, 0, ["user", String(jobs.user[job])]);
  return facts;
}

/// max(1, R / max(T, b)), as in the summary; of a killed job, T is what it was allowed to run.
function boundedSlowdown(model, job, response) {
  const { runtime, limit, killed } = model.jobs;
  const ran = killed[job] ? Math.min(runtime[job], limit[job]) : runtime[job];
  return Math.max(1, response / Math.max(ran, model.about.bound));
}

/// What a job did, one after the other: pieces that differ only in what runs beside them on its nodes are one.
function phasesOf(model, pieces) {
  const { bars } = model, phases = [];
  for (const b of pieces) {
    const last = phases[phases.length - 1];
    if (last && bars.from[b] <= last.to && bars.kind[b] === bars.kind[last.bar]) last.to = Math.max(last.to, bars.to[b]);
    else phases.push({ bar: b, from: bars.from[b], to: bars.to[b] });
  }
  return phases;
}

/// Where a job was stopped, loaded or swapped out: sums.
function overheadFacts(model, phases, swaps) {
  const sum = (list, of) => list.reduce((total, x) => total + of(x), 0);
  const loads = phases.filter((phase) => model.bars.kind[phase.bar] & LOADING);
  const facts = [];
  if (loads.length) facts.push([model.about.powered ? "nodes come up" : "loading", `${span(sum(loads, (phase) => phase.to - phase.from))} in ${loads.length}\u00d7`]);
  if (swaps.length) facts.push(["swapped out", `${span(sum(swaps, (i) => model.swaps.time[i]))} in ${swaps.length}\u00d7`]);
  let stops = 0;
  for (let i = 1; i < phases.length; i++) if (phases[i].from > phases[i - 1].to) stops++;
  if (stops) facts.push(["preempted", `${stops}\u00d7`]);
  return facts;
}

function listed(names, most) { return names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : ""); }

function definitions(facts) {
  const list = element("dl");
  for (const [name, value] of facts) list.append(element("dt", name), element("dd", value));
  return list;
}

class Details {
  constructor(model) {
    this.model = model;
    this.tip = document.getElementById("tip");
    this.panel = document.getElementById("panel");
    this.live = document.getElementById("live");
  }

  /// Beside the pointer: the job of that bar, or how the queue stands.
  hover(x, y, b, t, node, inQueue) {
    const content = b >= 0 ? this.barTip(b, t, node) : inQueue ? this.queueTip(t) : null;
    this.tip.hidden = !content;
    if (!content) return;
    this.tip.replaceChildren(...content);
    const { offsetWidth: w, offsetHeight: h } = this.tip;
    const left = x + 16 + w > innerWidth ? x - w - 12 : x + 16;
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - h - 6))}px`;
  }

  hide() { this.tip.hidden = true; }

  barTip(b, t, node) {
    const { bars, jobs } = this.model, job = bars.job[b];
    let now = doing(this.model, b);
    const beside = bars.lanes[b] > 1 ? this.model.barsOn(t, node).filter((other) => bars.job[other] !== job) : [];
    if (beside.length) now += `, on this node beside job ${beside.map((other) => jobs.id[bars.job[other]]).join(" and ")}`;
    return [element("h2", `Job ${jobs.id[job]}`), element("p", now, "now"), definitions(jobFacts(this.model, job))];
  }

  queueTip(t) {
    const { queue, jobs, nodes } = this.model, i = this.model.queueAt(t);
    if (i < 0) return null;
    const n = queue.waiting[i], facts = [["used nodes", `${grouped(queue.used[i])} of ${grouped(nodes)}`]];
    for (const j of this.model.waitingAt(t, MOST_WAITING)) {
      facts.push([`job ${jobs.id[j]}`, `waits since ${span(Math.floor(t - jobs.submit[j]))}`]);
    }
    const rest = n - (facts.length - 1);
    if (rest > 0) facts.push(["", `and ${grouped(rest)} more`]);
    return [element("h2", n === 1 ? "1 job waits" : `${grouped(n)} jobs wait`), definitions(facts)];
  }

  /// The panel that stays until it is closed; -1 closes it.
  pin(job, pieces, swaps) {
    this.panel.hidden = job < 0;
    if (job < 0) return;
    const { model } = this;
    document.getElementById("panel-title").textContent = `Job ${model.jobs.id[job]}`;
    const phases = phasesOf(model, pieces);
    const facts = [...jobFacts(model, job), ...overheadFacts(model, phases, swaps)], partners = model.partnersOf(job, pieces);
    if (partners.length) facts.push(["shared nodes with", `job${partners.length > 1 ? "s" : ""} ${listed(partners, MOST_PARTNERS)}`]);
    const history = element("ol");
    for (const phase of phases.slice(0, MOST_PIECES)) {
      const item = element("li");
      item.append(element("span", instant(model.clock, phase.from), "when"),
                  element("span", `${span(phase.to - phase.from)} ${doing(model, phase.bar)}`));
      history.append(item);
    }
    if (phases.length > MOST_PIECES) history.append(element("li", `and ${phases.length - MOST_PIECES} more`));
    document.getElementById("panel-body").replaceChildren(definitions(facts), element("h3", "What it did"), history);
    this.say(facts.map(([name, value]) => `${name} ${value}`).join(", "));
  }

  /// For screen readers.
  say(text) { this.live.textContent = text; }
}
