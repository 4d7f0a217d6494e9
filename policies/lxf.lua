---@type coslice.Policy
return {
  api = 1,
  name = "lxf",
  version = "1",
  description = "Largest expansion factor first: highest (wait + estimate) / estimate first. A weight on the wait "
    .. "itself (LXF&W, Chiang, Arpaci-Dusseau & Vernon 2002) keeps long jobs from waiting for ever.",
  params = {
    weight = { default = 0.0, min = 0, max = 1000, doc = "Added to the factor for each hour of waiting." },
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  descending = true,
  dynamic_key = function(job, now, params)
    local wait = now - job.submit
    return (wait + job.estimate) / job.estimate + params.weight * wait / 3600
  end,
}
