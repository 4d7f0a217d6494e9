-- Jobs that ask for a range of nodes (`sbatch -N 2-4`), under the policy slurm.
describe("a job with a range of nodes, under the policy slurm,", function()
  local of = require("slurm_jobs")(job, 4)
  local machine = { nodes = { { name = "m", count = 4, cores = 4 } } }

  local function run(jobs, params, site)
    site = table.copy(site or {})
    site.cpus = 16
    local ran = simulate { machine = machine, jobs = jobs, params = params, engine = { molding = "asked" },
                           policy = require("slurm_site").policy(site) }
    expect(ran).violates_nothing()
    return ran
  end
  local function range(text, more)
    more = table.copy(more or {})
    more.sizes = text
    return of(more)
  end
  --- Which nodes the i-th job has, and from when on.
  local function place(ran, i) return { ran.jobs[i].start, ran.jobs[i].allocated } end

  it("gets as many as there are, and runs as long", function()
    local ran = run { range("1-3", { nodes = 2 }) }
    expect(place(ran, 1)).equals { 1.0, "0-2" }
    expect(ran.jobs[1].finish).equals(51.0)
    ran = run { of { nodes = 2, runtime = 100, limit = 100 }, range("1-3", { submit = 2 }) }
    expect(place(ran, 2)).equals { 4.0, "2-3" }
    ran = run { of { nodes = 3, runtime = 100, limit = 100 }, range("2-4", { submit = 2, nodes = 3 }) }
    expect(place(ran, 2)).equals { 101.0, "0-3" } -- too few before
  end)

  it("gets as many as there are where it is backfilled, and keeps as few of those of others as it can", function()
    local function behind(nodes)
      return run { of { nodes = nodes, runtime = 100, limit = 100 }, of { submit = 1, nodes = 4 },
                   range("1-2", { submit = 2, runtime = 20, limit = 20 }) }
    end
    expect(place(behind(3), 3)).equals { 30.0, "3" }
    expect(place(behind(2), 3)).equals { 30.0, "2-3" }
    -- Its own place is for as many as there will be: nothing long fits beside it.
    local ran = run({ of { nodes = 3, runtime = 100, limit = 100 }, range("2-4", { submit = 1, nodes = 2 }),
                      of { submit = 2, runtime = 90, limit = 90 } }, { ends_aligned = true })
    expect(place(ran, 2)).equals { 101.0, "0-3" }
    expect(ran.jobs[3].start).equals(151.0)
  end)

  it("gets no more than its limits let it have", function()
    local limited = { AccountingStorageEnforce = "limits" }
    local users = { { name = "u", number = 1, account = "a", GrpTRES = "node=2" } }
    local ran = run({ range("1-4") }, limited, { accounts = { { name = "a", number = 1 } }, users = users })
    expect(place(ran, 1)).equals { 1.0, "0-1" }
    ran = run({ range("1-4") }, limited, { qos = { { name = "normal", MaxTRESPerJob = "cpu=12" } } })
    expect(place(ran, 1)).equals { 1.0, "0-2" }
    ran = run({ of { nodes = 2, runtime = 100, limit = 100 }, of { submit = 1, nodes = 4 },
                range("1-1000", { submit = 2, runtime = 20, limit = 20, qos = "small" }) }, limited,
              { qos = { { name = "small", MaxTRESPerJob = "node=1" }, { name = "normal" } } })
    expect(place(ran, 3)).equals { 30.0, "2" }
  end)

  it("has the size of the fewest nodes", function()
    -- All wait for the first one; then the larger one of two nodes is in front.
    local function second(text)
      local ran = run({ of { nodes = 4, runtime = 100, limit = 100 }, range(text, { submit = 1, nodes = 3 }),
                        of { submit = 2, nodes = 2 } },
                      { PriorityWeightJobSize = 1000, nodes_asked_for = true, SchedulerType = "sched/builtin" })
      return { ran.jobs[2].start, ran.jobs[3].start }
    end
    expect(second "1-3").equals { 101.0, 101.0 }
    expect(second "3-4").equals { 101.0, 151.0 }
  end)

  it("has whole nodes with select/linear, and chooses anew when it was stopped for another", function()
    local tiers = table.copy(machine)
    tiers.partitions = { { name = "low", nodes = "m", numbers = { 1 }, default = true },
                         { name = "high", nodes = "m", numbers = { 2 }, tier = 2 } }
    local ran = simulate { machine = tiers, engine = { molding = "asked" },
      jobs = { range("1-4", { runtime = 200, limit = 200 }),
               of { submit = 20, nodes = 2, partition = 2, runtime = 200, limit = 200,
                    request = { cores = 4, partition = "high" } } },
      params = { PreemptType = "preempt/partition_prio", PreemptMode = "REQUEUE", requeue_delay = 10.0 },
      policy = require("slurm_site").policy { cpus = 16, select_linear = true,
        partitions = { { name = "low", number = 1, PriorityTier = 1 },
                       { name = "high", number = 2, PriorityTier = 2 } } } }
    expect(ran).violates_nothing()
    expect(ran.jobs[1].allocated).equals "2-3"
  end)
end)

describe("view:plan with largest_sizes", function()
  it("gives moldable jobs the largest of their sizes that fits now, whatever their run times", function()
    local policy = { api = 1, name = "planner", version = "1",
      schedule = function(view) view:plan { largest_sizes = true } end }
    local ran = simulate { policy = policy, nodes = 6, engine = { molding = "asked" },
      jobs = { job{submit=0, nodes=1, runtime=100}, job{submit=1, nodes=1, runtime=10, sizes="2:30,3:90,7:1"},
               job{submit=2, nodes=1, runtime=10, sizes="1-9"} } }
    expect(ran).starts { 0, 1, 2 }
    expect({ ran.jobs[2].allocated, ran.jobs[2].finish, ran.jobs[3].allocated }).equals { "1-3", 91.0, "4-5" }
  end)
end)
