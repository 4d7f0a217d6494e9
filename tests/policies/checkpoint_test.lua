-- The hook `checkpoint`: each job's own checkpoints.
describe("checkpoint", function()
  local failure = { planned = { { nodes = "0", kind = "failure", from = 50, length = 10 } } }
  local function run(checkpoint, outages)
    return simulate { nodes = 1, outages = outages, jobs = { job{submit=0, nodes=1, runtime=100} },
      policy = { api = 1, name = "own", version = "1", backfill = "easy", checkpoint = checkpoint,
        params = { every = { default = 20, min = 0, doc = "s" } } } }
  end

  it("says the interval and the cost of each job", function()
    -- 20 s of work, 2 s to write, 20, 2: 6 s of the third stretch are lost at 50. 60 s are left from 60 on, and 2
    -- checkpoints.
    local ran = run(function(_, params) return params.every, 2 end, failure)
    expect(ran.jobs[1].finish).equals(60 + 60 + 2 * 2)
    expect(ran.summary.outages.lost).equals(6)
    expect(ran.summary.outages.checkpointing).equals(8)
  end)

  it("leaves out what it leaves to the scenario", function()
    local set = { planned = failure.planned, checkpoint_interval = 40, checkpoint_cost = 1, restart_cost = 3 }
    expect(run(function() return nil end, set).jobs[1].finish).equals(60 + 3 + 60 + 1)
    expect(run(function() return 20 end, set).jobs[1].finish).equals(60 + 3 + 60 + 2)
    expect(run(function() return 0 end, set).jobs[1].finish).equals(160)
  end)

  it("may compute an interval by theory", function()
    local ran = run(function(job) return require("checkpoints").daly(2, 400 / job.nodes), 2 end, failure)
    expect(ran.summary.outages.interruptions).equals(1)
    expect(ran.jobs[1].finish).less_than(160)
  end)

  it("is told what it says wrong", function()
    expect(function() run(function() return "often" end) end).raises("must return a number")
    expect(function() run(function() return -1 end) end).raises("seconds of work between two checkpoints")
    expect(function() run(function() return 5, -1 end) end).raises("what a checkpoint costs")
  end)

  it("is asked where processes share processors, too", function()
    local ran = simulate { machine = { nodes = 1 }, processes = { programs = { { name = "p", compute = 1, jitter = 0,
      pattern = "none" } } }, workload = { jobs = { { nodes = 1, runtime = 10, program = "p" } } },
      policy = { api = 1, name = "own", version = "1", checkpoint = function() return 2, 1 end,
        coscheduling = { modes = { alone = { run = "own" } } } } }
    expect(ran.jobs[1].finish).equals(14)
  end)

  it("is told of jobs whose processes share processors without a word of how long they run", function()
    local told = {}
    simulate { machine = { nodes = 1 }, processes = { programs = { { name = "p", compute = 1, jitter = 0,
      pattern = "none" } } }, workload = { jobs = { { nodes = 1, runtime = 10, program = "p" } } },
      policy = { api = 1, name = "own", version = "1", coscheduling = { modes = { alone = { run = "own" } } },
        started = function(_, job) told[#told + 1] = job.start end } }
    expect(told).equals({ 0 })
  end)
end)
