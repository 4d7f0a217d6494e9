-- The Lua half of papers (lua/meta/paper.lua documents what experiments call). The engine calls the returned function
-- with what a script cannot do by itself, the experiments and the settings; it gives back a function that lets each
-- experiment go on until it ends or needs the result of a run, and says whether any waits.
return function(engine, experiments, settings)
  local Run = {}
  local Lab = {
    mean = engine.mean, interval = engine.interval, trace = engine.trace, data = engine.data,
    files = engine.files, folders = engine.folders, row = engine.row,
    quick = settings.quick,
    full = settings.full,
  }

  --- Why a file of the data cannot be read. An experiment that does not catch it ends with a row that says so.
  local Unreadable = { __tostring = function(self) return self.why end }

  --- The same function, raising that. What is no path is the script's mistake, not the file's.
  local function reader(read)
    return function(path)
      if type(path) ~= "string" then return read(path) end
      local fine, found = pcall(read, path)
      if not fine then error(setmetatable({ why = tostring(found) }, Unreadable), 0) end
      return found
    end
  end
  Lab.csv, Lab.json = reader(engine.csv), reader(engine.json)

  --- Waits until the run is made.
  local function summary_of(run)
    local summary = engine.summary(run.number)
    while not summary do
      coroutine.yield()
      summary = engine.summary(run.number)
    end
    return summary
  end

  local function jobs_of(run)
    if not run.details.jobs then
      error("ask for the jobs of the run: lab.run(scenario, overrides, { jobs = true })", 3)
    end
    summary_of(run)
    return setmetatable({}, {
      __index = function(jobs, name)
        local column = engine.column(run.number, name)
        rawset(jobs, name, column)
        return column
      end,
    })
  end

  --- The first look at a result waits for it.
  function Run.__index(run, field)
    if field ~= "summary" and field ~= "jobs" then
      error(("a run has no field '%s', only 'summary' and 'jobs'"):format(field), 2)
    end
    run[field] = field == "jobs" and jobs_of(run) or summary_of(run)
    return rawget(run, field)
  end

  --- What a caller may ask of a run besides its summary.
  local function check_details(details)
    if details == nil then return {} end
    if type(details) ~= "table" then error("the third argument of lab.run is a table: { jobs = true }", 3) end
    for name in pairs(details) do
      if name ~= "jobs" then error(("unknown option '%s' of lab.run; it has 'jobs'"):format(tostring(name)), 3) end
    end
    if details.jobs ~= nil and type(details.jobs) ~= "boolean" then
      error("option 'jobs' of lab.run: true or false was expected, got " .. tostring(details.jobs), 3)
    end
    return details
  end

  function Lab.run(scenario, overrides, details)
    details = check_details(details)
    return setmetatable({ number = engine.request(scenario, overrides or {}, details.jobs), details = details }, Run)
  end

  function Lab.each(runs, value)
    local values = {}
    for i, run in ipairs(runs) do values[i] = value(run.summary) end
    return values
  end

  function Lab.compare(runs, others, value)
    local values = {}
    for i, run in ipairs(runs) do values[i] = value(run.summary, others[i].summary) end
    return values
  end

  local function total(list)
    local sum = 0
    for _, x in ipairs(list) do sum = sum + x end
    return sum
  end

  --- A figure of means, `of(mean of the first list, of the second, ...)`, with what its interval follows from: the
  --- jackknife's pseudo-values (Quenouille 1956), which leave out one seed of all lists at a time, so that they are
  --- paired.
  function Lab.estimate(of, ...)
    local lists, sums = { ... }, {}
    local n = #lists[1]
    for k, list in ipairs(lists) do
      if #list ~= n then error("lab.estimate: the lists are not of the same length", 2) end
      sums[k] = total(list)
    end
    --- Without the i-th of each list, or of all.
    local function figure(i)
      local means = {}
      for k, list in ipairs(lists) do means[k] = i and (sums[k] - list[i]) / (n - 1) or sums[k] / n end
      return of(table.unpack(means))
    end
    local whole, values = figure(), {}
    for i = 1, n do values[i] = n > 1 and n * whole - (n - 1) * figure(i) or whole end
    return { obtained = whole, values = values }
  end

  --- What an experiment with this many seeds works with.
  local function lab_with(count, indicative)
    local lab = setmetatable({ seeds = {} }, { __index = Lab })
    for seed = 1, count do lab.seeds[seed] = seed end

    --- Numbers of an experiment that is not the paper's own stand beside the published ones without a verdict.
    function lab.row(row)
      local number = type(row) == "table" and row.published and not (row.band or row.at_least or row.at_most)
      if indicative and number and not row.indicative then
        row = table.copy(row)
        row.indicative = indicative
      end
      return Lab.row(row)
    end

    function lab.runs(scenario, overrides, details)
      local runs = {}
      for i, seed in ipairs(lab.seeds) do
        local with_seed = table.copy(overrides or {})
        with_seed.seed = seed
        runs[i] = Lab.run(scenario, with_seed, details)
      end
      return runs
    end

    return lab
  end

  local routines = {}
  for i, experiment in ipairs(experiments) do
    local lab = lab_with(settings.seeds[i], experiment.indicative)
    routines[i] = coroutine.create(function() experiment.run(lab) end)
  end

  return function()
    local waiting = false
    for i, routine in ipairs(routines) do
      if coroutine.status(routine) ~= "dead" then
        engine.turn(i)
        local fine, problem = coroutine.resume(routine)
        if not fine then
          if getmetatable(problem) ~= Unreadable then error(problem, 0) end
          engine.row { quantity = "data", skipped = problem.why }
        end
        waiting = waiting or coroutine.status(routine) ~= "dead"
      end
    end
    return waiting
  end
end
