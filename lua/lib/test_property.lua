-- Properties: a claim on many random workloads. One that breaks the claim is shrunk to a minimal list of jobs.
local show = require("test_show")

local kTries = 2000  -- workloads that shrinking may try

local defaults = {
  runs = 100,         -- workloads
  seed = 1,
  jobs = 20,          -- jobs in each
  nodes = 8,          -- of the machine
  longest = 12,       -- longest run time, s
  gap = 8,            -- longest time between arrivals, s; two of three jobs come together with the one before
  estimates = "any",  -- "exact"; "loose": limits of at least the run time; "any": below it, too
  users = 0,          -- users that jobs belong to; 0: none
}
local estimates = { any = true, exact = true, loose = true }

local function copy_workload(w)
  local copy = table.copy(w)
  copy.machine = w.machine and table.copy(w.machine)
  copy.jobs = {}
  for i, job in ipairs(w.jobs) do copy.jobs[i] = table.copy(job) end
  return copy
end

local function random_limit(o, runtime)
  local kind = o.estimates == "exact" and 1 or math.random(4)
  if kind == 1 then return nil end
  if kind == 2 and o.estimates == "any" then return math.random(o.longest) end
  return runtime + math.random(0, o.longest)
end

--- Small whole numbers make ties: that is where schedulers go wrong.
local function random_workload(o)
  local jobs, submit = {}, 0
  for i = 1, o.jobs do
    if math.random(3) == 1 then submit = submit + math.random(0, o.gap) end
    local runtime = math.random(o.longest)
    local limit = random_limit(o, runtime)
    jobs[i] = { submit = submit, nodes = math.random(o.nodes), runtime = runtime,
                limit = limit ~= runtime and limit or nil, user = o.users > 0 and math.random(o.users) or nil }
  end
  return { machine = { nodes = o.nodes }, jobs = jobs }
end

-- --- Shrinking

