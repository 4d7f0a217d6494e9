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

local function name_of(path) return path:match "[^/]*$" end

local folders = {} -- paths of what is a folder in the place of a file

--- What a file says, by lab.csv or lab.json; nil, and why, where it cannot be read.
local function told(read, path)
  if folders[path] then return nil, path .. " is a folder, not a file" end
  local fine, found = pcall(read, path)
  if fine then return found end
  return nil, tostring(found)
end

local longest = 1e9 -- of times: beyond that no calendar goes

--- What a row may have in a column.
local kinds = {
  number = { "numbers", function(x) return type(x) == "number" end },
  time = { "times", function(x) return type(x) == "number" and x >= 0 and x <= longest end },
  -- A difference of rounded times may be a bit below 0.
  span = { "times", function(x) return type(x) == "number" and x >= -1e-3 and x <= longest end },
  cores = { "whole numbers of cores", function(x)
    return type(x) == "number" and math.tointeger(x) and x >= 1 and x <= longest
  end },
  type = { "'rigid' or 'moldable'", function(x) return x == "rigid" or x == "moldable" end },
}

--- The file's rows; nil, and what it lacks, where one of them has something else in one of these columns: kinds by
--- name, or a list of columns of numbers.
function months.rows(lab, path, columns)
  local rows, why = told(lab.csv, path)
  if not rows then return nil, why end
  local name = name_of(path)
  if #rows == 0 then return nil, name .. " has no rows" end
  for i, row in ipairs(rows) do
    for key, value in pairs(columns) do
      local column, kind = key, kinds[value]
      if not kind then column, kind = value, kinds.number end
      if not kind[2](row[column]) then
        return nil, ("%s in the column '%s' of %s: row %d has '%s'"):format(kind[1], column, name, i,
          row[column] == nil and "no such column" or row[column] or "")
      end
    end
  end
  return rows
end

--- Those of a job_statistics.csv, and of a measured.csv.
function months.simulated(lab, path)
  return months.rows(lab, path, { Type = "type", ["Submit Time"] = "time", ["Start Time"] = "time",
    Makespan = "span", ["Wait Time"] = "span" })
end
function months.measured(lab, path)
  if not path then return nil, "measured.csv" end
  return months.rows(lab, path, { ["Submit Time"] = "time", ["Start Time"] = "time", ["End Time"] = "time",
    Makespan = "span", Nodes = "cores" })
end

--- Why a file is no jobs.json with so many jobs; nil: it is.
function months.unlike_jobs(lab, path, count)
  local tree, why = told(lab.json, path)
  if why then return why end
  local listed = type(tree) == "table" and type(tree.jobs) == "table" and tree.jobs
  local function lacks(what) return ("%s in %s"):format(what, name_of(path)) end
  if not listed then return lacks "the list 'jobs'" end
  if #listed ~= count then return lacks(("as many jobs as job_statistics.csv has, %d"):format(count)) end
  for i, one in ipairs(listed) do
    if type(one) ~= "table" or not kinds.type[2](one.type) then
      return lacks(("'type', 'rigid' or 'moldable', of job %d"):format(i))
    end
    local said = type(one.arguments) == "table" and one.arguments or {}
    local found = { submit_time = one.submit_time, nstep = said.nstep or said.iterations,
      base_nodes = said.base_nodes or one.num_nodes }
    local wanted = { submit_time = "time", nstep = "time", base_nodes = "cores" }
    if one.type ~= "rigid" then
      found.num_nodes_min, found.num_nodes_max = one.num_nodes_min, one.num_nodes_max
      wanted.num_nodes_min, wanted.num_nodes_max = "cores", "cores"
    end
    for name, kind in pairs(wanted) do
      if not kinds[kind][2](found[name]) then return lacks(("'%s', %s, of job %d"):format(name, kinds[kind][1], i)) end
    end
    if one.type ~= "rigid" and one.num_nodes_min > one.num_nodes_max then
      return lacks(("'num_nodes_min' of at most 'num_nodes_max' of job %d"):format(i))
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
--- follow from that. `added`: whether the simulation has any by its name.
function months.added(measured, statistics, added)
  local changed = 0
  if not added and #statistics ~= #measured then
    return nil, ("as many jobs in measured.csv as it has itself, %d: there are %d"):format(#statistics, #measured)
  end
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

--- Takes what a name in the folder says that it is. A file is known by the first of its names, plain or gzip.
local function take(found, name, path)
  local plain = name:gsub("%.gz$", "")
  local simulation = plain:match "^(.+)%.job_statistics%.csv$"
  local listed = plain:match "^(.+)%.jobs%.json$"
  local emissions = plain:match "^all_stats_(emissions.*)%.csv$"
  local kind = simulation and "simulations" or listed and "jobs" or emissions and "emissions"
    or plain == "measured.csv" and "measured" or plain == "all_stats.csv" and "statistics"
  if not kind or found.known[plain] then return end
  found.known[plain], found.some = true, true
  if simulation then table.insert(found.simulations, { name = simulation, path = path, moldable = 0 })
  elseif listed then found.jobs[listed] = path
  elseif emissions then table.insert(found.emissions, { name = emissions, path = path })
  else found[kind] = path
  end
end

--- What one folder has; nothing where there is no file of a month. A folder in the place of a file is one that cannot
--- be read.
local function month(lab, folder)
  local found = { name = folder, simulations = {}, emissions = {}, jobs = {}, known = {} }
  for _, file in ipairs(lab.files(folder)) do take(found, file, lab.data(folder .. "/" .. file)) end
  for _, name in ipairs(lab.folders(folder)) do
    local path = folder .. "/" .. name
    folders[path] = true
    take(found, name, path)
  end
  return found.some and found or nil
end

--- The simulations of which only the jobs are there, in order.
function months.without_statistics(of)
  local names = {}
  for name in pairs(of.jobs) do
    if not of.known[name .. ".job_statistics.csv"] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- All months, in order of their names.
function months.all(lab)
  local all = {}
  for _, folder in ipairs(lab.folders ".") do all[#all + 1] = month(lab, folder) end
  return all
end

return months
