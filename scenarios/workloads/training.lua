-- Training jobs that ask for a part of a GPU each: which program a job runs is drawn, and so is for how long.
return {
  api = 1,
  name = "training",
  description = "Poisson arrivals, exponential run times, programs of slowdowns/gpu.toml, each as likely.",
  params = {
    jobs = { default = 600, min = 1, max = 1000000, integer = true, doc = "How many." },
    gap = { default = 750.0, min = 1, max = 1e6, doc = "Mean time between two, s." },
    runtime = { default = 5400.0, min = 1, max = 1e6, doc = "Mean of what a job runs longer than a minute, s." },
    share = { default = 0.5, min = 0.1, max = 1, doc = "Of a GPU, for each job." },
  },

  jobs = function(params)
    local programs = {
      "vision-small/32", "vision-small/128", "vision-large/64", "language/16", "ranking/512", "games/64", "speech/32",
    }
    local time = 0
    for _ = 1, params.jobs do
      time = time + random.exponential(params.gap)
      local runtime = math.ceil(60 + random.exponential(params.runtime))
      coroutine.yield {
        submit = math.floor(time),
        processes = 1,
        runtime = runtime,
        limit = 2 * runtime,
        application = programs[math.random(#programs)],
        request = { cores = 1, gpu_share = params.share },
      }
    end
  end,
}
