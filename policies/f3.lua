-- D. Carastan-Santos, R. Y. de Camargo: Obtaining dynamic scheduling policies with simulation and machine learning,
-- SC 2017. Checked against the function in the simulator of RLScheduler (D. Zhang et al., SC 2020), whose n counts
-- processors, which is the same where a node has one. Their s begins at 0; log10(0) is avoided here.
---@type coslice.Policy
return {
  api = 1,
  name = "f3",
  version = "1",
  description = "F3 (Carastan-Santos & de Camargo 2017): lowest r * n + 6860000 * log10(s) first, "
    .. "with estimate r, nodes n and submission s. Fitted to simulated schedules for a low mean bounded slowdown.",
  params = {
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },
  key = function(job)
    return job.estimate * job.nodes + 6860000 * math.log(math.max(job.submit, 1), 10)
  end,
}
