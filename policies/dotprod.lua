---@type coslice.Policy
return {
  api = 1,
  name = "dotprod",
  version = "1",
  description = "Dot product (Tetris, Grandl et al. 2014, as in Weng et al. 2023): a job gets the node whose free "
    .. "cores and GPUs, times those asked for, come to least.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  placement = function(node, job)
    local r = job.request
    local product = node.cores_free / 128 * (r.cores / 128) + node.gpus_free / 8 * (r.gpus * r.gpu_share / 8)
    return math.floor(100 * (1 - product / 2))
  end,
}
