-- The usual textbook workload: arrivals without memory (Poisson), sizes that are log-uniform, run times that are
-- log-normal, estimates that are too long by a uniform factor. All parts are independent of one another.
local function log_uniform(least, most)
  return math.floor(least * math.exp(random.uniform() * math.log((most + 1) / least)))
end

return {
  api = 1,
  name = "synthetic",
  description = "Poisson arrivals, log-uniform sizes, log-normal run times, uniform overestimation, and an exact load.",
  params = {
    jobs = { default = 5000, min = 1, max = 1000000, integer = true, doc = "How many." },
    load = { default = 0.85, min = 0.01, max = 10,
      doc = "Node-seconds asked for / node-seconds there are, by arrivals." },
    largest = { default = 0, min = 0, integer = true, doc = "Nodes of the largest job; 0: the whole machine." },
    median_runtime = { default = 700.0, min = 1, max = 1e6, doc = "s." },
    sigma = { default = 1.5, min = 0, max = 5, doc = "Deviation of the logarithm of the run time." },
    longest = { default = 259200.0, min = 1, max = 1e8, doc = "Longest run time, s." },
    overestimate = { default = 5.0, min = 1, max = 1000, doc = "Estimates are up to this many times the run time." },
    users = { default = 30, min = 1, max = 100000, integer = true, doc = "How many share the jobs evenly." },
  },

  jobs = function(params, machine)
    local largest = params.largest > 0 and math.min(params.largest, machine.nodes) or machine.nodes
    -- Lists of numbers instead of a list of jobs: a million of them fit into the script's memory.
    local nodes, runtime, limit, user, work = {}, {}, {}, {}, 0
    for i = 1, params.jobs do
      local drawn = random.lognormal(math.log(params.median_runtime), params.sigma)
      runtime[i] = math.clamp(math.round(drawn), 1, params.longest)
      nodes[i] = log_uniform(1, largest)
      limit[i] = math.ceil(runtime[i] * random.uniform(1, params.overestimate))
      user[i] = math.random(1, params.users)
      work = work + nodes[i] * runtime[i]
    end

    -- Gaps of mean 1 first, then stretched so that the whole makes the load.
    local arrivals, last = {}, 0
    for i = 1, params.jobs do
      last = last + random.exponential(1)
      arrivals[i] = last
    end
    local stretch = work / (machine.nodes * params.load) / last
    for i = 1, params.jobs do
      local submit = math.floor(arrivals[i] * stretch)
      coroutine.yield { submit = submit, nodes = nodes[i], runtime = runtime[i], limit = limit[i], user = user[i] }
    end
  end,
}
