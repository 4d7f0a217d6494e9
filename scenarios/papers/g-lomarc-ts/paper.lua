-- Zeng 2009, Chapter 5: groups of jobs that share nodes with several cores (G-LOMARC-TS), in the time slices of
-- Scojo-PECT.
--
-- Compared on the same jobs: space sharing (SSP), the full algorithm (GLTS), pairs of jobs only, the best (CST) or the
-- first that gains enough (CSTWS), and the algorithm without some of its heuristics: first block only (FBO), not sorted
-- (NS), neither blocks nor order (NH).

local published = require("published")

local classes = { "medium", "long", "all" }

local another_workload = "another workload, or a saturated one, whose numbers hang on how many jobs there were"

-- What the thesis says in words, without a number.
local variants, equal_makespan = { -8, 8 }, { -1, 1 }

local slacks = { 1.0, 1.1, 1.25, 1.5, 1.75, 2, 3 }

-- One process a node, whatever the slowdowns (nodes.toml).
local nodes_only = { max_slowdown = 1, self_slowdown_2 = 0 }

--- Runs of a workload, one for each seed. `model`: other settings of the model of jobs.
local function runs(lab, workload, policy, params, details, jobs, model)
  local overrides = { policy = { name = "glomarc_" .. policy, params = params } }
  if lab.quick then jobs = 2000 end
  model = model or {}
  local lublin = (jobs or model.arar or model.alpha) and { jobs = jobs, arar = model.arar, alpha = model.alpha } or nil
  overrides.workload = (lublin or model.rounding) and { lublin = lublin, adjust_rounding = model.rounding } or nil
  return lab.runs(workload .. ".toml", overrides, details)
end

-- Figures of one run.
local function relative_response(class)
  return function(summary)
    local group = class == "all" and summary.all or summary.by_class[class]
    return group.relative_response_time.mean
  end
end

local function busy_cores(summary) return 100 * summary.high_load["in"].core_utilization end
local function makespan(summary) return summary.makespan end

-- Of means over runs on the same jobs, percent.
local function less(lab, new, old, figure)
  return lab.estimate(function(a, b) return 100 * (1 - a / b) end, lab.each(new, figure), lab.each(old, figure))
end
local function more(lab, new, old, figure)
  return lab.estimate(function(a, b) return 100 * (a / b - 1) end, lab.each(new, figure), lab.each(old, figure))
end

--- In how many of its steps a list of runs is ordered: the mean of each below that of the next.
local function ordered(lab, figure, lists)
  local count = 0
  for i = 1, #lists - 1 do
    if lab.mean(lab.each(lists[i], figure)) < lab.mean(lab.each(lists[i + 1], figure)) then count = count + 1 end
  end
  return count
end

-- Table 5: what the workload is made of.

local function shares_of(run)
  local jobs = run.jobs
  local n, total, serial, parallel, powers = 0, 0, 0, 0, 0
  local count = { short = 0, medium = 0, long = 0 }
  local work = { short = 0, medium = 0, long = 0 }
  for i = 1, #jobs.run_time do
    local size, class = jobs.requested_number_of_resources[i], jobs.job_class[i]
    local area = size * jobs.run_time[i]
    n, total = n + 1, total + area
    count[class], work[class] = count[class] + 1, work[class] + area
    if size == 1 then
      serial = serial + 1
    else
      parallel = parallel + 1
      if size & (size - 1) == 0 then powers = powers + 1 end
    end
  end
  local function percent(of, whole) return 100 * of / whole end
  local shares = { serial = percent(serial, n), powers_of_two = percent(powers, parallel), jobs = {}, work = {} }
  for class in pairs(count) do
    shares.jobs[class], shares.work[class] = percent(count[class], n), percent(work[class], total)
  end
  return shares
end

local function table5(lab)
  local list = {}
  for i, run in ipairs(runs(lab, "nodes", "ssp", nodes_only, { jobs = true })) do list[i] = shares_of(run) end
  local function row(quantity, number, figure, place)
    local values = {}
    for i, shares in ipairs(list) do values[i] = figure(shares) end
    lab.row {
      quantity = quantity, unit = "%", published = number, values = values, note = place.note,
      given = place.given,
      chart = place.at and { title = "Shares of the classes", axis = "class" }, at = place.at, series = place.series,
    }
  end
  for _, class in ipairs { "short", "medium", "long" } do
    local share = published.shares.jobs[class]
    row("jobs." .. class, share, function(s) return s.jobs[class] end,
      { at = class, series = "of the jobs" })
  end
  for _, class in ipairs { "short", "medium", "long" } do
    local share = published.shares.work[class]
    row("work." .. class, share, function(s) return s.work[class] end,
      { at = class, series = "of the work" })
  end
  local adjusted = {}
  for i, run in ipairs(runs(lab, "w1", "ssp", nil, { jobs = true })) do adjusted[i] = shares_of(run).powers_of_two end
  lab.row {
    quantity = "powers-of-two.adjusted", unit = "%", published = published.shares.powers_of_two, values = adjusted,
    note = "the thesis keeps the share; Equation 7 as it is printed, by which Figures 13 to 16 are made here, does not",
  }
  row("serial", published.shares.serial, function(s) return s.serial end,
    { given = "a parameter of the model" })
  row("powers-of-two", published.shares.powers_of_two, function(s) return s.powers_of_two end,
    { given = "a parameter of the model", note = "other sizes that are rounded to a power of two come on top of it" })
