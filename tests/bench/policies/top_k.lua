-- A pass of its own: of the ten jobs of least work, those start that fit.
return {
  api = 1, name = "top_k", version = "1",
  key = function(job) return job.nodes * job.estimate end,
  schedule = function(view)
    local n = 0
    for job in view:waiting() do
      if view:fits(job) then view:start(job) end
      n = n + 1
      if n == 10 then break end
    end
  end,
}
