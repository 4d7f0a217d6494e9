-- Jobs that are suspended in place, and jobs that are set aside.
local batch, urgent = 2, 1 -- queues

describe("preemptive, with jobs suspended in place", function()
  local function run(jobs, nodes, outages)
    return simulate { policy = { name = "preemptive", params = { urgent_queue = urgent, how = "suspend" } },
      nodes = nodes or 4, jobs = jobs, outages = outages }
  end

  it("goes on where it stopped, on its nodes", function()
    local ran = run {
      job{submit=0, nodes=4, runtime=100, queue=batch},
      job{submit=20, nodes=4, runtime=30, queue=urgent},
    }
    expect(ran).starts { 0, 20 }
    expect(ran.jobs[1].finish).equals(130)
    expect(ran.summary.preemptions.suspended).equals(1)
    expect(ran.summary.preemptions.suspended_time).equals(30)
    expect(ran.summary.preemptions.stopped).equals(0)
    expect(ran.summary.preemptions.lost).equals(0)
  end)

  it("takes idle nodes first, and suspends no more jobs than it takes", function()
    local ran = run {
      job{submit=0, nodes=2, runtime=100, queue=batch},
      job{submit=5, nodes=1, runtime=100, queue=batch}, -- less is lost of it, were it stopped
      job{submit=20, nodes=2, runtime=30, queue=urgent},
    }
    expect(ran.jobs[1].finish).equals(100)
    expect(ran.jobs[2].finish).equals(135)
    expect(ran.jobs[3].start).equals(20)
    expect(ran.jobs[3].nodes).equals(2)
  end)

  it("lends what is left of it to the next, and goes on when all have ended", function()
    local ran = run {
      job{submit=0, nodes=4, runtime=100, queue=batch},
      job{submit=20, nodes=1, runtime=30, queue=urgent},
      job{submit=30, nodes=2, runtime=50, queue=urgent},
      job{submit=35, nodes=1, runtime=10, queue=batch}, -- none of what is lent is for it
    }
    expect(ran).starts { 0, 20, 30, 160 }
    expect(ran.jobs[1].finish).equals(160)
    expect(ran.summary.preemptions.suspended).equals(1)
  end)

  it("is suspended again and again", function()
    local ran = run {
      job{submit=0, nodes=4, runtime=100, queue=batch},
      job{submit=20, nodes=4, runtime=30, queue=urgent},
      job{submit=60, nodes=4, runtime=30, queue=urgent},
    }
    expect(ran.jobs[1].finish).equals(160)
    expect(ran.summary.preemptions.suspended).equals(2)
  end)

  it("keeps its nodes from others that wait", function()
    local ran = run {
      job{submit=0, nodes=2, runtime=100, queue=batch},
      job{submit=0, nodes=2, runtime=40, queue=batch},
      job{submit=10, nodes=4, runtime=50, queue=urgent},
      job{submit=11, nodes=2, runtime=10, queue=batch},
    }
    expect(ran).starts { 0, 0, 10, 90 } -- 60, when the urgent one ends, is too early: both go on
    expect(ran.jobs[1].finish).equals(150)
    expect(ran.jobs[2].finish).equals(90)
  end)

  it("is killed when it has had its limit, and not before", function()
    local ran = run {
      job{submit=0, nodes=4, runtime=100, limit=60, queue=batch},
      job{submit=20, nodes=4, runtime=30, queue=urgent},
    }
    expect(ran.jobs[1].finish).equals(90)
    expect(ran.jobs[1].state).equals("killed")
  end)

  it("leaves its nodes to those that run there when it fails", function()
    local ran = run({
      job{submit=0, nodes=4, runtime=100, queue=batch},
      job{submit=20, nodes=2, runtime=50, queue=urgent},
    }, 4, { planned = { { nodes = "3", kind = "failure", from = 40, length = 10 } } })
    -- Node 3 was not lent: the job on it is interrupted, having done 20 s; the urgent one runs on.
    expect(ran.jobs[2].finish).equals(70)
    expect(ran.jobs[1].start).equals(70)
    expect(ran.jobs[1].finish).equals(170)
    expect(ran.summary.outages.interruptions).equals(1)
    expect(ran.summary.outages.lost).equals(80)
  end)

  it("goes on when a failure ends the job that it lent to", function()
    local ran = run({
      job{submit=0, nodes=2, runtime=100, queue=batch},
      job{submit=10, nodes=2, runtime=100, limit=100, queue=batch},
      job{submit=20, nodes=3, runtime=50, queue=urgent},
    }, 4, { planned = { { nodes = "2", kind = "failure", from = 40, length = 100 } } })
    expect(ran.summary.outages.interruptions).at_least(1)
    for i = 1, 3 do expect(ran.jobs[i].state).equals("completed") end
  end)

  it("works on nodes of several kinds", function()
    local ran = simulate {
      policy = { name = "preemptive", params = { urgent_queue = urgent, how = "suspend" } },
      machine = { nodes = { { name = "thin", count = 2, cores = 1 },
        { name = "fat", count = 2, cores = 1, features = "big" } } },
      jobs = {
        job{submit=0, nodes=2, runtime=100, queue=batch},
        job{submit=0, nodes=2, runtime=100, queue=batch},
        job{submit=20, nodes=1, runtime=30, queue=urgent, request = { features = "big", exclusive = true }},
      },
    }
    expect(ran).starts { 0, 0, 20 }
    expect(ran.jobs[1].finish).equals(100)
    expect(ran.jobs[2].finish).equals(130)
  end)

  it("is told where it does not go", function()
    expect(function()
      simulate { nodes = 2, jobs = { job{submit=0, nodes=2, runtime=100}, job{submit=10, nodes=2, runtime=10} },
        policy = { api = 1, name = "own", version = "1", schedule = function(view)
          view:easy()
          if view.now == 10 then view:preempt(view:head(), { how = "suspend", grace = 5 }) end
        end } }
    end).raises("with how = \"suspend\" they keep them")
    expect(function()
      simulate { nodes = 2, jobs = { job{submit=0, nodes=2, runtime=100}, job{submit=10, nodes=2, runtime=10} },
        policy = { api = 1, name = "own", version = "1", schedule = function(view)
          view:easy()
          if view.now ~= 10 then return end
          view:preempt(view:head(), { how = "suspend" })
          for other in view:running() do if other.id == 1 then view:kill(other) end end
        end } }
    end).raises("job 1 is suspended")
  end)
end)

