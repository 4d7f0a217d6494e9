-- Four logs of the Parallel Workloads Archive, each cut into periods of four weeks that are spread evenly over it and
-- simulated by themselves: so intervals over the periods say what a month of this machine tells about another one.
local week = 7 * 86400

local M = {}

M.list = {
  {
    name = "KTH-SP2", nodes = 100, first = 0, last = 339 * 86400,
    files = {
      "KTH-SP2-1996-2.1-cln.swf.gz", "KTH-SP2-1996-2.swf.gz", "KTH-SP2-1996-2.swf",
      "KTH-SP2-1996_via-predictsim.swf.gz",
    },
  },
  {
    name = "SDSC-SP2", nodes = 128, first = 0, last = 735 * 86400,
    files = { "SDSC-SP2-1998-4.2-cln.swf.gz", "SDSC-SP2-1998_via-predictsim.swf.gz" },
  },
  {
    name = "CTC-SP2", nodes = 338, first = 0, last = 339 * 86400,
    files = { "CTC-SP2-1996-3.1-cln.swf.gz", "CTC-SP2-1996_via-predictsim.swf.gz" },
  },
  {
    name = "SDSC-BLUE", nodes = 1152, first = 0, last = 979 * 86400,
    files = { "SDSC-BLUE-2000-4.2-cln.swf.gz", "SDSC-BLUE-2000_via-predictsim.swf.gz" },
  },
}

--- The windows of the periods, in seconds of the log.
local function windows(log, periods)
  local length = math.min(4 * week, (log.last - log.first) // periods)
  local stride = (log.last - log.first - length) / math.max(1, periods - 1)
  local list = {}
  for i = 1, periods do
    local from = math.floor(log.first + (i - 1) * stride)
    list[i] = { from, from + length }
  end
  return list
end

--- Runs of a scenario on each period of a log. `change(overrides, log)` says the rest, `details` what is wanted of a
--- run beside its summary.
function M.runs(lab, log, trace, scenario, periods, change, details)
  local runs = {}
  for i, window in ipairs(windows(log, periods)) do
    local overrides = { machine = { nodes = log.nodes }, workload = { trace = trace, window = window } }
    change(overrides, log)
    runs[i] = lab.run(scenario, overrides, details)
  end
  return runs
end

function M.absent(log)
  return ("none of %s is there: get the log from the Parallel Workloads Archive, and give its folder with --traces")
    :format(table.concat(log.files, ", "))
end

return M