local function without(w, from, count)
  local smaller = copy_workload(w)
  for _ = 1, math.min(count, #smaller.jobs - from + 1) do table.remove(smaller.jobs, from) end
  return smaller
end

--- Smaller values to try for a number, the boldest first.
local function smaller_numbers(x, least)
  local half = least + (x - least) // 2
  local candidates = {}
  for _, c in ipairs { least, half, x - 1 } do
    if c >= least and c < x and c ~= candidates[#candidates] then candidates[#candidates + 1] = c end
  end
  return candidates
end

--- Simpler forms of job i: one field changed each.
local function simpler_jobs(w, i)
  local job, forms = w.jobs[i], {}
  local function with(field, value)
    local form = table.copy(job)
    form[field] = value
    forms[#forms + 1] = form
  end
  for name in pairs(job) do
    if not ({ submit = 1, nodes = 1, processes = 1, runtime = 1 })[name] then with(name, nil) end
  end
  local earliest = i > 1 and w.jobs[i - 1].submit or 0
  for name, least in pairs { submit = earliest or 0, nodes = 1, processes = 1, runtime = 1, limit = 1 } do
    if job[name] then
      for _, value in ipairs(smaller_numbers(job[name], least)) do with(name, value) end
    end
  end
  return forms
end

--- The smallest workload found for which `fails` still holds, and the number of workloads tried.
local function shrink(workload, fails)
  local best, tries = workload, 0
  local function try(candidate)
    if tries == kTries then return false end
    tries = tries + 1
    if not fails(candidate) then return false end
    best = candidate
    return true
  end

  local function drop_jobs()
    local progress, size = false, #best.jobs // 2
    while size >= 1 do
      local from = 1
      while from <= #best.jobs and #best.jobs > 1 do
        if size < #best.jobs and try(without(best, from, size)) then progress = true else from = from + size end
      end
      size = size // 2
    end
    return progress
  end

  --- Job i and all behind it come earlier.
  local function close_gap(i)
    local before = i > 1 and best.jobs[i - 1].submit or 0
    for _, submit in ipairs(smaller_numbers(best.jobs[i].submit or 0, before or 0)) do
      local candidate = copy_workload(best)
      local earlier = best.jobs[i].submit - submit
      for k = i, #candidate.jobs do candidate.jobs[k].submit = (candidate.jobs[k].submit or 0) - earlier end
      if try(candidate) then return true end
    end
    return false
  end

  local function simplify_job(i)
    for _, form in ipairs(simpler_jobs(best, i)) do
      local candidate = copy_workload(best)
      candidate.jobs[i] = form
      if try(candidate) then return true end
    end
    return false
  end

  local function simplify_jobs()
    local progress = false
    for i = 1, #best.jobs do
      while close_gap(i) or simplify_job(i) do progress = true end
    end
    return progress
  end

  local function shrink_machine()
    local nodes = best.machine and best.machine.nodes
    if type(nodes) ~= "number" then return false end -- kinds of nodes stay as they are
    for _, n in ipairs(smaller_numbers(nodes, 1)) do
      local candidate = copy_workload(best)
      candidate.machine.nodes = n
      for _, job in ipairs(candidate.jobs) do job.nodes = job.nodes and math.min(job.nodes, n) end
      if try(candidate) then return true end
    end
    return false
  end

  repeat
    local dropped, simpler, smaller = drop_jobs(), simplify_jobs(), shrink_machine()
  until not (dropped or simpler or smaller)
  return best, tries
end

return function(engine)
  local function check_number(settings, name)
    local x = settings[name]
    local least = (name == "gap" or name == "users" or name == "seed") and 0 or 1
    if math.type(x) ~= "integer" or x < least then
      engine.fail(("property: %s is %s; expected a whole number of at least %d"):format(name, show.value(x), least))
    end
  end

  --- Checks the options of a property and fills in what they leave out.
  local function settings_of(options)
    if type(options) ~= "table" then
      engine.fail("property: its options are " .. show.value(options) .. "; expected a table")
    end
    local settings, names = table.copy(defaults), table.keys(defaults)
    names[#names + 1] = "workload"
    for name, value in pairs(options) do
      if defaults[name] == nil and name ~= "workload" then
        engine.unknown("property: there is no option", name, names)
      end
      settings[name] = value
    end
    for name, default in pairs(defaults) do
      if type(default) == "number" then check_number(settings, name) end
    end
    if not estimates[settings.estimates] then
      engine.fail("property: estimates is " .. show.value(settings.estimates) .. '; expected "any", "exact" or "loose"')
    end
    if settings.workload ~= nil and type(settings.workload) ~= "function" then
      engine.fail("property: workload is " .. show.value(settings.workload) .. "; expected a function that returns one")
    end
    return settings
  end

  local function check_workload(w)
    if type(w) ~= "table" or type(w.jobs) ~= "table" or #w.jobs == 0 then
      engine.fail("property: its workload function must return { machine = { nodes = ... }, jobs = { job{...}, ... } }")
    end
    return w
  end

  local function draw(settings, seed, run)
    engine.reseed(seed, run)
    return check_workload(settings.workload and settings.workload() or random_workload(settings))
  end

  local function check(settings, body)
    local seed, runs = engine.seed() or settings.seed, settings.runs * engine.times()
    engine.tell(("%d runs, seed %d"):format(runs, seed))
    local function fails(workload)
      local fine, problem = pcall(body, copy_workload(workload))
      -- A mistake in what simulate was given is none of the workload's.
      if not fine and (engine.skipping() or engine.is_bad_input(problem)) then error(problem, 0) end
      return not fine
    end
    for run = 1, runs do
      local workload = draw(settings, seed, run)
      if fails(workload) then
        local smallest, tries = shrink(workload, fails)
        engine.note(("for this workload (run %d of %d with seed %d; %d jobs shrunk to %d in %d tries):\n"):format(run,
          runs, seed, #workload.jobs, #smallest.jobs, tries) .. show.workload(smallest))
        body(copy_workload(smallest))  -- unprotected, so that the failure comes out with its place
        engine.fail("the property failed on this workload, and then held: it depends on more than the workload")
      end
    end
  end

  return { settings = settings_of, check = check }
end