end

-- Section 4.9: on the adjusted sizes, space sharing should be as quick as with the model's own, one process a node.

local function adjustment(lab)
  local adjusted, given = runs(lab, "w1", "ssp"), runs(lab, "nodes", "ssp", nodes_only)
  for _, class in ipairs(classes) do
    lab.row {
      quantity = "adjusted-vs-given.RR." .. class, unit = "%", published = 0, band = { -15, 15 },
      estimate = more(lab, adjusted, given, relative_response(class)), note = "published as \"similar\"",
      chart = { title = "Longer relative response times on adjusted sizes", axis = "class" }, at = class,
    }
  end
  lab.row {
    quantity = "offered-load.given",
    values = lab.each(adjusted, function(s) return s.workload.adjusted.offered_load_before end),
  }
  lab.row {
    quantity = "offered-load.adjusted",
    values = lab.each(adjusted, function(s) return s.workload.adjusted.offered_load_after end),
  }
end

-- Figures 13 and 14: all policies under W1.

--- GLTS against one of the others. `indicative`: why it is not judged.
local function improvements(lab, glts, other, name, indicative)
  for _, class in ipairs(classes) do
    local number = published.improvement[name][class]
    lab.row {
      quantity = ("GLTS-vs-%s.RR.%s"):format(name:upper(), class), unit = "%", published = number,
      estimate = less(lab, glts, other, relative_response(class)),
      indicative = indicative, chart = { title = "Shorter relative response times with GLTS", axis = "class" },
      at = class,
      series = "than " .. name:upper(),
    }
  end
end

local function figure13(lab)
  local by = {}
  for _, name in ipairs { "ssp", "cst", "cstws", "ts", "fbo", "ns", "nh" } do by[name] = runs(lab, "w1", name) end
  for _, class in ipairs(classes) do
    for _, name in ipairs { "ssp", "cstws", "cst", "ts" } do
      lab.row {
        quantity = ("%s.RR.%s"):format(name == "ts" and "GLTS" or name:upper(), class),
        values = lab.each(by[name], relative_response(class)),
        chart = { title = "Relative response times, W1", axis = "class" }, at = class,
        series = name == "ts" and "GLTS" or name:upper(),
      }
    end
    lab.row {
      quantity = "GLTS-CST-CSTWS-SSP.order." .. class, unit = "of 3", published = 3, seeds = #lab.seeds,
      obtained = ordered(lab, relative_response(class), { by.ts, by.cst, by.cstws, by.ssp }),
      at_least = class == "long" and 3 or 2,
    }
  end
  for _, name in ipairs { "ssp", "cst", "cstws" } do improvements(lab, by.ts, by[name], name) end
  for _, name in ipairs { "fbo", "ns", "nh" } do
    for _, class in ipairs(classes) do
      lab.row {
        quantity = ("%s-vs-GLTS.RR.%s"):format(name:upper(), class), unit = "%", published = 0, band = variants,
        estimate = more(lab, by[name], by.ts, relative_response(class)),
        finding = "under W1 the heuristics hardly matter", note = "published as \"not much impact\"",
        chart = { title = "Longer relative response times than with GLTS", axis = "class" }, at = class,
        series = name:upper(),
      }
    end
  end
end

local function figure14(lab)
  local by = {}
  for _, name in ipairs { "ssp", "cstws", "cst", "ts" } do by[name] = runs(lab, "w1", name) end
  for _, name in ipairs { "ssp", "cstws", "cst", "ts" } do
    local shown = name == "ts" and "GLTS" or name:upper()
    lab.row {
      quantity = shown .. ".cores", unit = "%", values = lab.each(by[name], busy_cores),
      chart = "Cores in use when the load is high", at = shown,
    }
  end
  for _, name in ipairs { "ssp", "cst", "cstws" } do
    local number = published.improvement[name].cores
    lab.row {
      quantity = ("GLTS-vs-%s.cores"):format(name:upper()), unit = "%", published = number,
      estimate = more(lab, by.ts, by[name], busy_cores),
      chart = "GLTS against the others", at = "than " .. name:upper(), series = "more cores in use",
    }
    lab.row {
      quantity = ("GLTS-vs-%s.makespan"):format(name:upper()), unit = "%", published = 0, band = equal_makespan,
      estimate = more(lab, by.ts, by[name], makespan), note = "the overall utilization is the same",
      chart = "GLTS against the others", at = "than " .. name:upper(), series = "longer makespan",
    }
  end
  lab.row {
    quantity = "SSP-CSTWS-CST-GLTS.cores.order", unit = "of 3", published = 3, at_least = 3, seeds = #lab.seeds,
    obtained = ordered(lab, busy_cores, { by.ssp, by.cstws, by.cst, by.ts }),
  }
