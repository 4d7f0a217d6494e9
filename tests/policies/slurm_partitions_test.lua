-- Jobs that name several partitions (`sbatch -p left,right`), under the policy slurm: each of them once for each.
describe("a job of several partitions, under the policy slurm,", function()
  local machine = {
    nodes = { { name = "a", count = 2, cores = 4 }, { name = "b", count = 2, cores = 4 } },
    partitions = { { name = "left", nodes = "a", numbers = { 1 }, default = true },
                   { name = "right", nodes = "b", numbers = { 2 } } },
  }
  local numbers = { left = 1, right = 2, ["left,right"] = 3, ["right,left"] = 4 }

  --- A job of that partition, or of those of a list.
  local function of(names, more)
    local list = {}
    for name in string.gmatch(names, "[^,]+") do table.insert(list, name) end
    local j = { submit = 0, runtime = 50, limit = 50, nodes = 1, user = 1, group = 1, qos = "normal",
                partition = numbers[names], request = { cores = 4, partition = list } }
    for key, value in pairs(more or {}) do j[key] = value end
    return job(j)
  end
  local function run(jobs, params, more)
    local partitions = {}
    for name, number in pairs(numbers) do
      local entry = { name = name, number = number }
      for key, value in pairs(more and more[name] or {}) do entry[key] = value end
      table.insert(partitions, entry)
    end
    local tiers = table.copy(machine)
    for _, p in ipairs(tiers.partitions) do p.tier = more and more[p.name] and more[p.name].PriorityTier end
    local ran = simulate { machine = tiers, jobs = jobs, params = params,
      policy = require("slurm_site").policy { cpus = 16, partitions = partitions, qos = more and more.qos } }
    expect(ran).violates_nothing()
    return ran
  end
  local in_order = { SchedulerType = "sched/builtin" }
  local function long(names, nodes, time) return of(names, { nodes = nodes, runtime = time, limit = time }) end

  it("starts in the first in which it can", function()
    local ran = run({ long("left", 2, 100), of("left,right", { submit = 1, nodes = 2 }) }, in_order)
    expect({ ran.jobs[2].start, ran.jobs[2].allocated }).equals { 1.0, "2-3" }
    ran = run({ of("right,left", { nodes = 2 }), of("right,left", { nodes = 2 }) }, in_order)
    expect({ ran.jobs[1].allocated, ran.jobs[2].allocated }).equals { "2-3", "0-1" }
  end)

  it("stops each of them where it cannot", function()
    local jobs = { long("left", 1, 100), long("right", 1, 200), of("left,right", { submit = 1, nodes = 2 }),
                   of("left", { submit = 2 }), of("right", { submit = 2 }) }
    local ran = run(jobs, in_order)
    expect(ran).starts { 1, 1, 101, 151, 101 }
    expect(ran.jobs[3].allocated).equals "0-1"
  end)

  it("has in each the priority of that one", function()
    local params = table.copy(in_order)
    params.PriorityWeightPartition = 1000
    -- On the right they have the same priority, and the first one comes first.
    local jobs = { long("left", 2, 100), long("right", 1, 100), of("right", { submit = 2 }),
                   of("left,right", { submit = 2 }), of("left,right", { submit = 2 }) }
    local factors = { left = { PriorityJobFactor = 10 }, ["left,right"] = { PriorityJobFactor = 10 } }
    expect(run(jobs, params, factors)).starts { 1, 1, 4, 54, 101 }
    factors = { left = { PriorityJobFactor = 10 }, right = { PriorityJobFactor = 5 },
                ["left,right"] = { PriorityJobFactor = 10 } }
    jobs = { jobs[1], jobs[2], of("left,right", { submit = 2 }), of("right", { submit = 2.5 }) }
    expect(run(jobs, params, factors)).starts { 1, 1, 4, 54 }
    -- A tier is above all priorities: on the left the job is in front of all, on the right behind.
    factors = { right = { PriorityJobFactor = 10 }, left = { PriorityTier = 2 },
                ["left,right"] = { PriorityTier = 2, PriorityJobFactor = 10 } }
    jobs = { long("left", 1, 100), long("right", 2, 100), of("right", { submit = 2 }),
             of("left,right", { submit = 2 }), of("left,right", { submit = 2 }) }
    expect(run(jobs, params, factors)).starts { 1, 1, 101, 4, 54 }
  end)

  it("has a place in each in cycles of the backfill scheduler", function()
    -- The third one has places on the right at 100 and on the left at 200. The fourth one would be in the way there;
    -- the fifth one is over before.
    local jobs = { long("left", 1, 200), long("right", 1, 100), of("left,right", { submit = 1, nodes = 2 }),
                   of("left", { submit = 2, runtime = 20, limit = 250 }), of("left", { submit = 3, limit = 60 }) }
    local ran = run(jobs, { ends_aligned = true })
    expect({ ran.jobs[3].start, ran.jobs[3].allocated }).equals { 101.0, "2-3" }
    expect(ran.jobs[4].start > 100).equals(true)
    expect(ran.jobs[5].start).equals(30.0)
  end)

  it("counts in each for the limits of a cycle", function()
    local jobs = { long("left", 2, 100), long("right", 1, 100), of("left,right", { submit = 1, nodes = 2 }),
                   of("right", { submit = 2, runtime = 20, limit = 20 }) }
    expect(run(jobs, { ends_aligned = true }).jobs[4].start).equals(30.0)
    expect(run(jobs, { ends_aligned = true, bf_max_job_part = 1 }).jobs[4].start > 100).equals(true)
  end)

  it("is held to the quality of service of the one in which it is looked at, and counts where it runs", function()
    local limited = { SchedulerType = "sched/builtin", AccountingStorageEnforce = "limits" }
    local site = { right = { QOS = "one" }, qos = { { name = "one", GrpJobs = 1 }, { name = "normal" } } }
    local jobs = { long("left", 2, 100), of("left,right", { submit = 1 }), of("left,right", { submit = 1 }),
                   of("right", { submit = 60 }) }
    expect(run(jobs, limited, site)).starts { 1, 1, 51, 101 }
  end)

  it("makes way by the tier of the partition in which it runs", function()
    local tiers = { left = { PriorityTier = 2 }, ["left,right"] = { PriorityTier = 2 }, right = { PriorityTier = 1 } }
    local same = table.copy(machine)
    same.nodes = { { name = "a", count = 2, cores = 4 } }
    same.partitions = { { name = "left", nodes = "a", numbers = { 1 }, default = true, tier = 2, max_nodes = 1 },
                        { name = "right", nodes = "a", numbers = { 2 } } }
    local partitions = {}
    for name, number in pairs(numbers) do
      table.insert(partitions, { name = name, number = number, PriorityTier = (tiers[name] or {}).PriorityTier or 1 })
    end
    local function second(nodes)
      local ran = simulate { machine = same,
        jobs = { of("left,right", { nodes = nodes, runtime = 100, limit = 100 }), of("left", { submit = 20 }),
                 of("left", { submit = 20 }) },
        params = { PreemptType = "preempt/partition_prio", PreemptMode = "CANCEL" },
        policy = require("slurm_site").policy { cpus = 8, partitions = partitions } }
      expect(ran).violates_nothing()
      return ran.jobs[2].start
    end
    expect(second(2) < 30).equals(true) -- it runs on the right, as two nodes are too many on the left
  end)
end)
