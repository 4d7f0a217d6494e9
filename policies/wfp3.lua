-- W. Tang, Z. Lan, N. Desai, D. Buettner: Fault-aware, utility-based job scheduling on Blue Gene/P systems,
-- CLUSTER 2009. Checked against the same authors' scheduler Cobalt, whose default utility is this with nodes / 64,
-- and against the simulator of RLScheduler (D. Zhang et al., SC 2020).
---@type coslice.Policy
return {
  api = 1,
  name = "wfp3",
  version = "1",
  description = "WFP3 (Tang et al. 2009): highest (wait / estimate)^3 * nodes first. Large jobs rise with the cube of "
    .. "their waiting, so that they do not starve.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  descending = true,
  dynamic_key = function(job, now)
    local x = (now - job.submit) / job.estimate
    return x * x * x * job.nodes
  end,
}
