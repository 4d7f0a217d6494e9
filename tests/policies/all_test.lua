-- What holds for every shipped policy on any workload.
local policies = {
  "fcfs", "easy", "conservative", "easy_sjbf", "sjf", "ljf", "smallest_first", "largest_first", "saf", "lxf", "wfp3",
  "unicef", "f1", "f2", "f3", "f4", "fairshare", "multifactor", "user_limits", "relaxed", "preemptive",
  "fgd", "dotprod", "best_fit", "gpu_packing", "gpu_clustering", "random_fit",
  "gpu_fifo", "gpu_sjf", "gpu_las", "gpu_fifo_packed", "gpu_gain", "gpu_mig", "oar", "easy_nodes", "conservative_nodes",
  "posner",
}

for _, policy in ipairs(policies) do
  describe(policy, function()
    property("runs every job, and breaks no rule", { jobs = 25, users = 3, runs = 12 }, function(workload)
      local run = simulate(workload, { policy = policy })
      expect(run).violates_nothing()
      expect(run).keeps_claims()
      expect(run.summary.nb_jobs_finished).equals(#workload.jobs)
    end)

    it("gives the same schedule twice", function()
      local scenario = { policy = policy, nodes = 16, seed = 3,
                         workload = { generator = "lublin", lublin = { jobs = 200, load = 0.9 } } }
      expect(simulate(scenario).fingerprint).equals(simulate(scenario).fingerprint)
    end)
  end)
end
