-- Policies that look at whose jobs they are.
local served = require("served")
local day = 86400

describe("fairshare", function()
  it("serves who has used less", function()
    expect(simulate { policy = "fairshare", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=100, user=1},
      job{submit=1, nodes=4, runtime=10, user=1},
      job{submit=2, nodes=4, runtime=10, user=2},  -- has used nothing
    } }).starts { 0, 110, 100 }
  end)

  it("forgets with time", function()
    local jobs = {
      job{submit=0, nodes=4, runtime=100, user=1},     -- long ago
      job{submit=9000, nodes=4, runtime=50, user=2},
      job{submit=9001, nodes=4, runtime=10, user=2},
      job{submit=9002, nodes=4, runtime=10, user=1},
    }
    local function run(half_life)
      return simulate { policy = "fairshare", nodes = 4, jobs = jobs, params = { half_life = half_life } }
    end
    expect(run(1000 / day)).starts { 0, 9000, 9060, 9050 }
    expect(run(0)).starts { 0, 9000, 9050, 9060 }
  end)

  for _, half_life in ipairs { 60, 600 } do
    local options = { runs = 60, workload = served.workload }
    property("decays usage with a half-life of " .. half_life .. " s", options, function(workload)
      local run = simulate(workload, { policy = "fairshare", params = { backfill = "none", half_life = half_life / day } })
      served.in_order_of(function(job, now)
        return served.usage(run, now, half_life, function(other) return other.user == job.user end)
      end, run)
    end)
  end

  it("can go by groups", function()
    expect(simulate { policy = "fairshare", nodes = 4, params = { by = "group" }, jobs = {
      job{submit=0, nodes=4, runtime=100, user=1, group=1},
      job{submit=1, nodes=4, runtime=10, user=2, group=1},
      job{submit=2, nodes=4, runtime=10, user=1, group=2},
    } }).starts { 0, 110, 100 }
  end)
end)

describe("multifactor", function()
  local function users_seen(run, now)
    local seen, n = {}, 0
    for _, job in ipairs(run.jobs) do
      if job.submit <= now and not seen[job.user] then seen[job.user], n = true, n + 1 end
    end
    return n
  end

  local weights = { age_weight = 300, size_weight = 50, shortness_weight = 40, fairshare_weight = 100 }

  property("weighs age, size, shortness and fair share", { runs = 60, workload = served.workload }, function(workload)
    local half_life, max_age, max_estimate = 600, 1000, 200
    local params = table.copy(weights)
    params.backfill = "none"
    params.half_life, params.max_age, params.max_estimate = half_life / day, max_age / day, max_estimate / 3600
    local run = simulate(workload, { policy = "multifactor", params = params })
    served.in_order_of(function(job, now)
      local total = served.usage(run, now, half_life, function() return true end)
      local own = served.usage(run, now, half_life, function(other) return other.user == job.user end)
      local fair = total > 0 and 2 ^ (-users_seen(run, now) * own / total) or 1
      return -(300 * math.min((now - job.submit) / max_age, 1) + 50 * job.nodes / 10
        + 40 * math.max(1 - job.limit / max_estimate, 0) + 100 * fair)
    end, run)
  end)

  for name in pairs(weights) do
    it("is turned round by a negative " .. name, function()
      local scenario = { policy = "multifactor", nodes = 10, jobs = {
        job{submit=0, nodes=10, runtime=100, user=1},
        job{submit=1, nodes=6, runtime=50, user=1},   -- older, smaller, longer, of the busier user
        job{submit=2, nodes=9, runtime=20, user=2},
      } }
      local params = { age_weight = 0, size_weight = 0, shortness_weight = 0, fairshare_weight = 0 }
      local function second_first(weight)
        params[name] = weight
        local run = simulate(scenario, { params = params })
        return run.jobs[2].start < run.jobs[3].start
      end
      expect(second_first(1000)).equals(name == "age_weight")
      expect(second_first(-1000)).equals(name ~= "age_weight")
    end)
  end
end)

describe("user_limits", function()
  local function run(jobs, params) return simulate { policy = "user_limits", nodes = 10, jobs = jobs, params = params } end

  it("holds back whoever has enough nodes", function()
    expect(run({
      job{submit=0, nodes=4, runtime=10, user=1},
      job{submit=0, nodes=1, runtime=10, user=1},
      job{submit=0, nodes=4, runtime=10, user=2},
    }, { max_nodes = 4 })).starts { 0, 10, 0 }
  end)

  it("lets a job that is larger than the limit run alone", function()
    expect(run({ job{nodes=6, runtime=10, user=1}, job{nodes=1, runtime=10, user=1} }, { max_nodes = 4 })).starts { 0, 10 }
  end)

  it("counts jobs, too", function()
    local jobs = { job{nodes=1, runtime=10, user=1}, job{nodes=1, runtime=20, user=1}, job{nodes=1, runtime=30, user=1} }
    expect(run(jobs, { max_jobs = 2 })).starts { 0, 0, 10 }
    expect(run(jobs)).starts { 0, 0, 0 }
  end)

  it("does not limit unknown users", function()
    expect(run({ job{nodes=4, runtime=10}, job{nodes=4, runtime=10} }, { max_nodes = 4, max_jobs = 1 })).starts { 0, 0 }
  end)

  property("never lets a user hold more", { jobs = 30, users = 3 }, function(workload)
    local limited = simulate(workload, { policy = "user_limits", params = { max_nodes = 5, max_jobs = 2 } })
    expect(limited).violates_nothing()
    for _, job in ipairs(limited.jobs) do
      local nodes, jobs = job.nodes, 1
      for _, other in ipairs(limited.jobs) do
        if other ~= job and other.user == job.user and other.start <= job.start and other.finish > job.start then
          nodes, jobs = nodes + other.nodes, jobs + 1
        end
      end
      expect(jobs).at_most(2)
      if jobs > 1 then expect(nodes).at_most(5) end
    end
  end)
end)

describe("policies that look at users", function()
  for _, name in ipairs { "fairshare", "multifactor" } do
    property(name .. " breaks no rule", { runs = 20, jobs = 30, users = 4 }, function(workload)
      for _, backfill in ipairs { "none", "easy", "conservative" } do
        expect(simulate(workload, { policy = name, params = { backfill = backfill } })).violates_nothing()
      end
    end)
  end
end)
