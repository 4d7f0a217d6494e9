-- Narayanan, Santhanam, Kazhamiaka, Phanishayee & Zaharia 2020 (Gavel, OSDI), Section 7: jobs that train models, on
-- GPUs of three types. What is published are the printed outputs of the authors' notebooks. They, the traces and the
-- measured speeds are data that is not part of coslice (`--data`).

local policies = {
  { published = "fifo_perf", policy = "gpu_fifo", title = "FIFO" },
  { published = "fifo_packed", policy = "gpu_fifo_packed", title = "FIFO, packed" },
}
local quick_rates = { [2.0] = true, [4.4] = true }
local first, last = 4000, 4999 -- jobs of which the mean is taken

--- The files of the study; nothing where one is not there.
local function study(lab, seed)
  local files = {
    trace = lab.data(("trace_single_seed%d.csv.gz"):format(seed)), alone = lab.data("isolated.csv"),
    pairs = lab.data("pairs.csv"), published = lab.data("published_results.csv"),
  }
  return files.trace and files.alone and files.pairs and files.published and files
end

local function skip(lab, what)
  lab.row { quantity = what, skipped = "the data of the study: --data DIR" }
end

--- Published means by rate, h, and the rates in order.
local function published(lab, files, policy)
  local means, rates = {}, {}
  for _, row in ipairs(lab.csv(files.published)) do
    if row.trace == "continuous-single" and row.metric == "avg_jct_hours" and row.policy == policy then
      local rate = row.input_jobs_per_hour
      if not lab.quick or quick_rates[rate] then
        means[rate], rates[#rates + 1] = row.value, rate
      end
    end
  end
  table.sort(rates)
  return means, rates
end

local function ask(lab, files, policy, rate, params)
  return lab.run("study.toml", {
    workload = { params = { trace = { csv = files.trace }, alone = { csv = files.alone }, rate = rate } },
    slowdown = { params = { alone = { csv = files.alone }, pairs = { csv = files.pairs } } },
    policy = { name = policy, params = params },
  }, { jobs = true })
end

--- Mean time from arrival to end, h.
local function mean_time(lab, files, run, rate)
  local ends, sum = {}, 0
  for i, id in ipairs(run.jobs.job_id) do ends[id] = run.jobs.finish_time[i] end
  for _, row in ipairs(lab.csv(files.trace)) do
    if row.job_id >= first and row.job_id <= last then sum = sum + ends[row.job_id] - row.unit_arrival * 3600 / rate end
  end
  return sum / (last - first + 1) / 3600
end

--- Both policies at all rates, within a part of what is published.
local function means(params, within, title)
  return function(lab)
    local files = study(lab, 0)
    if not files then return skip(lab, "mean-time") end
    local runs = {}
    for _, p in ipairs(policies) do
      local _, rates = published(lab, files, p.published)
      for _, rate in ipairs(rates) do runs[p.policy .. rate] = ask(lab, files, p.policy, rate, params) end
    end
    for _, p in ipairs(policies) do
      local told, rates = published(lab, files, p.published)
      for _, rate in ipairs(rates) do
        lab.row {
          quantity = ("%s.%g"):format(p.published, rate), unit = "h", published = told[rate],
          obtained = mean_time(lab, files, runs[p.policy .. rate], rate), seeds = 1,
          band = { told[rate] * (1 - within), told[rate] * (1 + within) },
          chart = { title = title, axis = "jobs per hour" }, at = rate, series = p.title,
        }
      end
    end
  end
end

--- What packing comes to under high load: the mean time with it, over that without.
local function gain(lab)
  local files = study(lab, 0)
  if not files then return skip(lab, "packing") end
  local alone, packed, runs = published(lab, files, "fifo_perf"), published(lab, files, "fifo_packed"), {}
  local rates = lab.quick and {} or { 5.2, 5.6, 6.0 }
  for _, rate in ipairs(rates) do
    runs[rate] = { ask(lab, files, "gpu_fifo", rate), ask(lab, files, "gpu_fifo_packed", rate) }
  end
  for _, rate in ipairs(rates) do
    local told = packed[rate] / alone[rate]
    lab.row {
      quantity = ("packed-over-alone.%g"):format(rate), published = told,
      obtained = mean_time(lab, files, runs[rate][2], rate) / mean_time(lab, files, runs[rate][1], rate),
      seeds = 1, band = { told - 0.03, told + 0.03 }, finding = "packing shortens times under high load",
    }
  end
end

--- Curves of the same figure that are not repeated.
local function others(lab)
  for _, name in ipairs { "max_min_fairness", "finish_time_fairness", "gandiva", "allox" } do
    lab.row { quantity = name, skipped = "its policy: a linear program in each round, or one of its own" }
  end
end

return {
  api = 1,
  title = "Narayanan et al. 2020 (Gavel): training jobs on GPUs of several types",
  data = "gpu/sharing/gavel",
  seeds = 1,
  quick_seeds = 1,
  experiments = {
    { label = "times", title = "Mean time from arrival to end, jobs with one GPU",
      run = means(nil, 0.03, "Mean time") },
    { label = "packing", title = "What packing comes to", run = gain },
    { label = "events", title = "The same without rounds",
      run = means({ round = 0, period = 0 }, 0.05, "Mean time, without rounds") },
    { label = "others", title = "What is not repeated", run = others },
  },
}
