-- Dutot, Mercier, Poquet & Richard 2016 (Batsim), Section 5: do simulated schedules come near those of a real machine?
-- Recorded runs of OAR on 32 nodes of Grid'5000 beside the policy `oar`. They are data that is not part of coslice
-- (`--data`).
local records = require "records"

local published_error = 6.4 -- s: the difference of mean waits, Batsim's to OAR's
local same_nodes = 32       -- of the machine in question; some runs had fewer

local runs, workloads

--- Reads the records once for all experiments; whether there are any.
local function read(lab)
  if not runs then runs, workloads = records.all(lab) end
  if #runs > 0 then return true end
  lab.row { quantity = "runs", skipped = "the records of the real runs: --data DIR" }
  return false
end

--- Asks for the run of each record's jobs.
local function ask(lab, policy, seed)
  local asked = {}
  for _, record in ipairs(runs) do
    asked[record] = lab.run("run.toml", {
      machine = { nodes = record.nodes }, workload = { params = { record = { csv = record.path } } }, policy = policy,
      seed = seed,
    }, { jobs = true })
  end
  return asked
end

local function distance(record, run) return records.distance(records.simulated(record, run), record.real) end

local function distances(asked)
  local found = {}
  for _, record in ipairs(runs) do found[record] = distance(record, asked[record]) end
  return found
end

local function mean_of(lab, list, field)
  local values = {}
  for i, one in ipairs(list) do values[i] = one[field] end
  return lab.mean(values)
end

--- Over the records of a workload.
local function of_workload(lab, workload, found, field)
  local values = {}
  for i, record in ipairs(workload.runs) do values[i] = found[record][field] end
  return lab.mean(values)
end

--- How far real runs of a workload are apart; nil where there is one only.
local function apart(lab, workload, field)
  local between = records.pairs_of(workload)
  return #between > 0 and mean_of(lab, between, field) or nil
end

-- Each run by itself. What is "published" is what the record says, or how far the real runs of the same workload are
-- apart.

local function each_run(lab)
  if not read(lab) then return end
  local found = distances(ask(lab))
  for _, record in ipairs(runs) do
    local d, name = found[record], ("%s.%s"):format(record.seed, record.name)
    local spread = apart(lab, record.workload, "starts")
    lab.row {
      quantity = name .. ".starts", unit = "s", published = spread, obtained = d.starts, seeds = 1, at_most = spread,
      note = spread and "mean absolute difference of starts; beside it, of real runs of the same workload to each other"
        or "mean absolute difference of starts; no second real run of this workload on as many nodes",
    }
    lab.row {
      quantity = name .. ".wait", unit = "s", published = d.other_wait, obtained = d.wait, seeds = 1,
      band = { d.other_wait - published_error, d.other_wait + published_error },
      indicative = record.nodes ~= same_nodes and ("on %d nodes, not %d"):format(record.nodes, same_nodes) or nil,
      note = "mean wait; the band is Batsim's published error",
    }
    lab.row {
      quantity = name .. ".order", published = apart(lab, record.workload, "order"), obtained = d.order, seeds = 1,
      note = "rank correlation of starts; beside it, of real runs",
    }
    lab.row {
      quantity = name .. ".order-of-waits", published = apart(lab, record.workload, "waits_order"),
      obtained = d.waits_order,
      seeds = 1, note = "rank correlation of waits; beside it, of real runs",
    }
  end
end

-- By workload: the policy against all its records, beside these among themselves.

