-- The folder of the data: a folder for each month or quarter, with jobs, what ElastiSim said of them, and tables.
local months = {}

--- Cores that a job of one node of ARCHER2 gets on Cirrus: four nodes of 36.
local archer2_cores = 144

local function rigid(submit, nodes, runtime)
  return { submit = submit, nodes = nodes, least = nodes, most = nodes, runtime = runtime }
end

--- From half to twice as many nodes, as jobs.json of 2024Q1 says of all jobs.
local function moldable(submit, nodes, runtime)
  return { submit = submit, nodes = nodes, least = math.max(nodes // 2, 1), most = 2 * nodes, runtime = runtime }
end

--- A list in order of that field, in which simulations number jobs; where it is the same, in the order of the list.
local function ordered(list, field)
  local places, sorted = {}, {}
  for i in ipairs(list) do places[i] = i end
  table.sort(places, function(a, b)
    local x, y = list[a][field], list[b][field]
    return x < y or x == y and a < b
  end)
  for i, place in ipairs(places) do sorted[i] = list[place] end
  return sorted
end

--- Rows of a measured.csv in order of submission.
function months.by_submission(measured) return ordered(measured, "Submit Time") end

--- The file's rows; nil, and what it lacks, where one of them has no number in one of these columns.
function months.rows(lab, path, columns)
  local rows, name = lab.csv(path), path:match "[^/]*$"
  if #rows == 0 then return nil, name .. " has no rows" end
  for _, row in ipairs(rows) do
    for _, column in ipairs(columns) do
      if type(row[column]) ~= "number" then return nil, ("numbers in the column '%s' of %s"):format(column, name) end
    end
  end
  return rows
end

--- Those of a job_statistics.csv, and of a measured.csv.
function months.simulated(lab, path)
  return months.rows(lab, path, { "Submit Time", "Start Time", "Makespan", "Wait Time" })
end
function months.measured(lab, path)
  return months.rows(lab, path, { "Submit Time", "Start Time", "End Time", "Makespan", "Nodes" })
end

--- Why a tree is none of a jobs.json with so many jobs; nil: it is.
function months.unlike_jobs(tree, count)
  local listed = type(tree) == "table" and type(tree.jobs) == "table" and tree.jobs or nil
  if not listed then return "the list 'jobs'" end
  if #listed ~= count then return ("as many jobs as job_statistics.csv has, %d"):format(count) end
  for _, one in ipairs(listed) do
    local said = type(one.arguments) == "table" and one.arguments or {}
    local numbers = { submit_time = one.submit_time, nstep = said.nstep or said.iterations,
      base_nodes = said.base_nodes or one.num_nodes }
    if one.type ~= "rigid" then numbers.num_nodes_min, numbers.num_nodes_max = one.num_nodes_min, one.num_nodes_max end
    local wanted = { "submit_time", "nstep", "base_nodes" }
    if one.type ~= "rigid" then wanted = { "submit_time", "nstep", "base_nodes", "num_nodes_min", "num_nodes_max" } end
    for _, name in ipairs(wanted) do
      if type(numbers[name]) ~= "number" then return ("'%s' of each job"):format(name) end
    end
  end
end

--- The jobs of a jobs.json. The run time on `base_nodes` is an argument, under one of two names; on others it is in
--- inverse proportion.
function months.listed(tree)
  local jobs = {}
  for i, one in ipairs(ordered(tree.jobs, "submit_time")) do
    local said = one.arguments or {}
    local runtime, nodes = said.nstep or said.iterations, said.base_nodes or one.num_nodes
    assert(runtime and nodes, "jobs.json: a job says no nstep or iterations, or no base_nodes")
    jobs[i] = rigid(one.submit_time, math.tointeger(nodes), runtime)
    if one.type ~= "rigid" then
      jobs[i].least, jobs[i].most = math.tointeger(one.num_nodes_min), math.tointeger(one.num_nodes_max)
    end
  end
  return jobs
end

--- The machine's own jobs, as they were, in order of submission.
function months.recorded(measured)
  local jobs = {}
  for i, row in ipairs(months.by_submission(measured)) do
    jobs[i] = rigid(row["Submit Time"], math.tointeger(row.Nodes), row.Makespan)
  end
  return jobs
end

local function same(a, b) return ("%.6g"):format(a) == ("%.6g"):format(b) end

--- The jobs of a simulation, where no jobs.json says them: those of the record, with its exact times, and the added
--- ones, whose times are in what the simulation said of them, with six digits. Nothing, and why, where they do not
--- follow from that.
function months.added(measured, statistics)
  local changed = 0
  for _, row in ipairs(statistics) do
    if row.Type ~= "rigid" then changed = changed + 1 end
  end
  if changed ~= 0 and changed ~= #measured then
    return nil, "run times of moldable jobs that were added are not on record: jobs.json"
  end
  measured = months.by_submission(measured)
  local nothing_added = #statistics == #measured
  local jobs, at, before = {}, 1, 0
  for i, row in ipairs(statistics) do
    local own = measured[at]
    local is_own = own and (nothing_added or row.Type ~= "rigid")
    if changed == 0 and own and not nothing_added then
      is_own = same(own["Submit Time"], row["Submit Time"]) and same(own.Makespan, row.Makespan)
    end
    if is_own then
      jobs[i] = (changed == 0 and rigid or moldable)(own["Submit Time"], math.tointeger(own.Nodes), own.Makespan)
      at = at + 1
    else -- the order of submissions is that of the file, which rounding must not change
      local submit = math.max(row["Submit Time"], before)
      jobs[i] = rigid(own and math.min(submit, own["Submit Time"]) or submit, archer2_cores, row.Makespan)
    end
    before = jobs[i].submit
  end
  if at <= #measured then return nil, "not all jobs of measured.csv are in it" end
  return jobs
end

--- The same jobs, each with the size that the simulation gave it, which its run time tells.
function months.sized(jobs, statistics)
  local sized = {}
  for i, job in ipairs(jobs) do
    local nodes = job.nodes * job.runtime / statistics[i].Makespan
    nodes = math.max(job.least, math.min(math.floor(nodes + 0.5), job.most))
    sized[i] = rigid(job.submit, nodes, job.runtime * job.nodes / nodes)
  end
  return sized
end

--- What one folder has; nothing where there is no simulation.
local function month(lab, folder)
  local found = { name = folder, simulations = {}, emissions = {}, jobs = {} }
  for _, file in ipairs(lab.files(folder)) do
    local path = lab.data(folder .. "/" .. file)
    local name = file:match "^(.+)%.job_statistics%.csv"
    local listed = file:match "^(.+)%.jobs%.json"
    local emissions = file:match "^all_stats_(emissions.*)%.csv"
    if name then table.insert(found.simulations, { name = name, path = path, moldable = 0 })
    elseif listed then found.jobs[listed] = path
    elseif emissions then table.insert(found.emissions, { name = emissions, path = path })
    elseif file:match "^measured%.csv" then found.measured = path
    elseif file:match "^all_stats%.csv" then found.statistics = path
    end
  end
  return (#found.simulations > 0 or found.measured) and found or nil
end

--- All months, in order of their names.
function months.all(lab)
  local all = {}
  for _, folder in ipairs(lab.folders ".") do all[#all + 1] = month(lab, folder) end
  return all
end

return months
