-- Do the findings of the four papers hold on real logs? Here the headline comparison of each, which was made on
-- synthetic workloads, is made on four logs of the Parallel Workloads Archive.
--
-- `published` is what a paper found on its own workload. A row is met if the finding has its sign on the log; whether
-- the interval holds the published number says how much of it carries over.

local logs = require("archive_logs")

-- Percent by which the first mean is lower.
local function less(new, old) return 100 * (1 - new / old) end
local function ratio(a, b) return a / b end

local function overhead(s) return s.slices.overhead end
local function relative_response(s) return s.all.relative_response_time.mean end
local function response(s) return s.all.response.mean end
local function accepted_load(s) return s.processes.accepted_load end

--- What is compared: row = { quantity, of = { policy, other }, figure, unit, published, at_least, finding }.
local function states_row(lab, experiment, log, runs, row)
  local stated = {
    quantity = log.name .. "." .. row.quantity, unit = row.unit or "%", published = row.published,
    at_least = row.at_least, finding = row.at_least and experiment.finding or nil, note = row.note,
    chart = { title = row.chart or experiment.chart, axis = "log" }, at = log.name, series = row.series or row.quantity,
  }
  if runs then
    local new, old = lab.each(runs[row.of[1]], row.figure), lab.each(runs[row.of[2]], row.figure)
    stated.estimate = lab.estimate(row.how or less, new, old)
    stated.indicative = row.unless and row.unless(lab, new, old)
  else
    stated.skipped = logs.absent(log)
  end
  lab.row(stated)
end

--- An experiment: its `choices` are run on each period of each log, and compared as its `rows` say.
local function on_logs(experiment)
  local function run(lab)
    local by = {}
    for _, log in ipairs(logs.list) do
      local trace = lab.trace(log.files)
      by[log.name] = trace and {} or nil
      local periods = lab.quick and 2 or experiment.periods
      for _, name in ipairs(trace and table.keys(experiment.choices) or {}) do
        by[log.name][name] = logs.runs(lab, log, trace, experiment.scenario, periods, function(overrides)
          overrides.policy = experiment.choices[name]
          if experiment.change then experiment.change(overrides, log) end
        end)
      end
    end
    for _, log in ipairs(logs.list) do
      for _, row in ipairs(experiment.rows) do states_row(lab, experiment, log, by[log.name], row) end
    end
  end
  return { label = experiment.label, title = experiment.title, seeds = 1, run = run,
    indicative = "published of the paper's own workload" }
end

-- Esbaugh 2010, Table 4 under MM5.
local slices = on_logs {
  label = "Scojo-PECT", title = "nodes chosen by memory, under time slices", scenario = "slices.toml", periods = 12,
  choices = {
    TS = { params = { nodes = "memory-fit" } }, FF = { params = { nodes = "first-free" } },
    AL = { params = { nodes = "fewest-foreign" } },
  },
  finding = "memory-aware allocation has less overhead", chart = "Less overhead with memory-aware allocation",
  rows = {
    {
      quantity = "TS-vs-FF.overhead", series = "than FF", of = { "TS", "FF" }, figure = overhead,
      published = 13.84, at_least = 0,
    },
    {
      quantity = "TS-vs-AL.overhead", series = "than AL", of = { "TS", "AL" }, figure = overhead,
      published = 7.13, at_least = 0,
    },
    {
      quantity = "TS-vs-FF.RRT", series = "than FF", of = { "TS", "FF" }, figure = relative_response, published = 1.01,
      chart = "Shorter relative response times",
    },
  },
}

-- Zeng 2009, Section 5.2.
local groups = on_logs {
  label = "G-LOMARC-TS", title = "groups of jobs on shared nodes, under time slices", scenario = "groups.toml",
  periods = 8,
  change = function(overrides) overrides.workload.first = 1500 end, -- searches in long queues are dear
  choices = {
    GLTS = { name = "glomarc_ts" }, SSP = { name = "glomarc_ssp" },
    ["one-queue"] = { name = "glomarc_ssp", params = { sliced = false } },
  },
  finding = "groups shorten relative response times", chart = "Shorter relative response times with GLTS",
  rows = {
    {
      quantity = "GLTS-vs-SSP.RR", series = "than SSP", of = { "GLTS", "SSP" }, figure = relative_response,
      published = 35.5, at_least = 0,
    },
    {
      quantity = "GLTS-vs-one-queue.RR", series = "than SSP in one queue", of = { "GLTS", "one-queue" },
      figure = relative_response,
    },
  },
}

-- Sodan & Lan 2005, Figure 6, W1.
local pairs_of_jobs = on_logs {
  label = "LOMARC", title = "pairs found by lookahead on hyperthreaded nodes", scenario = "pairs.toml", periods = 12,
  choices = { ["L-R"] = { name = "lomarc_r" }, AM = { name = "lomarc_am" }, PSS = { name = "lomarc_pss" } },
  finding = "lookahead matching shortens response times", chart = "Shorter response times with L-R",
  rows = {
    {
      quantity = "L-R-vs-PSS.response", series = "than PSS", of = { "L-R", "PSS" }, figure = response,
      published = 48, at_least = 0,
    },
    { quantity = "L-R-vs-AM.response", series = "than AM", of = { "L-R", "AM" }, figure = response, at_least = 0 },
  },
}

--- A few jobs of hours among hundreds of seconds end long after the last arrival: then nobody's limit is reached.
local function below_the_limit(lab, new, old)
  if math.max(lab.mean(new), lab.mean(old)) >= 0.5 then return nil end
  return "less than half of the machine is ever in use: 300 jobs, most of them short, do not bring it to its limit"
end

-- Frachtenberg et al. 2005, Figure 7: jobs of the log, scaled to the machine, of which more come than it can do.
local processes = on_logs {
  label = "FCS", title = "jobs of logs whose processes are coscheduled", scenario = "processes.toml", periods = 8,
  choices = { FCS = { name = "fcs" }, FCFS = { name = "batch" }, GS = { name = "gang" } },
  change = function(o, log)
    o.workload.first, o.workload.size_factor, o.workload.target_load = 300, 32 / log.nodes, 1.3
  end,
  finding = "flexible coscheduling saturates later", chart = "Load accepted by FCS, over that of others",
  rows = {
    {
      quantity = "FCS/FCFS.accepted-load", series = "than FCFS", unit = "", of = { "FCS", "FCFS" },
      figure = accepted_load, how = ratio, unless = below_the_limit,
      published = 0.88 / 0.78, at_least = 1,
    },
    {
      quantity = "FCS/GS.accepted-load", series = "than GS", unit = "", of = { "FCS", "GS" },
      figure = accepted_load, how = ratio, unless = below_the_limit,
      at_least = 1,
    },
  },
}

return {
  api = 1,
  title = "Do they hold today? The papers' headlines on four real logs",
  seeds = 1,
  quick_seeds = 1,
  experiments = { slices, groups, pairs_of_jobs, processes },
}
