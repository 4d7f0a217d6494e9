-- Training jobs of 26 programs that ask for half a GPU each, some for half of several. How often a program comes, and
-- how long its jobs run, is of the table; the rest is drawn.
local programs = { -- model, batch sizes, weight of each, mean run time over that of all
  { "vision-small", { 16, 32, 64, 128, 256 }, 4, 0.6 },
  { "vision-large", { 16, 32, 64, 128 }, 4, 1.6 },
  { "translation", { 16, 32, 64, 128, 256 }, 3, 1.4 },
  { "language", { 5, 10, 20, 40, 80 }, 4, 1.1 },
  { "ranking", { 512, 1024, 2048, 4096, 8192 }, 4, 0.6 },
  { "games", { 4 }, 4, 0.8 },
  { "pictures", { 1 }, 3, 1.3 },
}

-- A list in which each program is as often as its weight says, and the mean of its run times.
local function drawn_from()
  local list, sum = {}, 0
  for _, p in ipairs(programs) do
    for _, batch in ipairs(p[2]) do
      for _ = 1, p[3] do list[#list + 1] = { name = p[1] .. "/" .. batch, length = p[4] } end
      sum = sum + p[3] * p[4]
    end
  end
  return list, sum / #list
end

return {
  api = 1,
  name = "training_mix",
  description = "Poisson arrivals at a load, exponential run times with a mean by program, programs of "
    .. "slowdowns/gpu_study.toml.",
  params = {
    jobs = { default = 600, min = 1, max = 1000000, integer = true, doc = "How many." },
    gpus = { default = 8, min = 1, integer = true, doc = "Of the machine, for the load." },
    load = { default = 1.0, min = 0.01, max = 10, doc = "Work that comes over what the GPUs can do with a job each." },
    wide = { default = 0.0, min = 0, max = 1,
      doc = "Part of the jobs that have two GPUs of a node, or as many that have four." },
    nodes = {
      default = 0,
      min = 0,
      max = 64,
      integer = true,
      doc = "Each job has all four GPUs of 1, 2, 4, ... up to so many nodes; 0: of one node, as `wide` says.",
    },
    runtime = { default = 5400.0, min = 1, max = 1e6, doc = "Mean of what jobs run longer than a minute, s." },
  },

  jobs = function(params)
    local list, mean = drawn_from()
    local each = 1 - params.wide + params.wide * (2 + 4) / 2 -- GPUs of a job, in the mean
    local sizes = {}
    for k = 0, params.nodes > 0 and math.floor(math.log(params.nodes, 2)) or -1 do
      sizes[#sizes + 1] = 2 ^ k // 1 | 0
    end
    if #sizes > 0 then each = 4 * (2 * sizes[#sizes] - 1) / #sizes end
    local gap = each * (60 + params.runtime) / (params.gpus * params.load)
    local time = 0
    for _ = 1, params.jobs do
      time = time + random.exponential(gap)
      local program = list[math.random(#list)]
      local runtime = math.ceil(60 + random.exponential(params.runtime * program.length / mean))
      local gpus = params.wide > 0 and math.random() < params.wide and (math.random(2) == 1 and 2 or 4) or 1
      local nodes = #sizes > 0 and sizes[math.random(#sizes)] or 1
      if #sizes > 0 then gpus = 4 end
      coroutine.yield {
        submit = math.floor(time),
        processes = #sizes > 0 and nodes * gpus or 1,
        runtime = runtime,
        limit = 2 * runtime,
        application = program.name,
        request = { nodes = nodes, cores = gpus, gpus = gpus, gpu_share = 0.5 },
      }
    end
  end,
}
