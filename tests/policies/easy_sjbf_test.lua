-- EASY whose backfilling is shortest first.
describe("easy_sjbf", function()
  local jobs = {
    job{submit=0, nodes=8, runtime=100},
    job{submit=1, nodes=10, runtime=10},  -- the first that waits: reserved for 100
    job{submit=2, nodes=2, runtime=90},   -- fits, and so does the next; not both
    job{submit=2, nodes=2, runtime=50},
  }

  it("backfills the shortest estimate first", function()
    expect(simulate { policy = "easy", nodes = 10, jobs = jobs }).starts { 0, 100, 2, 110 }
    expect(simulate { policy = "easy_sjbf", nodes = 10, jobs = jobs }).starts { 0, 100, 110, 2 }
  end)

  it("uses nodes that the first waiting job leaves over", function()
    expect(simulate { policy = "easy_sjbf", nodes = 10, jobs = {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},   -- reserved for 10, leaves 2 nodes over
      job{submit=0, nodes=2, runtime=100},
      job{submit=0, nodes=1, runtime=90},   -- the shorter of the two; then one is left
    } }).starts { 0, 10, 20, 0 }
  end)

  property("never delays the first waiting job", { jobs = 30 }, function(workload)
    local run = simulate(workload, { policy = "easy_sjbf" })
    expect(run).violates_nothing()
    expect(run.summary.nb_jobs_finished).equals(#workload.jobs)
  end)

  property("is EASY where all estimates are the same", { jobs = 30, longest = 12 }, function(workload)
    for _, j in ipairs(workload.jobs) do j.limit = 12 end
    local easy, sjbf = simulate(workload, { policy = { "easy", "easy_sjbf" } })
    expect(sjbf).starts_like(easy)
  end)
end)