end

-- Section 5.2 and 5.3: the groups.

local function group_count(summary) return summary.sharing.groups end

local function groups(lab)
  local W1, W2 = runs(lab, "w1", "ts"), runs(lab, "w2", "ts")
  for name, list in pairs { W1 = W1, W2 = W2 } do
    lab.row {
      quantity = "groups." .. name, published = published.groups[name], chart = { title = "Groups", axis = "workload" },
      at = name,
      values = lab.each(list, group_count),
      indicative = "published as \"about\"; how many jobs there were is not said",
    }
    lab.row {
      quantity = "groups." .. name .. ".per-job", values = lab.each(list, function(s)
        return s.sharing.groups / (s.by_class.medium.jobs + s.by_class.long.jobs)
      end), note = "for each medium or long job; the published numbers are 0.42 for 10,000 jobs, 0.17 for 25,000",
    }
    local size = published.jobs_per_group[name]
    lab.row {
      quantity = "jobs-per-group." .. name, published = size,
      values = lab.each(list, function(s) return s.sharing.jobs_per_group end),
    }
    lab.row { quantity = "gain.promised." .. name,
      values = lab.each(list, function(s) return s.sharing.gain_promised end) }
    lab.row { quantity = "gain.had." .. name, values = lab.each(list, function(s) return s.sharing.gain_had end) }
  end
  lab.row {
    quantity = "grouped-share", unit = "%", published = published.grouped_share,
    values = lab.each(W1, function(s) return 100 * s.sharing.grouped_share end),
    note = "of the medium and long jobs, under W1",
  }
  lab.row {
    quantity = "searches-with-few-candidates", unit = "%", published = published.few_candidates,
    values = lab.each(W1, function(s) return 100 * s.sharing.few_candidates_share end),
    note = "fewer than four, or none, under W1; what counts as a case is not said",
  }
  lab.row {
    quantity = "searches-with-few-candidates.but-some", unit = "%",
    values = lab.each(W1, function(s)
      local none = s.sharing.no_candidates_share
      return 100 * (s.sharing.few_candidates_share - none) / (1 - none)
    end), note = "the same of the searches with a candidate at least",
  }
  lab.row {
    quantity = "groups.W2-to-W1", published = published.groups.W2 / published.groups.W1,
    estimate = lab.estimate(function(high, normal) return high / normal end, lab.each(W2, group_count),
      lab.each(W1, group_count)),
    note = "the thesis says 25 % more, and the numbers",
  }
end

-- Section 4.2: who ended later than F_slack times the response time estimated at his submission. Groups pass a check
-- against that, but later arrivals and later groups may delay a job, too.

local function fairness(lab)
  local by = { w1 = {}, w2 = {} }
  for workload, lists in pairs(by) do
    for _, name in ipairs { "ssp", "cstws", "cst", "ts" } do lists[name] = runs(lab, workload, name) end
  end
  for _, workload in ipairs { "w1", "w2" } do
    for _, name in ipairs { "ssp", "cstws", "cst", "ts" } do
      local list = by[workload][name]
      local quantity = ("%s.%s."):format(name == "ts" and "GLTS" or name:upper(), workload:upper())
      lab.row {
        quantity = quantity .. "late", unit = "%",
        values = lab.each(list, function(s) return 100 * s.sharing.late / s.sharing.bounded end),
        chart = { title = "Jobs later than F_slack times their estimate", axis = "workload" }, at = workload:upper(),
        series = name == "ts" and "GLTS" or name:upper(),
      }
      if name ~= "ssp" then
        lab.row {
          quantity = quantity .. "late-in-groups", unit = "%",
          values = lab.each(list, function(s) return 100 * s.sharing.late_grouped / s.sharing.bounded end),
          chart = { title = "Those of them that were in a group", axis = "workload" }, at = workload:upper(),
          series = name == "ts" and "GLTS" or name:upper(),
        }
      end
    end
  end
end

-- Figure 16: how much later than expected a group may make others, under W1.

