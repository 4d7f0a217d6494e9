-- W. Tang, Z. Lan, N. Desai, D. Buettner: Fault-aware, utility-based job scheduling on Blue Gene/P systems,
-- CLUSTER 2009. Checked against the simulator of RLScheduler (D. Zhang et al., SC 2020), where one node goes before
-- everything else.
-- The authors' machine gave out 512 nodes at least; one node would divide by zero.
---@type coslice.Policy
return {
  api = 1,
  name = "unicef",
  version = "1",
  description = "UNICEF (Tang et al. 2009; UNICEP elsewhere): highest wait / (log2(nodes) * estimate) first. Small and "
    .. "short jobs rise fast. A job of one node counts as one of two.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  descending = true,
  dynamic_key = function(job, now)
    return (now - job.submit) / (math.log(math.max(job.nodes, 2), 2) * job.estimate)
  end,
}
