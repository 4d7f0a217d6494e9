-- First come, first served: starts by hand, and what holds for every workload.
describe("fcfs", function()
  it("starts jobs in order of submission", function()
    local run = simulate { policy = "fcfs", nodes = 10, jobs = {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},  -- waits for the first
      job{submit=0, nodes=4, runtime=10},  -- would fit beside the first, and passes no other
    } }
    expect(run).starts { 0, 10, 20 }
    expect(run.summary.all.wait.mean).equals(10)
  end)

  it("starts a job at the instant at which nodes become free", function()
    local run = simulate { policy = "fcfs", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=2.5},
      job{submit=1, nodes=2, runtime=1},
      job{submit=1, nodes=2, runtime=1},
    } }
    expect(run).starts { 0, 2.5, 2.5 }
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[3].allocated).equals("2-3")
  end)

  it("looks at what runs, not at what users ask for", function()
    local run = simulate { policy = "fcfs", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=5, limit=100},
      job{submit=0, nodes=4, runtime=1},
    } }
    expect(run).starts { 0, 5 }
  end)

  it("never runs a job that is larger than the machine", function()
    local run = simulate { policy = "fcfs", nodes = 4, jobs = { job{nodes=5, runtime=1}, job{nodes=4, runtime=1} } }
    expect(run).starts { false, 0 }
    expect(run.jobs[1].state).equals("rejected")
    expect(run.summary.nb_jobs_rejected).equals(1)
  end)

  property("no job starts before one that came earlier", { jobs = 30 }, function(workload)
    local run = simulate(workload, { policy = "fcfs" })
    for i = 2, #run.jobs do
      expect(run.jobs[i].start).at_least(run.jobs[i - 1].start)
    end
    expect(run).violates_nothing()
  end)
end)
