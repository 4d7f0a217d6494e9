-- Section 5 of Frachtenberg et al. 2005: 1,000 jobs that arrive, under loads that differ by a factor on their arrival
-- times. The curves are lost and the mix of programs is not published, so that only what the text says is judged.

local policies = { "batch", "gang", "spin_block", "fcs" }
local short = { batch = "FCFS", gang = "GS", spin_block = "SB", fcs = "FCS" }

-- "Accepted load ... can be inferred from the accumulation of jobs in the queue": what was offered, less what waits to be
-- admitted when the last job arrives. Where it falls behind by this part, the machine is saturated.
local behind = 0.05

local M = {}

--- Runs of a set of jobs: { scenario =, params = function(policy), jobs = how many unless all are wanted }.
function M.new(lab, set)
  local jobs = lab.quick and 300 or not lab.full and set.jobs or 1000
  local factor = 100 -- of load_factor, where times are a hundredth of the model's
  local own = {}     -- by seed: the load that the model itself offers

  local function request(policy, seed, load_factor)
    return lab.run(set.scenario, {
      seed = seed,
      policy = { name = policy, params = set.params and set.params(policy) or {} },
      processes = { path = "fast" },
      workload = { load_factor = load_factor, lublin = { jobs = jobs } },
    }, { jobs = true })
  end

  --- Runs at an offered load, exactly that of each seed.
  local function at(policy, load)
    local runs = {}
    for i, seed in ipairs(lab.seeds) do runs[i] = request(policy, seed, factor * load / own[i]) end
    return runs
  end

  local alone = {}
  for i, seed in ipairs(lab.seeds) do alone[i] = request("batch", seed, factor) end
  for i, run in ipairs(alone) do own[i] = run.summary.processes.offered_load end
  return at
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

--- By policy: the offered load at which the machine is saturated, by bisection, all policies side by side.
function M.saturation(lab, at)
  local low, high = {}, {}
  for _, policy in ipairs(policies) do low[policy], high[policy] = 0.4, 1.6 end
  for _ = 1, lab.quick and 3 or 6 do
    local runs = {}
    for _, policy in ipairs(policies) do runs[policy] = at(policy, (low[policy] + high[policy]) / 2) end
    for _, policy in ipairs(policies) do
      local middle = (low[policy] + high[policy]) / 2
      if mean_left_behind(lab, runs[policy]) > behind then high[policy] = middle else low[policy] = middle end
    end
  end
  local found = {}
  for _, policy in ipairs(policies) do found[policy] = (low[policy] + high[policy]) / 2 end
  return found
end

--- States the loads at saturation. `published`: by policy, and `ratio` of FCS to FCFS with its `band`.
function M.states_saturation(lab, at, published)
  local found = M.saturation(lab, at)
  for _, policy in ipairs(policies) do
    lab.row {
      quantity = short[policy] .. ".saturation", published = published[policy], obtained = found[policy], seeds = #lab.seeds,
      chart = "Offered load at saturation", at = short[policy],
    }
  end
  lab.row {
    quantity = "FCS/FCFS.saturation", published = published.ratio, obtained = found.fcs / found.batch, seeds = #lab.seeds,
    band = published.band, at_least = published.at_least,
  }
  lab.row {
    quantity = "order.saturation", unit = "violations", published = 0, seeds = #lab.seeds, band = { 0, 0 },
    obtained = (found.batch > found.gang and 1 or 0) + (found.batch > found.spin_block and 1 or 0)
      + (found.gang > found.fcs and 1 or 0) + (found.spin_block > found.fcs and 1 or 0),
  }
  return found
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
