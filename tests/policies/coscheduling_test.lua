-- Coscheduling of processes: the shipped policies on small cases, and what a policy may say.
local function programs(list) return { programs = list } end

local function cluster(options)
  options.machine = { nodes = options.nodes or 2, processors = 4 }
  options.nodes = nil
  options.workload = { jobs = options.jobs }
  options.jobs = nil
  return simulate(options)
end

local balanced = { name = "balanced", compute = 1e-3, jitter = 0 }
local imbalanced = { name = "imbalanced", compute = { 1e-3, 3e-3 }, each = 4 }

describe("batch", function()
  it("runs a job for as long as it takes alone", function()
    local run = cluster { policy = "batch", processes = programs { balanced },
      jobs = { { nodes = 2, runtime = 10.6, program = "balanced" } } }
    expect(run.jobs[1].finish).equals(10.6)
  end)

  it("lets a small job pass a large one that waits", function()
    local job = function(nodes, runtime) return { nodes = nodes, runtime = runtime, program = "balanced" } end
    local run = cluster { policy = "batch", processes = programs { balanced },
      jobs = { job(1, 20), job(2, 10), job(1, 5), job(1, 30) } }
    expect(run).starts { 0, run.jobs[1].finish, 0, run.jobs[2].finish }
  end)
end)

describe("jobs whose processes share processors", function()
  it("come when what they wait for has happened", function()
    for _, policy in ipairs { "batch", "gang", "fcs" } do
      local function job(more)
        more.nodes, more.runtime, more.program = 1, 5, "balanced"
        return more
      end
      local run = cluster { policy = policy, processes = programs { balanced }, nodes = 4,
        jobs = { job { submit = 0 }, job { submit = 0, depends = "afterok:1" }, job { submit = 0, depends = "after:2" },
          job { submit = 0, begin = 30 }, job { submit = 0, depends = "afternotok:1" } } }
      expect(run).violates_nothing()
      expect(run.jobs[2].start).equals(run.jobs[1].finish)
      expect(run.jobs[3].start).equals(run.jobs[2].start)
      expect(run.jobs[4].start).equals(30)
      expect(run.jobs[5].state).equals("unfulfilled")
    end
  end)
end)

describe("nodes that are not there, where processes share processors,", function()
  local function ran(policy, outages)
    local function job(nodes, runtime) return { nodes = nodes, runtime = runtime, program = "balanced" } end
    local run = cluster { policy = policy, processes = programs { balanced }, nodes = 2, outages = outages,
      jobs = { job(2, 20), job(1, 5) } }
    expect(run).violates_nothing()
    return run
  end

  it("interrupt the jobs that have processes there", function()
    for _, policy in ipairs { "batch", "gang", "spin_block", "fcs" } do
      local run = ran(policy, { planned = { { nodes = "1", kind = "failure", from = 4, length = 6 } } })
      expect(run.jobs[1].start).equals(10)
      expect(run.jobs[1].finish).greater_than(29.9)
      expect(run.jobs[1].state).equals("completed")
      local kept = ran(policy, { checkpoint_interval = 1,
        planned = { { nodes = "1", kind = "failure", from = 4, length = 6 } } })
      expect(kept.jobs[1].finish).less_than(29.1)
    end
  end)

  it("are entered by no job that would not be gone before maintenance", function()
    local run = ran("batch", { planned = { { nodes = "0", kind = "maintenance", from = 15, length = 5 } } })
    expect(run).starts { 20, 0 }
  end)
end)

describe("machines on which processes share processors", function()
  local function job(more)
    more.nodes, more.program, more.runtime = more.nodes or 1, "balanced", more.runtime or 5
    return more
  end

  it("may be reserved for users", function()
    for _, policy in ipairs { "batch", "gang", "fcs" } do
      local run = cluster { policy = policy, processes = programs { balanced }, nodes = 2,
        reservations = { { name = "course", nodes = "0-1", from = 20, length = 100, users = { 3 } } },
        jobs = { job { runtime = 30 }, job { submit = 20, user = 3 } } }
      expect(run).violates_nothing()
      expect(run).starts { 120, 20 }
    end
  end)

  it("may be powered down", function()
    for _, policy in ipairs { "batch", "gang", "fcs" } do
      local run = cluster { policy = policy, processes = programs { balanced }, nodes = 2,
        power = { idle = 10, boot = 7 },
        jobs = { job {}, job { submit = 50 } } }
      expect(run).violates_nothing()
      expect(run.jobs[2].start).equals(50)
      expect(run.jobs[2].finish).at_least(61.9)
      expect(run.jobs[2].finish).at_most(62.1)
    end
  end)

  it("may have nodes of several kinds", function()
    local run = simulate { policy = "gang", processes = programs { balanced },
      machine = { nodes = { { name = "a", count = 2, processors = 4 },
        { name = "b", count = 1, processors = 4, speed = 2 } },
        partitions = { { name = "slow", nodes = "a" }, { name = "fast", nodes = "b" } } },
      workload = { jobs = { { processes = 4, runtime = 10.6, program = "balanced", request = { partition = "fast" } },
        { processes = 4, runtime = 10.6, program = "balanced", request = { partition = "slow" } } } } }
    expect(run).violates_nothing()
    expect(run.jobs[1].finish).less_than(5.6)
    expect(run.jobs[2].finish).greater_than(10.5)
  end)
end)

