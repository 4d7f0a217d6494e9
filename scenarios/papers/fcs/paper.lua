-- Frachtenberg, Feitelson, Petrini & Fernandez 2005: flexible coscheduling (FCS) beside batch scheduling (FCFS), gang
-- scheduling (GS) and spin-block (SB).
--
-- What is not known was set on a few cells and predicts the rest. The cost of a gang's switch: GS in Table 3. Of FCS's:
-- FCS in Table 3. Of a local dispatch: SB in Tables 3 and 4. The local quantum: SB in Table 5. For the applications, of
-- filling the caches: GS and SB in Tables 7 and 8; of measuring each message: FCS in Table 7. When F processes go
-- first, and whether CS processes may fill gaps, was decided by FCS in Tables 5 and 6.

local published = require("published")
local dynamic = require("dynamic")

local policies = { "batch", "gang", "spin_block", "fcs" }
local short = { batch = "FCFS", gang = "GS", spin_block = "SB", fcs = "FCS" } -- the paper's names

-- Cells that something was set or chosen by: that they fit proves nothing.
local fitted = {
  T3 = { gang = "the cost of a switch", fcs = "the cost of a switch", spin_block = "the cost of a dispatch" },
  T4 = { spin_block = "the cost of a dispatch" },
  T5 = { spin_block = "the quantum", fcs = "that F processes always go first" },
  T6 = { fcs = "that CS processes fill gaps" },
  T7 = { batch = "the run time", gang = "slot_refill", spin_block = "dispatch_refill", fcs = "monitoring" },
  T8 = { batch = "the run time", gang = "slot_refill", spin_block = "dispatch_refill" },
}

-- Nor that jobs which run one after the other end where the sums of their own run times, which are inputs, say.
local given = { T3 = true, T4 = true, T5 = true, T6 = true }

local function maximum(list)
  local most = -math.huge
  for _, x in ipairs(list) do most = math.max(most, x) end
  return most
end

