-- How fast the types of jobs are on the types of GPUs, alone and beside one another: measured steps per second. Run
-- times are those on a V100.
local types = require "types"

local alone, names
local beside = {} -- by type of GPU, type of job, type of the other one: the part of its speed that is left

local function read(params)
  alone, names = types.alone(params.alone)
  local function add(gpu, a, b, speed)
    local of_gpu = beside[gpu] or {}
    local of_job = of_gpu[a] or {}
    of_job[b] = speed / alone[a][gpu]
    of_gpu[a], beside[gpu] = of_job, of_gpu
  end
  for _, row in ipairs(params.pairs) do
    local a, b = types.name(row.job_a, row.batch_a), types.name(row.job_b, row.batch_b)
    add(row.gpu, a, b, row.steps_per_s_a)
    add(row.gpu, b, a, row.steps_per_s_b)
  end
end

local function type_of(job, params)
  if not alone then read(params) end
  return names[job.executable]
end

local most = 999 -- a slowdown: jobs that could not run together do not get on

return {
  api = 1,
  name = "gavel-speeds",
  params = {
    alone = { default = "", doc = "Speeds alone: { csv = PATH }." },
    pairs = { default = "", doc = "Speeds of pairs: { csv = PATH }." },
  },
  application = type_of,
  on_gpus = function(job, params, gpu)
    local name = type_of(job, params)
    return alone[name].v100 / alone[name][gpu]
  end,
  beside = function(job, other, params, gpu)
    if not gpu then return 1 end
    local a, b = type_of(job, params), type_of(other, params)
    return math.min(most, 1 / beside[gpu][a][b])
  end,
}
