-- Simulations of EPCC's machine Cirrus with ElastiSim (EPCCed/mira-cirrus-elastisim, 2024): first come, first served
-- without backfilling; jobs as they were, jobs that are moldable, and jobs of ARCHER2 besides. What is published are
-- starts and ends of all jobs, and tables. They are data that is not part of coslice (`--data`).
local load = require "load"
local months = require "months"

local all -- read once for all experiments

--- Whether there are any months.
local function read(lab)
  all = all or months.all(lab)
  if #all > 0 then return true end
  lab.row { quantity = "months", skipped = "the published jobs and tables: --data DIR" }
  return false
end

--- What says the jobs of a simulation to jobs.lua; nothing, and why, if they are not known.
local function jobs_of(lab, month, simulation)
  local listed = month.jobs[simulation.name]
  local rows, lacks = months.simulated(lab, simulation.path)
  if not rows then
    simulation.unreadable = true
    return nil, lacks
  end
  for _, row in ipairs(rows) do
    if row.Type ~= "rigid" then simulation.moldable = simulation.moldable + 1 end
  end
  if listed then
    local unlike = months.unlike_jobs(lab, listed, #rows)
    if unlike then return nil, unlike end
    return { listed = { json = listed } }
  end
  if not month.measured then return nil, "its jobs: jobs.json or measured.csv" end
  local measured, lacks_in_record = months.measured(lab, month.measured)
  if not measured then return nil, lacks_in_record end
  local jobs, why = months.added(measured, rows, simulation.name:lower():find("archer2", 1, true) ~= nil)
  return jobs and { measured = { csv = month.measured }, statistics = { csv = simulation.path } }, why
end

--- Whether the jobs of a simulation are known; else why not.
local function known(lab, month, simulation)
  if not simulation.asked then simulation.params, simulation.absent = jobs_of(lab, month, simulation) end
  simulation.asked = true
  return simulation.params ~= nil, simulation.absent
end

--- Asks for the run of a simulation whose jobs are known.
local function ask(lab, simulation, policy_params)
  return lab.run(simulation.moldable > 0 and "moldable.toml" or "run.toml", {
    workload = { params = simulation.params }, policy = { params = policy_params },
  }, { jobs = true })
end

--- The same where each job has the size that it had in the simulation.
local function ask_sized(lab, simulation)
  local params = table.copy(simulation.params)
  params.sizes = { csv = simulation.path }
  return lab.run("run.toml", { workload = { params = params } }, { jobs = true })
end

--- The schedule of a run: without jobs that are larger than the machine, and wait for ever.
local function schedule_of(run)
  local jobs, schedule = run.jobs, {}
  for i, id in ipairs(jobs.job_id) do
    if jobs.finish_time[i] then
      schedule[math.tointeger(id)] = {
        submit = jobs.submission_time[i], start = jobs.starting_time[i], finish = jobs.finish_time[i],
        nodes = jobs.requested_number_of_resources[i],
      }
    end
  end
  return schedule
end

--- The same of the record, in order of submission.
local function recorded(rows)
  local schedule = {}
  for i, row in ipairs(months.by_submission(rows)) do
    schedule[i] = { submit = row["Submit Time"], start = row["Start Time"], finish = row["End Time"],
      nodes = row.Nodes }
  end
  return schedule
end

--- Asks for all simulations of all months. Says of those that cannot be made why.
local function ask_all(lab)
  local asked = {}
  for _, month in ipairs(all) do
    for _, simulation in ipairs(month.simulations) do
      local is_known, why = known(lab, month, simulation)
      local quantity = month.name .. "." .. simulation.name
      if is_known then
        local sized = simulation.moldable > 0 and ask_sized(lab, simulation) or nil
        asked[#asked + 1] = { simulation = simulation, run = ask(lab, simulation), sized = sized, quantity = quantity }
      else
        lab.row { quantity = quantity, skipped = why }
      end
    end
    for _, name in ipairs(months.without_statistics(month)) do
      lab.row { quantity = month.name .. "." .. name, skipped = name .. ".job_statistics.csv" }
    end
    if #month.simulations == 0 then
      lab.row { quantity = month.name .. ".simulations", skipped = "its simulations: NAME.job_statistics.csv" }
    end
  end
  return asked
end

-- Start by start.

--- Half of the sixth digit of a number: as much as ElastiSim's tables leave open.
local function left_open(x) return x == 0 and 0 or 0.5 * 10.0 ^ (math.floor(math.log(math.abs(x), 10)) - 5) end

local function equal(mine, published) return math.abs(mine - published) <= left_open(published) + 1e-6 end

--- How near a schedule comes to what the simulation said.
local function compared(schedule, rows)
  local found = { same = 0, near = 0, same_length = 0, difference = 0, wait = 0, told = 0 }
  for i, row in ipairs(rows) do
    local job, start = schedule[i], row["Start Time"]
    found.told = found.told + row["Wait Time"] / #rows
    if job then
      if equal(job.start, start) then found.same = found.same + 1 end
      if math.abs(job.start - start) <= 1 then found.near = found.near + 1 end
      if equal(job.finish - job.start, row.Makespan) then found.same_length = found.same_length + 1 end
      found.difference = found.difference + math.abs(job.start - start) / #rows
      found.wait = found.wait + (job.start - job.submit) / #rows
    end
  end
  return found
end

local function starts(lab)
  if not read(lab) then return end
  for _, one in ipairs(ask_all(lab)) do
    local rows = lab.csv(one.simulation.path)
    local found = compared(schedule_of(one.run), rows)
    local n, moldable = #rows, one.simulation.moldable
    lab.row {
      quantity = one.quantity .. ".starts", unit = "jobs", published = n, obtained = found.same, seeds = 1,
      at_least = moldable == 0 and n or nil,
      note = ("%d of %d starts are equal, as far as the six digits of the file tell"):format(found.same, n),
    }
    if moldable > 0 then
      lab.row {
        quantity = one.quantity .. ".near", unit = "jobs", published = n, obtained = found.near, seeds = 1,
        note = ("%d of %d starts within 1 unit of time"):format(found.near, n),
      }
      lab.row {
        quantity = one.quantity .. ".sizes", unit = "jobs", published = n, obtained = found.same_length, seeds = 1,
        note = ("%d of %d run times are equal, which tell sizes; %d jobs are moldable"):format(found.same_length,
          n, moldable),
      }
      local sized = compared(schedule_of(one.sized), rows).same
      lab.row {
        quantity = one.quantity .. ".sized", unit = "jobs", published = n, obtained = sized, seeds = 1, at_least = n,
        note = ("%d of %d starts are equal where each job has the size that it had in the simulation"):format(sized, n),
      }
    end
    lab.row {
      quantity = one.quantity .. ".difference", published = 0, obtained = found.difference, seeds = 1,
      note = "mean absolute difference of starts, in the file's unit of time",
    }
    lab.row {
      quantity = one.quantity .. ".wait", published = found.told, obtained = found.wait, seeds = 1,
      band = { found.told * 0.999, found.told * 1.001 }, note = "mean wait, in the file's unit of time",
    }
  end
end

-- In which order ElastiSim hears of jobs that end at one instant is not said. Moldable jobs hang on it.

local orders = { "by-number", "against-number", "at-once" }

local function ends(lab)
  if not read(lab) then return end
  local asked = {}
  for _, month in ipairs(all) do
    for _, simulation in ipairs(month.simulations) do
      local is_known, why = known(lab, month, simulation)
      local quantity = month.name .. "." .. simulation.name
      -- Of one that cannot be read it is not known whether its jobs are moldable.
      if not is_known and (simulation.unreadable or simulation.moldable > 0) then
        lab.row { quantity = quantity, skipped = why }
      elseif is_known and simulation.moldable > 0 then
        local one = { quantity = quantity, path = simulation.path }
        for _, order in ipairs(orders) do one[order] = ask(lab, simulation, { ends = order }) end
        asked[#asked + 1] = one
      end
    end
  end
  for _, one in ipairs(asked) do
    local rows = lab.csv(one.path)
    for _, order in ipairs(orders) do
      local found = compared(schedule_of(one[order]), rows)
      lab.row {
        quantity = ("%s.%s.near"):format(one.quantity, order), unit = "jobs", published = #rows, obtained = found.near,
        seeds = 1,
        note = "starts within 1 unit of time",
      }
      lab.row {
        quantity = ("%s.%s.wait"):format(one.quantity, order), published = found.told, obtained = found.wait, seeds = 1,
        note = "mean wait, in the file's unit of time",
      }
    end
  end
end

-- The tables. A column is called as in "Cirrus (M) + 20% ARCHER2 (R)", or as the simulation's file but for case and
-- signs.

local function plain(name) return (name:lower():gsub("%W", "")) end

local function simulation_of(month, column)
  local own, percent, added = column:match "^Cirrus %(.-(%a)%) %+ (%d+)%% ARCHER2 %(.-(%a)%)$"
  local name = own and ("cirrus-cpu-%s_archer2-%s-%spc"):format(own, added, percent)
  own = column:match "^Cirrus %(.-(%a)%)$"
  name = name or own and "cirrus-cpu-" .. own or column
  for _, simulation in ipairs(month.simulations) do
    if plain(simulation.name) == plain(name) then return simulation end
  end
  return nil, name
end

--- What all_stats.csv says: by column, by figure; the columns and the figures in order. Nothing, and why, if it cannot
--- be read.
local function table_of(lab, month)
  local told, columns, figures = {}, {}, {}
  local rows, why = months.rows(lab, month.statistics, {})
  if not rows then return nil, why end
  for _, row in ipairs(rows) do
    local figure = type(row[""]) == "string" and row[""] or nil -- the first column has no name
    figures[#figures + 1] = figure
    for name, cell in pairs(row) do
      if figure and type(cell) == "number" then
        if not told[name] then told[name], columns[#columns + 1] = {}, name end
        told[name][figure] = cell
      end
    end
  end
  -- Cells are found by names, so that their order is not known: that on record first, then by load, in which the tables
  -- are.
  table.sort(columns, function(a, b)
    if (a == "Measured") ~= (b == "Measured") then return a == "Measured" end
    local x, y = told[a].usageExcluded or 0, told[b].usageExcluded or 0
    return x < y or x == y and a < b
  end)
  return told, columns, figures
end

--- The seconds that a month's table counts, and the record's schedule. Nothing, and why, where they do not follow.
local function window_of(lab, month, own)
  for _, figure in ipairs { "residualWork", "usageIncluded", "meanLoad" } do
    if not (own and own[figure]) then return nil, ("'%s' of the column Measured of all_stats.csv"):format(figure) end
  end
  local measured, why = months.measured(lab, month.measured)
  if not measured then return nil, why end
  local record = recorded(measured)
  local window = load.window(record, own)
  if window then return window, record end
  return nil, "the seconds that its all_stats.csv counts: the column Measured does not go with measured.csv"
end

--- The columns of a month's table that can be had: { column, told, figures = what was obtained, window }. Others are
--- said to be skipped if `say`; that there are none, always.
local function obtained_columns(lab, month, say)
  local told, columns, names = table_of(lab, month)
  local window, record
  if told then window, record = window_of(lab, month, told.Measured) end
  if not window then
    local why = told and record or columns
    lab.row { quantity = month.name .. ".window", skipped = why }
    return {}, told and names or {}
  end
  local found = {}
  for _, column in ipairs(columns) do
    local simulation, absent = simulation_of(month, column)
    if column == "Measured" then found[#found + 1] = { column = column, schedule = function() return record end }
    elseif simulation then
      local is_known, why = known(lab, month, simulation)
      local run = is_known and ask(lab, simulation)
      if run then found[#found + 1] = { column = column, schedule = function() return schedule_of(run) end } end
      if run and say and simulation.moldable > 0 then
        local sized = ask_sized(lab, simulation)
        found[#found + 1] = { column = column, sized = true, schedule = function() return schedule_of(sized) end }
      end
      if not run and say then lab.row { quantity = ("%s.%s"):format(month.name, column), skipped = why } end
    elseif say then
      lab.row { quantity = ("%s.%s"):format(month.name, column),
        skipped = ("%s.job_statistics.csv, its jobs"):format(absent) }
    end
  end
  for _, one in ipairs(found) do one.told, one.window = told[one.column], window end
  return found, names
end

local function figures_of(one)
  one.figures = one.figures or load.figures(one.schedule(), one.window)
  return one.figures
end

--- Which of these files of a month are not there, in words; nil: none.
local function absent(month, files)
  local names = {}
  for _, file in ipairs(files) do
    local there = file == "all_stats_emissions.csv" and #month.emissions > 0 or month.known[file]
    if not there then names[#names + 1] = file end
  end
  return #names > 0 and "its " .. table.concat(names, " and ") or nil
end

--- Cores are printed whole; what is printed with three digits behind the point is in hours, or a part.
local function last_digit(figure) return figure:match "Load$" and 1 or 0.001 end

local function tables(lab)
  if not read(lab) then return end
  local asked = {}
  for i, month in ipairs(all) do
    local lacks = absent(month, { "all_stats.csv", "measured.csv" })
    if lacks then lab.row { quantity = month.name, skipped = lacks }
    else
      local columns, names = obtained_columns(lab, month, true)
      asked[i] = { columns = columns, names = names }
    end
  end
  for i, month in ipairs(all) do
    for _, one in ipairs(asked[i] and asked[i].columns or {}) do
      local figures = figures_of(one)
      for _, figure in ipairs(asked[i].names) do
        local told, mine = one.told[figure], figures[figure]
        if told and mine then
          local off = math.abs(told) * 0.001 + last_digit(figure)
          lab.row {
            quantity = ("%s.%s%s.%s"):format(month.name, one.column, one.sized and ", sized" or "", figure),
            published = told,
            obtained = mine, seeds = 1, band = { told - off, told + off },
            given = one.column == "Measured" and "the record itself"
              or one.sized and "each job has the size that it had in the simulation" or nil,
          }
        end
      end
    end
  end
end

-- Energy and emissions. All emissions grow with the load L as A + B L: what every node draws and is made of, and what a
-- loaded one draws more. They are told apart as parts L and 1 - L of all. The intensity of the grid and what is no node
-- are in A and B and stand in no file, so that these come from two rows: that on record, and that with the highest
-- load.

local loaded, idle, node_cores = 0.410, 0.220, 36 -- kW of a node

local function energy_rows(lab, month, one)
  local figures = figures_of(one)
  local used = figures.usageIncluded
  local free = (one.window.last - one.window.first) * load.cores / 3600 - used
  for _, row in ipairs { { "loaded", used * loaded }, { "idle", free * idle },
    { "energy", used * loaded + free * idle } } do
    lab.row {
      quantity = ("%s.%s.%s"):format(month.name, one.column, row[1]), unit = "kWh", obtained = row[2] / node_cores,
      seeds = 1,
      note = "of the nodes, in the seconds that the table counts",
    }
  end
end

local function rounded(x) return math.floor(x * 1000 + 0.5) / 1000 end

local function emission_rows(lab, month, emissions, by_column)
  local rows, lacks = months.rows(lab, emissions.path, { "usageFraction", "emissionsTotal", "emissionsActive",
    "emissionsIdle" })
  if not rows then
    lab.row { quantity = month.name .. "." .. emissions.name, skipped = lacks }
    return
  end
  local record, highest
  for _, row in ipairs(rows) do
    row.Dataset = row.Dataset or "-"
    if row.Dataset == "Measured" then record = row end
    if not highest or row.usageFraction > highest.usageFraction then highest = row end
  end
  if not record or record.usageFraction == highest.usageFraction then
    lab.row { quantity = month.name .. "." .. emissions.name,
      skipped = "two rows with different loads, one of them Measured" }
    return
  end
  local growth = (highest.emissionsTotal - record.emissionsTotal) / (highest.usageFraction - record.usageFraction)
  for _, row in ipairs(rows) do
    local one = by_column[row.Dataset]
    local part = one and rounded(figures_of(one).usageFraction) or row.usageFraction
    local total = record.emissionsTotal + growth * (part - record.usageFraction)
    for _, kind in ipairs { { "Total", total }, { "Active", total * part }, { "Idle", total * (1 - part) } } do
      local told = row["emissions" .. kind[1]]
      local off = math.max(0.001 * told, 1)
      lab.row {
        quantity = ("%s.%s.%s.%s"):format(month.name, emissions.name, row.Dataset, kind[1]), unit = "kg",
        published = told,
        obtained = kind[2], seeds = 1, band = { told - off, told + off },
        fitted = (row == record or row == highest) and "the two constants come from this row and another" or nil,
        given = not one and row ~= highest and row ~= record and "its load is the table's own" or nil,
      }
    end
  end
end

local function emissions(lab)
  if not read(lab) then return end
  local asked = {}
  for i, month in ipairs(all) do
    local lacks = absent(month, { "all_stats_emissions.csv", "all_stats.csv", "measured.csv" })
    if lacks then lab.row { quantity = month.name, skipped = lacks }
    else asked[i] = obtained_columns(lab, month, false)
    end
  end
  for i, month in ipairs(all) do
    local by_column = {}
    for _, one in ipairs(asked[i] or {}) do
      by_column[one.column] = one
      energy_rows(lab, month, one)
    end
    if asked[i] then
      for _, one in ipairs(month.emissions) do emission_rows(lab, month, one, by_column) end
    end
  end
end

-- What the machine did. Nothing is known of users, limits and nodes, so that policies have exact limits and free cores.

local policies = { "fcfs", "easy", "slurm" }

local function machine(lab)
  if not read(lab) then return end
  local asked = {}
  for i, month in ipairs(all) do
    local rows, lacks = nil, "what the machine did: measured.csv"
    if month.measured then rows, lacks = months.measured(lab, month.measured) end
    if rows then
      asked[i] = {}
      for _, policy in ipairs(policies) do
        asked[i][policy] = lab.run("run.toml", {
          workload = { params = { measured = { csv = month.measured } } }, policy = { name = policy },
        }, { jobs = true })
      end
    else
      lab.row { quantity = month.name, skipped = lacks }
    end
  end
  for i, month in ipairs(all) do
    local real = asked[i] and recorded(lab.csv(month.measured))
    for _, policy in ipairs(real and policies or {}) do
      local schedule, wait, told, difference = schedule_of(asked[i][policy]), 0, 0, 0
      local count = 0
      for k, job in pairs(schedule) do
        count = count + 1
        wait, told = wait + job.start - job.submit, told + real[k].start - real[k].submit
        difference = difference + math.abs(job.start - real[k].start)
      end
      local n = math.max(count, 1) * 3600
      lab.row {
        quantity = ("%s.%s.wait"):format(month.name, policy), unit = "h", published = told / n,
        obtained = wait / n, seeds = 1,
        note = "mean wait; beside it, of the machine", chart = "Mean wait", at = month.name, series = policy,
      }
      lab.row {
        quantity = ("%s.%s.difference"):format(month.name, policy), unit = "h", obtained = difference / n, seeds = 1,
        note = "mean absolute difference of starts to the machine's",
      }
    end
  end
end

return {
  api = 1,
  title = "EPCC 2024 (ElastiSim): months of the machine Cirrus, moldable jobs, and jobs of another machine",
  data = "cirrus",
  seeds = 1,
  quick_seeds = 1,
  experiments = {
    { label = "starts", title = "Start by start", run = starts },
    { label = "ends", title = "Moldable jobs, and the order of ends at one instant", run = ends },
    { label = "tables", title = "The published tables", run = tables },
    { label = "emissions", title = "Energy and emissions", run = emissions },
    { label = "machine", title = "Beside what the machine did", run = machine },
  },
}
