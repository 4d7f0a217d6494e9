-- Section 5 of Frachtenberg et al. 2005: 1,000 jobs that arrive, under loads that differ by a factor on their arrival
-- times. The curves are lost and the mix of programs is not published, so that only what the text says is judged.

local policies = { "batch", "gang", "spin_block", "fcs" }
local short = { batch = "FCFS", gang = "GS", spin_block = "SB", fcs = "FCS" }

-- "Accepted load ... can be inferred from the accumulation of jobs in the queue": what was offered, less what waits to be
-- admitted when the last job arrives. Where it falls behind by this part, the machine is saturated ...
local behind = 0.05
local other_parts = { 0.025, 0.1 } -- ... and by these, to see how much hangs on it.
-- "A relatively constant accepted load": what is done by the last arrival where this is offered.
local overload = 1.3

local M = {}

--- Runs of a set of jobs: { scenario =, params = function(policy), script = whether its workload is a script that makes the
--- load itself }.
function M.new(lab, set)
  local jobs = lab.quick and 300 or 1000

  local function request(policy, seed, workload)
    return lab.run(set.scenario, {
      seed = seed,
      policy = { name = policy, params = set.params and set.params(policy) or {} },
      processes = { path = "fast" },
      workload = workload,
    }, { jobs = true })
  end

  if set.script then
    return function(policy, load)
      local runs = {}
      for i, seed in ipairs(lab.seeds) do runs[i] = request(policy, seed, { params = { load = load, jobs = jobs } }) end
      return runs
    end
  end

  local factor = 100 -- of load_factor, where times are a hundredth of the model's
  local function model(load_factor) return { load_factor = load_factor, lublin = { jobs = jobs } } end
  local alone, own = {}, {} -- by seed: the load that the model itself offers
  for i, seed in ipairs(lab.seeds) do alone[i] = request("batch", seed, model(factor)) end
  for i, run in ipairs(alone) do own[i] = run.summary.processes.offered_load end
  return function(policy, load)
    local runs = {}
    for i, seed in ipairs(lab.seeds) do runs[i] = request(policy, seed, model(factor * load / own[i])) end
    return runs
  end
end

