-- EASY backfilling: which jobs may pass, and which may not.
describe("easy", function()
  local function easy(jobs, params)
    return simulate { policy = "easy", nodes = 10, jobs = jobs, params = params }
  end

  it("lets a job pass that ends before the first waiting one can start", function()
    expect(easy {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},  -- reserved for 10
      job{submit=0, nodes=4, runtime=10},  -- backfilled: ends at 10
    }).starts { 0, 10, 0 }
  end)

  it("lets a job pass that uses only nodes which the first waiting one leaves over", function()
    expect(easy {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},   -- reserved for 10, leaves 2 nodes over
      job{submit=0, nodes=2, runtime=100},  -- backfilled on these
      job{submit=0, nodes=1, runtime=100},  -- they are taken now
    }).starts { 0, 10, 0, 20 }
  end)

  it("lets no job pass that would delay the first waiting job", function()
    expect(easy {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},
      job{submit=0, nodes=4, runtime=11},
    }).starts { 0, 10, 20 }
  end)

  it("may delay those behind the first waiting job", function()
    expect(easy {
      job{submit=0, nodes=8, runtime=10},
      job{submit=1, nodes=9, runtime=5},   -- reserved for 10
      job{submit=1, nodes=10, runtime=5},  -- no reservation
      job{submit=2, nodes=1, runtime=20},  -- fits beside the second, and delays the third
    }).starts { 0, 10, 22, 2 }
  end)

  it("believes what users ask for", function()
    expect(easy {
      job{submit=0, nodes=6, runtime=4, limit=10},
      job{submit=0, nodes=8, runtime=10},
      job{submit=0, nodes=4, runtime=2, limit=11},  -- would have ended in time
    }).starts { 0, 4, 14 }
  end)

  it("holds reservations for as many jobs as it is told", function()
    local jobs = {
      job{submit=0, nodes=8, runtime=10},
      job{submit=1, nodes=9, runtime=5},
      job{submit=1, nodes=10, runtime=5},
      job{submit=2, nodes=1, runtime=20},
    }
    expect(easy(jobs, { reservations = 2 })).starts { 0, 10, 15, 20 }
  end)

  it("looks only as deep as it is told", function()
    local jobs = {
      job{submit=0, nodes=6, runtime=10},
      job{submit=0, nodes=8, runtime=10},
      job{submit=0, nodes=8, runtime=10},  -- the one that is looked at
      job{submit=0, nodes=4, runtime=10},
    }
    expect(easy(jobs)).starts { 0, 10, 20, 0 }
    expect(easy(jobs, { depth = 1 })).starts { 0, 10, 20, 30 }
  end)

  it("refuses parameters that it does not have", function()
    expect(function() easy({ job{nodes=1, runtime=1} }, { depht = 1 }) end).raises("did you mean 'depth'?")
    expect(function() easy({ job{nodes=1, runtime=1} }, { depth = -1 }) end).raises("a whole number of at least 0")
  end)

  it("gives the schedule that was looked through once", function()
    expect(simulate { policy = "easy", nodes = 8, seed = 7,
                      workload = { generator = "lublin", lublin = { jobs = 40, load = 0.9 } } }).matches_golden(
                        "lublin")
  end)

  property("never delays the first waiting job beyond its reservation", { jobs = 30 }, function(workload)
    expect(simulate(workload, { policy = "easy" })).keeps_promises()
  end)

  property("written out in primitives gives the same schedule", { runs = 200, jobs = 30 }, function(workload)
    local ready, composed = simulate(workload, { policy = { "easy", "easy_composed" } })
    expect(composed).starts_like(ready)
    expect(composed).violates_nothing()
  end)

  property("without reservations and depth is a plain filling of holes", { jobs = 20, estimates = "exact" },
    function(workload)
    local run = simulate(workload, { policy = "easy", params = { reservations = 0 } })
    expect(run).violates_nothing()
    expect(run.summary.nb_jobs_finished).equals(#workload.jobs)
  end)

  it("keeps the same nodes for the first job whatever is planned for after its end", function()
    local scenario = {
      machine = { nodes = { { name = "a", count = 5 }, { name = "b", count = 1, features = "fast" } } },
      jobs = {
        job{submit=0, nodes=1, runtime=80}, job{submit=0, nodes=2, runtime=600}, job{submit=0, nodes=1, runtime=600},
        job{submit=0, nodes=2, runtime=1, limit=526, request={ features = "!fast" }},
        job{submit=0, nodes=1, runtime=88}, job{submit=0, nodes=4, runtime=1},
      },
    }
    for _, policy in ipairs { "easy", "wfp3" } do
      local plain = simulate(scenario, { policy = policy })
      local planned = { { from = 5000000000, length = 1000, kind = "maintenance" } }
      expect(simulate(scenario, { policy = policy, outages = { planned = planned } })).starts_like(plain)
      local later = { { name = "later", users = { 999 }, from = 5000000000, length = 1000 } }
      expect(simulate(scenario, { policy = policy, reservations = later })).starts_like(plain)
    end
  end)

  it("makes way for what is planned", function()
    -- Job 2 needs both kinds; until the maintenance of b is over it can have one of them.
    local ran = simulate {
      policy = "easy", machine = { nodes = { { name = "a", count = 2 }, { name = "b", count = 1 } } },
      outages = { planned = { { from = 50, length = 10, kind = "maintenance", nodes = { "b" } } } },
      jobs = { job{submit=0, nodes=1, runtime=30}, job{submit=0, nodes=3, runtime=40}, job{submit=0, nodes=1,
      runtime=55},
               job{submit=0, nodes=1, runtime=61} },
    }
    expect(ran).violates_nothing()
    expect(ran).starts { 0, 60, 0, 100 }
  end)
end)

