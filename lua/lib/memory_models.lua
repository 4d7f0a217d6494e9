-- How much memory jobs have, by class (Esbaugh 2010, Appendix D), for policies with time slices:
-- local memory_models = require "memory_models"
local memory_models = {
  capacity = 400, -- units of memory per node
  rate = 4, -- units per second, to disk and back
}

-- As fractions of a node; one of ten is drawn for each job.
local demand = {
  default  = { .3, .3, .3, .4, .4, .5, .5, .6, 1, 1 },
  high     = { .6, .6, .7, .7, .8, .8, .9, .9, 1, 1 },
  low      = { .1, .1, .2, .2, .2, .3, .3, .4, .4, .5 },
  veryHigh = { .7, .7, .8, .8, .9, .9, 1, 1, 1, 1 },
  veryLow  = { .1, .1, .1, .2, .2, .2, .3, .3, .3, .4 },
}

-- Which of them a class draws from (Esbaugh 2010, Table 3; MM5 is all default, as the text says).
local models = {
  MM1 = { long = "high", medium = "default", short = "low" },
  MM2 = { long = "low", medium = "default", short = "high" },
  MM3 = { long = "veryHigh", medium = "default", short = "veryLow" },
  MM4 = { long = "veryLow", medium = "default", short = "veryHigh" },
  MM5 = { long = "default", medium = "default", short = "default" },
}

local function class_of(job, params)
  if job.estimate <= params.short then return "short" end
  return job.estimate <= params.medium and "medium" or "long"
end

--- Units of memory of a job on each of its nodes: `params.memory` is the name of a model, or "trace" for what the job
--- says, of `params.node_memory` KB (drawn very low where it says nothing). Its class is by `params.short` and
--- `params.medium`.
function memory_models.of(job, params)
  local capacity = memory_models.capacity
  if params.memory == "trace" and job.memory > 0 then
    return math.max(1, math.floor(capacity * math.min(1, job.memory / params.node_memory)))
  end
  local model = models[params.memory] or models.MM4
  local fractions = demand[model[class_of(job, params)]]
  return math.floor(capacity * fractions[math.random(10)] + 0.5)
end

return memory_models
