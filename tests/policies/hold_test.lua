-- Jobs that a policy sets aside.
describe("view:hold", function()
  local function with(schedule, jobs)
    return simulate { nodes = 2, jobs = jobs, policy = { api = 1, name = "own", version = "1", schedule = schedule } }
  end

  it("takes a job out of the queue until it is released", function()
    local held
    local ran = with(function(view)
      for job in view:waiting() do
        if job.id == 1 and view.now == 0 then
          job.seen = "yes"
          view:hold(job)
          held = job
        end
      end
      if held and view.now >= 30 then
        view:release(held)
        expect(held.seen).equals("yes")
        held = nil
      end
      if view.now < 30 then view:wake(30) end
      view:easy()
    end, { job{submit=0, nodes=2, runtime=10}, job{submit=0, nodes=2, runtime=10}, job{submit=1, nodes=2, runtime=10} })
    expect(ran).starts { 30, 0, 10 }
  end)

  it("gives up the job's reservation", function()
    local held
    local ran = with(function(view)
      if view.now == 5 then
        for job in view:waiting() do
          if job.id == 2 then held = job; view:hold(job) end
        end
      elseif held and view.now == 20 then
        view:release(held)
        held = nil -- the pass that follows is at 20, too
      end
      view:conservative()
    end, { job{submit=0, nodes=1, runtime=20}, job{submit=1, nodes=2, runtime=10},
      job{submit=5, nodes=1, runtime=100} })
    expect(ran).starts { 0, 105, 5 } -- the reservation for 20 would have kept the third one waiting until 30
  end)

  it("is told what it does wrong", function()
    expect(function()
      with(function(view) view:release(view:head()) end, { job{submit=0, nodes=1, runtime=1} })
    end).raises("job 1 is not held")
    expect(function()
      with(function(view)
        for job in view:waiting() do view:hold(job) end
      end, { job{submit=0, nodes=1, runtime=1} })
    end).raises("left 1 job waiting for ever")
  end)
end)