local function spread(lab)
  if not read(lab) then return end
  local found = distances(ask(lab))
  local all, real, error, real_error, count = 0, 0, 0, 0, 0
  for _, workload in ipairs(workloads) do
    local among = apart(lab, workload, "starts")
    if among then
      local obtained = of_workload(lab, workload, found, "starts")
      lab.row {
        quantity = workload.name .. ".starts", unit = "s", published = among, obtained = obtained,
        seeds = #workload.runs, at_most = among,
        note = ("%d real runs"):format(#workload.runs), chart = "Mean absolute difference of starts",
        at = workload.name,
        series = "oar to real runs",
      }
      lab.row {
        quantity = workload.name .. ".starts.among-real", unit = "s", obtained = among, seeds = #workload.runs,
        chart = "Mean absolute difference of starts", at = workload.name, series = "real runs to each other",
      }
      local waits = {}
      for i, record in ipairs(workload.runs) do waits[i] = found[record].other_wait end
      table.sort(waits)
      all, real, count = all + obtained, real + among, count + 1
      error = error + math.abs(of_workload(lab, workload, found, "wait") - lab.mean(waits))
      real_error = real_error + waits[#waits] - waits[1]
    end
  end
  if count == 0 then
    lab.row { quantity = "all.starts", skipped = "two runs of the same workload" }
    return
  end
  lab.row {
    quantity = "all.starts", unit = "s", published = real / count, obtained = all / count, seeds = count,
    at_most = real / count,
    finding = "simulated runs are as near to real ones as these to each other", note = "mean over workloads",
  }
  lab.row {
    quantity = "all.mean-wait", unit = "s", published = published_error, obtained = error / count, seeds = count,
    at_most = published_error,
    note = ("absolute difference of mean waits, mean over workloads; real runs of the same: up to %.1f s"):format(
      real_error / count),
  }
end

-- What of the model matters.

local variants = {
  { "seconds", { name = "oar", params = { model = "seconds" } } },
  { "no-fault", { name = "oar", params = { fault = false } } },
  { "seconds.no-fault", { name = "oar", params = { model = "seconds", fault = false } } },
  { "no-security-time", { name = "oar", params = { SCHEDULER_JOB_SECURITY_TIME = 0 } } },
  { "conservative", { name = "conservative" } },
  { "easy", { name = "easy" } },
}

local function parts(lab)
  if not read(lab) then return end
  local asked = { { "oar", ask(lab) } }
  for i, variant in ipairs(variants) do asked[i + 1] = { variant[1], ask(lab, variant[2]) } end
  for _, one in ipairs(asked) do
    local found, errors, waits = distances(one[2]), {}, {}
    for _, workload in ipairs(workloads) do
      if #workload.runs > 1 then
        errors[#errors + 1] = of_workload(lab, workload, found, "starts")
        waits[#waits + 1] = math.abs(of_workload(lab, workload, found, "wait") - of_workload(lab, workload, found,
          "other_wait"))
      end
    end
    if #errors > 0 then
      lab.row {
        quantity = one[1] .. ".starts", unit = "s", obtained = lab.mean(errors), seeds = #errors,
        note = "mean over workloads",
        chart = "Difference to real runs", at = one[1], series = "starts, mean absolute difference",
      }
      lab.row {
        quantity = one[1] .. ".mean-wait", unit = "s", obtained = lab.mean(waits), seeds = #waits,
        note = "mean over workloads",
        chart = "Difference to real runs", at = one[1], series = "mean wait",
      }
    end
  end
end

-- The records cut off what is below a second. Runs that draw it differ from each other, as real runs do.

local function drawn(lab)
  if not read(lab) then return end
  local asked = {}
  for i, seed in ipairs(lab.seeds) do asked[i] = ask(lab, { name = "oar", params = { drawn = true } }, seed) end
  for _, workload in ipairs(workloads) do
    local values, between = {}, {}
    local schedules = {}
    for i in ipairs(asked) do
      local found = distances(asked[i])
      values[i] = of_workload(lab, workload, found, "starts")
      schedules[i] = records.simulated(workload.runs[1], asked[i][workload.runs[1]])
    end
    for i = 2, #schedules do between[i - 1] = records.distance(schedules[i - 1], schedules[i]).starts end
    local among = apart(lab, workload, "starts")
    lab.row {
      quantity = workload.name .. ".starts", unit = "s", published = among, values = values, at_most = among,
      note = #between > 0 and ("draws to each other: %.1f s"):format(lab.mean(between)) or "",
    }
  end
end

return {
  api = 1,
  title = "Dutot et al. 2016 (Batsim): simulated schedules beside those of OAR on a real machine",
  data = "oar",
  seeds = 5,
  quick_seeds = 2,
  experiments = {
    { label = "runs", title = "Each run on record", run = each_run },
    { label = "spread", title = "Beside the spread of real runs", run = spread },
    { label = "parts", title = "What of the model matters", run = parts },
    { label = "drawn", title = "What is below a second, drawn", run = drawn },
  },
}
