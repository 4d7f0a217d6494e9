-- Esbaugh 2010, Tables 8 and 9: real logs. How much is saved depends on what is not published, such as the memory of
-- the jobs of one.
local published = require("published")
local choices = require("choices")

local M = {}

local function states_cell(lab, logs, runs, fits, name, reading, is_head)
  local cell = {
    quantity = ("TS-%s-%s-vs-%s.overhead%s"):format(fits.first, fits.second, name, choices.suffix(reading)), unit = "%",
    published = fits[name],
    chart = { title = ("Less overhead with TS than with %s on %s"):format(name, logs.title), axis = "fits" },
    at = fits.first .. ", " .. fits.second, series = reading.name,
  }
  if runs then
    cell.values = lab.compare(runs[fits.first .. fits.second], runs[name], choices.less_overhead)
    cell.fitted = not reading.label and choices.chosen or nil
    cell.finding, cell.note = "memory-aware allocation has less overhead", logs.note
    cell.indicative = reading.label and choices.another_reading
      or is_head and "the head of the log alone: too few jobs to judge" or nil
  else
    cell.skipped = ("none of %s is there: get the log from the Parallel Workloads Archive, and give its folder with "
      .. "--traces"):format(table.concat(logs.names, ", "))
  end
  lab.row(cell)
end

--- Runs of all choices of nodes on the log, by their names, in one reading.
local function runs_of(lab, logs, trace, reading)
  local function simulated(choice)
    local overrides = {
      workload = { trace = trace, first = choices.number_of_jobs(lab) },
      policy = { params = choices.parameters(choice, reading) },
    }
    return logs.drawn and lab.runs(logs.scenario, overrides) or { lab.run(logs.scenario, overrides) }
  end
  local runs = { FF = simulated(choices.FF), AL = simulated(choices.AL) }
  for _, fits in ipairs(published.logs[logs.label]) do
    runs[fits.first .. fits.second] = simulated(choices.TS(fits.first, fits.second))
  end
  return runs
end

--- An experiment. `logs`: label, title, scenario, names of the files, head (what the name of a file says that has the
--- head of the log alone), drawn (whether the jobs' memory is), note.
function M.experiment(logs)
  local function run(lab)
    local trace, by = lab.trace(logs.names), {}
    local is_head = trace and logs.head and trace:find(logs.head, 1, true)
    for r, reading in ipairs(choices.readings_of(lab)) do by[r] = trace and runs_of(lab, logs, trace, reading) end
    for r, reading in ipairs(choices.readings_of(lab)) do
      for _, fits in ipairs(published.logs[logs.label]) do
        for _, name in ipairs { "FF", "AL" } do states_cell(lab, logs, by[r], fits, name, reading, is_head) end
      end
    end
  end
  local seeds = not logs.drawn and 1 or nil -- nothing is drawn
  return { label = logs.label, title = logs.title, seeds = seeds, full_seeds = seeds, run = run }
end

return M
