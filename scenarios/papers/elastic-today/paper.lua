-- When do elastic jobs pay, and for whom? The study of Posner, Hupfeld & Finnerty (2023) compares its strategies with
-- first come, first served that it calls EASY. Here EASY is EASY: strategies and policies for elastic jobs are compared
-- with it on the study's sets of jobs and on logs of which a part of the jobs is made elastic.

local logs = require("archive_logs")

local mended = {
  skip_after_start = false, easy_never_passes = false, average_wrong_way = false, event_by_event = false,
}

local function strategy(rule, promise)
  local params = { rule = rule, promise = promise }
  for name, value in pairs(mended) do params[name] = value end
  return { name = "posner", params = params }
end

local policies = {
  { label = "EASY", policy = { name = "easy" }, rigid = true },
  { label = "conservative", policy = { name = "conservative" }, rigid = true },
  { label = "EASY, elastic", policy = { name = "easy_elastic" } },
  { label = "equipartition", policy = { name = "equipartition" }, undrawn = true }, -- far below all others
  { label = "equal efficiency", policy = { name = "equipartition", params = { rule = "efficient" } }, undrawn = true },
  { label = "min, agreement", policy = strategy("min", "agreement") },
  { label = "pref, common pool", policy = strategy("pref", "common_pool") },
  { label = "average, common pool", policy = strategy("average", "common_pool") },
}

local function shares(lab) return lab.quick and { 20, 100 } or { 10, 20, 50, 100 } end

--- The study's sets of jobs that are there.
local function sets(lab)
  local found = {}
  for _, file in ipairs(lab.files(".")) do
    if file:match("^jobs_S%d+%.csv") and #found < (lab.quick and 1 or 10) then found[#found + 1] = lab.data(file) end
  end
  return found
end

--- Percent by which the first is lower.
local function less(new, old) return 100 * (1 - new / old) end

--- The mean wait of the jobs of a run for which `of` holds, by their places.
local function mean_wait(run, of)
  local sum, count = 0, 0
  for i, wait in ipairs(run.jobs.waiting_time) do
    if wait and of(i) then sum, count = sum + wait, count + 1 end
  end
  return count > 0 and sum / count or 0
end

local groups = {
  { name = "all", of = function() return function() return true end end },
  { name = "rigid", of = function(elastic) return function(i) return not elastic[i] end end, below = 100 },
  { name = "elastic", of = function(elastic) return function(i) return elastic[i] end end },
}

--- Which jobs of a run are elastic, by their places: an empty field is false.
local function elastic_jobs(run)
  local elastic = {}
  for i, text in ipairs(run.jobs.elastic or {}) do elastic[i] = text and text ~= "" end
  return elastic
end

--- Rows of a policy with elastic jobs beside EASY with the same jobs, none of which changes. `runs[share][label]` are
--- lists of runs, one for each set of jobs. `drawn`: the groups of which there are charts.
local function compare(lab, prefix, runs, source, drawn)
  for _, share in ipairs(shares(lab)) do
    local base = runs[share][policies[1].label]
    for _, p in ipairs(policies) do
      for _, group in ipairs(groups) do
        if p ~= policies[1] and (not p.rigid or group.name == "all") and share < (group.below or 101) then
          local new, old = {}, {}
          for i, run in ipairs(runs[share][p.label]) do
            local of = group.of(elastic_jobs(base[i]))
            new[i], old[i] = mean_wait(run, of), mean_wait(base[i], of)
          end
          local chart = drawn[group.name] and not p.undrawn
          lab.row {
            quantity = ("%s%s.%s.%d"):format(prefix, p.label, group.name, share), unit = "%",
            estimate = lab.estimate(less, new, old),
            chart = chart and {
              title = ("%s: shorter mean wait of %s jobs than under EASY"):format(source, group.name),
              axis = "elastic jobs, %",
            } or nil,
            at = chart and share or nil, series = chart and p.label or nil,
          }
        end
      end
    end
  end
end

local function study(lab)
  local found = sets(lab)
  if #found == 0 then return lab.row { quantity = "jobs", skipped = "jobs_S0.csv.gz and others: --data DIR" } end
  local runs = {}
  for _, share in ipairs(shares(lab)) do
    runs[share] = {}
    for _, p in ipairs(policies) do
      local list = {}
      for i, path in ipairs(found) do
        list[i] = lab.run("sets.toml", { workload = { params = { set = { csv = path }, share = share } },
          policy = p.policy }, { jobs = true })
      end
      runs[share][p.label] = list
    end
  end
  compare(lab, "", runs, "Jobs of the study", { all = true, rigid = true, elastic = true })
end

--- Runs of all policies on the periods of a log.
local function runs_of(lab, log, trace, share, changes)
  local by_label = {}
  for _, p in ipairs(policies) do
    by_label[p.label] = logs.runs(lab, log, trace, "logs.toml", lab.quick and 2 or 6, function(o)
      o.workload.elastic = { share = share / 100, changes = changes }
      o.policy = p.policy
    end, { jobs = true })
  end
  return by_label
end

local function on_logs(lab)
  local by_log = {}
  for _, log in ipairs(logs.list) do
    local trace = lab.trace(log.files)
    if trace then
      by_log[log.name] = {}
      for _, share in ipairs(shares(lab)) do by_log[log.name][share] = runs_of(lab, log, trace, share) end
    end
  end
  for _, log in ipairs(logs.list) do
    if by_log[log.name] then compare(lab, log.name .. ".", by_log[log.name], log.name, { all = true })
    else lab.row { quantity = log.name, skipped = logs.absent(log) }
    end
  end
end

local function costs(lab)
  local by_cost = {}
  local log = logs.list[1]
  local trace = lab.trace(log.files)
  if not trace then return lab.row { quantity = log.name, skipped = logs.absent(log) } end
  local all = lab.quick and { 0, 300 } or { 0, 10, 60, 300, 900 }
  for _, cost in ipairs(all) do by_cost[cost] = runs_of(lab, log, trace, 50, ("any cost %d"):format(cost)) end
  for _, cost in ipairs(all) do
    local base = by_cost[cost][policies[1].label]
    for _, p in ipairs(policies) do
      if not p.rigid then
        local new, old = {}, {}
        for i, run in ipairs(by_cost[cost][p.label]) do
          new[i], old[i] = run.summary.all.response.mean, base[i].summary.all.response.mean
        end
        lab.row {
          quantity = ("%s.%d"):format(p.label, cost), unit = "%", estimate = lab.estimate(less, new, old),
          chart = not p.undrawn and {
            title = "KTH-SP2, half of the jobs elastic: shorter mean response than under EASY",
            axis = "cost of a change, s",
          } or nil,
          at = not p.undrawn and cost or nil, series = not p.undrawn and p.label or nil,
        }
      end
    end
  end
end

return {
  api = 1,
  title = "Do elastic jobs pay today? Against EASY, on a study's jobs and on logs",
  data = "elastic",
  seeds = 1,
  quick_seeds = 1,
  experiments = {
    { label = "study", title = "The study's jobs, against EASY", run = study },
    { label = "logs", title = "Logs with elastic jobs, against EASY", run = on_logs },
    { label = "costs", title = "What a change may cost", run = costs },
  },
}
