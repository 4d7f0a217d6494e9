-- The jobs of a month: those of a jobs.json; or of the record, with those that a simulation had besides.
local months = require "months"

local function jobs_of(params)
  if params.listed ~= "" then return months.listed(params.listed) end
  if params.statistics == "" then return months.recorded(params.measured) end
  return assert(months.added(params.measured, params.statistics, true))
end

return {
  api = 1,
  name = "cirrus",
  params = {
    listed = { default = "", doc = "Jobs of ElastiSim: { json = PATH }." },
    measured = { default = "", doc = "Without `listed`: the jobs of the machine: { csv = PATH }." },
    sizes = { default = "", doc = "What ElastiSim said of these jobs, whose sizes they then have: { csv = PATH }." },
    statistics = { default = "", doc = "With `measured`: what ElastiSim said of these jobs and others: { csv = PATH "
      .. "}." },
  },
  jobs = function(params, machine)
    local jobs = jobs_of(params)
    if params.sizes ~= "" then jobs = months.sized(jobs, params.sizes) end
    for i, job in ipairs(jobs) do
      local most, runtime = math.min(job.most, machine.nodes), math.max(job.runtime, 1e-6)
      coroutine.yield {
        id = i, submit = job.submit, nodes = job.nodes, runtime = runtime, limit = runtime,
        -- Run times in inverse proportion.
        sizes = job.least < most and ("%d-%d downey %d 0"):format(job.least, most, most) or nil,
      }
    end
  end,
}
