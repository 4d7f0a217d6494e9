-- Section 5 of Frachtenberg et al. 2005: 1,000 jobs that arrive, under loads that differ by a factor on their arrival
-- times. The curves are lost and the mix of programs is not published, so that only what the text says is judged.

local policies = { "batch", "gang", "spin_block", "fcs" }
local short = { batch = "FCFS", gang = "GS", spin_block = "SB", fcs = "FCS" }

-- "We stopped the experiments at each algorithm's saturation point, as witnessed by a relatively constant accepted
-- load": what is done by the last arrival where this is offered, which no policy can do.
local overload = 1.3
-- Another sign is "the accumulation of jobs in the queue", but it hangs on how much of it counts: these parts of all
-- work, that wait to be admitted when the last job arrives.
local parts_behind = { 0.025, 0.05, 0.1 }

local M = {}

--- Runs of a set of jobs: { scenario =, params = function(policy), script = whether its workload is a script that makes
--- the load itself }.
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

--- Where the part left behind crosses `part`, between the loads that were tried; the nearest of these if it does not.
local function crossing(tried, part)
  for i = 2, #tried do
    local low, high = tried[i - 1], tried[i]
    if low.left <= part and high.left > part then
      return low.load + (high.load - low.load) * (part - low.left) / (high.left - low.left)
    end
  end
  return tried[1].left > part and tried[1].load or tried[#tried].load
end

local function accepted_load(s) return s.processes.accepted_load end
local function ratio(a, b) return a / b end
local function percent_more(a, b) return 100 * (a / b - 1) end

--- Asks for the runs at these loads and under overload, so that all are made side by side.
function M.ask(at, loads)
  for _, policy in ipairs(policies) do
    for _, load in ipairs(loads) do at(policy, load) end
    at(policy, overload)
  end
end

--- What each policy accepts under overload, by policy and seed.
function M.accepted(lab, at)
  local runs, accepted = {}, {}
  for _, policy in ipairs(policies) do runs[policy] = at(policy, overload) end
  for _, policy in ipairs(policies) do accepted[policy] = lab.each(runs[policy], accepted_load) end
  return accepted
end

--- The loads that are accepted. `published`: by policy, and `ratio` of FCS to FCFS.
function M.states_accepted(lab, accepted, published)
  for _, policy in ipairs(policies) do
    lab.row {
      quantity = short[policy] .. ".accepted-load", published = published[policy], values = accepted[policy],
      indicative = published[policy] and "the mix of programs is not published" or nil,
      chart = ("Accepted load where %g is offered"):format(overload), at = short[policy],
    }
  end
  lab.row {
    quantity = "FCS/FCFS.accepted-load", published = published.ratio,
    estimate = lab.estimate(ratio, accepted.fcs, accepted.batch),
  }
  for _, pair in ipairs { { "gang", "batch" }, { "spin_block", "batch" }, { "fcs", "gang" },
    { "fcs", "spin_block" } } do
    local more, less = pair[1], pair[2]
    local differences = {}
    for i, x in ipairs(accepted[more]) do differences[i] = x - accepted[less][i] end
    lab.row {
      quantity = ("%s-minus-%s.accepted-load"):format(short[more], short[less]), values = differences, at_least = 0,
      finding = ("%s saturates later than %s"):format(short[more], short[less]),
    }
  end
end

--- The other sign of saturation, from the runs at these loads and under overload. Nothing is judged by it.
function M.states_left_behind(lab, at, loads)
  local found = {}
  for _, policy in ipairs { "batch", "fcs" } do
    local runs = {}
    for _, load in ipairs(loads) do runs[#runs + 1] = { load = load, of = at(policy, load) } end
    runs[#runs + 1] = { load = overload, of = at(policy, overload) }
    found[policy] = function(seed, part)
      local tried = {}
      for i, r in ipairs(runs) do tried[i] = { load = r.load, left = left_behind(r.of[seed]) } end
      return crossing(tried, part)
    end
  end
  for _, part in ipairs(parts_behind) do
    local fcs, batch = {}, {}
    for i in ipairs(lab.seeds) do fcs[i], batch[i] = found.fcs(i, part), found.batch(i, part) end
    lab.row {
      quantity = ("FCS/FCFS.load-with-%g%%-waiting"):format(100 * part), estimate = lab.estimate(ratio, fcs, batch),
      note = "hangs on the part, so that saturation is judged by the accepted load",
    }
  end
end

-- What FCS could do at most in the second set, by the paper's own tables: where all processors always have two jobs to
-- share them, these go on at the pace of Table 8, 252 s of work in 264 s (Table 7: 222 in 244).
local best_pace = 252 / 264

--- By how much FCS can be above FCFS at most, with what FCFS accepts here and under other mixes: { name =, params = }.
function M.states_bound(lab, accepted, scenario, mixes)
  local runs, lowest, highest = {}, nil, nil
  for i, mix in ipairs(mixes) do
    local params = table.copy(mix.params)
    params.load = overload
    local workload, processes = { params = params }, { path = "fast" }
    runs[i] = lab.runs(scenario, { policy = { name = "batch" }, processes = processes, workload = workload })
  end
  lab.row {
    quantity = "FCS/FCFS.accepted-load.bound", published = 1.54,
    estimate = lab.estimate(function(x) return best_pace / x end, accepted.batch),
    indicative = "a bound by Tables 7 and 8, as if all processors always had two jobs",
  }
  for i, mix in ipairs(mixes) do
    local values = lab.each(runs[i], accepted_load)
    local mean = lab.mean(values)
    lowest, highest = math.min(lowest or mean, mean), math.max(highest or mean, mean)
    lab.row {
      quantity = "FCFS.accepted-load." .. mix.name, values = values, chart = "What FCFS accepts under other mixes",
      at = mix.name,
    }
  end
  lab.row {
    quantity = "FCS/FCFS.accepted-load.bound-over-mixes", published = 1.54, obtained = best_pace / lowest,
    seeds = #lab.seeds, indicative = ("FCFS accepts %.2f to %.2f under them"):format(lowest, highest),
  }
end

--- FCFS saturates "at a very early point compared to the other algorithms and previous set".
function M.states_earlier(lab, accepted, first_set)
  local runs = first_set("batch", overload)
  local before = lab.each(runs, accepted_load)
  local differences = {}
  for i, x in ipairs(before) do differences[i] = x - accepted.batch[i] end
  lab.row {
    quantity = "FCFS.accepted-load.first-set-minus-second", values = differences, at_least = 0,
    finding = "FCFS saturates earlier in the second set than in the first",
  }
end

local figures = {
  { "mean-response", function(s) return s.all.response.mean end, title = "Response times", unit = "s" },
  { "mean-bounded-slowdown", function(s) return s.all.bounded_slowdown.mean end, title = "Bounded slowdowns" },
  { "median-response", function(s) return s.all.response.median end, title = "Response times", unit = "s" },
  { "median-bounded-slowdown", function(s) return s.all.bounded_slowdown.median end, title = "Bounded slowdowns" },
}

--- FCS beside the others; and FCFS, which is worst in the means.
local function states_comparisons(lab, runs, name, value)
  local mean = name:find("^mean") ~= nil
  local function compare(policy, other, row)
    row.quantity, row.unit = ("%s-vs-%s.%s"):format(short[policy], short[other], name), "%"
    row.estimate = lab.estimate(percent_more, lab.each(runs[policy], value), lab.each(runs[other], value))
    row.note = "the figure is lost: the band says what the text says"
    row.chart, row.at, row.series = short[policy] .. " against others", "than " .. short[other], name:gsub("-", " ")
    lab.row(row)
  end
  for _, other in ipairs { "batch", "gang", "spin_block" } do
    if mean or other == "batch" then
      local at_least = not mean and name:find("slowdown") and -5 or nil
      compare("fcs", other, { at_most = mean and 5 or nil, at_least = at_least })
    end
  end
  for _, other in ipairs { "gang", "spin_block" } do
    if mean then compare("batch", other, { at_least = 0, finding = "FCFS performs worse than the others" }) end
  end
end

--- States the means and medians at one load, and FCS beside the others.
function M.states_figures(lab, at, load)
  local runs = {}
  for _, policy in ipairs(policies) do runs[policy] = at(policy, load) end
  for _, figure in ipairs(figures) do
    local name, value = figure[1], figure[2]
    for _, policy in ipairs(policies) do
      lab.row {
        quantity = ("%s.%s"):format(short[policy], name), values = lab.each(runs[policy], value),
        unit = figure.unit, note = ("at a load of %g"):format(load),
        chart = ("%s at a load of %g"):format(figure.title, load),
        at = name:match("^%a+"), series = short[policy],
      }
    end
    states_comparisons(lab, runs, name, value)
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
          quantity = ("%s.%s.load-%g"):format(short[policy], figure[1], load),
          values = lab.each(runs[i][policy], figure[2]),
          unit = figure.unit, chart = { title = "Mean of the " .. figure.title:lower(), axis = "offered load" },
          at = load,
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
      estimate = lab.estimate(percent_more, lab.each(runs.fcs, median), lab.each(runs.batch, median)),
      at_most = half == "shorter" and 0 or nil, at_least = half == "longer" and 0 or nil,
      note = "the figure is lost: the band says what the text says",
    }
  end
end

return M
