local gpus = require "gpu_allocation"

---@type coslice.Policy
return gpus.policy({
  api = 1,
  name = "gpu_sjf",
  version = "1",
  description = "Shortest job first on GPUs of several kinds: each job on the kind on which it is fastest, of those "
    .. "that are free.",
  params = {
    preempt = { default = false, doc = "Whether a job takes the GPUs of longer ones, which go on later." },
  },
}, {
  order = function(job) return job.limit end,
  running = function(params) return not params.preempt and "first" or nil end,
})
