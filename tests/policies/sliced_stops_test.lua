-- Policies that stop jobs under time slices. Of 200 s, limits of up to 10 s have the first half, others the second.
local urgent = 1

local function sliced(fields, jobs, nodes)
  local policy = { api = 1, name = "sliced", version = "1", slices = {
    interval = 200, overhead = 0, nodes = "first-free", foreign = "none",
    classes = { { name = "short", up_to = 10, share = 0.5 }, { name = "long", share = 0.5 } },
  } }
  for name, value in pairs(fields) do policy[name] = value end
  local run = simulate { nodes = nodes or 1, jobs = jobs, policy = policy }
  expect(run).violates_nothing()
  return run
end

describe("under time slices", function()
  it("an urgent job stops those of its class, in its slice", function()
    local function run(how, options)
      options = options or {}
      options.how = how
      options.among = function(other) return other.queue ~= urgent end
      return sliced({
        key = function(job) return -job.queue end,
        schedule = function(view)
          for job in view:waiting() do
            if job.queue ~= urgent or not view:preempt(job, options) then break end
          end
          view:easy()
        end,
      }, { job{submit=0, nodes=1, runtime=150, queue=0}, job{submit=50, nodes=1, runtime=40, queue=urgent},
           job{submit=150, nodes=1, runtime=20, queue=urgent} })
    end
    -- The second one starts when the slice of both begins, the first one after it, until the third one stops it at 150.
    local ran = run("requeue")
    expect(ran).starts { 170, 100, 150 }
    expect(ran.jobs[1].finish).equals(520)
    expect(ran.summary.preemptions.stopped).equals(1)
    expect(ran.summary.preemptions.lost).equals(10)
    expect(run("kill").jobs[1].state).equals("cancelled")
    -- 2 s to write, 1 s to read, 10 s are done.
    expect(run("checkpoint", { cost = 2, restart = 1 }).jobs[1].finish).equals(513)
  end)

  it("an urgent job suspends those of its class on their nodes, in its slice", function()
    local ran = sliced({
      key = function(job) return -job.queue end,
      schedule = function(view)
        for job in view:waiting() do
          if job.queue ~= urgent or not view:preempt(job,
            { how = "suspend", among = function(other) return other.queue ~= urgent end }) then
            break
          end
        end
        view:easy()
      end,
    }, { job{submit=0, nodes=1, runtime=150, queue=0}, job{submit=50, nodes=1, runtime=40, queue=urgent},
         job{submit=150, nodes=1, runtime=20, queue=urgent} })
    expect(ran).starts { 140, 100, 150 }
    expect(ran.jobs[1].finish).equals(510) -- 10 s, 30 s, and the rest in two slices more
    expect(ran.summary.preemptions.suspended).equals(1)
    expect(ran.summary.preemptions.suspended_time).equals(20)
    expect(ran.summary.preemptions.stopped).equals(0)
  end)

  it("nodes that are lent in one class are there for the others in their slices", function()
    local ran = simulate { nodes = 2, policy = { api = 1, name = "sliced", version = "1", slices = {
      interval = 200, overhead = 0, scheduler = "preemptive", foreign = "none",
      classes = { { name = "short", up_to = 10, share = 0.5 }, { name = "long", share = 0.5 } },
    } }, params = { how = "suspend", urgent_queue = urgent },
      jobs = { job{submit=0, nodes=2, runtime=150, queue=2}, job{submit=180, nodes=1, runtime=40, queue=urgent},
        job{submit=190, nodes=2, runtime=10, queue=2} } }
    expect(ran).violates_nothing()
    expect(ran).starts { 100, 180, 200 }
    expect(ran.jobs[2].finish).equals(320)
    expect(ran.jobs[1].finish).equals(390) -- 80 s by 180, and from 320 on
  end)

  it("what has lost least stops first: time in slices of others does not count", function()
    -- The first one has run for 100 s in two slices by 310, the second one for 105 in them: it started before.
    local ran = sliced({ schedule = function(view)
      for job in view:waiting() do
        if job.id == 3 then view:preempt(job) end
      end
      view:easy()
    end }, { job{submit=105, nodes=1, runtime=500}, job{submit=100, nodes=1, runtime=500},
      job{submit=310, nodes=1, runtime=20} }, 2)
    expect(ran.summary.preemptions.lost).equals(105)
    expect(ran.jobs[3].start).equals(310)
  end)

  it("a policy is told what it may not stop", function()
    local function stops(act)
      return function()
        local short
        sliced({ schedule = function(view)
          view:easy()
          for job in view:running() do
            if job.estimate <= 10 then short = job
            elseif short then act(view, short, job) end
          end
        end }, { job{submit=0, nodes=1, runtime=150, limit=150}, job{submit=95, nodes=1, runtime=10} }, 2)
      end
    end
    expect(stops(function(view, short) view:kill(short) end)).raises(
      "job 2 is of another class: a pass stops those of its own")
    expect(stops(function(view, _, own) view:preempt(own, { how = "suspend" }) end)).raises("job 1 is not waiting")
  end)

  it("the policy preemptive works in slices", function()
    local policy = { api = 1, name = "sliced", version = "1", slices = {
      interval = 200, overhead = 0, scheduler = "preemptive", foreign = "none",
      classes = { { name = "short", up_to = 10, share = 0.5 }, { name = "long", share = 0.5 } },
    } }
    local ok, why = pcall(simulate, { nodes = 1, policy = policy, jobs = { job{submit=0, nodes=1, runtime=150} } })
    expect(ok and "" or tostring(why)).equals("")
  end)
end)
