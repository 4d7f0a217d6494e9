-- A small university cluster: students with many small, short jobs, research groups with few large, long ones. People
-- submit by day, less at weekends, and ask for round times that are longer than they need.
--
-- A workload script yields its jobs one by one, in order of submission. `random` draws from the scenario's seed.
local hour, day = 3600, 86400

-- How busy people are at that time, from 0 to 1; second 0 is a Monday, 0:00.
local function activity(time)
  local by_hour = 0.55 + 0.45 * math.cos(2 * math.pi * (time / day - 14 / 24))  -- busiest at 14:00
  local weekend = math.floor(time / day) % 7 >= 5
  return weekend and 0.4 * by_hour or by_hour
end

-- The first of the usual values that is long enough; the longest at last.
local function ask_for(seconds, usual)
  for _, value in ipairs(usual) do
    if value >= seconds then return value end
  end
  return usual[#usual]
end

local students = 60 -- users 1 to 60; research groups are numbered from 101 on

-- User, nodes, run time and limit of a job.
local function student_job(machine)
  local runtime = math.min(random.lognormal(math.log(8 * 60), 1.3), 4 * hour)
  local user = math.random(1, students)
  local nodes = math.min(math.floor(math.pow(2, random.uniform(0, 3.5))), machine.nodes)
  local limit = ask_for(runtime * random.uniform(1, 4), { 600, 1800, 1 * hour, 2 * hour, 4 * hour })
  return user, nodes, math.ceil(runtime), limit
end

local function research_job(machine)
  local runtime = math.min(random.lognormal(math.log(2 * hour), 1.1), 24 * hour)
  local user = math.random(101, 112)
  local nodes = math.min(math.floor(math.pow(2, random.uniform(2, 6))), machine.nodes)
  local limit = ask_for(runtime * random.uniform(1, 3), { 1 * hour, 4 * hour, 12 * hour, 24 * hour })
  return user, nodes, math.ceil(runtime), limit
end

return {
  api = 1,
  name = "campus",
  description = "Students and research groups on one cluster, with a daily and a weekly cycle.",
  params = {
    jobs = { default = 6000, min = 1, max = 1000000, integer = true, doc = "How many." },
    load = { default = 0.85, min = 0.01, max = 10,
      doc = "Node-seconds asked for / node-seconds there are, by arrivals." },
    students = { default = 0.8, min = 0, max = 1, doc = "Share of the jobs that students submit." },
  },

  jobs = function(params, machine)
    -- Lists of numbers instead of a list of jobs: a million of them fit into the script's memory.
    local user, nodes, runtime, limit, work = {}, {}, {}, {}, 0
    for i = 1, params.jobs do
      local new_job = random.uniform() < params.students and student_job or research_job
      user[i], nodes[i], runtime[i], limit[i] = new_job(machine)
      work = work + nodes[i] * runtime[i]
    end

    -- So long that the work makes the load. Arrivals by rejection: a time is kept as often as people are busy then.
    local span = work / (machine.nodes * params.load)
    local arrivals = {}
    while #arrivals < params.jobs do
      local time = random.uniform(0, span)
      if random.uniform() < activity(time) then arrivals[#arrivals + 1] = time end
    end
    table.sort(arrivals)

    for i = 1, params.jobs do
      coroutine.yield {
        submit = math.floor(arrivals[i]),
        user = user[i],
        queue = user[i] <= students and 1 or 2,
        nodes = nodes[i],
        runtime = runtime[i],
        limit = limit[i],
      }
    end
  end,
}
