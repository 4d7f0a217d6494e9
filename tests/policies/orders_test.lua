-- Policies that order the queue: each start is checked against the formula of the paper, written out here once more.
local served = require("served")

-- job.limit is what the policy believes; wait counts from the submission.
local function log10(x) return math.log(x, 10) end
local function after_zero(job) return math.max(job.submit, 1) end
local scores = {
  fcfs = function(job) return job.submit end,
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
    property(name .. " is that of its formula", { runs = 100, workload = workload_late }, function(workload)
      local params = name ~= "fcfs" and { backfill = "none" } or nil
      served.in_order_of(score, simulate(workload, { policy = name, params = params }))
    end)
  end

  property("lxf with a weight on the wait", { runs = 60, workload = served.workload }, function(workload)
    local run = simulate(workload, { policy = "lxf", params = { backfill = "none", weight = 90 } })
    served.in_order_of(function(job, now) return scores.lxf(job, now) - 90 * (now - job.submit) / 3600 end, run)
  end)
end)

describe("backfilling behind the order of", function()
  local names = table.keys(scores)
  for _, name in ipairs(names) do
    if name ~= "fcfs" then
      it(name .. " can be chosen", function()
        local jobs = {
          job{submit=0, nodes=6, runtime=10},
          job{submit=1, nodes=8, runtime=10},
          job{submit=1, nodes=4, runtime=9},
        }
        local function last_start(backfill)
          return simulate { policy = name, nodes = 10, jobs = jobs, params = { backfill = backfill } }.jobs[3].start
        end
        expect(last_start("easy")).equals(1)
        expect(last_start("conservative")).equals(1)
        expect(last_start("none")).at_least(1)
      end)

      property(name .. " breaks no rule", { runs = 10, jobs = 30, users = 3 }, function(workload)
        for _, backfill in ipairs { "none", "easy", "conservative" } do
          expect(simulate(workload, { policy = name, params = { backfill = backfill } })).violates_nothing()
        end
      end)
    end
  end
end)

describe("sjf", function()
  it("goes by what users ask for", function()
    expect(simulate { policy = "sjf", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=10},
      job{submit=1, nodes=4, runtime=10, limit=100},
      job{submit=2, nodes=4, runtime=50, limit=50},
    } }).starts { 0, 60, 10 }
  end)
end)

describe("wfp3", function()
  it("lets a large job rise with the cube of its waiting", function()
    -- At 100: the first has waited 99/50, cubed 7.8, on 10 nodes 78; the second 90/10, cubed 729, on 1 node 729.
    expect(simulate { policy = "wfp3", nodes = 10, params = { backfill = "none" }, jobs = {
      job{submit=0, nodes=10, runtime=100},
      job{submit=1, nodes=10, runtime=50},
      job{submit=10, nodes=1, runtime=10},
    } }).starts { 0, 110, 100 }
    -- Here the second has waited 60/20 only, cubed 27, on 1 node 27.
    expect(simulate { policy = "wfp3", nodes = 10, params = { backfill = "none" }, jobs = {
      job{submit=0, nodes=10, runtime=100},
      job{submit=1, nodes=10, runtime=50},
      job{submit=40, nodes=1, runtime=20},
    } }).starts { 0, 100, 150 }
  end)
end)

describe("easy_sjbf", function()
  local jobs = {
    job{submit=0, nodes=6, runtime=10},
    job{submit=0, nodes=8, runtime=10},
    job{submit=0, nodes=4, runtime=9},  -- EASY backfills this one
    job{submit=0, nodes=4, runtime=3},  -- this one is shorter
  }
  it("backfills the shortest job first", function()
    expect(simulate { policy = "easy", nodes = 10, jobs = jobs }).starts { 0, 10, 0, 20 }
    expect(simulate { policy = "easy_sjbf", nodes = 10, jobs = jobs }).starts { 0, 10, 20, 0 }
  end)
  property("is EASY where all estimates are the same", { jobs = 30, longest = 12 }, function(workload)
    for _, j in ipairs(workload.jobs) do j.limit = 12 end
    local easy, sjbf = simulate(workload, { policy = { "easy", "easy_sjbf" } })
    expect(sjbf).starts_like(easy)
    expect(sjbf).violates_nothing()
  end)
end)
