-- When a job that was requeued may start again.
local requeue = {}

--- Whether the job has to wait for that.
---@param job coslice.Job
---@param params coslice.Params
function requeue.delays(job, params) return job.interruptions > 0 and params.requeue_delay > 0 end

--- Slurm waits until the credentials of the run that ended have expired for sure, which takes one more second. Only
--- then does the job gain age again, from 0.
---@return number s
function requeue.eligible(job, now, params) return now + params.requeue_delay + 1 end

return requeue
