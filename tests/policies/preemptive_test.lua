-- Jobs that stop others: the policy, and what policies of your own may do.
local batch, urgent = 2, 1 -- queues

describe("preemptive", function()
  local function run(jobs, params)
    params = params or {}
    params.urgent_queue = urgent
    return simulate { policy = { name = "preemptive", params = params }, nodes = 4, jobs = jobs }
  end

  it("stops those that lose least, and no more of them than it takes", function()
    local jobs = {
      job{submit=0, nodes=2, runtime=100, queue=batch},
      job{submit=0, nodes=1, runtime=100, queue=batch},
      job{submit=10, nodes=1, runtime=100, queue=batch},
      job{submit=20, nodes=1, runtime=30, queue=urgent}, -- the third one has lost least
    }
    local ran = run(jobs)
    expect(ran).starts { 0, 0, 50, 20 }
    expect(ran.summary.preemptions.stopped).equals(1)
    expect(ran.summary.preemptions.lost).equals(10)
  end)

  it("stops no job where all together are not enough", function()
    expect(run {
      job{submit=0, nodes=3, runtime=100, queue=urgent},
      job{submit=0, nodes=1, runtime=100, queue=batch},
      job{submit=20, nodes=2, runtime=30, queue=urgent},
    }).starts { 0, 0, 100 }
  end)

  it("leaves a job alone until it has run for a while", function()
    local jobs = {
      job{submit=0, nodes=4, runtime=100, queue=batch},
      job{submit=20, nodes=4, runtime=30, queue=urgent},
    }
    expect(run(jobs, { min_run = 40 })).starts { 70, 40 }
    expect(run(jobs, { min_run = 140 })).starts { 0, 100 }
  end)

  it("waits for the grace, and asks no others meanwhile", function()
    local jobs = {
      job{submit=0, nodes=2, runtime=100, queue=batch},
      job{submit=0, nodes=2, runtime=100, queue=batch},
      job{submit=20, nodes=2, runtime=30, queue=urgent},
      job{submit=25, nodes=1, runtime=5, queue=batch}, -- a pass in between
    }
    local ran = run(jobs, { grace = 15 })
    expect(ran.summary.preemptions.stopped).equals(1)
    expect(ran.jobs[3].start).equals(35)
  end)

  it("kills, or saves what was done", function()
    local jobs = {
      job{submit=0, nodes=4, runtime=100, queue=batch},
      job{submit=20, nodes=4, runtime=30, queue=urgent},
    }
    local killed = run(jobs, { how = "kill" })
    expect(killed.jobs[1].state).equals("cancelled")
    expect(killed.summary.preemptions.cancelled).equals(1)
    -- 20 s of work, 10 s to write it down; then 5 s to read it, and 80 s.
    local saved = run(jobs, { how = "checkpoint", checkpoint_cost = 10, restart_cost = 5 })
    expect(saved).starts { 60, 30 }
    expect(saved.jobs[1].finish).equals(145)
    expect(saved.summary.preemptions.checkpointing).equals(4 * (10 + 5))
  end)

  it("is EASY where no job is above another", function()
    local jobs = {
      job{submit=0, nodes=3, runtime=100, queue=batch}, job{submit=1, nodes=4, runtime=10, queue=batch},
      job{submit=2, nodes=1, runtime=90, queue=batch}, job{submit=3, nodes=1, runtime=5, queue=batch},
    }
    local ran = run(jobs)
    expect(ran).starts_like(simulate { policy = "easy", nodes = 4, jobs = jobs })
    expect(function() return ran.summary.preemptions end).raises("no field") -- not an old name of a figure of slices
  end)
end)