describe("random workloads", function()
  --- Every third job is urgent; all invariants are watched in each run.
  local function run(workload, outages)
    for i, j in ipairs(workload.jobs) do j.queue = (i * 7 + j.nodes) % 3 == 0 and urgent or batch end
    local ran = simulate { machine = workload.machine, jobs = workload.jobs, outages = outages,
      policy = { name = "preemptive", params = { urgent_queue = urgent, how = "suspend" } } }
    expect(ran).violates_nothing()
    return ran
  end

  property("lose no work", { runs = 100, nodes = 6 }, function(workload)
    local ran = run(workload)
    local suspended = 0
    for _, j in ipairs(ran.jobs) do
      local all = math.min(j.runtime, j.limit)
      expect(j.finish - j.start).at_least(all)
      if j.queue == urgent then expect(j.finish - j.start).equals(all) end
      suspended = suspended + j.finish - j.start - all
    end
    if suspended > 0 then expect(ran.summary.preemptions.suspended_time).near(suspended, 1e-6) end
  end)

  property("go on after failures", { runs = 100, nodes = 6 }, function(workload)
    local planned = {}
    for at = 5, 200, 13 do
      planned[#planned + 1] = { nodes = tostring(at % 6), kind = at % 2 == 0 and "drain" or "failure", from = at,
        length = 9 }
    end
    run(workload, { planned = planned })
  end)
end)

describe("nodes that suspended jobs lend", function()
  --- Job 3 preempts at `from`, and its policy lets it stand still and go on at these times.
  local function ran(from, turns, outages, jobs)
    return simulate { nodes = 3, jobs = jobs, outages = outages,
      policy = { api = 1, name = "own", version = "1", schedule = function(view)
        for job in view:waiting() do
          if job.id == 3 and view.now >= from then view:preempt(job, { how = "suspend" }) end
        end
        for job in view:running() do
          local turn = job.id == 3 and turns[view.now]
          if turn then view[turn](view, job) end
        end
        view:easy()
        for t in pairs(turns) do
          if view.now < t then view:wake(t) end
        end
        if view.now < from then view:wake(from) end
      end } }
  end
  local function jobs()
    return { job{submit=0, runtime=70, nodes=3}, job{submit=90, runtime=20, nodes=2},
      job{submit=15, runtime=80, nodes=2} }
  end

  it("stay theirs where the borrower stands still for longer than it was to run", function()
    local turns = { [60] = "suspend", [200] = "resume" }
    local found = ran(30, turns, nil, jobs())
    expect(found).violates_nothing()
    expect(found.jobs[3].finish).equals(250) -- 30 s, then 50 s
    expect(found.jobs[1].finish).equals(290) -- 30 s, then 40 s behind it
    expect(found.jobs[2].start).equals(290)
  end)

  it("are for none where they are to be drained", function()
    local found = ran(30, { [60] = "suspend", [75] = "resume" },
      { planned = { { from = 30, length = 100, kind = "drain" } } }, jobs())
    expect(found).violates_nothing()
    expect(found.jobs[3].start).equals(130)
  end)
end)
