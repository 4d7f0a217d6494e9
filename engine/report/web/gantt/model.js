// The run: columns of numbers unpacked, rectangles made of them, and an index to find those in view.

/// The bytes behind the packed text.
async function unpack(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// {name: Float64Array} from LEB128 integers in zigzag, some columns as differences (engine/report/gantt/gantt_html.cpp).
function readColumns(bytes, directory) {
  const columns = {};
  let at = 0;
  for (const { name, count, delta } of directory) {
    const column = new Float64Array(count);
    let before = 0;
    for (let i = 0; i < count; i++) {
      let n = 0, weight = 1, byte;
      do {
        byte = bytes[at++];
        n += (byte & 127) * weight;
        weight *= 128;
      } while (byte > 127);
      n = n % 2 ? -(n + 1) / 2 : n / 2;
      before = delta ? before + n : n;
      column[i] = before;
    }
    columns[name] = column;
  }
  if (at !== bytes.length) throw new Error("the page's data is damaged");
  return columns;
}

/// Adds again what columns leave out, as it follows from others: most jobs run as long as they stay.
function restore(columns) {
  const stay = columns["job.stay"], runtime = columns["job.runtime"], limit = columns["job.limit"];
  for (let j = 0; j < stay.length; j++) {
    runtime[j] += stay[j];
    limit[j] += runtime[j];
  }
  const from = columns["bar.from"], length = columns["bar.length"], job = columns["bar.job"];
  for (let b = 0; b < length.length; b++) {
    from[b] += columns["job.submit"][job[b]] + columns["job.wait"][job[b]];
    length[b] += stay[job[b]];
  }
}

const LOADING = 1, FOREIGN = 2, IN_VAIN = 4;  // bits of a bar's kind
const BLOCK = 256;               // rectangles that the index looks at together

class Model {
  constructor(about, columns) {
    restore(columns);
    this.about = about;
    this.nodes = about.nodes;
    this.clock = about.clock;  // the local second since 1970 at second 0, if that is known
    this.from = about.from * about.tick;
    this.to = about.to * about.tick;
    const seconds = (name) => columns[name].map((n) => n * about.tick);
    this.readJobs(columns, seconds);
    this.readSets(columns);
    this.readBars(columns, seconds);
    this.slices = {
      cls: Uint8Array.from(columns["slice.class"]), begin: seconds("slice.begin"),
      dead: seconds("slice.productive"), end: seconds("slice.lost"), count: columns["slice.class"].length,
    };
    for (let i = 0; i < this.slices.count; i++) {
      this.slices.dead[i] += this.slices.begin[i];
      this.slices.end[i] += this.slices.dead[i];
    }
    this.swaps = { job: Int32Array.from(columns["swap.job"]), at: seconds("swap.at"), time: seconds("swap.time") };
    this.queue = {
      at: seconds("queue.at"), waiting: Int32Array.from(columns["queue.waiting"]),
      used: Int32Array.from(columns["queue.used"]),
    };
    this.gpuRows = new Map(Array.from(columns["gpu.node"] ?? [], (node, i) => [node, columns["gpu.rows"][i]]));  // nodes with a row for each GPU
    this.readAway(columns, seconds);
    this.mostWaiting = this.queue.waiting.reduce((a, b) => Math.max(a, b), 0);
  }

  /// Nodes that were not there, and runs that failures ended; a page without has no such columns.
  readAway(columns, seconds) {
    const first = columns["away.first"] ?? [];
    this.away = { count: first.length, first };
    if (first.length === 0) return;
    Object.assign(this.away, {
      nodes: columns["away.nodes"], lost: columns["away.lost"], from: seconds("away.from"), to: seconds("away.time"),
    });
    for (let i = 0; i < first.length; i++) this.away.to[i] += this.away.from[i];
  }

  readJobs(columns, seconds) {
    const jobs = {
      count: columns["job.id"].length, id: columns["job.id"], cls: Uint8Array.from(columns["job.class"]),
      size: columns["job.size"], user: columns["job.user"], submit: seconds("job.submit"), start: seconds("job.wait"),
      end: seconds("job.stay"), runtime: seconds("job.runtime"), limit: seconds("job.limit"),
      killed: columns["job.killed"], partition: columns["job.partition"],
    };
    for (let j = 0; j < jobs.count; j++) {
      jobs.start[j] += jobs.submit[j];
      jobs.end[j] += jobs.start[j];
    }
    this.jobs = jobs;
    this.byId = null;
  }

  /// Sets of nodes as intervals: the first ones are the jobs', in their order.
  readSets(columns) {
    const sets = {
      ranges: new Int32Array(columns["set.ranges"].length + 1), first: Int32Array.from(columns["range.first"]),
      last: Int32Array.from(columns["range.length"]),
    };
    for (let r = 0; r < sets.first.length; r++) sets.last[r] += sets.first[r] - 1;
    for (let s = 0; s < columns["set.ranges"].length; s++) sets.ranges[s + 1] = sets.ranges[s] + columns["set.ranges"][s];
    this.sets = sets;
  }

  /// A bar is a piece of a job's time; it takes a rectangle for each interval of its nodes, or, where jobs share
  /// nodes, for each node. Both are in order of their beginning.
  readBars(columns, seconds) {
    const bars = {
      count: columns["bar.job"].length, job: Int32Array.from(columns["bar.job"]), from: seconds("bar.from"),
      to: seconds("bar.length"), kind: Uint8Array.from(columns["bar.kind"]), lane: Uint8Array.from(columns["bar.lane"]),
      lanes: Uint8Array.from(columns["bar.lanes"]), tall: columns["bar.tall"], set: Int32Array.from(columns["bar.set"]),
    };
    const { ranges, first, last } = this.sets;
    let total = 0;
    for (let b = 0; b < bars.count; b++) {
      bars.to[b] += bars.from[b];
      if (bars.set[b] === 0) bars.set[b] = bars.job[b];
      total += bars.lanes[b] > 1 ? this.nodesOf(bars.set[b]) : ranges[bars.set[b] + 1] - ranges[bars.set[b]];
    }
    const bar = new Int32Array(total), low = new Float32Array(total), high = new Float32Array(total);
    let n = 0;
    for (let b = 0; b < bars.count; b++) {
      const lanes = bars.lanes[b];
      for (let r = ranges[bars.set[b]]; r < ranges[bars.set[b] + 1]; r++) {
        const whole = lanes <= 1;
        for (let node = first[r]; node <= last[r]; node++) {
          bar[n] = b;
          low[n] = whole ? node : node + bars.lane[b] / lanes;
          high[n++] = whole ? last[r] + 1 : node + (bars.lane[b] + (bars.tall?.[b] ?? 1)) / lanes;
          if (whole) break;
        }
      }
    }
    this.bars = bars;
    this.shared = bars.lanes.some((lanes) => lanes > 1);
    this.rects = { count: total, bar, low, high };
    this.makeIndex();
    this.readChanges();
  }

  /// Jobs that changed their nodes, and where such a job goes on without a break: on the rows from `low` to `high`, which
  /// it keeps, from the beginning of `bar` on.
  readChanges() {
    const { bars } = this, latest = new Map(), seams = { bar: [], before: [], low: [], high: [] };
    this.changed = new Set();
    this.seams = seams;
    for (let b = 0; b < bars.count; b++) {
      if (bars.lanes[b] > 1 || bars.kind[b] & IN_VAIN) continue;
      const job = bars.job[b], before = latest.get(job);
      latest.set(job, b);
      if (before === undefined || bars.set[before] === bars.set[b]) continue;
      this.changed.add(job);
      if (Math.abs(bars.to[before] - bars.from[b]) > this.about.tick / 2) continue;
      this.eachRectangle(before, (low, high) => this.eachRectangle(b, (from, to) => {
        if (from >= high || to <= low) return;
        seams.bar.push(b);
        seams.before.push(before);
        seams.low.push(Math.max(low, from));
        seams.high.push(Math.min(high, to));
      }));
    }
  }

  /// Blocks of neighbours with what they span: begin (sorted), end, nodes.
  makeIndex() {
    const { rects, bars } = this, blocks = Math.ceil(rects.count / BLOCK);
    const index = {
      count: blocks, from: new Float64Array(blocks), to: new Float64Array(blocks).fill(-Infinity),
      low: new Float32Array(blocks).fill(Infinity), high: new Float32Array(blocks).fill(-Infinity),
    };
    for (let i = 0; i < rects.count; i++) {
      const k = Math.floor(i / BLOCK), b = rects.bar[i];
      if (i % BLOCK === 0) index.from[k] = bars.from[b];
      index.to[k] = Math.max(index.to[k], bars.to[b]);
      index.low[k] = Math.min(index.low[k], rects.low[i]);
      index.high[k] = Math.max(index.high[k], rects.high[i]);
    }
    this.index = index;
  }

  /// Writes the numbers of the rectangles that touch the view into `out`; more than fit: stops and returns -1.
  visible(view, out) {
    const { rects, bars, index } = this;
    let n = 0;
    for (let k = 0; k < index.count && index.from[k] < view.t1; k++) {
      if (index.to[k] <= view.t0 || index.low[k] >= view.n1 || index.high[k] <= view.n0) continue;
      const end = Math.min(rects.count, (k + 1) * BLOCK);
      for (let i = k * BLOCK; i < end; i++) {
        const b = rects.bar[i];
        if (bars.from[b] >= view.t1 || bars.to[b] <= view.t0 || rects.low[i] >= view.n1 || rects.high[i] <= view.n0) continue;
        if (n === out.length) return -1;
        out[n++] = i;
      }
    }
    return n;
  }

  /// The bar at that time on that node (fractional: lanes lie below one another), or -1.
  barAt(t, node) {
    const [b] = this.barsBetween(t, node, node + 1e-4);
    return b ?? -1;
  }

  /// All bars at that time on that node, whatever their lanes.
  barsOn(t, node) { return this.barsBetween(t, Math.floor(node) + 1e-4, Math.floor(node) + 1 - 1e-4); }

  barsBetween(t, n0, n1) {
    const near = new Int32Array(64), n = this.visible({ t0: t, t1: t + 1e-6, n0, n1 }, near);
    const bars = [...near.subarray(0, n < 0 ? near.length : n)].map((i) => this.rects.bar[i]);
    return bars.filter((b) => this.bars.from[b] <= t && t < this.bars.to[b]);
  }

  /// Calls f(low, high) for each rectangle of a bar.
  eachRectangle(b, f) {
    const { ranges, first, last } = this.sets, lane = this.bars.lane[b], lanes = this.bars.lanes[b];
    for (let r = ranges[this.bars.set[b]]; r < ranges[this.bars.set[b] + 1]; r++) {
      if (lanes <= 1) f(first[r], last[r] + 1);
      else for (let node = first[r]; node <= last[r]; node++) f(node + lane / lanes, node + (lane + (this.bars.tall?.[b] ?? 1)) / lanes);
    }
  }

  /// All bars of a job, in order.
  barsOf(job) {
    const found = [];
    for (let b = 0; b < this.bars.count; b++) if (this.bars.job[b] === job) found.push(b);
    return found;
  }

  /// Jobs that had another part of one of its nodes at the same time, by their ids.
  partnersOf(job, bars) {
    const { sets, rects, index } = this, found = new Set();
    for (const b of bars.filter((bar) => this.bars.lanes[bar] > 1)) {
      for (let k = 0; k < index.count && index.from[k] < this.bars.to[b]; k++) {
        if (index.to[k] <= this.bars.from[b]) continue;
        for (let i = k * BLOCK; i < Math.min(rects.count, (k + 1) * BLOCK); i++) {
          const other = rects.bar[i], node = Math.floor(rects.low[i]);
          if (this.bars.lanes[other] < 2 || this.bars.job[other] === job || found.has(this.bars.job[other])) continue;
          if (this.bars.from[other] >= this.bars.to[b] || this.bars.to[other] <= this.bars.from[b]) continue;
          if (within(sets, this.bars.set[b], node)) found.add(this.bars.job[other]);
        }
      }
    }
    return [...found].map((j) => this.jobs.id[j]).sort((a, b) => a - b);
  }

  swapsOf(job) {
    const found = [];
    for (let i = 0; i < this.swaps.job.length; i++) if (this.swaps.job[i] === job) found.push(i);
    return found;
  }

  nodesOf(set) {
    const { ranges, first, last } = this.sets;
    let n = 0;
    for (let r = ranges[set]; r < ranges[set + 1]; r++) n += last[r] - first[r] + 1;
    return n;
  }

  /// Its number, or where nodes differ its name.
  nodeName(node) {
    const kind = (this.about.kinds ?? []).find((k) => node >= k.first && node < k.first + k.count);
    return kind ? kind.names?.[node - kind.first] ?? `${kind.name}${node - kind.first + 1}` : String(node);
  }

  /// "0-3 7", at most this many intervals.
  nodeText(set, most) {
    const { ranges, first, last } = this.sets, from = ranges[set], to = ranges[set + 1], words = [];
    for (let r = from; r < Math.min(to, from + most); r++) {
      const begin = this.nodeName(first[r]), end = this.nodeName(last[r]);
      words.push(first[r] === last[r] ? begin : `${begin}\u2013${end}`);
    }
    return words.join(" ") + (to - from > most ? " \u2026" : "");
  }

  /// The place of the job with that id, or -1.
  find(id) {
    if (!this.byId) {
      this.byId = new Map();
      for (let j = 0; j < this.jobs.count; j++) this.byId.set(this.jobs.id[j], j);
    }
    return this.byId.has(id) ? this.byId.get(id) : -1;
  }

  /// Jobs that wait at t, longest first; at most this many of them are named.
  waitingAt(t, most) {
    const { submit, start } = this.jobs, named = [];
    for (let j = 0; j < this.jobs.count && submit[j] <= t; j++) if (start[j] > t && named.push(j) === most) break;
    return named;
  }

  sliceAt(t) {
    const i = lastAtMost(this.slices.begin, t);
    return i >= 0 && t < this.slices.end[i] ? i : -1;
  }

  queueAt(t) { return lastAtMost(this.queue.at, t); }
}

/// Whether the set has that node.
function within({ ranges, first, last }, set, node) {
  for (let r = ranges[set]; r < ranges[set + 1]; r++) if (first[r] <= node && node <= last[r]) return true;
  return false;
}

/// The last place whose value is at most x in an ascending array, or -1.
function lastAtMost(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1; else high = middle;
  }
  return low - 1;
}
