local used = {}
return { api = 1, name = "k", version = "1", backfill = "easy",
  dynamic_key = function(job, now) return -(now - job.submit) / job.estimate * job.nodes end,
  may_start = function(job) return (used[job.user] or 0) < 3 end,
  started = function(view, job) used[job.user] = (used[job.user] or 0) + job.nodes end,
  ended = function(view, job) used[job.user] = used[job.user] - job.nodes end }
