-- How many cores are in use, second by second, and what the published tables say of a schedule. A schedule is a list of
-- jobs with `submit`, `start`, `finish` and `nodes`.
local load = {}

load.cores = 368 * 36 -- what the tables call all of it

--- Steps { from, till, cores }, in order. As in the tables, a job is there from the second in which it starts to the
--- end of the one in which it ends, and what is above all cores is cut off.
local function steps(schedule)
  local changes, times = {}, {}
  local function change(at, nodes)
    if not changes[at] then changes[at], times[#times + 1] = 0, at end
    changes[at] = changes[at] + nodes
  end
  for _, job in pairs(schedule) do
    change(math.floor(job.start), job.nodes)
    change(math.ceil(job.finish), -job.nodes)
  end
  table.sort(times)
  local found, cores = {}, 0
  if #times > 0 and times[1] > 0 then found[1] = { from = 0, till = times[1], cores = 0 } end
  for i = 1, #times - 1 do
    cores = cores + changes[times[i]]
    found[#found + 1] = { from = times[i], till = times[i + 1], cores = math.min(cores, load.cores) }
  end
  return found
end

--- Core-seconds from one instant to another.
local function work(all, from, till)
  local sum = 0
  for _, step in ipairs(all) do
    sum = sum + math.max(math.min(step.till, till) - math.max(step.from, from), 0) * step.cores
  end
  return sum
end

--- The first instant until which so much work is done.
local function reached(all, wanted)
  local done = 0
  for _, step in ipairs(all) do
    local more = (step.till - step.from) * step.cores
    if done + more >= wanted then return math.floor(step.from + (wanted - done) / math.max(step.cores, 1) + 0.5) end
    done = done + more
  end
end

--- The first and the last second that a table counts, from what it says of a schedule: how much work is behind them
--- (`residualWork`), and how much in them (`usageIncluded`). Nothing if the mean load that it says is another one.
function load.window(schedule, told)
  local all = steps(schedule)
  local behind = reached(all, work(all, 0, math.huge) - told.residualWork * 3600)
  local first = behind and reached(all, work(all, 0, behind) - told.usageIncluded * 3600)
  if not first or first >= behind then return nil end
  local mean = work(all, first, behind) / (behind - first)
  return math.abs(mean - told.meanLoad) <= 1 and { first = first, last = behind - 1 } or nil
end

local function median(values)
  table.sort(values)
  local n = #values
  return n > 0 and (values[(n + 1) // 2] + values[n // 2 + 1]) / 2 or 0
end

local function spread(found, name, values)
  if #values == 0 then return end
  local sum = 0
  for _, x in ipairs(values) do sum = sum + x end
  found["median" .. name] = median(values) -- sorts them
  found["min" .. name], found["max" .. name], found["mean" .. name] = values[1], values[#values], sum / #values
end

--- The figures of the tables, under their names. Waits are in hours.
function load.figures(schedule, window)
  local all, found = steps(schedule), {}
  local first, behind = window.first, window.last + 1
  local waits, turnarounds = {}, {}
  for _, job in pairs(schedule) do
    if job.start >= first and job.start <= window.last then
      waits[#waits + 1] = (job.start - job.submit) / 3600
      turnarounds[#turnarounds + 1] = (job.finish - job.submit) / 3600
    end
  end
  local inside = {}
  for _, step in ipairs(all) do
    local seconds = math.min(step.till, behind) - math.max(step.from, first)
    if seconds > 0 then inside[#inside + 1] = { cores = step.cores, seconds = seconds } end
  end
  table.sort(inside, function(a, b) return a.cores < b.cores end)
  local half, seconds = (behind - first) / 2, 0
  for _, step in ipairs(inside) do
    seconds = seconds + step.seconds
    if seconds >= half then
      found.medianLoad = step.cores
      break
    end
  end
  local used = work(all, first, behind)
  found.nJobStart = #waits
  if #inside > 0 then found.minLoad, found.maxLoad = inside[1].cores, inside[#inside].cores end
  found.meanLoad = used / (behind - first)
  found.usageIncluded = used / 3600
  found.usageExcluded = (work(all, 0, first) + work(all, window.last, math.huge)) / 3600
  found.usageFraction = used / ((window.last - first) * load.cores)
  found.residualWork = work(all, behind, math.huge) / 3600
  spread(found, "Wait", waits)
  spread(found, "TurnaroundTime", turnarounds)
  return found
end

return load
