-- Records of real runs: reading them, finding those of the same workload, and how far two schedules of it are apart.
local records = {}

--- What makes two runs comparable: as many nodes, and the same jobs with the same sizes and limits. Jobs go by their
--- number in the workload.
local function contents(rows, nodes)
  local jobs = {}
  for i, row in ipairs(rows) do jobs[i] = ("%g:%g:%g"):format(row.workload_id, row.nodes, row.walltime_s) end
  table.sort(jobs)
  return nodes .. " " .. table.concat(jobs, " ")
end

local function count_nodes(rows)
  local seen = {}
  for _, row in ipairs(rows) do
    local nodes = row.resources -- a single one is a number
    if type(nodes) == "number" then seen[math.tointeger(nodes)] = true
    else
      for node in nodes:gmatch "%d+" do seen[math.tointeger(node)] = true end
    end
  end
  return #table.keys(seen)
end

--- "sgraphene1_run1", "seed3": of results_sgraphene1_run1_2016-05-04--16-50-02__seed3.csv.gz.
local function names(file)
  local run, seed = file:match("^results_(.+)__(seed%d+)%.csv")
  run = run:gsub("_%d%d%d%d%-%d%d%-%d%d%-%-%d%d%-%d%d%-%d%d$", "")
  return run, (run:match("^noise") and "noise-" or "") .. seed
end

--- By number in the workload: start and wait, counted from the first submission.
local function schedule(rows)
  local first, of = math.huge, {}
  for _, row in ipairs(rows) do first = math.min(first, row.submit) end
  for _, row in ipairs(rows) do of[row.workload_id] = { start = row.start - first, wait = row.start - row.submit } end
  return of
end

--- A name for the run's workload: other jobs, or other nodes, may have had the same seed.
local function free_name(taken, run)
  local name, others = run.seed, 1
  if taken[name] then name = ("%s.%d-nodes"):format(name, run.nodes) end
  local first = name
  while taken[name] do
    others = others + 1
    name = ("%s.%d"):format(first, others)
  end
  return name
end

--- All runs on record, and the workloads that they repeat, both in order of the seeds.
function records.all(lab)
  local runs, workloads, by_contents, taken = {}, {}, {}, {}
  for _, file in ipairs(lab.files(".")) do
    if file:match("^results_.+__seed%d+%.csv") then
      local rows = lab.csv(lab.data(file))
      local run, seed = names(file)
      local one = { name = run, seed = seed, path = lab.data(file), rows = rows, nodes = count_nodes(rows),
        real = schedule(rows) }
      one.contents = contents(rows, one.nodes)
      runs[#runs + 1] = one
    end
  end
  table.sort(runs, function(a, b) return a.seed < b.seed end)
  for _, run in ipairs(runs) do
    local workload = by_contents[run.contents]
    if not workload then
      workload = { name = free_name(taken, run), nodes = run.nodes, runs = {} }
      taken[workload.name], by_contents[run.contents] = true, workload
      workloads[#workloads + 1] = workload
    end
    run.workload = workload
    table.insert(workload.runs, run)
  end
  return runs, workloads
end

--- The schedule of a simulated run of that record's jobs.
function records.simulated(record, run)
  local starts = {}
  for i, id in ipairs(run.jobs.job_id) do starts[id] = run.jobs.starting_time[i] end
  local first, of = math.huge, {}
  for _, row in ipairs(record.rows) do first = math.min(first, row.submit) end
  for _, row in ipairs(record.rows) do
    local start = starts[row.workload_id]
    of[row.workload_id] = { start = start, wait = start - (row.submit - first) }
  end
  return of
end

--- Places of the values in order, from 1; of equal ones their mean.
local function ranks(values)
  local order, out = {}, {}
  for i = 1, #values do order[i] = i end
  table.sort(order, function(a, b) return values[a] < values[b] end)
  local i = 1
  while i <= #order do
    local k = i
    while k < #order and values[order[k + 1]] == values[order[i]] do k = k + 1 end
    for q = i, k do out[order[q]] = (i + k) / 2 end
    i = k + 1
  end
  return out
end

local function correlation(a, b)
  local x, y = ranks(a), ranks(b)
  local middle, xx, yy, xy = (#x + 1) / 2, 0, 0, 0
  for i = 1, #x do
    local dx, dy = x[i] - middle, y[i] - middle
    xx, yy, xy = xx + dx * dx, yy + dy * dy, xy + dx * dy
  end
  return xx > 0 and yy > 0 and xy / math.sqrt(xx * yy) or 1
end

--- One schedule against another of the same jobs.
function records.distance(ours, theirs)
  local ids = table.keys(ours)
  local starts, waits, other_starts, other_waits = {}, {}, {}, {}
  for i, id in ipairs(ids) do
    starts[i], waits[i] = ours[id].start, ours[id].wait
    other_starts[i], other_waits[i] = theirs[id].start, theirs[id].wait
  end
  local error, wait, other_wait = 0, 0, 0
  for i = 1, #ids do
    error = error + math.abs(starts[i] - other_starts[i])
    wait, other_wait = wait + waits[i], other_wait + other_waits[i]
  end
  return {
    starts = error / #ids, wait = wait / #ids, other_wait = other_wait / #ids,
    order = correlation(starts, other_starts), waits_order = correlation(waits, other_waits),
  }
end

--- All pairs of real runs of a workload; none where there is one run only.
function records.pairs_of(workload)
  local found = {}
  for i, run in ipairs(workload.runs) do
    for k = i + 1, #workload.runs do found[#found + 1] = records.distance(run.real, workload.runs[k].real) end
  end
  return found
end

return records
