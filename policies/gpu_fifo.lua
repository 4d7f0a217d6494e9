local gpus = require "gpu_allocation"

---@type coslice.Policy
return gpus.policy({
  api = 1,
  name = "gpu_fifo",
  version = "1",
  description = "First come, first served on GPUs of several kinds (Narayanan et al. 2020): each job on the kind on "
    .. "which it is fastest, of those that are free; in each round jobs may move to a faster one that has become free. "
    .. "No job passes another: one that waits for several GPUs keeps all behind it waiting.",
}, {})
