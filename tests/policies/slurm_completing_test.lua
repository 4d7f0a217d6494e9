-- What becomes of nodes and of jobs just after Slurm's jobs end: COMPLETING, requeued, beyond their limits.
describe("jobs that have just ended, under the policy slurm,", function()
  local of = require("slurm_jobs")(job, 4)
  local function run(jobs, params, site, machine)
    site, params = table.copy(site or {}), table.copy(params or {})
    site.cpus, params.bf_job_time = 16, 0.0
    return simulate { machine = machine or { nodes = { { name = "m", count = 4, cores = 4 } } }, jobs = jobs,
                      params = params,
                      policy = require("slurm_site").policy(site) }
  end

  it("keep all others waiting for CompleteWait, or until their nodes are cleared", function()
    -- The first one ends at 51, when the third one could have its node.
    local jobs = { of { runtime = 50 }, of { nodes = 3, runtime = 200, limit = 200 }, of { submit = 2 } }
    expect(run(jobs)).starts { 1, 1, 51 }
    expect(run(jobs, { completing = 8.0 })).starts { 1, 1, 51 } -- without CompleteWait Slurm does not look
    expect(run(jobs, { CompleteWait = 32.0, completing = 8.0 })).starts { 1, 1, 59 }
    -- Slurm waits for 5 s only; from then on the next one to look is the backfill scheduler, at 60, or the one at 58.
    expect(run(jobs, { CompleteWait = 5.0, completing = 100.0 })).starts { 1, 1, 60 }
    expect(run(jobs, { CompleteWait = 5.0, completing = 7.0 })).starts { 1, 1, 58 }
  end)

  it("hold up backfilling and the looks at full minutes, too", function()
    local jobs = { of { runtime = 50 }, of { nodes = 3, runtime = 200, limit = 200 }, of { submit = 2 } }
    -- From 51 on for 30 s: the looks at 60 do nothing, and the nodes are cleared at 81.
    expect(run(jobs, { CompleteWait = 30.0, completing = 30.0 })).starts { 1, 1, 81 }
    expect(run(jobs, { CompleteWait = 30.0, completing = 500.0 })).starts { 1, 1, 81 } -- the backfill scheduler
    expect(run(jobs, { CompleteWait = 30.0, completing = 500.0, SchedulerType = "sched/builtin" })).starts { 1, 1, 120 }
  end)

  it("keep only those of their partitions' nodes waiting, with reduce_completing_frag", function()
    local machine = { nodes = { { name = "a", count = 1, cores = 4 }, { name = "b", count = 1, cores = 4 } },
                      partitions = { { name = "p", nodes = "a", numbers = { 1 }, default = true },
                        { name = "q", nodes = "b", numbers = { 2 } } } }
    local jobs = { of { request = { cores = 4, partition = "p" } },
                   of { submit = 52, partition = 2, request = { cores = 4, partition = "q" } },
                   of { submit = 52, request = { cores = 4, partition = "p" } } }
    local site = { partitions = { { name = "p", number = 1 }, { name = "q", number = 2 } } }
    local params = { CompleteWait = 20.0, completing = 20.0 }
    expect(run(jobs, params, site, machine)).starts { 1, 71, 71 }
    params.reduce_completing_frag = true
    expect(run(jobs, params, site, machine)).starts { 1, 53, 71 }
    site.partitions[1].Overlaps, site.partitions[2].Overlaps = "q", "p"
    expect(run(jobs, params, site, machine)).starts { 1, 71, 71 }
  end)

  it("start again after requeue_delay only", function()
    local two = { nodes = { { name = "m", count = 1, cores = 4 } },
                  partitions = { { name = "batch", nodes = "m", default = true },
                    { name = "urgent", nodes = "m", tier = 2 } } }
    local jobs = { of { runtime = 100, limit = 100, request = { cores = 4, partition = "batch" } },
                   of { submit = 10, runtime = 20, limit = 20, request = { cores = 4, partition = "urgent" } },
                   of { submit = 12, runtime = 20, limit = 20, request = { cores = 4, partition = "batch" } } }
    local function starts(delay)
      local ran = run(jobs, { PreemptType = "preempt/partition_prio", PreemptMode = "REQUEUE", requeue_delay = delay },
        nil, two)
      expect(ran.summary.preemptions.requeued).equals(1)
      return { ran.jobs[1].start, ran.jobs[2].start, ran.jobs[3].start }
    end
    -- The first job is stopped at 11, until 31. It stands first in the queue.
    expect(starts(0.0)).equals { 31.05, 11.05, 131.05 }
    -- Until 131 it is passed over. The next cycle of the backfill scheduler is at 150.
    expect(starts(120.0)).equals { 150.0, 11.05, 31.05 }
    expect(starts(25.0)).equals { 51.05, 11.05, 31.05 } -- from 36 on, but then another one runs until 51
  end)

  it("run on for OverTimeLimit, of their partition or of all, and for KillWait", function()
    local function second(engine, over_limit, runtime)
      local machine = { nodes = { { name = "m", count = 1, cores = 4 } },
        partitions = { { name = "p", nodes = "m", over_limit = over_limit } } }
      local ran = simulate { machine = machine, engine = engine, policy = require("slurm_site").policy { cpus = 4 },
                             jobs = { of { runtime = runtime or 100, limit = 50 }, of { submit = 2 } } }
      expect(ran).violates_nothing()
      return ran.jobs[2].start
    end
    expect(second({})).equals(51.0)
    expect(second({ over_limit = 30 })).equals(81.0)
    expect(second({ over_limit = 30 }, 10)).equals(61.0)
    expect(second({ over_limit = 30 }, 0)).equals(51.0)
    expect(second({ over_limit = 30 }, nil, 70)).equals(71.0) -- it ends by itself
    expect(second({ kill_wait = 30 })).equals(81.0)
    expect(second({ kill_wait = 30 }, nil, 55)).equals(56.0)
    -- The job is told at 75.
    expect(second({ over_limit = 10, kill_wait = 5, limit_check = 30, first_limit_check = 15 })).equals(80.0)
  end)
end)