--- The part of all work that waits to be admitted when the last job arrives.
local function left_behind(run)
  local jobs = run.jobs
  local submitted, started = jobs.submission_time, jobs.starting_time
  local size, time = jobs.requested_number_of_resources, jobs.requested_time
  local last, all, waiting = submitted[#submitted], 0, 0
  for i = 1, #submitted do
    local work = size[i] * time[i]
    all = all + work
    if not started[i] or started[i] > last then waiting = waiting + work end
  end
  return waiting / all
end

local function mean_left_behind(lab, runs)
  local values = {}
  for i, run in ipairs(runs) do values[i] = left_behind(run) end
  return lab.mean(values)
end

--- Where the part left behind crosses `part`, between the loads that were tried; the nearest of these if it does not.
local function crossing(tried, part)
  table.sort(tried, function(a, b) return a.load < b.load end)
  for i = 2, #tried do
    local low, high = tried[i - 1], tried[i]
    if low.left <= part and high.left > part then
      return low.load + (high.load - low.load) * (part - low.left) / (high.left - low.left)
    end
  end
  return tried[1].left > part and tried[1].load or tried[#tried].load
end

--- By policy: the offered loads that were tried on the way to saturation, by bisection, all policies side by side, and
--- how much was left behind at each.
function M.search(lab, at)
  local low, high, tried = {}, {}, {}
  for _, policy in ipairs(policies) do low[policy], high[policy], tried[policy] = 0.4, 1.2, {} end
  for _ = 1, lab.quick and 4 or 5 do
    local runs = {}
    for _, policy in ipairs(policies) do runs[policy] = at(policy, (low[policy] + high[policy]) / 2) end
    for _, policy in ipairs(policies) do
      local middle = (low[policy] + high[policy]) / 2
      local left = mean_left_behind(lab, runs[policy])
      table.insert(tried[policy], { load = middle, left = left })
      if left > behind then high[policy] = middle else low[policy] = middle end
    end
  end
  return tried
end

--- States the loads at saturation. `published`: by policy, and `ratio` of FCS to FCFS with its `band`.
function M.states_saturation(lab, at, published)
  local runs = {}
  for _, policy in ipairs(policies) do runs[policy] = at(policy, overload) end
  local tried, found = M.search(lab, at), {}
  for _, policy in ipairs(policies) do
    found[policy] = crossing(tried[policy], behind)
    lab.row {
      quantity = short[policy] .. ".saturation", published = published[policy], obtained = found[policy], seeds = #lab.seeds,
      chart = "Offered load at saturation", at = short[policy],
    }
  end
  local function states_ratio(name, ratio, judged)
    lab.row {
      quantity = "FCS/FCFS." .. name, published = judged and published.ratio or nil, obtained = ratio, seeds = #lab.seeds,
      band = judged and published.band or nil, at_least = judged and published.at_least or nil,
    }
  end
  states_ratio("saturation", found.fcs / found.batch, true)
  for _, part in ipairs(other_parts) do
    states_ratio(("saturation-at-%g%%"):format(100 * part), crossing(tried.fcs, part) / crossing(tried.batch, part))
  end
  local violations = (found.batch > found.gang and 1 or 0) + (found.batch > found.spin_block and 1 or 0)
    + (found.gang > found.fcs and 1 or 0) + (found.spin_block > found.fcs and 1 or 0)
  lab.row {
    quantity = "order.saturation", unit = "violations", published = 0, seeds = #lab.seeds, band = { 0, 0 }, obtained = violations,
  }
  local accepted = {}
  for _, policy in ipairs(policies) do
    accepted[policy] = lab.each(runs[policy], function(s) return s.processes.accepted_load end)
    lab.row {
      quantity = short[policy] .. ".accepted-load", values = accepted[policy],
      chart = ("Accepted load where %g is offered"):format(overload), at = short[policy],
    }
  end
  states_ratio("accepted-load", lab.mean(accepted.fcs) / lab.mean(accepted.batch))
end

local figures = {
  { "mean-response", function(s) return s.all.response.mean end, title = "Response times", unit = "s" },
  { "mean-bounded-slowdown", function(s) return s.all.bounded_slowdown.mean end, title = "Bounded slowdowns" },
  { "median-response", function(s) return s.all.response.median end, title = "Response times", unit = "s" },
  { "median-bounded-slowdown", function(s) return s.all.bounded_slowdown.median end, title = "Bounded slowdowns" },
}

--- States the means and medians at one load, and FCS beside the others.
function M.states_figures(lab, at, load)
  local runs = {}
  for _, policy in ipairs(policies) do runs[policy] = at(policy, load) end
  for _, figure in ipairs(figures) do
    local name, value = figure[1], figure[2]
    for _, policy in ipairs(policies) do
      lab.row {
        quantity = ("%s.%s"):format(short[policy], name), values = lab.each(runs[policy], value),
        unit = figure.unit, note = ("at a load of %g"):format(load), chart = ("%s at a load of %g"):format(figure.title, load),
        at = name:match("^%a+"), series = short[policy],
      }
    end
    local mean = name:find("^mean") ~= nil
    for _, other in ipairs { "batch", "gang", "spin_block" } do
      if mean or other == "batch" then
        lab.row {
          quantity = ("FCS-vs-%s.%s"):format(short[other], name), unit = "%",
          values = lab.compare(runs.fcs, runs[other], function(a, b) return 100 * (value(a) / value(b) - 1) end),
          at_most = mean and 5 or nil, at_least = not mean and name:find("slowdown") and -5 or nil,
          note = "the figure is lost: the band says what the text says",
          chart = "FCS against the others", at = "than " .. short[other], series = name:gsub("-", " "),
        }
      end
    end
  end
  return runs
end

--- Means over the offered load, as in the paper's figures.
function M.states_lines(lab, at, loads)
  local runs = {}
  for i, load in ipairs(loads) do
    runs[i] = {}
    for _, policy in ipairs(policies) do runs[i][policy] = at(policy, load) end
  end
  for _, figure in ipairs { figures[1], figures[2] } do
    for i, load in ipairs(loads) do
      for _, policy in ipairs(policies) do
        lab.row {
          quantity = ("%s.%s.load-%g"):format(short[policy], figure[1], load), values = lab.each(runs[i][policy], figure[2]),
          unit = figure.unit, chart = { title = "Mean of the " .. figure.title:lower(), axis = "offered load" }, at = load,
          series = short[policy],
        }
      end
    end
  end
end

--- Figure 8: response times of the shorter and the longer half of the jobs.
function M.states_halves(lab, at, load)
  local runs = { batch = at("batch", load), fcs = at("fcs", load) }
  for _, half in ipairs { "shorter", "longer" } do
    for _, decile in ipairs { 1, 3, 5, 7, 9 } do
      local function value(s) return s.processes.response_deciles[half .. "_half"][decile] end
      for _, policy in ipairs { "batch", "fcs" } do
        lab.row {
          quantity = ("%s.%s-half.%d%%"):format(short[policy], half, 10 * decile), unit = "s",
          values = lab.each(runs[policy], value),
          chart = { title = ("Response times, %s half of the jobs"):format(half), axis = "% of the jobs" },
          at = 10 * decile, series = short[policy],
        }
      end
    end
    local function median(s) return s.processes.response_deciles[half .. "_half"][5] end
    lab.row {
      quantity = ("FCS-vs-FCFS.%s-half.median"):format(half), unit = "%",
      values = lab.compare(runs.fcs, runs.batch, function(a, b) return 100 * (median(a) / median(b) - 1) end),
      at_most = half == "shorter" and 0 or nil, at_least = half == "longer" and 0 or nil,
      note = "the figure is lost: the band says what the text says",
    }
  end
end

return M
