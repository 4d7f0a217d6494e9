-- Jobs that take turns on cores, and jobs that stand still for those of higher tiers, under the policy slurm.
local of = require("slurm_jobs")(job, 4)

describe("under the policy slurm with PreemptMode=GANG", function()
  local one = { { name = "n", count = 1, cores = 4, memory = 1000 } }
  local two = { { name = "a", count = 1, cores = 4, features = "a" }, { name = "b", count = 1, cores = 4,
    features = "b" } }

  --- A function that makes a job of that partition, of 100 s and so many cores of a node.
  local function of_partition(name, number)
    return function(more)
      local j = { runtime = 100, limit = 100, partition = number,
                  request = { cores = more.cores or 4, memory = more.memory, features = more.features,
                              partition = name } }
      for key, value in pairs(more) do
        if key ~= "cores" and key ~= "memory" and key ~= "features" then j[key] = value end
      end
      return of(j)
    end
  end
  local batch, urgent = of_partition("batch", 1), of_partition("urgent", 2)

  local function run(jobs, nodes, partitions, params)
    params = table.copy(params or {})
    params.PreemptMode = params.PreemptMode or "GANG"
    local ran = simulate { machine = { nodes = nodes, partitions = partitions }, jobs = jobs, params = params,
      policy = require("slurm_site").policy { cpus = 8, partitions = {
        { name = "batch", number = 1 }, { name = "urgent", number = 2, PreemptMode = "OFF" } } } }
    expect(ran).violates_nothing()
    return ran
  end

  local twice = { { name = "batch", numbers = { 1 }, oversubscribe = 2, oversubscribe_all = true } }
  local tiers = { { name = "batch", numbers = { 1 }, default = true },
                  { name = "urgent", numbers = { 2 }, tier = 10, over = "batch" } }
  local by_tier = { PreemptType = "preempt/partition_prio", PreemptMode = "SUSPEND,GANG" }

  it("two jobs on the same cores take turns", function()
    local ran = run({ batch {}, batch {} }, one, twice)
    -- The first one has no turn before it stands still for the first time: it runs until 60, from 90 to 120, and from
    -- 150 until it has had its 100 s; then the other one, which had 60 to 90 and 120 to 150, goes on.
    expect(ran).starts { 1, 1 }
    expect(ran.jobs[1].finish).equals(161)
    expect(ran.jobs[2].finish).equals(201)
    expect(ran.jobs[1].state).equals("completed")
    local longer = run({ batch {}, batch {} }, one, twice, { SchedulerTimeSlice = 45.0 })
    expect(longer.jobs[1].finish).equals(146) -- until 90, and from 135
    expect(longer.jobs[2].finish).equals(201)
  end)

  it("a job stands still until its turn, and those with other cores run on", function()
    local ran = run({ batch { cores = 2 }, batch { cores = 2, runtime = 20 }, batch { cores = 2, submit = 5 } }, one,
                    twice)
    expect(ran).starts { 1, 1, 6 }
    expect(ran.jobs[2].finish).equals(21)
    -- The third one has the cores of the first; the second one has ended when it has its turn.
    expect(ran.jobs[1].finish).equals(161)
    expect(ran.jobs[3].finish).equals(201)
  end)

  it("a job is in one row on all of its nodes", function()
    -- In the first row the first job has half of both nodes, and the third the rest of b; in the second row the second
    -- one has a. So the fourth finds half of each node, but not in the same row, before one of them ends.
    local jobs = { batch { nodes = 2, cores = 2 }, batch { features = "a" }, batch { cores = 2, features = "b" },
                   batch { nodes = 2, cores = 2, submit = 5 } }
    local ran = run(jobs, two, twice)
    expect(ran.jobs[4].start).equals(math.min(ran.jobs[1].finish, ran.jobs[2].finish, ran.jobs[3].finish))
  end)

  it("a job of a higher tier has the cores of others, which keep their memory", function()
    local jobs = { batch { memory = 600 }, urgent { submit = 10, cores = 2, memory = 400, runtime = 40 },
                   urgent { submit = 20, cores = 2, memory = 400, runtime = 20 }, batch { submit = 30 } }
    local ran = run(jobs, one, tiers, by_tier)
    expect(ran.jobs[2].start).equals(11)
    expect(ran.jobs[3].start >= 51).equals(true) -- its memory is there when the other one has ended
    expect(ran.jobs[1].finish).equals(1 + 100 + 40 + 20)
    expect(ran.jobs[4].start >= ran.jobs[1].finish).equals(true)
    expect(ran.summary.preemptions.stopped).equals(0)
  end)

  it("a job goes on as soon as those have ended that have its cores", function()
    local ran = run({ batch { cores = 2 }, batch { cores = 2 }, urgent { submit = 10, cores = 2, runtime = 13 } },
                    one, tiers, by_tier)
    expect(ran.jobs[1].finish).equals(114)
    expect(ran.jobs[2].finish).equals(101)
  end)
end)