local function average(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

-- Figures of one run.
local function ends(summary)
  local list = {}
  for i, job in ipairs(summary.processes.jobs) do list[i] = job["end"] end
  return list
end

local function turnaround(summary) return maximum(ends(summary)) end
local function mean_response(summary) return average(ends(summary)) end
local function completion(job)
  return function(summary) return ends(summary)[job] end
end

--- How many of a job's processes are in a class at its end, in parts.
local function share(job, class)
  return function(summary)
    local counts, all = summary.processes.jobs[job].classes, 0
    for _, name in ipairs(table.keys(counts)) do all = all + counts[name] end
    return (counts[class] or 0) / all
  end
end

--- Runs of a scenario by policy. `slice`: of the policies that have time slices.
local function all_runs(lab, scenario, slice)
  local runs = {}
  for _, policy in ipairs(policies) do
    local sliced = slice and (policy == "gang" or policy == "fcs")
    runs[policy] = lab.runs(scenario, { policy = { name = policy, params = sliced and { slice = slice } or {} } })
  end
  return runs
end

--- Counts what is not so in an order such as { { "batch", "gang" }, "fcs" }: all of a group before all of the next.
local function violations(lab, runs, figure, order)
  local count = 0
  local function value(policy) return lab.mean(lab.each(runs[policy], figure)) end
  for i = 1, #order - 1 do
    for _, a in ipairs(type(order[i]) == "table" and order[i] or { order[i] }) do
      for _, b in ipairs(type(order[i + 1]) == "table" and order[i + 1] or { order[i + 1] }) do
        if value(a) > value(b) then count = count + 1 end
      end
    end
  end
  return count
end

local function states_order(lab, runs, name, figure, order)
  lab.row {
    quantity = "order." .. name, unit = "violations", published = 0,
    obtained = violations(lab, runs, figure, order), seeds = #lab.seeds, band = { 0, 0 },
  }
end

local cells_chart = "Ends of the jobs, and their maximum and mean"

local function states_cells(lab, label, runs)
  for _, policy in ipairs(policies) do
    local cells = published[label][policy]
    local by = fitted[label][policy]
    local run_times = policy == "batch" and given[label] and "one job after the other, by their run times alone" or nil
    local starved = label == "T6" and policy == "spin_block"
    local note = starved and "the published run starves job 3; no local scheduler that was tried does" or nil
    for job, seconds in ipairs(cells) do
      lab.row {
        quantity = ("%s.job%d"):format(short[policy], job), unit = "s", published = seconds,
        values = lab.each(runs[policy], completion(job)),
        note = note, fitted = by, given = run_times, chart = cells_chart, at = "job " .. job, series = short[policy],
      }
    end
    lab.row {
      quantity = short[policy] .. ".turnaround", unit = "s", published = maximum(cells),
      values = lab.each(runs[policy], turnaround),
      fitted = by, given = run_times,
      chart = cells_chart, at = "turnaround", series = short[policy],
    }
    lab.row {
      quantity = short[policy] .. ".mean-response", unit = "s", published = average(cells),
      values = lab.each(runs[policy], mean_response),
      fitted = by, given = run_times,
      chart = cells_chart, at = "mean response", series = short[policy],
    }
  end
end

local function states_class(lab, runs, job, class, part)
  lab.row {
    quantity = ("FCS.job%d.%s"):format(job, class), unit = "of its processes", published = part,
    values = lab.each(runs.fcs, share(job, class)),
  }
end

local function states_difference(lab, runs, seconds)
  lab.row {
    quantity = "SB-minus-FCS.turnaround", unit = "s", published = seconds,
    values = lab.compare(runs.spin_block, runs.fcs, function(sb, fcs) return turnaround(sb) - turnaround(fcs) end),
  }
end

local function experiment(data)
  return {
    label = data.label,
    title = data.title,
    run = function(lab)
      local runs = all_runs(lab, data.scenario, data.slice)
      if published[data.label] then states_cells(lab, data.label, runs) end
      if data.states then data.states(lab, runs) end
    end,
  }
end

-- Table 9 is a prediction: nothing was fitted to it, and the published figures are not in the text at hand. The first
-- is the prediction; the others say what hangs on how the text is read.
local predictions = {
  { scenario = "both_applications.toml" },
  { scenario = "both_applications_126.toml", name = "126-s", title = "SWEEP3D of 126 s" },
  { scenario = "both_applications_fixed.toml", name = "fixed", title = "an imbalance that does not move" },
}

local function states_prediction(lab, policy, runs, case)
  local name = short[policy] .. (case.name and "." .. case.name or "")
  local chart = case.title and cells_chart .. ": " .. case.title or cells_chart
  local function state(quantity, at, figure)
    lab.row {
      quantity = name .. "." .. quantity, unit = "s", values = lab.each(runs, figure), chart = chart, at = at,
      series = short[policy],
    }
  end
  state("SAGE", "SAGE", completion(1))
  state("SWEEP3D", "SWEEP3D", completion(2))
  state("turnaround", "turnaround", turnaround)
  state("mean-response", "mean response", mean_response)
end

local function predicts(lab)
  local runs = {}
  for i, case in ipairs(predictions) do runs[i] = all_runs(lab, case.scenario, 0.2) end
  local params = { slice = 0.2, gaps_yield = true }
  local yielding = lab.runs(predictions[1].scenario, { policy = { name = "fcs", params = params } })
  for i, case in ipairs(predictions) do
    for _, policy in ipairs(policies) do states_prediction(lab, policy, runs[i][policy], case) end
  end
  states_prediction(lab, "fcs", yielding, { name = "gaps-yield", title = "gaps are given back at once" })
end

local experiments = {
  experiment {
    label = "T3", title = "two balanced jobs", scenario = "balanced.toml",
    states = function(lab, runs)
      states_order(lab, runs, "turnaround", turnaround, { "batch", "gang", "fcs", "spin_block" })
      states_order(lab, runs, "mean-response", mean_response, { "batch", { "gang", "fcs", "spin_block" } })
      states_class(lab, runs, 1, "CS", 1)
      states_class(lab, runs, 2, "CS", 1)
    end,
  },
  experiment {
    label = "T4", title = "two imbalanced jobs", scenario = "imbalanced.toml",
    states = function(lab, runs)
      states_order(lab, runs, "turnaround", turnaround, { { "spin_block", "fcs" }, "batch", "gang" })
      states_order(lab, runs, "mean-response", mean_response, { "batch", { "spin_block", "fcs" }, "gang" })
      for job = 1, 2 do
        states_class(lab, runs, job, "F", 0.5)
        states_class(lab, runs, job, "DC", 0.5)
      end
    end,
  },
  experiment {
    label = "T5", title = "complementing jobs", scenario = "complementing.toml",
    states = function(lab, runs)
      states_order(lab, runs, "turnaround", turnaround, { "fcs", "spin_block", "batch", "gang" })
      states_order(lab, runs, "mean-response", mean_response, { "batch", "spin_block", "fcs", "gang" })
      states_class(lab, runs, 3, "F", 0.5)
      states_class(lab, runs, 3, "DC", 0.5)
      local function slowdown(summary) return 100 * (completion(3)(summary) / 180 - 1) end
      lab.row { quantity = "SB.job3.slowdown", unit = "%", published = 36,
        values = lab.each(runs.spin_block, slowdown) }
      lab.row { quantity = "FCS.job3.slowdown", unit = "%", published = 9, values = lab.each(runs.fcs, slowdown) }
    end,
  },
  experiment {
    label = "T6", title = "balanced and imbalanced jobs", scenario = "mixed.toml",
    states = function(lab, runs)
      states_order(lab, runs, "turnaround", turnaround, { { "fcs", "spin_block" }, { "batch", "gang" } })
      states_order(lab, runs, "mean-response", mean_response, { { "batch", "fcs" }, "spin_block", "gang" })
      states_difference(lab, runs, 276 - 253)
      states_class(lab, runs, 3, "CS", 1)
    end,
  },
  experiment {
    label = "T7", title = "two runs of SWEEP3D", scenario = "sweep3d.toml", slice = 0.2,
    states = function(lab, runs)
      states_order(lab, runs, "turnaround", turnaround, { "batch", "gang", "fcs", "spin_block" })
      states_class(lab, runs, 1, "CS", 1)
    end,
  },
  experiment {
    label = "T8", title = "two runs of SAGE", scenario = "sage.toml", slice = 0.2,
    states = function(lab, runs)
      states_order(lab, runs, "turnaround", turnaround, { "batch", "gang", { "fcs", "spin_block" } })
      states_class(lab, runs, 1, "F", 0.75)
      states_difference(lab, runs, 276 - 264)
    end,
  },
  { label = "T9", title = "SAGE beside SWEEP3D, a prediction", run = predicts },
}

experiments[#experiments + 1] = {
  label = "moves", indicative = "another reading of the paper", title = "what each reading moves",
  run = require("moves") { completion = completion, average = average, mean_response = mean_response },
}

local synthetic_load = { scenario = "synthetic_load.toml" }

experiments[#experiments + 1] = {
  label = "Fig7", title = "synthetic programs under load", seeds = 5, full_seeds = 10,
  reduced = "loads but for 0.5, 0.6, 0.7, 0.8, 0.9",
  run = function(lab)
    local at = dynamic.new(lab, synthetic_load)
    local loads = lab.full and { 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9 } or { 0.5, 0.6, 0.7, 0.8, 0.9 }
    dynamic.ask(at, loads)
    dynamic.states_figures(lab, at, 0.7)
    dynamic.states_lines(lab, at, loads)
    local accepted = dynamic.accepted(lab, at)
    dynamic.states_accepted(lab, accepted, { batch = 0.78, fcs = 0.88, ratio = 0.88 / 0.78 })
    dynamic.states_left_behind(lab, at, loads)
  end,
}

experiments[#experiments + 1] = {
  label = "Fig8", title = "response times of short and long jobs, at a load of 0.74", seeds = 10,
  run = function(lab)
    dynamic.states_halves(lab, dynamic.new(lab, synthetic_load), 0.74)
  end,
}

-- Sizes and run times of the second set are not published: others that could have been.
local mixes = {}
for _, sizes in ipairs { { "model", {} }, { "few small", { small = 0.5 } }, { "no serial", { serial = 0 } } } do
  for _, inputs in ipairs { "six", "two", "one-long" } do
    local params = table.copy(sizes[2])
    params.inputs = inputs
    mixes[#mixes + 1] = { name = ("sizes: %s; inputs: %s"):format(sizes[1], inputs), params = params }
  end
end

experiments[#experiments + 1] = {
  label = "Fig9", title = "SAGE and SWEEP3D under load", seeds = 5, full_seeds = 10,
  run = function(lab)
    local at = dynamic.new(lab, {
      scenario = "application_load.toml", script = true,
      params = function(policy)
        local slice = (policy == "gang" or policy == "fcs") and 0.2 or nil
        return policy ~= "batch" and { slice = slice, multiprogramming = 2 } or {}
      end,
    })
    dynamic.ask(at, { 0.6 })
    dynamic.states_figures(lab, at, 0.6)
    local accepted = dynamic.accepted(lab, at)
    dynamic.states_accepted(lab, accepted, { ratio = 1.54 })
    dynamic.states_bound(lab, accepted, "application_load.toml", mixes)
    dynamic.states_earlier(lab, accepted, dynamic.new(lab, synthetic_load))
  end,
}

return {
  api = 1,
  title = "Frachtenberg, Feitelson, Petrini & Fernandez 2005: flexible coscheduling",
  seeds = 3,
  quick_seeds = 1,
  experiments = experiments,
}
