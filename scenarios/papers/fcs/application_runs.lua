-- Runs of two applications with a few inputs each, as the second set of Section 5 of Frachtenberg et al. 2005 had them:
-- "we could not control the runtime of each job, only its arrival time", and there was "less variety in runtimes".
-- Sizes are those of Lublin and Feitelson (2003): some are serial, most are powers of two, and their logarithm is
-- uniform in two stages. Times between arrivals are exponential: days and nights, pressed into minutes, would say more
-- about the hour at which the last job comes than about the policy. Which inputs there were is not published.
local powers_of_two = 0.576 -- part of the jobs, as in the model
local least, below_largest = 0.8, 2.5

--- Base 2 logarithm of the size of a parallel job on a machine of 2^largest processors.
local function log_size(largest, small)
  local middle = largest - below_largest
  if math.random() < small then return random.uniform(least, middle) end
  return random.uniform(middle, largest)
end

local function size_of(largest, params)
  local chance = math.random()
  if chance < params.serial then return 1 end
  local exponent = log_size(largest, params.small)
  if chance < params.serial + powers_of_two then exponent = math.floor(exponent + 0.5) end
  return math.clamp(math.floor(2 ^ exponent + 0.5), 1, math.floor(2 ^ largest))
end

-- Multiples of the shortest run time.
local inputs = { six = { 1, 2, 3, 4, 6, 8 }, two = { 1, 2 }, ["one-long"] = { 1, 1, 2, 2, 4, 32 } }

return {
  api = 1,
  name = "application_runs",
  description = "Runs with a few run times, sizes of Lublin and Feitelson (2003), Poisson arrivals, and an exact load.",
  params = {
    jobs = { default = 1000, min = 2, max = 1000000, integer = true, doc = "How many." },
    load = { default = 0.7, min = 0.01, max = 100,
      doc = "Work / (processors x time from the first arrival to the last)." },
    shortest = { default = 5.0, min = 1, max = 1e6, doc = "Run time of the shortest input, s." },
    inputs = { default = "six", choices = { "six", "two", "one-long" }, doc = "How much run times differ." },
    serial = { default = 0.244, min = 0, max = 0.424, doc = "Part of the jobs that are serial; default: the model's." },
    small = { default = 0.86, min = 0, max = 1, doc = "Part of the parallel jobs in the lower stage of sizes." },
  },
  jobs = function(params, machine)
    local processors = machine.nodes * machine.processors
    local largest = math.log(processors) / math.log(2)
    local factors = inputs[params.inputs]
    local jobs, work, time = {}, 0, 0
    for i = 1, params.jobs do
      local runtime = params.shortest * factors[math.random(#factors)]
      jobs[i] = { processes = size_of(largest, params), runtime = runtime, limit = runtime, submit = time }
      work = work + jobs[i].processes * runtime
      time = time + random.exponential(1)
    end
    local scale = work / (processors * params.load) / jobs[#jobs].submit
    for _, job in ipairs(jobs) do
      job.submit = job.submit * scale
      coroutine.yield(job)
    end
  end,
}
