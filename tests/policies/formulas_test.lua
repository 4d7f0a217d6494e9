-- Each start of policies that order the queue, checked against the formula of the paper, written out here once more.
local served = require("served")
local day = 86400

-- The lowest score first. job.limit is what the policy believes; wait counts from the submission.
local function log10(x) return math.log(x, 10) end
local function after_zero(job) return math.max(job.submit, 1) end
local scores = {
  sjf = function(job) return job.limit end,
  ljf = function(job) return -job.limit end,
  saf = function(job) return job.nodes * job.limit end,
  smallest_first = function(job) return job.nodes end,
  largest_first = function(job) return -job.nodes end,
  f1 = function(job) return log10(job.limit) * job.nodes + 870 * log10(after_zero(job)) end,
  f2 = function(job) return job.limit ^ 0.5 * job.nodes + 25600 * log10(after_zero(job)) end,
  f3 = function(job) return job.limit * job.nodes + 6860000 * log10(after_zero(job)) end,
  f4 = function(job) return job.limit * job.nodes ^ 0.5 + 530000 * log10(after_zero(job)) end,
  lxf = function(job, now) return -(now - job.submit + job.limit) / job.limit end,
  wfp3 = function(job, now) return -((now - job.submit) / job.limit) ^ 3 * job.nodes end,
  unicef = function(job, now) return -(now - job.submit) / (math.log(job.nodes, 2) * job.limit) end,
}

-- The logarithm of the submission outweighs everything early in a trace: look where both terms matter.
local looked_at_from = { f1 = 2000, f2 = 20000, f3 = 200000, f4 = 60000 }

describe("the order of", function()
  for name, score in pairs(scores) do
    local function workload_late() return served.workload(looked_at_from[name]) end
    property(name .. " is that of its formula", { workload = workload_late }, function(workload)
      served.in_order_of(score, simulate(workload, { policy = name, params = { backfill = "none" } }))
    end)
  end

  property("lxf with a weight on the wait", { workload = served.workload }, function(workload)
    local run = simulate(workload, { policy = "lxf", params = { backfill = "none", weight = 90 } })
    served.in_order_of(function(job, now) return scores.lxf(job, now) - 90 * (now - job.submit) / 3600 end, run)
  end)

  for _, half_life in ipairs { 60, 600 } do
    local name = "fairshare with a half-life of " .. half_life .. " s is that of decayed usage"
    property(name, { workload = served.workload }, function(workload)
      local params = { backfill = "none", half_life = half_life / day }
      local run = simulate(workload, { policy = "fairshare", params = params })
      served.in_order_of(function(job, now)
        return served.usage(run, now, half_life, function(other) return other.user == job.user end)
      end, run)
    end)
  end
end)

describe("multifactor", function()
  local function users_seen(run, now)
    local seen, n = {}, 0
    for _, job in ipairs(run.jobs) do
      if job.submit <= now and not seen[job.user] then seen[job.user], n = true, n + 1 end
    end
    return n
  end

  property("is a weighted sum of age, size, shortness and fair share", { workload = served.workload },
    function(workload)
    local half_life, max_age, max_estimate = 600, 1000, 200
    local run = simulate(workload, { policy = "multifactor", params = {
      age_weight = 300, size_weight = 50, shortness_weight = 40, fairshare_weight = 100, backfill = "none",
      half_life = half_life / day, max_age = max_age / day, max_estimate = max_estimate / 3600,
    } })
    served.in_order_of(function(job, now)
      local total = served.usage(run, now, half_life, function() return true end)
      local own = served.usage(run, now, half_life, function(other) return other.user == job.user end)
      local fair = total > 0 and 2 ^ (-users_seen(run, now) * own / total) or 1
      return -(300 * math.min((now - job.submit) / max_age, 1) + 50 * job.nodes / 10
        + 40 * math.max(1 - job.limit / max_estimate, 0) + 100 * fair)
    end, run)
  end)
end)

describe("with each way of backfilling", function()
  local names = table.keys(scores)
  table.move({ "fairshare", "multifactor" }, 1, 2, #names + 1, names)
  for _, name in ipairs(names) do
    property(name .. " breaks no rule", { runs = 4, jobs = 30, users = 3 }, function(workload)
      for _, backfill in ipairs { "none", "easy", "conservative" } do
        expect(simulate(workload, { policy = name, params = { backfill = backfill } })).violates_nothing()
      end
    end)
  end
end)
