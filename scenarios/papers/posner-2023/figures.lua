-- The eight figures of a run, as the published programs make them: from files in which times have six digits.
local figures = {}

local nodes = 128
local many = 0.9 * nodes

--- As it stands in the files.
local function printed(x) return tonumber(("%.6g"):format(x)) end

-- Changes of how many nodes are in use, in the order in which they happen at one instant.
local order = { finish = 1, start = 2, gain = 3, loss = 4 }

--- Notes that more nodes are in use from then on, or fewer.
local function change(changes, time, by, kind)
  changes[#changes + 1] = { time = time, by = by, order = order[kind] }
end

--- Notes the changes of a job's nodes between its start and its end; how many it has at its end. `history` is as in
--- jobs.csv.
local function change_between(changes, history)
  local had
  for time, count in history:gmatch "([%d.]+):(%d+)" do
    count = tonumber(count)
    if had then change(changes, tonumber(time), count - had, count > had and "gain" or "loss") end
    had = count
  end
  return had
end

local function changes_of(jobs)
  local changes, starts, ends, history = {}, jobs.starting_time, jobs.finish_time, jobs.node_history
  for i, count in ipairs(jobs.allocated_nodes) do
    local first = history[i] and tonumber(history[i]:match ":(%d+)") or count
    local last = history[i] and change_between(changes, history[i]) or count
    change(changes, starts[i], first, "start")
    change(changes, ends[i], -last, "finish")
  end
  return changes
end

--- The last time behind `from` at which many nodes are in use; nil if there is none. Nodes come and go one by one.
local function last_time_many(changes, from)
  local behind, used = {}, 0
  for _, c in ipairs(changes) do
    if c.time >= from then behind[#behind + 1] = c else used = used + c.by end
  end
  table.sort(behind, function(a, b) return a.time < b.time or a.time == b.time and a.order < b.order end)
  local last
  for _, c in ipairs(behind) do
    if (c.by > 0 and used + c.by or used - 1) > many then last = c.time end
    used = used + c.by
  end
  return last
end

local function end_of_max(changes, total)
  for _, part in ipairs { 0.95, 0.5, 0 } do
    local last = last_time_many(changes, part * total)
    if last then return printed(last) end
  end
  return 0
end

--- Means of waits, times until the end, and run times; the last end.
local function times(jobs)
  local submits, starts, ends = jobs.submission_time, jobs.starting_time, jobs.finish_time
  local wait, turnaround, run, total = 0, 0, 0, 0
  for i, start in ipairs(starts) do
    local submit, finish = submits[i], ends[i]
    wait = wait + printed(start - submit)
    turnaround = turnaround + printed(finish - submit)
    run = run + printed(finish - start)
    total = math.max(total, printed(finish))
  end
  local n = #starts
  return wait / n, turnaround / n, run / n, total
end

local function utilization(changes, total)
  local busy = 0
  for _, c in ipairs(changes) do busy = busy - c.by * printed(c.time) end
  return busy / nodes / total
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
  local jobs, noted, found = run.jobs, run.summary.notes or {}, {}
  local changes, numbers = changes_of(jobs), {}
  numbers.average_wait_time, numbers.average_turnaround_time, numbers.average_makespan, numbers.total_runtime =
    times(jobs)
  numbers.average_node_utilization = utilization(changes, numbers.total_runtime)
  numbers.end_of_max = end_of_max(changes, numbers.total_runtime)
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
