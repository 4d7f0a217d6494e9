-- A partition whose first job cannot start stops others on the nodes that both have.
describe("a partition that is stopped, under the policy slurm,", function()
  local of = require("slurm_jobs")(job, 4)
  local machine = {
    nodes = { { name = "a", count = 2, cores = 4 }, { name = "b", count = 1, cores = 4 } },
    partitions = { { name = "batch", nodes = { "a", "b" }, numbers = { 1 }, default = true },
                   { name = "short", nodes = "a", numbers = { 2 } }, { name = "rest", nodes = "b", numbers = { 3 } } },
  }
  local overlapping = { { name = "batch", number = 1, Overlaps = "short,rest" },
                        { name = "short", number = 2, Overlaps = "batch" },
                        { name = "rest", number = 3, Overlaps = "batch" } }
  local apart = { { name = "batch", number = 1 }, { name = "short", number = 2 }, { name = "rest", number = 3 } }
  local function in_partition(number, name)
    return function(more)
      more = table.copy(more)
      more.partition, more.request = number, { cores = 4, partition = name, features = more.features }
      more.features = nil
      return of(more)
    end
  end
  local batch, short, rest = in_partition(1, "batch"), in_partition(2, "short"), in_partition(3, "rest")

  local function run(jobs, params, partitions)
    params = table.copy(params or {})
    params.SchedulerType = "sched/builtin"
    local ran = simulate { machine = machine, jobs = jobs, params = params,
                           policy = require("slurm_site").policy { cpus = 12, partitions = partitions or overlapping } }
    expect(ran).violates_nothing()
    return ran
  end
  --- The first one has node 0, the second one waits for all nodes.
  local blocked = { batch { runtime = 100, limit = 100 }, batch { submit = 1, nodes = 3 } }

  it("keeps the jobs of others off its nodes", function()
    local jobs = { blocked[1], blocked[2], short { submit = 2, runtime = 20 }, rest { submit = 3, runtime = 20 } }
    expect(run(jobs)).starts { 1, 101, 151, 151 }
    expect(run(jobs, {}, apart)).starts { 1, 101, 4, 4 }
  end)

  it("is none where a job of a reservation waits: only those of the same reservation do", function()
    local kept = { reservations = { { name = "kept", nodes = "a", from = 200, length = 100 } } }
    local jobs = { batch { runtime = 150, limit = 150 }, batch { submit = 20, runtime = 20, limit = 20 },
      batch { submit = 10, nodes = 2, reservation = "kept" },
                   batch { submit = 11, reservation = "kept" } }
    local ran = simulate { machine = machine, reservations = kept.reservations, jobs = jobs,
      params = { SchedulerType = "sched/builtin" },
                           policy = require("slurm_site").policy { cpus = 12, partitions = overlapping } }
    expect(ran).starts { 1, 21, 200, 250 }
  end)

  it("does so in the main scheduler only", function()
    local jobs = { blocked[1], blocked[2], short { submit = 2, runtime = 20, limit = 20 } }
    local ran = simulate { machine = machine, jobs = jobs,
                           policy = require("slurm_site").policy { cpus = 12, partitions = overlapping } }
    expect(ran).starts { 1, 101, 30 } -- a cycle of the backfill scheduler
  end)

  it("leaves its other nodes to jobs that need no more", function()
    -- The second one of `short` waits for two nodes. Node 1 is free and closed, so `batch` has node 2 alone.
    local jobs = { batch { runtime = 100, limit = 100 }, short { submit = 1, nodes = 2 },
      batch { submit = 2, runtime = 20 } }
    local ran = run(jobs)
    expect(ran).starts { 1, 101, 4 }
    expect(ran.jobs[3].allocated).equals "2"
    -- A job of two nodes finds too few that are open: its partition is stopped, too.
    jobs = { jobs[1], jobs[2], batch { submit = 2, nodes = 2 }, batch { submit = 3 }, rest { submit = 4 } }
    expect(run(jobs)).starts { 1, 101, 151, 151, 201 }
  end)

  it("is none where too few of the open nodes could ever serve the job", function()
    local jobs = { batch { runtime = 100, limit = 100 }, short { submit = 1, nodes = 2 },
                   batch { submit = 2, features = "big" }, batch { submit = 2, runtime = 20 } }
    local big = table.copy(machine)
    big.nodes = { { name = "a", count = 2, cores = 4, features = { "big" } }, machine.nodes[2] }
    local ran = simulate { machine = big, jobs = jobs, params = { SchedulerType = "sched/builtin" },
                           policy = require("slurm_site").policy { cpus = 12, partitions = overlapping } }
    expect(ran).starts { 1, 101, 151, 4 }
  end)

  it("has its waiting jobs counted by default_queue_depth, but not by the looks at the whole queue", function()
    -- Three jobs wait behind the second one, and `rest` stands last.
    local jobs = { batch { runtime = 400, limit = 400 }, short { submit = 1, nodes = 2 }, short { submit = 1 },
                   short { submit = 1 }, rest { submit = 5 } }
    expect(run(jobs, { default_queue_depth = 3 }).jobs[5].start).equals(6.0)
    expect(run(jobs, { default_queue_depth = 2 }).jobs[5].start).equals(60.0) -- sched_interval
    expect(run(jobs, { default_queue_depth = 2, sched_interval = 30.0 }).jobs[5].start).equals(30.0)
  end)
end)