local function figure16(lab)
  local by = {}
  for _, slack in ipairs(slacks) do by[slack] = runs(lab, "w1", "ts", { slack = slack }) end
  for _, class in ipairs(classes) do
    local figure = relative_response(class)
    for _, slack in ipairs(slacks) do
      lab.row {
        quantity = ("RR.%s.slack-%.2f"):format(class, slack), values = lab.each(by[slack], figure),
        chart = { title = "Relative response times of GLTS, W1", axis = "F_slack" }, at = slack, series = class,
      }
    end
    for i = 1, 3 do
      lab.row {
        quantity = ("RR.%s.slack-%.2f-to-%.2f"):format(class, slacks[i], slacks[i + 1]), unit = "%", at_most = 3,
        estimate = more(lab, by[slacks[i + 1]], by[slacks[i]], figure), note = "published as falling",
      }
    end
    lab.row {
      quantity = ("RR.%s.slack-1.50-to-3.00"):format(class), unit = "%", published = 0, band = { -6, 6 },
      estimate = more(lab, by[3], by[published.enough_slack], figure), note = "published as \"approximately equal\"",
    }
  end
end

-- Beyond the thesis: how far the heuristics are from the best of all sets, and the widest job as the primary, which it
-- expects larger groups of (Chapter 7).

local function beyond(lab)
  local by = { w1 = {}, w2 = {} }
  for workload, lists in pairs(by) do
    lists.GLTS = runs(lab, workload, "ts", { block_size = 12 })
    lists.exhaustive = runs(lab, workload, "exhaustive", { block_size = 12 })
    lists.widest = runs(lab, workload, "ts", { block_size = 12, primary = "widest" })
  end
  for _, workload in ipairs { "w1", "w2" } do
    for _, name in ipairs { "GLTS", "exhaustive", "widest" } do
      local list = by[workload][name]
      local quantity = ("%s.%s."):format(name, workload:upper())
      lab.row {
        quantity = quantity .. "gain", values = lab.each(list, function(s) return s.sharing.gain_promised end),
        chart = { title = "Gain in use that groups promise", axis = "workload" }, at = workload:upper(), series = name,
      }
      lab.row {
        quantity = quantity .. "jobs-per-group",
        values = lab.each(list, function(s) return s.sharing.jobs_per_group end),
        chart = { title = "Jobs in a group", axis = "workload" }, at = workload:upper(), series = name,
      }
      for _, class in ipairs(classes) do
        lab.row {
          quantity = quantity .. "RR." .. class, values = lab.each(list, relative_response(class)),
          chart = { title = "Relative response times, " .. workload:upper(), axis = "class" }, at = class,
          series = name,
        }
      end
    end
  end
end

local tools = {
  runs = runs, classes = classes, relative_response = relative_response, busy_cores = busy_cores, makespan = makespan,
  less = less, more = more, improvements = improvements, group_count = group_count, shares_of = shares_of,
  nodes_only = nodes_only,
}
local readings, moves = require("readings")(tools), require("moves")(tools)

return {
  api = 1,
  title = "Zeng 2009: group matchmaking for time and space sharing on multi-core nodes (G-LOMARC-TS)",
  seeds = 10,
  quick_seeds = 2,
  experiments = {
    { label = "T5", title = "the workload W1", run = table5 },
    { label = "S4.9", title = "sizes adjusted to nodes with several cores", run = adjustment },
    { label = "Fig13", title = "response times of all policies under W1", seeds = 20, run = figure13 },
    { label = "Fig14", title = "cores in use when the load is high, W1", seeds = 20, run = figure14 },
    { label = "S5.2", title = "the groups", run = groups },
    { label = "S4.2", title = "jobs later than the slack allows", seeds = 3, run = fairness },
    { label = "Fig15", indicative = another_workload,
      title = "block sizes under W2", seeds = 20, reduced = "other block sizes of FBO and NS",
      run = readings.blocks },
    { label = "Fig16", title = "slack factors under W1", run = figure16 },
    { label = "pairs", indicative = "another reading of the thesis",
      title = "what pairs may do besides", seeds = 20, run = readings.pairs },
    { label = "jobs", indicative = another_workload,
      title = "25,000 jobs instead of 10,000", seeds = 2, run = readings.more_jobs },
    { label = "arar", indicative = another_workload,
      seeds = 5, title = "arrivals with the model's factor for rush hours", run = readings.arar },
    { label = "load", indicative = another_workload,
      seeds = 5, title = "a load between those with and without that factor", run = readings.loads },
    { label = "sizes", indicative = another_workload,
      seeds = 3, title = "sizes whose powers of two stay such", run = readings.powers_of_two },
    { label = "moves", indicative = "another reading of the thesis",
      seeds = 5, full_seeds = 20, title = "what each reading moves, W1", run = moves },
    { label = "Ch7", title = "beyond the thesis: all sets, and wide primary jobs", seeds = 3, run = beyond },
  },
}
