-- The jobs of a trace: their types, run times on a V100, and arrivals in mean gaps.
local types = require "types"

return {
  api = 1,
  name = "gavel-trace",
  params = {
    trace = { default = "", doc = "The trace: { csv = PATH }." },
    alone = { default = "", doc = "Speeds of the types of jobs, which are numbered by it: { csv = PATH }." },
    rate = { default = 5.0, min = 0.01, doc = "Jobs that come per hour." },
    jobs = { default = 0, min = 0, integer = true, doc = "Only so many; 0: all." },
  },
  jobs = function(params)
    local _, _, numbers = types.alone(params.alone)
    for i, row in ipairs(params.trace) do
      if params.jobs > 0 and i > params.jobs then break end
      coroutine.yield {
        id = math.tointeger(row.job_id),
        submit = row.unit_arrival * 3600 / params.rate,
        nodes = 1,
        runtime = row.v100_duration_s,
        executable = numbers[types.name(row.job_type, row.batch)],
        request = { cores = 0, gpus = 1, gpu_share = 0.5 }, -- two find room on a GPU; whether they may is the policy's
      }
    end
  end,
}
