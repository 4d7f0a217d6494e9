-- Conservative backfilling: every job has a reservation, and none delays it.
describe("conservative", function()
  local function conservative(jobs, params)
    return simulate { policy = "conservative", nodes = 10, jobs = jobs, params = params }
  end

  it("lets jobs pass that delay no other", function()
    expect(conservative {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},
      job{submit=0, nodes=4, runtime=10},
    }).starts { 0, 10, 0 }
  end)

  it("protects those behind the first waiting job, too", function()
    expect(conservative {
      job{submit=0, nodes=8, runtime=10},
      job{submit=1, nodes=9, runtime=5},
      job{submit=1, nodes=10, runtime=5},
      job{submit=2, nodes=1, runtime=20},  -- EASY lets it start at 2
    }).starts { 0, 10, 15, 20 }
  end)

  it("moves reservations up when a job ends early", function()
    expect(conservative {
      job{submit=0, nodes=8, runtime=3, limit=10},
      job{submit=0, nodes=8, runtime=5},
      job{submit=0, nodes=8, runtime=5},
    }).starts { 0, 3, 8 }
  end)

  it("moves them up in the order that it is told", function()
    local scenario = { policy = "conservative", nodes = 3, jobs = {
      job{submit=0, nodes=2, runtime=1, limit=3},  -- ends 2 s early
      job{submit=0, nodes=1, runtime=2},
      job{submit=0, nodes=2, runtime=1},           -- reserved for 3
      job{submit=0, nodes=1, runtime=1},           -- reserved for 2
    } }
    expect(simulate(scenario, { params = { compress = "queue" } })).starts { 0, 0, 1, 2 }
    expect(simulate(scenario, { params = { compress = "start" } })).starts { 0, 0, 2, 1 }
  end)

  it("gives the schedule that was looked through once", function()
    expect(simulate { policy = "conservative", nodes = 8, seed = 7,
                      workload = { generator = "lublin", lublin = { jobs = 40, load = 0.9 } } }).matches_golden(
                        "lublin")
  end)

  for _, order in ipairs { "queue", "start" } do
    property("compressed by " .. order .. " keeps every reservation", { jobs = 30 }, function(workload)
      local run = simulate(workload, { policy = "conservative", params = { compress = order } })
      expect(run).keeps_promises()
      expect(run).violates_nothing()
    end)
  end

  property("written out in primitives gives the same schedule", { runs = 200, jobs = 30 }, function(workload)
    local ready, composed = simulate(workload, { policy = { "conservative", "conservative_composed" } })
    expect(composed).starts_like(ready)
    expect(composed).keeps_promises()
  end)

  it("counts a node once that fails until its maintenance is over", function()
    -- Node 0 is not there from 5 until 40 s. The three others are.
    local ran = simulate {
      policy = "conservative", nodes = 4,
      outages = { planned = { { kind = "failure", nodes = { "0" }, from = 5, length = 25 },
                              { kind = "maintenance", nodes = { "0" }, from = 20, length = 20 } } },
      jobs = { job{submit=0, nodes=1, runtime=1}, job{submit=6, nodes=3, runtime=20}, job{submit=7, nodes=4,
      runtime=5} },
    }
    expect(ran).violates_nothing()
    expect(ran).starts { 0, 6, 40 }
  end)

  it("does not believe that a node which fails in its maintenance is back before that is over", function()
    local ran = simulate {
      policy = "conservative", nodes = 2,
      outages = { believed_repair = 5,
                  planned = { { kind = "maintenance", nodes = { "0" }, from = 10, length = 90 },
                              { kind = "failure", nodes = { "0" }, from = 50, length = 60 } } },
      jobs = { job{submit=0, nodes=1, runtime=1}, job{submit=51, nodes=2, runtime=10}, job{submit=52, nodes=1,
      runtime=40} },
    }
    expect(ran).violates_nothing()
    expect(ran).starts { 0, 110, 52 }
  end)

  it("gives a job a reservation again whose own the policy has given back", function()
    local again = {}
    local ran = simulate { nodes = 3, policy = { api = 1, name = "own", version = "1", schedule = function(view)
        for j in view:waiting() do
          if view:reservation(j) then view:unreserve(j) end
        end
        view:conservative()
        for j in view:waiting() do again[#again + 1] = view:reservation(j) and j.id or 0 end
      end },
      jobs = { job{submit=0, nodes=2, runtime=60, limit=90}, job{submit=3, nodes=3, runtime=20},
        job{submit=11, nodes=1, runtime=15} } }
    expect(again).equals { 2, 2, 2 }
    expect(ran).starts { 0, 60, 11 }
  end)
end)
