---@type coslice.Policy
return {
  api = 1,
  name = "gpu_clustering",
  version = "1",
  description = "GPU clustering (Gandiva, Xiao et al. 2018, as in Weng et al. 2023): jobs that ask for as many GPUs, "
    .. "or for shares of one, share nodes.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  placement = function(node, job)
    if job.request.gpus == 0 then return 0 end
    local same, all = node:alike(job), node.gpu_jobs
    local company = all == 0 and 25 or same == 0 and 0 or same == all and 75 or 50
    return company + math.floor(25 * (8 - node.gpus_free) / 8)
  end,
}