describe("a policy of one's own", function()
  local function with(schedule, jobs)
    return simulate { nodes = 2, jobs = jobs, policy = { api = 1, name = "own", version = "1", schedule = schedule } }
  end

  it("requeues, kills and refuses", function()
    local told, done = {}, false
    local ran = simulate { nodes = 2,
      jobs = {
        job{submit=0, nodes=1, runtime=100}, job{submit=0, nodes=1, runtime=100}, job{submit=10, nodes=2, runtime=10},
        job{submit=10, nodes=1, runtime=10},
      },
      policy = { api = 1, name = "own", version = "1",
        submitted = function(view, job) table.insert(told, string.format("+%d@%g", job.id, view.now)) end,
        ended = function(view, job) table.insert(told, string.format("-%d@%g", job.id, view.now)) end,
        schedule = function(view)
          if view.now == 10 and not done then -- the pass that follows is at 10, too
            done = true
            for job in view:running() do
              if job.id == 1 then view:requeue(job) else view:kill(job) end
            end
            for job in view:waiting() do
              if job.id == 4 then view:refuse(job, "not today") end
            end
          end
          view:easy()
        end } }
    expect(ran.jobs[1].start).equals(20)
    expect(ran.jobs[3].start).equals(10)
    expect(ran.jobs[2].state).equals("cancelled")
    expect(ran.jobs[4].state).equals("rejected")
    expect(table.concat(told, " ")).equals("+1@0 +2@0 +3@10 +4@10 -1@10 -2@10 +1@10 -3@20 -1@120")
  end)

  it("may say by a function which jobs are stopped first", function()
    local ran = with(function(view)
      for job in view:waiting() do
        if job.id == 3 then
          view:preempt(job, { rank = function(other) return -other.id end, among = function(o) return o.id < 3 end })
        end
      end
      view:easy()
    end, { job{submit=0, nodes=1, runtime=50}, job{submit=0, nodes=1, runtime=100},
      job{submit=10, nodes=1, runtime=10} })
    expect(ran).starts { 0, 20, 10 }
  end)

  it("may count on jobs that are to stop already", function()
    local function stopped(leaving)
      local ran = with(function(view)
        view:easy()
        if view.now ~= 10 then return end
        for job in view:waiting() do
          local among = function(other) return other.id < 3 end
          local started, coming = view:preempt(job, { among = among, rank = function(other) return other.id end,
                                                      how = "kill", grace = 15, leaving = leaving })
          expect({ started, coming }).equals { false, true }
        end
      end, { job{submit=0, nodes=1, runtime=100}, job{submit=0, nodes=1, runtime=100},
        job{submit=10, nodes=1, runtime=10}, job{submit=10, nodes=1, runtime=10} })
      return { ran.jobs[1].finish, ran.jobs[2].finish, ran.jobs[4].start }
    end
    expect(stopped(false)).equals { 25, 25, 25 }
    expect(stopped(true)).equals { 25, 100, 35 }
  end)

  it("is told what it does wrong", function()
    local function at_ten(act)
      return function()
        with(function(view)
          view:easy()
          if view.now == 10 then act(view) end
        end, { job{submit=0, nodes=2, runtime=100}, job{submit=10, nodes=2, runtime=10} })
      end
    end
    expect(at_ten(function(view) view:requeue(view:head()) end)).raises("job 2 is not running")
    expect(at_ten(function(view) view:preempt(view:head(), { how = "stop" }) end)).raises(
      "one of \"requeue\", \"checkpoint\", \"kill\"")
    expect(at_ten(function(view) view:preempt(view:head(), { cost = 5 }) end)).raises("those of a checkpoint")
    expect(at_ten(function(view) view:preempt(view:head(), { grace = -1 }) end)).raises("a span of time")
    expect(at_ten(function(view) view:preempt(view:head(), { rank = function() return "x" end }) end)).raises(
      "must return a number")
  end)

  it("cannot stop and start the same job for ever", function()
    expect(function()
      with(function(view)
        view:start_in_order()
        for job in view:running() do view:requeue(job) end
      end, { job{submit=0, nodes=2, runtime=100} })
    end).raises("in 10000 passes in a row")
  end)
end)
