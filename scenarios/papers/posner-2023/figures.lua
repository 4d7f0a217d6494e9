-- The eight figures of a run, as the published programs make them: from files in which times have six digits.
local figures = {}

local nodes = 128
local many = 0.9 * nodes

--- As it stands in the files.
local function as_written(x) return tonumber(("%.6g"):format(x)) end

--- The same, in a third of the time, if it is from 1 s to 115 days and not near the middle of two such numbers.
local function printed(x)
  if x < 1 or x >= 1e7 then return as_written(x) end
  if x >= 1e6 then
    local tens = x / 10
    local rounded = math.floor(tens + 0.5)
    return math.abs(tens - rounded) < 0.499999 and rounded * 10 or as_written(x)
  end
  local scale = x >= 1e5 and 1 or x >= 1e4 and 10 or x >= 1e3 and 100 or x >= 100 and 1e3 or x >= 10 and 1e4 or 1e5
  local scaled = x * scale
  local rounded = math.floor(scaled + 0.5)
  return math.abs(scaled - rounded) < 0.499999 and rounded / scale or as_written(x)
end

--- Calls `note(time, by)` for each change of a job's nodes between its start and its end. Returns with how many it
--- started and ended. `history` is as in jobs.csv.
local function each_change(history, note)
  local first, had
  for time, count in history:gmatch "([%d.]+):(%d+)" do
    count = tonumber(count)
    if had then note(tonumber(time), count - had) else first = count end
    had = count
  end
  return first, had
end

--- When jobs had how many nodes, by place in the list: of those that were changed. Where none may change there is no
--- such column.
local function histories(jobs)
  local is_there, column = pcall(function() return jobs.node_history end)
  return is_there and column or {}
end

--- Means of waits, times until the end, and run times; the last end; and the part of the nodes that were in use.
local function sums(jobs)
  local submits, starts, ends = jobs.submission_time, jobs.starting_time, jobs.finish_time
  local allocated, history = jobs.allocated_nodes, histories(jobs)
  local wait, turnaround, run, total, busy = 0, 0, 0, 0, 0
  local function note(time, by) busy = busy - by * printed(time) end
  for i, start in ipairs(starts) do
    local submit, finish, first, last = submits[i], ends[i], allocated[i], allocated[i]
    wait = wait + printed(start - submit)
    turnaround = turnaround + printed(finish - submit)
    run = run + printed(finish - start)
    if history[i] then first, last = each_change(history[i], note) end
    local finished = printed(finish)
    busy = busy + last * finished - first * printed(start)
    total = math.max(total, finished)
  end
  local n = #starts
  return wait / n, turnaround / n, run / n, total, busy / nodes / total
end

-- At one instant jobs end first, then others start, then some get nodes, then some lose nodes.
local function by_time(a, b) return a.time < b.time or a.time == b.time and a.order < b.order end

--- Changes of how many nodes are in use from that time on, in order; and how many were before.
local function changes_from(jobs, from)
  local starts, ends, allocated, history = jobs.starting_time, jobs.finish_time, jobs.allocated_nodes, histories(jobs)
  local changes, used = {}, 0
  local function note(time, by, order)
    if time < from then used = used + by
    else changes[#changes + 1] = { time = time, by = by, order = order or by > 0 and 3 or 4 }
    end
  end
  for i, finish in ipairs(ends) do
    if finish >= from then
      local first, last = allocated[i], allocated[i]
      if history[i] then first, last = each_change(history[i], note) end
      note(starts[i], first, 2)
      note(finish, -last, 1)
    end
  end
  table.sort(changes, by_time)
  return changes, used
end

--- The last time from `from` on at which many nodes are in use; nil if there is none. Nodes come and go one by one.
local function last_time_many(jobs, from)
  local changes, used = changes_from(jobs, from)
  local last
  for _, c in ipairs(changes) do
    if (c.by > 0 and used + c.by or used - 1) > many then last = c.time end
    used = used + c.by
  end
  return last
end

local function end_of_max(jobs, total)
  for _, part in ipairs { 0.98, 0.9, 0 } do
    local last = last_time_many(jobs, part * total)
    if last then return as_written(last) end
  end
  return 0
end

--- Number, mean nodes, and number by job; of one job too few, as jobs are counted by the last one's number from 0.
local function events(noted, jobs)
  local count, mean = noted and noted.count or 0, noted and noted.mean or 0
  return { count = count, text = ("%.0f, %.1f, %.1f"):format(count, mean, count / (jobs - 1)) }
end

--- How they are called, and printed; events are a number and a text.
figures.all = {
  { name = "average_wait_time", title = "Mean wait", unit = "s", digits = "%.4f" },
  { name = "average_turnaround_time", title = "Mean time from submission to end", unit = "s", digits = "%.4f" },
  { name = "average_makespan", title = "Mean run time", unit = "s", digits = "%.4f" },
  { name = "total_runtime", title = "Last end", unit = "s", digits = "%.0f" },
  { name = "average_node_utilization", title = "Part of the nodes in use", digits = "%.4f" },
  { name = "end_of_max", title = "End of the time with many nodes in use", unit = "s", digits = "%.0f" },
  { name = "shrink_event", title = "Shrinks" },
  { name = "expand_event", title = "Expansions" },
}

--- Those of a run, by name: { value = number, text = as it is printed }.
function figures.of(run)
  local jobs, noted, found, numbers = run.jobs, run.summary.notes or {}, {}, {}
  numbers.average_wait_time, numbers.average_turnaround_time, numbers.average_makespan, numbers.total_runtime,
    numbers.average_node_utilization = sums(jobs)
  numbers.end_of_max = end_of_max(jobs, numbers.total_runtime)
  for _, figure in ipairs(figures.all) do
    if figure.digits then
      local number = numbers[figure.name]
      found[figure.name] = { value = number, text = figure.digits:format(number) }
    else
      local made = events(noted[figure.name:match "^%a+"], #jobs.starting_time)
      found[figure.name] = { value = made.count, text = made.text }
    end
  end
  return found
end

return figures
