-- Slurm's priorities, its two schedulers and where it puts jobs.
local Shares = require "slurm_fairshare"

describe("fair share", function()
  local accounts = { { name = "a", number = 1, Fairshare = 100 }, { name = "b", number = 2, Fairshare = 100 } }
  local users = { { name = "x", number = 1, account = "a" }, { name = "y", number = 2, account = "a" },
                  { name = "z", number = 3, account = "b" } }

  local function shares(options)
    return Shares.new(accounts, users, { half_life = options.half_life or 0, period = options.period or 300, classic = options.classic })
  end

  local function factors(s)
    return { s:association(1, 1).factor, s:association(2, 1).factor, s:association(3, 2).factor }
  end

  it("ranks users down the tree (Fair Tree)", function()
    local s = shares {}
    expect(factors(s)).equals { 1.0, 1.0, 1.0 } -- without usage all are tied, with the one that every cluster has
    s:start(7, s:association(1, 1), 10, 0)
    s:stop(7, 100)
    s:start(8, s:association(3, 2), 30, 0)
    s:stop(8, 100)
    s:advance(300)
    -- Account a has used 1,000 of 4,000, b 3,000: a stands before b, in a the user without usage first; the unused
    -- association of the root before all of them.
    expect(factors(s)).equals { 2 / 4, 3 / 4, 1 / 4 }
    expect(s.root.usage).equals(4000.0)
  end)

  it("adds up usage at calculations only, and lets it fade", function()
    local s = shares { half_life = 693 }
    s:start(7, s:association(1, 1), 1, 250)
    expect(s:advance(299)).is_false()
    expect(s:association(1, 1).usage).equals(0)
    expect(s:advance(300)).is_true()
    expect(s:association(1, 1).usage).near(50 * 0.999 ^ 50, 1e-9)
    s:stop(7, 310)
    s:advance(600)
    expect(s:association(1, 1).usage).near(50 * 0.999 ^ 50 * 0.999 ^ 300 + 10 * 0.999 ^ 10, 1e-9)
    expect(s.running[7]).is_nil()
  end)

  it("joins accounts that are tied", function()
    local s = shares {}
    s:start(7, s:association(1, 1), 10, 0)
    s:start(8, s:association(3, 2), 10, 0)
    s:advance(300)
    -- Both accounts are at 1: their users are ranked as if they were of one. y has used nothing; x and z are tied.
    local x, y, z = table.unpack(factors(s))
    expect({ x, y, z }).equals { 1 / 4, 3 / 4, 2 / 4 }
  end)

  it("has the classic formula", function()
    local s = shares { classic = true }
    s:start(7, s:association(1, 1), 10, 0)
    s:advance(300)
    -- x has a share of 100 / 201 / 2 and all usage.
    expect(s:association(1, 1).factor).near(2 ^ -(201 / 100 * 2), 1e-12)
    expect(s:association(2, 1).factor).equals(1.0)
  end)

  it("gives those that are not known an association of their own", function()
    local s = shares {}
    expect(s:association(99, 2).parent.name).equals("b")
    expect(s:association(99, 77).parent.name).equals("b") -- the one that it has
    expect(s:association(98, 77).parent).equals(s.root)
    expect(s.count).equals(6)
  end)
end)

