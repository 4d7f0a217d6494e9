-- Relaxed backfilling: the first waiting job may be delayed, but not for ever.
describe("relaxed", function()
  local function relaxed(jobs, slack)
    return simulate { policy = "relaxed", nodes = 10, jobs = jobs, params = { slack = slack } }
  end

  it("lets a job delay the first one within the slack", function()
    local jobs = {
      job{submit=0, nodes=8, runtime=100},
      job{submit=0, nodes=10, runtime=10},  -- expects to start at 100; with half of that as slack at 150
      job{submit=0, nodes=2, runtime=140},
    }
    expect(relaxed(jobs, 0.5)).starts { 0, 140, 0 }
    expect(relaxed(jobs, 0.4)).starts { 0, 140, 0 }
    expect(relaxed(jobs, 0.39)).starts { 0, 100, 110 }
  end)

  it("does not add delays up", function()
    expect(relaxed({
      job{submit=0, nodes=8, runtime=100},
      job{submit=0, nodes=10, runtime=10},   -- at 150 at the latest
      job{submit=0, nodes=2, runtime=120},
      job{submit=1, nodes=2, runtime=51},    -- there is room from 100 on; it would be over at 151
      job{submit=2, nodes=2, runtime=50},    -- and this at 150
    }, 0.5)).starts { 0, 150, 0, 160, 100 }
  end)

  property("without slack and with exact estimates is EASY", { jobs = 30, estimates = "exact" }, function(workload)
    local easy = simulate(workload, { policy = "easy" })
    expect(simulate(workload, { policy = "relaxed", params = { slack = 0 } })).starts_like(easy)
  end)

  property("keeps its reservations", { jobs = 30 }, function(workload)
    expect(simulate(workload, { policy = "relaxed" })).keeps_promises()
  end)
end)