describe("a reservation of nodes that is over", function()
  it("counts for the first job no more, also if another one comes much later", function()
    local function run(more, named)
      local reservations = {
        { name = "r1", nodes = "1", from = 0, length = 1, users = { 1 } },
        { name = "r2", from = 0, length = 1, users = { 1 } },
      }
      reservations[#reservations + 1] = more
      return simulate {
        policy = "sjf",
        machine = { nodes = 6 },
        reservations = reservations,
        jobs = {
          job { submit = 0, nodes = 1, runtime = 3 },
          job { submit = 0, nodes = 3, runtime = 2 },
          job { submit = 0, nodes = 3, runtime = 1 },
          job { submit = 0, nodes = 3, runtime = 3 },
          job { submit = 0, nodes = 2, runtime = 1, limit = 3 },
          named and job { submit = 0, nodes = 1, runtime = 1, reservation = "r2" } or nil,
        },
      }
    end
    for _, named in ipairs { false, true } do
      local later = { name = "later", from = 5e9, length = 1000, users = { 999 } }
      expect(run(later, named)).starts_like(run(nil, named))
    end
  end)
end)

describe("a job that names a reservation", function()
  local function last(engine, more)
    local reservations = { { name = "lab", from = 100, length = 500, users = { 4 } } }
    local jobs = { job{submit=150, nodes=1, runtime=2000, limit=400, user=4, reservation="lab"},
      job{submit=160, nodes=2, runtime=50, user=9} }
    for key, value in pairs(more or {}) do jobs[1][key] = value end
    local ran = simulate { nodes = 2, policy = "easy", reservations = reservations, engine = engine, jobs = jobs }
    expect(ran).violates_nothing()
    expect(ran.jobs[1].state).equals("killed")
    expect(ran.jobs[2].start).equals(math.max(600, ran.jobs[1].finish))
    return ran.jobs[1].finish
  end

  it("is gone when that is over, whatever it may run beyond its limit", function()
    expect(last {}).equals(550)
    expect(last { over_limit = 30 }).equals(580)
    expect(last { over_limit = 90 }).equals(600)
    expect(last { kill_wait = 40 }).equals(590)
    expect(last { over_limit = 30, kill_wait = 200 }).equals(600)
    expect(last({ over_limit = 30 }, { submit = 155 })).equals(585)
    expect(last { over_limit = 90, limit_check = 35 }).equals(630)
  end)
end)
