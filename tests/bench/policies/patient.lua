-- The policy of README.md: a key that changes with time.
return {
  api = 1, name = "patient", version = "1",
  params = { patience = { default = 6.0, min = 0.1, doc = "Hours of waiting after which a job's work counts half." } },
  dynamic_key = function(job, now, params)
    local waited = (now - job.submit) / 3600
    return job.nodes * job.estimate / (1 + waited / params.patience)
  end,
  backfill = "easy",
}
