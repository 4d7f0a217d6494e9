-- WFP3 (Tang, Lan, Desai & Buettner 2009): favours old, short and large jobs.
--   priority = (wait / estimate)^3 * nodes
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
  backfill = function(params) return params.backfill end,
}
