local function score(added) return math.floor(100 * (1 / (1 + math.exp(added)))) end

---@type coslice.Policy
return {
  api = 1,
  name = "fgd",
  version = "1",
  description = "Fragmentation gradient descent (Weng et al. 2023): a job gets the node and GPU on which the GPUs that "
    .. "the workload's typical jobs cannot use grow least.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  placement = function(node, job)
    local share = job.request.gpu_share
    if share == 0 or share == 1 then return score(node:fragmentation_added(job)) end
    local best, chosen = -1, nil
    for g = 1, node.gpus do
      if node.gpu_free[g] >= share then
        local s = score(node:fragmentation_added(job, g))
        if s > best then best, chosen = s, g end
      end
    end
    return best, chosen
  end,
}