describe("the policy slurm", function()
  local machine = {
    nodes = { { name = "g", names = "g[1-2]", cores = 4 }, { name = "m", names = "m[1-3]", cores = 4 } },
  }
  local function run(jobs, site, params)
    site = table.copy(site or {})
    site.cpus = 20
    return simulate { machine = machine, jobs = jobs, policy = require("slurm_site").policy(site), params = params }
  end
  local whole = { cores = 4 }

  it("looks for work each second, after a submission not sooner than 3 s after the last time", function()
    local ran = run {
      job{submit=0.5, runtime=5, nodes=1, request=whole}, job{submit=1.2, runtime=5, nodes=1, request=whole},
      job{submit=2.5, runtime=5, nodes=1, request=whole},
    }
    expect(ran).starts { 1, 4, 4 }
  end)

  it("starts what it can when a job ends; one that does not fit stops those behind it until the backfill cycle", function()
    local jobs = {
      job{submit=0, runtime=50, nodes=5, request=whole}, job{submit=0, runtime=100, limit=200, nodes=4, request=whole},
      job{submit=2, runtime=20, nodes=5, request=whole}, job{submit=3, runtime=100, nodes=1, request=whole},
    }
    -- At 51 the second job starts, the third one waits for it until 251 as far as is known. The fourth one does not delay
    -- it, which only the cycle at 60 finds out.
    expect(run(jobs)).starts { 1, 51, 160, 60 }
    expect(run(jobs, nil, { SchedulerType = "sched/builtin" })).starts { 1, 51, 151, 171 }
  end)

  it("keeps whole nodes for jobs that it plans", function()
    local machine_of_one = { nodes = { { name = "m", count = 1, cores = 4 } } }
    local jobs = {
      job{submit=0, runtime=100, nodes=1, request={ cores = 3 }}, job{submit=1, runtime=50, nodes=1, request={ cores = 2 }},
      job{submit=2, runtime=100, nodes=1, request={ cores = 1 }}, -- a core is free, but it would run beside the second one
    }
    local site = { cpus = 4 }
    local ran = simulate { machine = machine_of_one, jobs = jobs, policy = require("slurm_site").policy(site) }
    expect(ran).starts { 1, 101, 101 }
    expect(ran).violates_nothing()
  end)

  it("has large jobs first by size, or those that waited longest by age", function()
    local jobs = {
      job{submit=0, runtime=400, nodes=5, request=whole}, job{submit=1, runtime=10, nodes=3, request=whole},
      job{submit=200, runtime=10, nodes=5, request=whole},
    }
    expect(run(jobs, nil, { PriorityWeightJobSize = 1000 })).starts { 1, 411, 401 }
    expect(run(jobs, nil, { PriorityWeightAge = 1000, PriorityMaxAge = 1000.0 })).starts { 1, 401, 411 }
    expect(run(jobs, nil, { PriorityWeightJobSize = 1000, PriorityFavorSmall = true })).starts { 11, 1, 411 }
  end)

  it("takes nodes of low weight first, then those of the switch with the fewest that are enough", function()
    local site = { nodes = { { kind = "g", Weight = 1 }, { kind = "m", Weight = 2 } } }
    local one = { job{submit=0, runtime=9, nodes=1, request=whole} }
    expect(run(one, site).jobs[1].allocated).equals("0")
    site.nodes[1].Weight = 3
    expect(run(one, site).jobs[1].allocated).equals("2")
    local switches = { switches = { { name = "one", nodes = "m[1-3]" }, { name = "two", nodes = "g[1-2]" } } }
    expect(run(one, switches).jobs[1].allocated).equals("0")
    local both = { job{submit=0, runtime=9, nodes=1, request=whole}, job{submit=0, runtime=9, nodes=2, request=whole},
                   job{submit=0, runtime=9, nodes=2, request=whole} }
    local ran = run(both, switches)
    expect(ran.jobs[2].allocated).equals("2-3") -- of switch two only one is left
    expect(ran.jobs[3].allocated).equals("1 4") -- none has two: of equal ones the first
  end)

  it("lets jobs of a higher tier stop others", function()
    local two = { nodes = { { name = "m", count = 2, cores = 4 } },
                  partitions = { { name = "batch", nodes = "m", default = true }, { name = "urgent", nodes = "m", tier = 2 } } }
    local jobs = {
      job{submit=0, runtime=100, nodes=1, request={ cores = 4, partition = "batch" }},
      job{submit=0, runtime=100, nodes=1, request={ cores = 4, partition = "batch" }},
      job{submit=10, runtime=20, nodes=1, request={ cores = 4, partition = "urgent" }},
    }
    local function preempted(params)
      return simulate { machine = two, jobs = jobs, policy = require("slurm_site").policy { cpus = 8 }, params = params }
    end
    expect(preempted {}).starts { 1, 1, 101 }
    local requeued = preempted { PreemptType = "preempt/partition_prio", PreemptMode = "REQUEUE" }
    expect(requeued.jobs[3].start).equals(11.0)
    expect(requeued.summary.preemptions.requeued).equals(1)
    local cancelled = preempted { PreemptType = "preempt/partition_prio", PreemptMode = "REQUEUE", JobRequeue = false }
    expect(cancelled.summary.preemptions.cancelled).equals(1)
  end)

  property("breaks no rule", { jobs = 25, users = 3, runs = 40 }, function(workload)
    local ran = simulate(workload, { policy = "slurm" })
    expect(ran).violates_nothing()
    expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
  end)
end)

describe("limits", function()
  local accounts = { { name = "a", number = 1, GrpTRES = "cpu=8" }, { name = "b", number = 2, MaxJobs = 1 } }
  local users = { { name = "x", number = 1, account = "a" }, { name = "y", number = 2, account = "a" },
                  { name = "z", number = 3, account = "b", MaxSubmitJobs = 2 } }
  local qos = { { name = "normal" }, { name = "short", MaxWallDurationPerJob = 60, MaxTRESPerUser = "node=1" } }

  local function starts(jobs, enforce)
    local ran = simulate { jobs = jobs, params = { AccountingStorageEnforce = enforce or "associations,limits" },
      machine = { nodes = { { name = "m", count = 8, cores = 4 } } },
      policy = require("slurm_site").policy { cpus = 32, accounts = accounts, users = users, qos = qos } }
    local all = {}
    for i, j in ipairs(ran.jobs) do all[i] = j.state == "rejected" and "refused" or j.start end
    return all
  end
  local function of(user, group, more)
    local j = { submit = 0, runtime = 50, limit = 50, nodes = 1, user = user, group = group, qos = "normal", request = { cores = 4 } }
    for key, value in pairs(more or {}) do j[key] = value end
    return job(j)
  end

  it("hold an account to its CPUs", function()
    local jobs = { of(1, 1), of(2, 1), of(1, 1), of(3, 2) }
    expect(starts(jobs)).equals { 1.0, 1.0, 51.0, 1.0 }
    expect(starts(jobs, "associations")).equals { 1.0, 1.0, 1.0, 1.0 } -- Slurm keeps them only where it is told to
  end)

  it("hold a user to the jobs that its account says, and to those that it may submit", function()
    expect(starts { of(3, 2), of(3, 2), of(3, 2) }).equals { 1.0, 51.0, "refused" }
  end)

  it("hold jobs to those of their quality of service", function()
    expect(starts { of(1, 1, { qos = "short" }), of(1, 1, { qos = "short" }), of(2, 1, { qos = "short", limit = 70 }) })
      .equals { 1.0, 51.0, "refused" }
  end)

  it("refuse a job that alone is above them", function()
    expect(starts { of(1, 1, { nodes = 3 }) }).equals { "refused" }
  end)
end)
