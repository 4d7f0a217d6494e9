---@type coslice.Policy
return {
  api = 1,
  name = "gpu_packing",
  version = "1",
  description = "GPU packing (Weng et al. 2022, 2023): a job gets GPUs that are in use already, else idle ones of "
    .. "nodes in use, else those of idle nodes.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  placement = function(node, job)
    local r, idle = job.request, node.gpus_idle
    if r.gpus == 0 then return 0 end
    if idle == node.gpus then return math.max(33 - idle, idle) end
    local free = node.gpu_free[node:fitting_gpu(job)]
    if free == 1 then return math.max(50 - r.gpus, 33) end
    return math.max(100 - math.floor(10 * free), 50)
  end,
}
