-- Slurm's priorities, its two schedulers and where it puts jobs.
local Shares = require "slurm_fairshare"
local resets = require "slurm_resets"

describe("fair share", function()
  local accounts = { { name = "a", number = 1, Fairshare = 100 }, { name = "b", number = 2, Fairshare = 100 } }
  local users = { { name = "x", number = 1, account = "a" }, { name = "y", number = 2, account = "a" },
                  { name = "z", number = 3, account = "b" } }

  local function shares(options)
    return Shares.new(accounts, users,
      { half_life = options.half_life or 0, period = options.period or 300, classic = options.classic })
  end

  local function factors(s)
    s:refresh()
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

  it("forgets usage where a period begins", function()
    local s = Shares.new(accounts, users,
      { half_life = 0, period = 300, since = function(now) return now // 1000 * 1000 end })
    s:start(7, s:association(1, 1), 10, 0)
    s:stop(7, 100)
    s:advance(900)
    expect(s:association(1, 1).usage).equals(1000.0)
    s:start(8, s:association(3, 2), 10, 950)
    s:advance(1200) -- the first calculation after 1,000: what came since the last one counts
    expect(s:association(1, 1).usage).equals(0.0)
    expect(s:association(3, 2).usage).equals(2500.0)
    s:advance(1500)
    expect(s:association(3, 2).usage).equals(5500.0)
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
    s:refresh()
    -- x has a share of 100 / 201 / 2 and all usage. What its account had used before the calculation was nothing: of
    -- its own usage beside that a half is not counted.
    expect(s:association(1, 1).factor).near(2 ^ -(0.5 * 201 / 100 * 2), 1e-12)
    expect(s:association(2, 1).factor).equals(1.0)
    s:advance(600)
    s:refresh()
    expect(s:association(1, 1).factor).near(2 ^ -(201 / 100 * 2), 1e-12)
    expect(s:association(2, 1).factor).near(2 ^ -(0.5 * 201 / 100 * 2), 1e-12) -- a half of what its account has used
    expect(s:association(3, 2).factor).equals(1.0)
  end)

  it("has that of DEPTH_OBLIVIOUS", function()
    local s = Shares.new(accounts, users, { half_life = 0, period = 300, classic = true, oblivious = true })
    s:start(7, s:association(1, 1), 30, 0)
    s:start(8, s:association(2, 1), 10, 0)
    s:start(9, s:association(3, 2), 40, 0)
    s:advance(600)
    s:refresh()
    -- The accounts have a half of the usage each, 201 / 200 of their shares. Of its account x has used three quarters,
    -- 3 / 2 of its share, and y a half of it, which makes up for the account and so counts less.
    local account = 201 / 200
    expect(s:association(1, 1).factor).near(2 ^ -(account * 1.5), 1e-12)
    expect(s:association(2, 1).factor).near(2 ^ -(account * 0.5 ^ (1 / (1 + (5 * math.log(account)) ^ 2))), 1e-12)
    expect(s:association(3, 2).factor).near(2 ^ -account, 1e-12)
  end)

  it("never lowers priorities with INCR_ONLY", function()
    local Priorities = require "slurm_priority"
    local association = { factor = 1 }
    local function second_key(only_up)
      local p = Priorities.new({ PriorityMaxAge = 100, PriorityWeightAge = 0, PriorityWeightFairshare = 1000 },
        { at = 0, refresh = function() end }, only_up)
      association.factor = 1
      p:add({ id = 1 }, association, { 0, 0, 0 }, 0)
      association.factor = 0.5
      return p:keys()[1]
    end
    expect(second_key(false)).equals(-500)
    expect(second_key(true)).equals(-1000)
  end)

  it("gives those that are not known an association of their own", function()
    local s = shares {}
    expect(s:association(99, 2).parent.name).equals("b")
    expect(s:association(99, 77).parent.name).equals("b") -- the one that it has
    expect(s:association(98, 77).parent).equals(s.root)
    expect(s.count).equals(6)
  end)
end)

--- Cycles that take no time and plan to the instant, unless `params` say otherwise.
local function at_once(params)
  local all = { bf_job_time = 0.0, bf_resolution = 0.0 }
  for key, value in pairs(params or {}) do all[key] = value end
  return all
end

describe("the policy slurm", function()
  local machine = {
    nodes = { { name = "g", names = "g[1-2]", cores = 4 }, { name = "m", names = "m[1-3]", cores = 4 } },
  }
  local function run(jobs, site, params)
    site = table.copy(site or {})
    site.cpus = 20
    return simulate { machine = machine, jobs = jobs, policy = require("slurm_site").policy(site),
      params = at_once(params) }
  end
  local whole = { cores = 4 }

  it("looks for work each second, after a submission not sooner than 3 s after the last time", function()
    local ran = run {
      job{submit=0.5, runtime=5, nodes=1, request=whole}, job{submit=1.2, runtime=5, nodes=1, request=whole},
      job{submit=2.5, runtime=5, nodes=1, request=whole},
    }
    expect(ran).starts { 1, 4, 4 }
  end)

  it("does the same late in a long trace, where instants are not known to a nanosecond", function()
    for _, from in ipairs { 71, 20000171 } do -- in the same phase of all cycles
      local ran = run {
        job{submit=0, runtime=1, nodes=1, request=whole},
        job{submit=from + 0.25, runtime=700, nodes=5, request=whole},
        job{submit=from + 1.5, runtime=5, nodes=1, request=whole},
        job{submit=from + 2.5, runtime=5, nodes=1, request=whole},
      }
      expect(ran).starts { 1, from + 1, from + 701, from + 701 }
    end
  end)

  it("starts what it can when a job ends; one that does not fit stops those behind it until the backfill cycle",
    function()
    local jobs = {
      job{submit=0, runtime=50, nodes=5, request=whole}, job{submit=0, runtime=100, limit=200, nodes=4, request=whole},
      job{submit=2, runtime=20, nodes=5, request=whole}, job{submit=3, runtime=100, nodes=1, request=whole},
    }
    -- At 51 the second job starts, the third one waits for it until 251 as far as is known. The fourth one does not
    -- delay it, which only the cycle at 60 finds out.
    expect(run(jobs)).starts { 1, 51, 160, 60 }
    expect(run(jobs, nil, { SchedulerType = "sched/builtin" })).starts { 1, 51, 151, 171 }
  end)

  it("starts components in a backfill cycle only; until then they stop their partition", function()
    local jobs = {
      job{submit=0, runtime=10, components={ { nodes=1, cores=4 }, { nodes=2, cores=2 } }},
      job{submit=0, runtime=10, nodes=1, request=whole},
    }
    local ran = run(jobs)
    expect(ran).starts { 30, 30 }
    expect(ran.jobs[1].allocated).equals("0-2")
    expect(ran).violates_nothing()
    expect(run(jobs, nil, { SchedulerType = "sched/builtin" })).starts { 1, 1 }
  end)

  it("keeps whole nodes for jobs that it plans", function()
    local machine_of_one = { nodes = { { name = "m", count = 1, cores = 4 } } }
    local jobs = {
      job{submit=0, runtime=100, nodes=1, request={ cores = 3 }},
      job{submit=1, runtime=50, nodes=1, request={ cores = 2 }},
      -- A core is free, but it would run beside the second one.
      job{submit=2, runtime=100, nodes=1, request={ cores = 1 }},
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
                  partitions = { { name = "batch", nodes = "m", default = true },
                    { name = "urgent", nodes = "m", tier = 2 } } }
    local jobs = {
      job{submit=0, runtime=100, nodes=1, request={ cores = 4, partition = "batch" }},
      job{submit=0, runtime=100, nodes=1, request={ cores = 4, partition = "batch" }},
      job{submit=10, runtime=20, nodes=1, request={ cores = 4, partition = "urgent" }},
    }
    local function preempted(params)
      return simulate { machine = two, jobs = jobs, policy = require("slurm_site").policy { cpus = 8 },
        params = params }
    end
    expect(preempted {}).starts { 1, 1, 101 }
    local requeued = preempted { PreemptType = "preempt/partition_prio", PreemptMode = "REQUEUE" }
    expect(requeued.jobs[3].start).near(11.05, 1e-6)
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
    local j = { submit = 0, runtime = 50, limit = 50, nodes = 1, user = user, group = group, qos = "normal",
      request = { cores = 4 } }
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

  it("count a node once that jobs of an account share, and prefer those to others of their kind", function()
    local group = { { name = "a", number = 1, GrpTRES = "node=2" }, { name = "b", number = 2 } }
    local function places(jobs)
      local ran = simulate { jobs = jobs, params = { AccountingStorageEnforce = "limits" },
        machine = { nodes = { { name = "m", count = 8, cores = 4 } } },
        policy = require("slurm_site").policy { cpus = 32, accounts = group, users = users, qos = qos } }
      local all = {}
      for i, j in ipairs(ran.jobs) do all[i] = ("%s at %g"):format(j.allocated, j.start) end
      return all
    end
    local function cores(n, nodes) return { request = { cores = n }, nodes = nodes or 1 } end
    -- The third job goes where the account is, and not to the fuller node of the other one; the fourth there, and to
    -- one more node; the last one would need a third node.
    expect(places { of(3, 2, cores(3)), of(1, 1, cores(2)), of(1, 1, cores(1)), of(1, 1, cores(1, 2)),
                    of(1, 1, cores(4)) })
      .equals { "0 at 1", "1 at 1", "1 at 1", "0-1 at 1", "0 at 51" }
  end)

  it("refuse a job that alone is above them", function()
    expect(starts { of(1, 1, { nodes = 3 }) }).equals { "refused" }
  end)
end)

describe("settings", function()
  local machine = { nodes = { { name = "m", count = 4, cores = 4, memory = 8000 } } }
  local function run(jobs, params, site)
    site = table.copy(site or {})
    site.cpus = 16
    return simulate { machine = machine, jobs = jobs, policy = require("slurm_site").policy(site),
      params = at_once(params) }
  end
  local function of(more)
    local j = { submit = 0, runtime = 50, limit = 50, nodes = 1, user = 1, group = 1, partition = 1, qos = "normal",
      request = { cores = 4 } }
    for key, value in pairs(more or {}) do j[key] = value end
    return job(j)
  end
  -- Three nodes are taken until 201 and one until 51. A job of all four waits for 201; the cycle of 60 finds out what
  -- fits beside it until then.
  local function full(...)
    return { of { nodes = 3, runtime = 200, limit = 200 }, of { runtime = 50, limit = 50 },
      of { submit = 2, nodes = 4, runtime = 10, limit = 10 }, ... }
  end
  local short, long = { submit = 3, runtime = 20, limit = 130 }, { submit = 3, runtime = 20, limit = 1000 }

  it("bf_min_age_reserve and NoReserve let long jobs pass one that holds no place", function()
    -- A job of 130 s is over at 190, before the large job's turn, one of 1000 s is not.
    expect(run(full(of(short)))).starts { 1, 1, 201, 60 }
    expect(run(full(of(long)))).starts { 1, 1, 201, 211 }
    -- Younger than 1000 s, it stops none behind it already when the first job ends.
    expect(run(full(of(long)), { bf_min_age_reserve = 1000.0 })).starts { 1, 1, 201, 51 }
    local jobs = full(of(long))
    jobs[3].qos = "patient"
    expect(run(jobs, {}, { qos = { { name = "patient", Flags = "DenyOnLimit,NoReserve" } } })).starts { 1, 1, 201, 60 }
  end)

  it("bf_job_part_count_reserve and bf_min_prio_reserve leave out those behind", function()
    expect(run(full(of(long)), { bf_job_part_count_reserve = 1 })).starts { 1, 1, 201, 211 }
    -- A weight of 1000 for the partition is the priority of all.
    local site = { partitions = { { name = "p", number = 1 } } }
    expect(run(full(of(long)), { PriorityWeightPartition = 1000, bf_min_prio_reserve = 1000 }, site)).starts {
      1, 1, 201, 211 }
    -- It stops none either.
    expect(run(full(of(long)), { PriorityWeightPartition = 1000, bf_min_prio_reserve = 1001 }, site)).starts {
      1, 1, 201, 51 }
  end)

  it("bf_max_job_start, _user_part and _assoc limit a cycle", function()
    -- Two nodes come free at 51, for two short jobs behind one of four nodes.
    local function jobs(users)
      return { of { nodes = 2, runtime = 300, limit = 300 }, of { nodes = 2, runtime = 50, limit = 50 },
               of { submit = 2, nodes = 4, runtime = 10, limit = 10, user = 9 },
               of { submit = 3, runtime = 20, limit = 100 },
               of { submit = 3, runtime = 20, limit = 100, user = users } }
    end
    expect(run(jobs(1))).starts { 1, 1, 301, 60, 60 }
    expect(run(jobs(1), { bf_max_job_start = 1 })).starts { 1, 1, 301, 60, 90 }
    expect(run(jobs(1), { bf_max_job_user_part = 1 })).starts { 1, 1, 301, 60, 90 }
    expect(run(jobs(1), { bf_max_job_assoc = 1 })).starts { 1, 1, 301, 60, 90 }
    expect(run(jobs(2), { bf_max_job_assoc = 1 })).starts { 1, 1, 301, 60, 60 }
  end)

  it("bf_resolution lets plans end at its multiples", function()
    -- From 60 on a job of 130 s is over at 190; on a grid of 60 s the large one's place begins at 180, on one of 10 s
    -- at 200.
    expect(run(full(of(short)), { bf_resolution = 60.0 })).starts { 1, 1, 201, 211 }
    expect(run(full(of(short)), { bf_resolution = 10.0 })).starts { 1, 1, 201, 60 }
  end)

  it("bf_job_time lets cycles drift", function()
    -- Two jobs wait at 30: that cycle takes a second, so that the next one comes at 61.
    expect(run(full(of(short)), { bf_job_time = 0.5 })).starts { 1, 1, 201, 61 }
    -- With time for one job only, the last one is looked at when the large one has started.
    expect(run(full(of(short)), { bf_job_time = 0.5, bf_max_time = 0.5 })).starts { 1, 1, 201, 211 }
  end)

  it("sched_max_job_start, sched_min_interval and assoc_limit_stop hold the main scheduler", function()
    local none = { SchedulerType = "sched/builtin" }
    local function with(more)
      local params = table.copy(none)
      for key, value in pairs(more) do params[key] = value end
      return params
    end
    expect(run({ of {}, of {} }, with { sched_max_job_start = 1 })).starts { 1, 51 }
    -- It runs at 1, and with 10 s between not at 4 but at 11.
    expect(run({ of {}, of { submit = 2 } }, none)).starts { 1, 4 }
    expect(run({ of {}, of { submit = 2 } }, with { sched_min_interval = 10000000 })).starts { 1, 11 }
    local site = { users = { { name = "x", number = 1, account = "root", MaxJobs = 1 } } }
    local jobs = { of {}, of {}, of { user = 2 } }
    expect(run(jobs, with { AccountingStorageEnforce = "limits" }, site)).starts { 1, 51, 1 }
    expect(run(jobs, with { AccountingStorageEnforce = "limits", assoc_limit_stop = true }, site)).starts { 1, 51, 51 }
  end)

  it("PriorityType=priority/basic is order of submission; associations have priorities of their own", function()
    local site = { accounts = { { name = "a", number = 1 }, { name = "b", number = 2, Priority = 10 } },
                   users = { { name = "x", number = 1, account = "a" }, { name = "y", number = 2, account = "b" } } }
    local jobs = { of { nodes = 4 }, of { submit = 2, nodes = 4 }, of { submit = 3, nodes = 4, user = 2, group = 2 } }
    expect(run(jobs, { PriorityWeightAssoc = 100 }, site)).starts { 1, 101, 51 }
    expect(run(jobs, { PriorityWeightAssoc = 100, PriorityType = "priority/basic" }, site)).starts { 1, 51, 101 }
  end)

  it("resources count in priorities and in usage", function()
    local jobs = { of { nodes = 4 }, of { submit = 2, nodes = 4, request = { cores = 4 } },
                   of { submit = 3, nodes = 4, request = { cores = 4, memory = 1000 } } }
    expect(run(jobs, {})).starts { 1, 51, 101 }
    expect(run(jobs, { PriorityWeightTRES = "CPU=0,Mem=.03", PriorityFlags = "NO_NORMAL_TRES" })).starts { 1, 101, 51 }
    -- 4 CPUs of 16 and 1000 MiB of 32000 on each of 4 nodes: 1000 * (16 / 16) + 800 * (4000 / 32000).
    local site = { partitions = { { name = "p", number = 1, nodes = 4, cpus = 16, memory = 32000, gpus = 0 } } }
    expect(run(jobs, { PriorityWeightTRES = "CPU=1000,Mem=800" }, site)).starts { 1, 101, 51 }
  end)

  it("jobs that are suspended go on where they were stopped, before others", function()
    local site = { qos = { { name = "urgent", Preempt = "normal" }, { name = "normal" } } }
    local jobs = { of { nodes = 4, runtime = 100, limit = 100 }, of { submit = 5, nodes = 4, runtime = 30, limit = 30 },
                   of { submit = 10, nodes = 2, runtime = 40, limit = 40, qos = "urgent" } }
    local ran = run(jobs, { PreemptType = "preempt/qos", PreemptMode = "SUSPEND,GANG" }, site)
    expect(ran.jobs[3].start).equals(11.0)
    expect(ran.jobs[1].finish).near(141, 4) -- 40 s later than it would have been, and what it takes to look
    expect(ran.jobs[2].start > ran.jobs[1].finish - 1).equals(true)
  end)

  it("jobs of a quality of service stand before those that it may preempt, if that orders all", function()
    local site = { qos = { { name = "normal", Preempt = "scavenger" }, { name = "scavenger" } } }
    local jobs = { of { nodes = 4, runtime = 50, limit = 50 }, of { nodes = 3, runtime = 50, limit = 50,
      qos = "scavenger", submit = 1 },
                   of { submit = 2, nodes = 4 } }
    local params = { PreemptType = "preempt/qos", PreemptMode = "OFF", SchedulerType = "sched/builtin",
      PriorityWeightAge = 1000000, PriorityMaxAge = 100 }
    expect(run(jobs, params, site)).starts { 1, 101, 51 }
    site.qos[1].Preempt = nil
    expect(run(jobs, params, site)).starts { 1, 51, 101 }
    site.qos = { { name = "normal" }, { name = "urgent", Preempt = "scavenger" }, { name = "scavenger" } }
    expect(run(jobs, params, site)).starts { 1, 51, 101 }
  end)

  it("jobs stop others in a cycle of the backfill scheduler, behind one that stops its partition", function()
    local site = { qos = { { name = "normal" }, { name = "urgent", Preempt = "scavenger" }, { name = "scavenger" } } }
    local jobs = { of { nodes = 2, runtime = 300, limit = 300 },
                   of { nodes = 2, runtime = 300, limit = 300, qos = "scavenger" },
                   of { submit = 10, nodes = 4, runtime = 10, limit = 10, qos = "urgent" },
                   of { submit = 11, nodes = 2, runtime = 10, limit = 10, qos = "urgent" } }
    local params = { PreemptType = "preempt/qos", PreemptMode = "CANCEL", bf_resolution = 60, ends_aligned = true }
    local ran = run(jobs, params, site)
    expect(ran.jobs[2].finish).near(30.05, 1e-6) -- the first cycle
    expect(ran.jobs[3].start).equals(301.0)
    expect(ran.jobs[4].start).near(60, 1) -- the main scheduler looks no further than to the job before it
    params.ends_aligned = false
    expect(run(jobs, params, site).jobs[4].start > 300).equals(true)
  end)

  it("of jobs that end in the same second the one submitted first is taken first when a plan asks for room", function()
    local machine_of_two = { nodes = { { name = "p", count = 2, cores = 4 }, { name = "q", count = 1, cores = 4 } },
                             partitions = { { name = "p", nodes = "p", default = true }, { name = "q", nodes = "q" } } }
    local function last_start(other_submit)
      local function ask(cores, partition) return { cores = cores, partition = partition } end
      local jobs = { job{submit=0.2, nodes=1, runtime=90, limit=100, request=ask(2, "p")},
                     job{submit=0, nodes=1, runtime=290, limit=300, request=ask(4, "p")},
                     job{submit=other_submit, nodes=1, runtime=90, limit=100, request=ask(4, "q")},
                     job{submit=5, nodes=1, runtime=200, limit=200, request=ask(4, "p")},
                     job{submit=6, nodes=1, runtime=150, limit=150, request=ask(2, "p")} }
      local ran = simulate { machine = machine_of_two, jobs = jobs, policy = require("slurm_site").policy { cpus = 12 },
                             params = { ends_aligned = true, bf_resolution = 60 } }
      expect({ ran.jobs[1].start, ran.jobs[2].start, ran.jobs[3].start }).equals { 1, 1, 1 }
      return ran.jobs[5].start
    end
    -- The fourth job waits for the end of the first one. It is not asked whether the next end is soon where that is
    -- behind one of a job elsewhere: then the fourth is planned for when the second one ends, and the last one passes.
    expect(last_start(0.1) > 90).equals(true)
    expect(last_start(0.3)).equals(30)
  end)

  it("when stopped jobs are gone the main scheduler looks at once, at all jobs in order", function()
    local site = { qos = { { name = "normal" }, { name = "urgent", Preempt = "scavenger" }, { name = "scavenger" } } }
    local jobs = { of { nodes = 2, runtime = 300, limit = 300 },
                   of { nodes = 2, runtime = 300, limit = 300, qos = "scavenger" },
                   of { submit = 10, nodes = 1, qos = "urgent" }, of { submit = 10.5, nodes = 1 } }
    local ran = run(jobs, { PreemptType = "preempt/qos", PreemptMode = "CANCEL", ends_as_submissions = true }, site)
    expect(ran.jobs[2].finish).near(11.05, 1e-6)
    expect({ ran.jobs[3].start, ran.jobs[4].start }).equals { 11.05, 11.05 } -- not 3 s later
  end)

  it("jobs whose grace is over stop when Slurm looks at limits, and hold no room for others until then", function()
    local site = { qos = { { name = "normal" }, { name = "urgent", Preempt = "scavenger" },
                           { name = "scavenger", GraceTime = 20 } } }
    local jobs = { of { nodes = 2, runtime = 300, limit = 300 },
                   of { nodes = 2, runtime = 300, limit = 300, qos = "scavenger" },
                   of { submit = 10, nodes = 2, runtime = 100, limit = 100, qos = "urgent" },
                   of { submit = 12, nodes = 2, runtime = 20, limit = 20 } }
    local params = { PreemptType = "preempt/qos", PreemptMode = "CANCEL", bf_resolution = 60, ends_aligned = true }
    local ran = run(jobs, params, site)
    expect(ran.jobs[2].finish).equals(60.0) -- asked at 11
    expect(ran.jobs[3].start).near(60, 1)
    site.qos[3].GraceTime = 0
    ran = run(jobs, params, site)
    expect({ ran.jobs[2].finish, ran.jobs[3].start }).equals { 11.05, 11.05 }
  end)

  it("jobs of a quality of service stop those that it names", function()
    local site = { qos = { { name = "normal" }, { name = "urgent", Preempt = "scavenger" }, { name = "scavenger" } } }
    local jobs = { of { nodes = 2, runtime = 300, limit = 300, qos = "scavenger" },
                   of { nodes = 2, runtime = 300, limit = 300 },
                   of { submit = 10, nodes = 2, qos = "urgent" } }
    local params = { PreemptType = "preempt/qos", PreemptMode = "CANCEL" }
    local ran = run(jobs, params, site)
    expect(ran.jobs[3].start).near(11.05, 1e-6)
    expect(ran.summary.preemptions.cancelled).equals(1)
    params.PreemptExemptTime = 1000.0
    expect(run(jobs, params, site)).starts { 1, 1, 301 }
    site.qos[3].PreemptExemptTime = 20
    expect(run(jobs, params, site)).starts { 1, 1, 60.05 }
    site.qos[3].PreemptExemptTime = nil
    jobs[3].qos = "normal"
    params.PreemptExemptTime = 0.0
    expect(run(jobs, params, site)).starts { 1, 1, 301 }
    jobs[3].qos, site.qos[3].PreemptMode = "urgent", "OFF"
    expect(run(jobs, params, site)).starts { 1, 1, 301 }
  end)

  it("limits count memory, and minutes that were used or may run", function()
    local function limited(limits, jobs, more)
      local account = { name = "a", number = 1 }
      for key, value in pairs(limits) do account[key] = value end
      local params = { AccountingStorageEnforce = "limits", PriorityDecayHalfLife = 0.0 }
      for key, value in pairs(more or {}) do params[key] = value end
      local ran = run(jobs, params, { accounts = { account }, users = { { name = "x", number = 1, account = "a" } } })
      local all = {}
      for i, j in ipairs(ran.jobs) do all[i] = j.state == "rejected" and "refused" or j.start end
      return all
    end
    local two = { of { request = { cores = 1, memory = 3000 } }, of { request = { cores = 1, memory = 3000 } } }
    expect(limited({ GrpTRES = "mem=6000M" }, two)).equals { 1.0, 1.0 }
    expect(limited({ GrpTRES = "mem=5.5G" }, two)).equals { 1.0, 51.0 }
    expect(limited({ MaxTRESPerJob = "mem=2G" }, two)).equals { "refused", "refused" }
    -- Each may run for 4 CPU-minutes. With 5, the second one starts when the first may run for less than two minutes,
    -- as of the last calculation of priorities: at 60, when the main scheduler runs. If there is none until then, when
    -- the first one ends.
    local hour = { of { runtime = 60, limit = 60 }, of { runtime = 60, limit = 60 } }
    expect(limited({ GrpTRESRunMins = "cpu=5" }, hour, { PriorityCalcPeriod = 30.0 })).equals { 1.0, 60.0 }
    expect(limited({ GrpTRESRunMins = "cpu=5" }, hour)).equals { 1.0, 61.0 }
    expect(limited({ GrpTRESRunMins = "cpu=8" }, hour)).equals { 1.0, 1.0 }
    expect(limited({ MaxTRESMinsPerJob = "cpu=3" }, hour)).equals { "refused", "refused" }
    -- Of a quality of service, by user and by account: the third one is another user's in another account.
    local function in_quality(limits)
      local quality = { name = "normal" }
      for key, value in pairs(limits) do quality[key] = value end
      local mine = { runtime = 60, limit = 60 }
      local others = { runtime = 60, limit = 60, user = 2, group = 2 }
      return run({ of(mine), of(mine), of(others) },
        { AccountingStorageEnforce = "limits", PriorityDecayHalfLife = 0.0, PriorityCalcPeriod = 30.0 },
        { accounts = { { name = "a", number = 1 }, { name = "b", number = 2 } }, qos = { quality },
          users = { { name = "x", number = 1, account = "a" }, { name = "y", number = 2, account = "b" } } })
    end
    expect(in_quality { MaxTRESRunMinsPerUser = "cpu=5" }).starts { 1, 60, 1 }
    expect(in_quality { MaxTRESRunMinsPerAccount = "cpu=5" }).starts { 1, 60, 1 }
    expect(in_quality { MaxTRESRunMinsPerUser = "cpu=8" }).starts { 1, 1, 1 }
    -- The first one has used 240 CPU-seconds at 61. With a half-life of 100 s (0.99307 a second, also of its last
    -- minute) they are 158 then and, where priorities are calculated each minute, less than 60 at 240, when the main
    -- scheduler runs.
    local later = { of { runtime = 60, limit = 60 }, of { submit = 100, runtime = 60, limit = 60 } }
    expect(limited({ GrpTRESMins = "cpu=1" }, later, { PriorityDecayHalfLife = 100.0,
      PriorityCalcPeriod = 60.0 })).equals { 1.0, 240.0 }
    expect(limited({ GrpTRESMins = "cpu=1" }, later, { PriorityDecayHalfLife = 100.0 })).equals { 1.0, 300.0 }
    expect(limited({ GrpTRESMins = "cpu=10" }, later, { PriorityDecayHalfLife = 100.0 })).equals { 1.0, 100.0 }
    -- `safe`: what is left of it and its own 4 minutes must be within 4, too, whole minutes each. It is 104 s at 120,
    -- 69 at 180, 45 at 240.
    expect(limited({ GrpTRESMins = "cpu=4" }, later, { PriorityDecayHalfLife = 100.0, PriorityCalcPeriod = 60.0,
      AccountingStorageEnforce = "safe" }))
      .equals { 1.0, 240.0 }
  end)

  it("limits of what was used fade in few passes while nothing runs", function()
    -- Each job uses the minute of wall time that there is: after the second one half of it is left in 70 days.
    local jobs = {}
    for i = 1, 30 do jobs[i] = of { submit = 60 * i, runtime = 60, limit = 60 } end
    local site = { accounts = { { name = "a", number = 1, GrpWall = 60 } },
      users = { { name = "x", number = 1, account = "a" } }, cpus = 16 }
    local ran = run(jobs, { AccountingStorageEnforce = "limits", PriorityDecayHalfLife = 6048000.0 }, site)
    expect(ran.jobs[30].state).equals("completed")
    expect(ran.jobs[30].start > 10 * 86400).is_true()
    expect(ran.summary.scheduling_passes < 2000).is_true() -- a calculation is due each 300 s
  end)

  it("limits of what was used begin anew with a period", function()
    local site = { accounts = { { name = "a", number = 1, GrpTRESMins = "cpu=1" } },
      users = { { name = "x", number = 1, account = "a" } }, cpus = 16 }
    local function second(period)
      local ran = simulate { machine = machine, workload = { date = "2026-03-01T23:57" },
                             policy = require("slurm_site").policy(site),
                             jobs = { of { runtime = 60, limit = 60 }, of { submit = 100, runtime = 60, limit = 60 } },
                             params = { AccountingStorageEnforce = "limits", PriorityDecayHalfLife = 0.0,
                               PriorityUsageResetPeriod = period } }
      return ran.jobs[2].start
    end
    -- Midnight is at 180, the next calculation of priorities at 300. The first one has used 4 CPU-minutes.
    expect(second("DAILY")).equals(300.0)
    expect(second("MONTHLY")).equals(30 * 86400 + 300.0) -- 1 April
  end)

  it("a quality of service has limits in the place of those of associations, of each resource by itself", function()
    local site = { accounts = { { name = "a", number = 1, GrpTRES = "cpu=4,mem=1000", GrpJobs = 9 } },
                   users = { { name = "x", number = 1, account = "a", MaxJobs = 1 } }, qos = { { name = "wide" } } }
    local params = { AccountingStorageEnforce = "limits" }
    local function two(memory)
      return { of { qos = "wide", request = { cores = 4, memory = memory } }, of { qos = "wide", request = { cores = 4,
        memory = memory } } }
    end
    expect(run(two(1), params, site)).starts { 1, 51 }
    site.qos[1].MaxJobsPerAccount = 5 -- instead of MaxJobs
    expect(run(two(1), params, site)).starts { 1, 51 }
    site.qos[1].GrpTRES = "cpu=16"
    expect(run(two(1), params, site)).starts { 1, 1 }
    expect(run(two(800), params, site)).starts { 1, 51 }
    site.qos[1].GrpJobs = 1
    expect(run(two(1), params, site)).starts { 1, 51 }
    -- One whose own limit comes first counts for the limits of those that are held to them.
    table.insert(site.qos, { name = "free", GrpJobs = 9 })
    site.qos[1].GrpJobs, site.accounts[1].GrpJobs = nil, 1
    expect(run({ of { qos = "free", user = 1, request = { cores = 1 } }, of { qos = "wide", request = { cores = 1 } } },
      params, site)).starts { 1, 51 }
    site.accounts[1].GrpJobs = 9
    site.qos[1] = { name = "wide", MaxJobsPerAccount = 5, LimitFactor = 2.0 } -- of GrpTRES
    expect(run(two(800), params, site)).starts { 1, 1 }
    site.qos[1].LimitFactor = 1.5
    expect(run(two(1), params, site)).starts { 1, 51 }
  end)

  it("limits count what jobs are billed, and low usage and priority", function()
    local site = { accounts = { { name = "a", number = 1, GrpTRES = "billing=10" } }, users = { { name = "x",
      number = 1, account = "a" } },
                   partitions = { { name = "p", number = 1, TRESBillingWeights = "CPU=1,Mem=1G" } },
                   qos = { { name = "normal", Flags = "EnforceUsageThreshold" } } }
    local params = { AccountingStorageEnforce = "limits" }
    local small, large = { request = { cores = 1, memory = 1024 } }, { request = { cores = 4, memory = 4096 } }
    expect(run({ of(large), of(small) }, params, site)).starts { 1, 1 }
    expect(run({ of(large), of(large) }, params, site)).starts { 1, 51 }
    -- Of three users x has the lowest factor from 300 on, a third, and two thirds from 600 on, when y has used more.
    site.accounts[1].GrpTRES, site.qos[1].UsageThreshold = nil, 0.6
    table.insert(site.users, { name = "y", number = 2, account = "a" })
    local used = { of(large), of { submit = 305, user = 2, qos = "other", nodes = 2, runtime = 400, limit = 400 },
      of { submit = 310 } }
    expect(run(used, params, site)).starts { 1, 306, 600 } -- a cycle of the backfill scheduler
    site.qos[1].UsageThreshold = 0.2
    expect(run(used, params, site)).starts { 1, 306, 311 }
    -- A job of low priority does not keep one behind it waiting.
    site.qos[1] = { name = "normal" }
    local jobs = { of { nodes = 3, runtime = 100, limit = 100 }, of { submit = 1, nodes = 4 }, of { submit = 2,
      runtime = 500, limit = 500 } }
    local with = { AccountingStorageEnforce = "limits", SchedulerType = "sched/builtin" }
    expect(run(jobs, with, site)).starts { 1, 101, 151 }
    site.qos[1].MinPrioThreshold = 5
    expect(run(jobs, with, site)).starts { 1, 504, 4 }
  end)

  it("limits of a type of GPU keep the jobs waiting that name it; all that have it count", function()
    local nodes = { { name = "a", count = 2, cores = 4, gpus = 2, gpu_type = "A100" },
                    { name = "v", count = 2, cores = 4, gpus = 2, gpu_type = "v100" } }
    local function starts(limit, types)
      local jobs = {}
      for i, type in ipairs(types) do
        jobs[i] = of { request = { cores = 1, gpus = 2, gpu_type = type ~= "any" and type or nil } }
      end
      local site = { accounts = { { name = "a", number = 1, GrpTRES = limit } },
                     users = { { name = "x", number = 1, account = "a" } },
                     nodes = { { kind = "a", Weight = 1 }, { kind = "v", Weight = 2 } } }
      site.cpus = 16
      local ran = simulate { machine = { nodes = nodes }, jobs = jobs, policy = require("slurm_site").policy(site),
        params = at_once { AccountingStorageEnforce = "limits" } }
      local all = {}
      for i, j in ipairs(ran.jobs) do all[i] = j.state == "rejected" and "refused" or j.start end
      return all
    end
    expect(starts("gres/gpu:a100=2", { "A100", "A100", "v100", "v100" })).equals { 1.0, 51.0, 1.0, 1.0 }
    expect(starts("gres/gpu:a100=2,gres/gpu=4", { "A100", "v100", "v100" })).equals { 1.0, 1.0, 51.0 }
    expect(starts("gres/gpu:a100=1", { "A100", "v100" })).equals { "refused", 1.0 }
    -- A job that names none is not kept waiting; where it gets one, on the nodes of lower weight, it counts.
    expect(starts("gres/gpu:a100=2", { "any", "A100", "v100" })).equals { 1.0, 51.0, 1.0 }
    expect(starts("gres/gpu:a100=2", { "A100", "any", "any" })).equals { 1.0, 1.0, 1.0 }
  end)

  it("a partition may have so many CPUs of a node, or one user at a time on it", function()
    local function starts(says, jobs)
      local partitions = { { name = "batch" }, { name = "own" } }
      says.name, says.number = "own", 2
      local all = {}
      for i, j in ipairs(jobs) do all[i] = of(j) end
      local machine_of_two = { nodes = { { name = "n", count = 2, cores = 4 } }, partitions = partitions }
      return simulate { machine = machine_of_two, jobs = all,
        policy = require("slurm_site").policy { cpus = 8, partitions = { { name = "batch", number = 1 }, says } },
        params = at_once {} }
    end
    local function own(cores, user) return { request = { cores = cores }, partition = 2, user = user } end
    local function batch(cores, user) return { request = { cores = cores }, user = user } end
    -- Three CPUs of each node: one job of two on each, and one of one; the other partition has what is left.
    expect(starts({ MaxCPUsPerNode = 3 }, { own(2), own(2), own(1), own(2), batch(1), batch(1) }))
      .starts { 1, 1, 1, 51, 1, 1 }
    -- The third job has its place when the others end; the backfill scheduler starts the fourth before it.
    local function later(cores, submit, runtime)
      return { request = { cores = cores }, partition = 2, submit = submit, runtime = runtime, limit = runtime }
    end
    expect(starts({ MaxCPUsPerNode = 3 }, { later(2, 0, 1000), later(2, 0, 1000), later(2, 1, 100), later(1, 2, 100) }))
      .starts { 1, 1, 1001, 30 }
    -- One that has more of a node than that is refused, and hinders none of the others.
    local never = starts({ MaxCPUsPerNode = 3 }, { own(4), own(3), own(3), batch(1) })
    expect(never.jobs[1].state).equals("rejected")
    expect({ never.jobs[2].start, never.jobs[3].start, never.jobs[4].start }).equals { 1.0, 1.0, 1.0 }
    expect(starts({ MaxCPUsPerNode = "UNLIMITED" }, { own(2), own(2), own(2), own(1) })).starts { 1, 1, 1, 1 }
    -- The first user's jobs share a node, the second one's have the other; the third one waits, in either partition.
    expect(starts({ ExclusiveUser = "YES" }, { own(1, 1), own(1, 2), own(1, 1), batch(1, 3), own(1, 3) }))
      .starts { 1, 1, 1, 51, 51 }
    expect(starts({ ExclusiveUser = "NO" }, { own(1, 1), own(1, 2), batch(1, 3) })).starts { 1, 1, 1 }
    expect(starts({ ExclusiveUser = "YES" }, { batch(1, 1), batch(1, 2), batch(4, 1), own(1, 3) }))
      .starts { 1, 1, 1, 51 }
  end)

  it("a node that several jobs of an account are on counts once", function()
    local site = { accounts = { { name = "a", number = 1, GrpTRES = "node=2" } }, users = { { name = "x", number = 1,
      account = "a" } } }
    local params = { AccountingStorageEnforce = "limits" }
    local small = { request = { cores = 1 } }
    expect(run({ of(small), of(small), of(small) }, params, site)).starts { 1, 1, 1 }
    expect(run({ of(small), of(small), of { request = { cores = 1 }, nodes = 2 } }, params, site)).starts { 1, 1, 1 }
    expect(run({ of(small), of(small), of { request = { cores = 4 }, nodes = 2 } }, params, site)).starts { 1, 1, 51 }
  end)

  it("a quality of service of the partition comes before that of the job, unless OverPartQOS", function()
    local site = { qos = { { name = "wide", MaxJobsPerUser = 3, Flags = "" }, { name = "part", MaxJobsPerUser = 1 } },
                   partitions = { { name = "p", number = 1, QOS = "part" } } }
    local jobs = { of { qos = "wide" }, of { qos = "wide" } }
    expect(run(jobs, { AccountingStorageEnforce = "limits" }, site)).starts { 1, 51 }
    site.qos[1].Flags = "OverPartQOS"
    expect(run(jobs, { AccountingStorageEnforce = "limits" }, site)).starts { 1, 1 }
  end)
end)

describe("years in which nothing runs", function()
  it("cost no calculation each, and usage fades as long as they last", function()
    local function usage_after(seconds, half_life)
      local shares = Shares.new({ { name = "a", number = 1 } },
        { { name = "x", number = 1, account = "a" } }, { half_life = half_life, period = 300 })
      shares:start(1, shares:association(1, 1), 4, 0)
      shares:stop(1, 3600)
      shares:advance(seconds)
      return shares:association(1, 1).usage, shares.at
    end
    local year = 365 * 86400
    expect((usage_after(5e9, 0))).near(4 * 3600, 1e-6)
    local usage, at = usage_after(year, year)
    expect(usage).near(4 * 3600 * (1 - 0.693 / year) ^ (year - 1800), 2)
    expect(at).equals(math.floor(year / 300) * 300)
    expect((usage_after(6e9, 604800))).near(0, 1e-9)
  end)
end)

describe("periods of usage", function()
  -- A calendar that begins on Wednesday, 31 December 2025, at noon.
  local lengths = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 }
  local function clock(time)
    local seconds = time + 43200
    local days = seconds // 86400 -- since 31 December
    local date = { year = 2025, month = 12, day = 31, weekday = (2 + days) % 7 + 1, second_of_day = seconds % 86400 }
    if days < 0 then date.day = 31 + days end
    if date.day < 1 then date.month, date.day = 11, date.day + 30 end
    if date.month == 11 and date.day < 1 then date.month, date.day = 10, date.day + 31 end
    if days > 0 then
      date.year, date.month, date.day = 2026, 1, days
      while date.day > lengths[date.month] do date.day, date.month = date.day - lengths[date.month], date.month + 1 end
    end
    return date
  end
  local function days(n) return n * 86400 - 43200 end -- midnight of the n-th day after 31 December

  it("begin as the calendar says", function()
    local function since(period, now) return resets.new(period, clock)(now) end
    local now = days(46) + 3600 -- 15 February, a Sunday
    expect(since("DAILY", now)).equals(days(46))
    expect(since("weekly", now)).equals(days(46))
    expect(since("WEEKLY", days(45))).equals(days(39))
    expect(since("MONTHLY", now)).equals(days(32))
    expect(since("QUARTERLY", now)).equals(days(1))
    expect(since("QUARTERLY", days(90) + 1)).equals(days(1))
    expect(since("QUARTERLY", days(91))).equals(days(91))
    expect(since("YEARLY", days(300))).equals(days(1))
    expect(since("QUARTERLY", 0)).equals(days(-91)) -- 1 October: nothing is forgotten yet
  end)

  it("are none where nothing is forgotten, and no other words", function()
    expect(resets.new("NONE", clock)).is_nil()
    expect(resets.new("now", clock)).is_nil()
    expect(resets.new("DAILY", function() end)).is_nil()
    local words = require "slurm_words"
    expect(words.one_of(resets.known) "HOURLY").equals(
      "one of NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY")
    for word in string.gmatch(resets.known, "%u+") do
      expect(words.one_of(resets.known)(word) == nil).is_true()
    end
  end)
end)
