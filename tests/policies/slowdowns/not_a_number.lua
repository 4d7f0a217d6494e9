-- A mistake that a site may make: 0 / 0.
return { api = 1, name = "not a number",
  over_processors = function(job) return (job.processes - job.processes) / 0 end }