describe("conservative backfilling into the matrix", function()
  it("delays no job that waits", function()
    local function job(nodes, runtime) return { nodes = nodes, runtime = runtime, program = "balanced" } end
    local function on(nodes, backfill, jobs)
      local policy = { api = 1, name = "mine", version = "1", backfill = backfill,
        coscheduling = { modes = { alone = { run = "own" } } } }
      return cluster { policy = policy, processes = programs { balanced }, nodes = nodes, jobs = jobs }
    end
    local function starts(backfill)
      return on(3, backfill, { job(2, 10.6), job(3, 10.6), job(1, 31.8), job(1, 10.6) })
    end
    expect(starts("none")).starts { 0, 10.6, 21.2, 21.2 }
    expect(starts("easy")).starts { 0, 10.6, 21.2, 0 }
    expect(starts("conservative")).starts { 0, 10.6, 21.2, 0 }
    local function with_four(backfill)
      return on(4, backfill, { job(3, 10.6), job(3, 10.6), job(4, 10.6), job(1, 31.8) })
    end
    expect(with_four("easy")).starts { 0, 10.6, 31.8, 0 }
    expect(with_four("conservative")).starts { 0, 10.6, 21.2, 31.8 }
  end)
end)

describe("gang", function()
  it("gives two jobs half of the time each", function()
    local jobs = {}
    for i = 1, 2 do jobs[i] = { nodes = 2, runtime = 5.3, program = "balanced" } end
    local run = cluster { policy = "gang", params = { switch = 0 }, processes = programs { balanced }, jobs = jobs }
    expect(run.jobs[1].finish).at_least(10.3)
    expect(run.jobs[1].finish).at_most(10.7)
    expect(run.jobs[2].finish).at_least(10.4)
    expect(run.jobs[2].finish).at_most(10.8)
  end)

  it("gives the same results event by event", function()
    local function run(path)
      return cluster { policy = "gang", params = { multiprogramming = 3 },
        processes = { programs = { balanced, imbalanced }, path = path },
        jobs = { { nodes = 2, runtime = 4, program = "imbalanced" }, { nodes = 1, runtime = 3, program = "balanced" },
                 { submit = 0.77, nodes = 2, runtime = 2, program = "balanced" } } }
    end
    expect(run("closed").fingerprint).equals(run("exact").fingerprint)
  end)
end)

describe("spin_block", function()
  it("fills the waits of one job with another", function()
    local jobs = { { nodes = 2, runtime = 6, program = "imbalanced" }, { nodes = 2, runtime = 4, program = "spread" } }
    local list = { imbalanced, { name = "spread", pattern = "none", compute = { 1e-3, 0 }, each = 4 } }
    local shared = cluster { policy = "spin_block", processes = programs(list), jobs = jobs }
    local alone = cluster { policy = "batch", processes = programs(list), jobs = jobs }
    expect(alone.summary.makespan).at_least(9.9)
    expect(alone.summary.makespan).at_most(10.2)
    expect(shared.summary.makespan).less_than(8.5)
  end)
end)

describe("fcs", function()
  it("keeps balanced jobs coscheduled and lets frustrated ones share", function()
    local jobs = {}
    for i = 1, 2 do jobs[i] = { nodes = 2, runtime = 20, program = "imbalanced" } end
    local gang = cluster { policy = "gang", processes = programs { imbalanced }, jobs = jobs }
    local fcs = cluster { policy = "fcs", processes = programs { imbalanced }, jobs = jobs }
    -- Both jobs are slow on the same processors, so that nothing can be gained there; but nothing may be lost either.
    expect(fcs.summary.makespan).at_least(0.9 * gang.summary.makespan)
    expect(fcs.summary.makespan).at_most(1.1 * gang.summary.makespan)
  end)
end)

