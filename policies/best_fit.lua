---@type coslice.Policy
return {
  api = 1,
  name = "best_fit",
  version = "1",
  description = "Best fit (as in Weng et al. 2023): a job gets the node on which it leaves the fewest cores and GPUs.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  placement = function(node, job)
    local r = job.request
    local left = 0.5 * (node.cores_free - r.cores) / 128 + 0.5 * (node.gpus_free - r.gpus * r.gpu_share) / 8
    return math.floor(100 * (1 - left))
  end,
}