describe("random jobs that take turns under the policy slurm", function()
  property("lose no work", { runs = 150, nodes = 3 }, function(workload)
    for i, j in ipairs(workload.jobs) do
      j.partition = 1 + i % 2
      j.request = { cores = 1 + (i * 5 + j.nodes) % 4, memory = 100 * (i % 3),
                    partition = j.partition == 1 and "batch" or "urgent" }
    end
    for _, urgent in ipairs { { tier = 1 }, { tier = 5, over = "batch" } } do
      urgent.name, urgent.numbers = "urgent", { 2 }
      local ran = simulate { jobs = workload.jobs,
        machine = { nodes = { { name = "n", count = 3, cores = 4, memory = 500 } },
          partitions = { { name = "batch", numbers = { 1 }, oversubscribe = 2, oversubscribe_all = true }, urgent } },
        params = { PreemptMode = urgent.over and "SUSPEND,GANG" or "GANG", SchedulerTimeSlice = 5.0,
                   PreemptType = urgent.over and "preempt/partition_prio" or "preempt/none" },
        policy = require("slurm_site").policy { cpus = 12, partitions = { { name = "batch", number = 1 },
          { name = "urgent", number = 2, PreemptMode = "OFF" } } } }
      expect(ran).violates_nothing()
      for _, j in ipairs(ran.jobs) do expect(j.finish - j.start + 1e-6).at_least(math.min(j.runtime, j.limit)) end
    end
  end)

  it("a partition has its own tier, whatever others its jobs may use", function()
    local ran = simulate { policy = "slurm",
      params = { PreemptType = "preempt/partition_prio", PreemptMode = "SUSPEND,GANG" },
      machine = { nodes = 2, partitions = { { name = "low", numbers = { 1 } },
        { name = "high", numbers = { 2 }, over = "low", tier = 5 } } },
      jobs = { job { submit = 0, nodes = 1, runtime = 20, partition = 1, request = { partition = { "low", "high" } } },
               job { submit = 0, nodes = 1, runtime = 100, partition = 1, request = { partition = "low" } },
               job { submit = 50, nodes = 2, runtime = 40, partition = 2, request = { partition = "high" } } } }
    expect(ran).violates_nothing()
    expect(ran).starts { 1, 1, 51 }
    expect(ran.jobs[2].finish).equals(141)
  end)

  it("a partition without a number is not the one that has the number of its tier", function()
    local ran = simulate { policy = "slurm",
      params = { PreemptType = "preempt/partition_prio", PreemptMode = "SUSPEND,GANG" },
      machine = { nodes = 2, partitions = { { name = "low", tier = 0 },
        { name = "high", numbers = { 0 }, over = "low", tier = 5 } } },
      jobs = { job { submit = 0, nodes = 2, runtime = 100, request = { partition = "low" } },
               job { submit = 5, nodes = 2, runtime = 50, partition = 0, request = { partition = "high" } } } }
    expect(ran).violates_nothing()
    expect({ ran.jobs[1].finish, ran.jobs[2].finish }).equals { 151, 56 } -- not by turns
  end)

  it("partitions without numbers have their tiers all the same", function()
    local ran = simulate { policy = "slurm",
      params = { PreemptType = "preempt/partition_prio", PreemptMode = "SUSPEND,GANG" },
      machine = { nodes = 2, partitions = { { name = "batch" }, { name = "urgent", over = "batch", tier = 5 } } },
      jobs = { job { submit = 0, nodes = 2, runtime = 100, request = { partition = "batch" } },
               job { submit = 5, nodes = 2, runtime = 50, request = { partition = "urgent" } } } }
    expect(ran).violates_nothing()
    expect({ ran.jobs[1].finish, ran.jobs[2].finish }).equals { 151, 56 } -- not by turns
  end)
end)