describe("fcs, where a process that fills a gap gives way", function()
  it("lets frustrated processes go on sooner", function()
    local jobs = { { nodes = 2, runtime = 20, program = "imbalanced" },
      { nodes = 2, runtime = 20, program = "balanced" } }
    local function ends(gaps_yield)
      local run = cluster { policy = "fcs", params = { gaps_yield = gaps_yield }, jobs = jobs,
        processes = programs { imbalanced, balanced } }
      return run.jobs[1].finish
    end
    expect(ends(true)).less_than(ends(false))
  end)
end)

describe("a coscheduling policy", function()
  local function policy(coscheduling)
    return { api = 1, name = "mine", version = "1", coscheduling = coscheduling }
  end
  local function run(coscheduling)
    return cluster { policy = policy(coscheduling), processes = programs { balanced },
      jobs = { { nodes = 2, runtime = 3, program = "balanced" } } }
  end

  it("is asked for each processor and slot, and for each process", function()
    local slots, classes = 0, {}
    run {
      slice = 0.5,
      classes = { "young", "old" },
      modes = { own = { run = "own" }, all = { run = "all", spin = 1e-4 } },
      slot = function(next)
        slots = slots + 1
        return next and "own" or "all"
      end,
      classify = function(process)
        classes[#classes + 1] = process.class
        expect(process.c_comm).greater_than(0)
        return process.tslots >= 2 and "old" or "young"
      end,
    }
    expect(slots).equals(8 * 6)     -- at the start, and at 0.5, 1.0, ... 2.5 s, a little before the end
    expect(#classes).equals(8 * 5)
    expect(classes[1]).equals("young")
    expect(classes[#classes]).equals("old")
  end)

  it("is told what it says wrong", function()
    expect(function() run { modes = {} } end).raises("0 modes")
    expect(function() run { modes = { a = { run = "own" }, b = { run = "all" } } } end).raises("no function 'slot'")
    expect(function() run { modes = { a = { run = "own", quantum = 1 } } } end).raises("no effect")
    expect(function() run { modes = { a = { run = "all", priority = { "CS" } } } } end).raises("a class 'CS'")
    expect(function() run { modes = { a = { run = "all", gaps_yield = true } } } end).raises("no class fills gaps")
    expect(function() run { modes = { a = { run = "all", own_preempts = true } } } end)
      .raises("the slot's own process does not go first")
    expect(function() run { slice = 1, modes = { a = {}, b = {} }, slot = function() return "c" end } end)
      .raises("one of 'a', 'b'")
    expect(function()
      simulate { policy = "gang", nodes = 1, jobs = { job { nodes = 1, runtime = 1 } } }
    end).raises("nothing says what the processes of job 1 do")
  end)
end)

describe("programs", function()
  it("are drawn for jobs that name none", function()
    local jobs = {}
    for i = 1, 40 do jobs[i] = { nodes = 1, runtime = 1 } end
    local list = { balanced, { name = "never", weight = 0 }, { name = "coarse", compute = 0.1 } }
    local run = cluster { policy = "batch", processes = programs(list), jobs = jobs }
    expect(run.summary.nb_jobs_finished).equals(40)
  end)
end)

describe("an imbalance that moves", function()
  local function run(policy, path, program)
    return cluster { policy = policy, jobs = { { nodes = 2, runtime = 20, program = "moving" } },
      processes = { programs = { program }, path = path } }
  end
  local moving = {
    name = "moving", pattern = "barrier", compute = { 2e-3, 3e-3 }, moving = 0.3, moving_iterations = 4, jitter = 0,
  }

  it("makes a job no longer than its run time alone, on average", function()
    local finish = run("batch", "closed", moving).jobs[1].finish
    expect(finish).at_least(0.995 * 20)
    expect(finish).at_most(1.005 * 20)
  end)

  it("gives the same results event by event", function()
    expect(run("gang", "closed", moving).fingerprint).equals(run("gang", "exact", moving).fingerprint)
  end)

  it("needs a barrier", function()
    local ring = table.copy(moving)
    ring.pattern = "ring"
    expect(function() run("batch", "closed", ring) end).raises("needs a barrier")
  end)
end)

describe("measured rates", function()
  it("give the ends of the exact run within one in a hundred", function()
    local jobs = {}
    for i = 1, 2 do jobs[i] = { nodes = 2, runtime = 40, program = i == 1 and "imbalanced" or "balanced" } end
    for _, policy in ipairs { "spin_block", "fcs" } do
      local function run(path)
        local list = { { name = "balanced" }, { name = "imbalanced", compute = { 1e-3, 3e-3 }, each = 4 } }
        return cluster { policy = policy, jobs = jobs, processes = { programs = list, path = path } }
      end
      local closed, fast = run("closed"), run("fast")
      for i = 1, 2 do
        expect(fast.jobs[i].finish).at_least(0.99 * closed.jobs[i].finish)
        expect(fast.jobs[i].finish).at_most(1.01 * closed.jobs[i].finish)
      end
      expect(fast.fingerprint ~= closed.fingerprint).equals(true) -- else nothing was gone through by rates
    end
  end)
end)

describe("memory", function()
  local function run(memory, programs_memory)
    local jobs = {}
    for i = 1, 2 do jobs[i] = { nodes = 2, runtime = 2, program = "balanced", memory = memory } end
    return simulate { policy = "gang", machine = { nodes = 2, processors = 4, memory = 1000 },
      workload = { jobs = jobs },
      processes = programs { { name = "balanced", jitter = 0, memory = programs_memory } } }
  end

  it("keeps jobs out that would not fit beside others", function()
    expect(run(125).jobs[2].start).equals(0)     -- 8 x 125 KB
    local apart = run(126)
    expect(apart.jobs[2].start).equals(apart.jobs[1].finish)
  end)

  it("is the program's where the job says none", function()
    expect(run(nil, 100).jobs[2].start).equals(0)
    local apart = run(nil, 200)
    expect(apart.jobs[2].start).equals(apart.jobs[1].finish)
    expect(run(100, 200).jobs[2].start).equals(0)
  end)

  -- A third of it, rounded up, is more than the node has for three processes; and so it is of one GPU.
  it("is all of a node's for a job that asks for all of it, whatever its processes", function()
    local all = simulate {
      policy = "gang", machine = { nodes = { { name = "n", count = 1, processors = 3, memory = "1 GiB", gpus = 1 } } },
      workload = { jobs = { { processes = 3, runtime = 2, program = "balanced",
        request = { nodes = 1, cores = 3, memory = "1 GiB", gpus = 1 } } } },
      processes = programs { { name = "balanced", jitter = 0 } },
    }
    expect(all.jobs[1].start).equals(0)
  end)
end)

describe("processes on GPUs", function()
  it("count a GPU of which several jobs have parts once", function()
    local half = { nodes = 2, cores = 2, gpus = 2, gpu_share = 0.5 }
    local run = simulate {
      policy = { name = "gang", params = { slice = 0.5 } },
      machine = { nodes = { { name = "n", count = 2, processors = 1, cores = 2, gpus = 2 } } },
      workload = { jobs = {
        { processes = 4, runtime = 10, program = "balanced", request = half },
        { processes = 4, runtime = 10, program = "balanced", request = half },
      } },
      processes = programs { balanced },
    }
    local figures = run.summary.resources
    expect(figures.gpus_with_jobs).greater_than(0.9)
    expect(figures.gpus_with_jobs).at_most(1)
  end)
end)

-- While the processes of job 5 reached their limit one after the other, job 6 came: those of job 5 that were beyond it
-- already were taken on to the next event, behind the end of their job.
describe("jobs that are killed at their limit", function()
  local function account(path)
    local jobs = {
      job{submit=0, nodes=1, runtime=1, program="coarse"},
      job{submit=0, nodes=1, runtime=1, program="fine"},
      job{submit=0, nodes=1, runtime=1, program="coarse"},
      job{submit=0, nodes=2, runtime=1, program="fine"},
      job{submit=0, nodes=3, runtime=4, limit=2, program="fine"},
      job{submit=2, nodes=1, runtime=3, limit=2, program="coarse"},
    }
    local run = simulate {
      policy = "batch", machine = { nodes = 4, processors = 4 }, seed = 388, jobs = jobs,
      processes = {
        path = path,
        programs = { { name = "fine", compute = 0.02 }, { name = "coarse", compute = { 0.25, 0.5 } } },
      },
    }
    return run.summary.processes
  end
  it("have the same account in closed form as event by event", function()
    local exact, closed = account("exact"), account("closed")
    for _, part in ipairs { "computing", "polling", "switching", "idle" } do
      expect(closed[part]).near(exact[part], 1e-9)
    end
  end)
end)
