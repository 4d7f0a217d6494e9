-- Jobs that do not start at once and are dropped, and the curves by the demand that has arrived.
describe("engine.unstarted", function()
  it("drops jobs that do not start in the pass after their submission", function()
    local run = simulate {
      policy = "easy", nodes = 4, engine = { unstarted = "drop" },
      jobs = {
        job{submit=0, nodes=3, runtime=10},
        job{submit=1, nodes=2, runtime=1},   -- does not fit beside it
        job{submit=1, nodes=1, runtime=99},  -- does
        job{submit=10, nodes=3, runtime=1},  -- what ends now makes room
      },
    }
    expect(run).starts { 0, false, 1, 10 }
    expect(run.jobs[2].state).equals("rejected")
    expect(run.summary.nb_jobs_rejected).equals(1)
    expect(run).violates_nothing()
  end)

  it("tells the policy of a job that is withdrawn, also where its claims are watched", function()
    local gone = {}
    local run = simulate {
      policy = {
        api = 1, name = "told", version = "1", claims = { "never-idle" },
        withdrawn = function(_, job) gone[#gone + 1] = job.id end,
      },
      nodes = 4,
      jobs = {
        job{submit=0, nodes=4, runtime=10},
        job{submit=1, nodes=4, runtime=5, withdrawn_at=3},
      },
    }
    expect(run).starts { 0, false }
    expect(gone).equals { 2 }
    expect(run).keeps_claims()
  end)

  it("drops jobs that conservative backfilling would reserve for later", function()
    local run = simulate {
      policy = "conservative", nodes = 4, engine = { unstarted = "drop" },
      jobs = { job{submit=0, nodes=4, runtime=10}, job{submit=1, nodes=4, runtime=5},
        job{submit=11, nodes=4, runtime=5} },
    }
    expect(run).starts { 0, false, 11 }
  end)

  it("drops jobs that time slices do not let start, for their nodes or for the slice that it is", function()
    local policy = { api = 1, name = "sliced", version = "1", slices = {
      interval = 200, overhead = 0, foreign = "none",
      classes = { { name = "short", up_to = 10, share = 0.5 }, { name = "long", share = 0.5 } },
    } }
    local run = simulate {
      policy = policy, nodes = 1, engine = { unstarted = "drop" },
      jobs = {
        job{submit=0, nodes=1, runtime=1},     -- short ones have the first 100 s of each 200
        job{submit=100, nodes=1, runtime=50},
        job{submit=110, nodes=1, runtime=20},  -- no node is left
        job{submit=160, nodes=1, runtime=5},   -- one is, but not for short ones
        job{submit=205, nodes=1, runtime=5},
        job{submit=206, nodes=1, runtime=5},
        job{submit=206, nodes=1, runtime=5, depends="afterany:6"},  -- comes as that one goes
      },
    }
    expect(run).starts { 0, 100, false, false, 205, false, false }
    expect(run.summary.nb_jobs_rejected).equals(4)
    expect(run.summary.max_queue_length).equals(0)
    expect(run).violates_nothing()
  end)

  it("drops jobs that find no nodes for themselves and no group", function()
    local function wants(cpu, disk, submit)
      return { submit = submit, nodes = 4, runtime = 8000, cpu = cpu, network = 0, disk = disk }
    end
    local run = simulate {
      policy = "lomarc", machine = { nodes = 4, processors = 1, cores = 2 },
      engine = { unstarted = "drop", processes_per_node = 1 },
      slowdown = { model = "resources", overlap = "complete", compatible_share = 0 },
      jobs = { wants(1, 0, 0), wants(1, 0, 100), wants(0, 1, 200) },
    }
    expect(run).starts { 0, false, 200 }
    expect(run.jobs[2].state).equals("rejected")
    expect(run).violates_nothing()
  end)

  it("drops jobs that do not enter the matrix of coscheduled processes", function()
    local jobs = {}
    for i = 1, 4 do jobs[i] = { submit = i == 4 and 30 or 0, nodes = 1, runtime = 20, program = "balanced" } end
    local run = simulate {
      policy = "batch", machine = { nodes = 2, processors = 4 }, engine = { unstarted = "drop" },
      processes = { programs = { { name = "balanced", compute = 1e-3, jitter = 0 } } }, jobs = jobs,
    }
    expect(run).starts { 0, 0, false, 30 }
    expect(run.summary.nb_jobs_rejected).equals(1)
  end)
end)

describe("metrics.demand_curves", function()
  it("says how full GPUs are, and how many of them typical jobs cannot use", function()
    local half = { cores = 1, gpus = 1, gpu_share = 0.5 }
    local jobs = {}
    for i = 1, 4 do jobs[i] = job { submit = i, nodes = 1, runtime = 100, request = half } end
    jobs[5] = job { submit = 5, nodes = 1, runtime = 100, request = { cores = 1, gpus = 2 } }
    local demand = simulate {
      policy = "fcfs", engine = { unstarted = "drop" }, metrics = { demand_curves = true }, jobs = jobs,
      machine = { nodes = { { name = "g", count = 2, cores = 4, gpus = 2, gpu_type = "A" } } },
    }.summary.demand
    expect(demand.arrived).equals(5)
    expect(demand.placed).equals(5)
    expect(demand.final_allocation).equals(100)
    local function at(curve, percent) return demand[curve][percent + 1] end
    expect(at("allocation", 25)).equals(25)  -- of four GPUs, after two jobs
    expect(at("allocation", 50)).equals(50)
    expect(at("allocation", 100)).equals(100)
    -- Typical: four halves and a pair. After two jobs a GPU is left on the first node, which a pair cannot use: a fifth
    -- of it.
    expect(at("fragmentation", 25)).equals(5)
    expect(at("fragmentation_ratio", 25)).equals(6.67)
  end)

  it("is an error without GPUs", function()
    expect(function()
      simulate { policy = "fcfs", nodes = 2, metrics = { demand_curves = true }, jobs = { job{nodes=1, runtime=1} } }
    end).raises("the machine has no GPUs")
  end)
end)
