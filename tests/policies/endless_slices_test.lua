-- One class in time slices that cost nothing does what it does without slices, whatever else the machine and its jobs
-- do.
local slices = { interval = 97, overhead = 0, classes = { { name = "all", share = 1 } } }

local function policy(fields, sliced)
  local all = { api = 1, name = sliced and "sliced" or "plain", version = "1", backfill = "easy" }
  for name, value in pairs(fields) do all[name] = value end
  if all.schedule then all.backfill = nil end
  if sliced then all.slices = slices end
  return all
end

-- Runs the jobs without slices and in slices: the same starts and ends.
local function both(fields, scenario)
  local function run(sliced)
    local s = { policy = policy(fields, sliced) }
    for key, value in pairs(scenario) do s[key] = value end
    local result = simulate(s)
    expect(result).violates_nothing()
    return result
  end
  local plain, sliced = run(false), run(true)
  expect(sliced).starts_like(plain)
  for i, j in ipairs(plain.jobs) do expect(sliced.jobs[i].finish).equals(j.finish) end
  return plain, sliced
end

local function each_backfill(workload, fields, more)
  for _, backfill in ipairs { "none", "easy", "conservative" } do
    local scenario = { machine = workload.machine, jobs = workload.jobs }
    for key, value in pairs(more) do scenario[key] = value end
    fields.backfill = backfill
    both(fields, scenario)
  end
end

local drawn = { runs = 25, jobs = 25, users = 3 }

property("in slices nodes are powered down and come up as without", drawn, function(workload)
  each_backfill(workload, {}, { power = { idle = 5, boot = 40, shutdown = 10 } })
end)

property("in slices limits are looked at by the clock as without", drawn, function(workload)
  each_backfill(workload, {}, { engine = { limit_check = 60, over_limit = 20, kill_wait = 15 } })
end)

property("in slices all nodes are away or reserved at a time as without", drawn, function(workload)
  local maintained = { { kind = "maintenance", from = 40, length = 35 },
    { kind = "maintenance", from = 200, length = 5 } }
  each_backfill(workload, {}, { outages = { planned = maintained } })
  each_backfill(workload, {}, { reservations = { { name = "r", from = 50, length = 60, users = { 99 } },
    { name = "later", from = 150, length = 20, users = { 99 }, announced = 60 },
    { name = "all", from = 0, length = 1e6, users = { 1, 2, 3 } } } })
end)

property("in slices a policy may have estimates of its own as without", drawn, function(workload)
  each_backfill(workload, { estimate = function(j) return 1 + (j.id * 7) % 50 end }, {})
end)

property("in slices jobs run on beyond their limits and the policy's estimates as without", drawn, function(workload)
  each_backfill(workload, { estimate = function(j) return 1 + (j.id * 7) % 50 end },
    { engine = { at_limit = "extend" } })
end)

describe("in slices", function()
  it("a job that outruns its estimate is believed to need a minute more, then five", function()
    local jobs = { job{submit=0, nodes=4, runtime=500, limit=2000}, job{submit=1, nodes=4, runtime=10} }
    local _, sliced = both({ backfill = "conservative", estimate = function(j) return j.id == 1 and 100 or nil end },
      { nodes = 4, jobs = jobs })
    expect(sliced).starts { 0, 500 }
  end)

  it("a reservation that a failure moves to now is kept at once", function()
    -- When node 4 fails, job 4 can have all nodes at 13 s at the earliest, which leaves job 5 its time before.
    local _, sliced = both({ backfill = "conservative" }, { nodes = 5,
      outages = { believed_repair = 6, planned = { { kind = "failure", nodes = { "4" }, from = 7, length = 4 } } },
      jobs = { job{submit=0, nodes=1, runtime=3}, job{submit=0, nodes=5, runtime=1, limit=5}, job{submit=0, nodes=1,
      runtime=4},
               job{submit=0, nodes=5, runtime=4}, job{submit=0, nodes=1, runtime=6} } })
    expect(sliced).starts { 0, 3, 4, 13, 7 }
  end)

  it("a node that is back when another one goes is there for the job that waits for it", function()
    local _, sliced = both({ backfill = "none" }, {
      machine = { nodes = { { name = "a", count = 2 } },
        partitions = { { name = "left", nodes = { "a1" } }, { name = "right", nodes = { "a2" } } } },
      outages = { planned = { { kind = "failure", nodes = { "a2" }, from = 1, length = 2 },
        { kind = "failure", nodes = { "a1" }, from = 3, length = 10 } } },
      jobs = { job{submit=0, nodes=1, runtime=1, request={ partition = "right" }},
               job{submit=0, nodes=1, runtime=2, request={ partition = "right" }} } })
    expect(sliced).starts { 0, 3 }
  end)

  it("a node that is believed to be back later lets a job pass the first one", function()
    -- At 4 the second job would end after node 2 is believed to be back; at 5, before it is believed to be at 7.
    local _, sliced = both({ backfill = "easy" }, { nodes = 3,
      outages = { believed_repair = 2, planned = { { kind = "failure", nodes = { "1" }, from = 3, length = 5 } } },
      jobs = { job{submit=3, nodes=3, runtime=6}, job{submit=4, nodes=1, runtime=2} } })
    expect(sliced).starts { 8, 5 }
  end)

  it("a job is believed to have ended when its nodes are no longer held, boots and all", function()
    local _, sliced = both({ backfill = "conservative", estimate = function(j) return j.id == 2 and 3 or nil end }, {
      machine = { nodes = { { name = "a", count = 3 }, { name = "b", count = 2, cores = 3 } } },
      power = { idle = 0, boot = 1, shutdown = 2 },
      jobs = { job{submit=0, begin=7, nodes=1, runtime=5},
        job{submit=2, nodes=2, runtime=7, request={ cores = 2, exclusive = true }},
        job{submit=2, nodes=4, runtime=7} } })
    expect(sliced).starts { 8, 2, 10 }
  end)

  it("the wait for a kill passes by the clock, whatever slices begin meanwhile", function()
    local jobs = { job{submit=0, nodes=1, runtime=5000, limit=90}, job{submit=0, nodes=1, runtime=95, limit=80} }
    local _, sliced = both({}, { nodes = 2, engine = { kill_wait = 400 }, jobs = jobs })
    expect(sliced.jobs[1].finish).equals(490)
    expect(sliced.jobs[2].finish).equals(95)
  end)

  it("a job that others stop before its limit is over is told of that when it goes on", function()
    -- The second job, of which nobody believes more than its limit, makes way for the third one after 24 s of 25.
    local two = { interval = 76, overhead = 0, foreign = "safe",
      classes = { { name = "short", up_to = 28, on_demand = true, longest = 15 }, { name = "long" } } }
    local ran = simulate { nodes = 4, engine = { kill_wait = 3, over_limit = 27 },
      policy = { api = 1, name = "two", version = "1", backfill = "easy", slices = two },
      jobs = { job{submit=1, nodes=1, runtime=50}, job{submit=27, nodes=3, runtime=25, limit=20},
        job{submit=28, nodes=4, runtime=23, limit=29} } }
    expect(ran).violates_nothing()
    expect(ran).finishes { 51, 75, 74 }
    expect(ran.jobs[2].state).equals("completed")
  end)

  it("a job that was to be gone while others had their slice is gone when it would go on", function()
    -- Told to end at 80 s, with 60 s to do so, it stands still from 100 s on.
    local two = { interval = 100, overhead = 0,
      classes = { { name = "short", up_to = 20, share = 1 }, { name = "long", share = 1 } } }
    local jobs = { job{submit=0, nodes=1, runtime=500, limit=30} }
    for _, submit in ipairs { 0, 0, 0, 90, 90, 90 } do jobs[#jobs + 1] = job{submit=submit, nodes=1, runtime=20} end
    for _, engine in ipairs { { kill_wait = 60 }, { limit_check = 110, first_limit_check = 40 } } do
      local ran = simulate { nodes = 1, engine = engine, jobs = jobs,
        policy = { api = 1, name = "two", version = "1", slices = two } }
      expect(ran).violates_nothing()
      expect(ran.jobs[1].finish).equals(150)
      expect(ran.jobs[1].state).equals("killed")
    end
  end)

  it("a job that starts, stops and goes on at one instant waits for its nodes once", function()
    local two = { interval = 45, overhead = 0, foreign = "safe", charge_continuing = true,
      classes = { { name = "short", up_to = 33, on_demand = true, longest = 15 }, { name = "long" } } }
    local ran = simulate { nodes = 5, power = { idle = 0, boot = 7, shutdown = 1 }, engine = { kill_wait = 5 },
      policy = { api = 1, name = "two", version = "1", backfill = "conservative", slices = two },
      jobs = { job{submit=0, nodes=2, runtime=58, limit=74}, job{submit=66, nodes=2, runtime=28, limit=27},
        job{submit=90, nodes=4, runtime=54, limit=51} } }
    expect(ran).violates_nothing()
    expect(ran).starts { 0, 66, 101 }
    expect(ran).finishes { 58, 66 + 7 + 28, 101 + 7 + 54 }
  end)

  it("a job of another class that may be killed late is let in only where that delays no job", function()
    -- At 44 s the last one would be there until 59 s: 2 s, 5 s to end, 8 s for its node; the second was promised 55 s.
    local two = { interval = 67, overhead = 0, foreign = "safe", nodes = "fewest-foreign", charge_continuing = true,
      classes = { { name = "short", up_to = 29, on_demand = true, longest = 15 }, { name = "long" } } }
    local ran = simulate { nodes = 5, power = { idle = 0, boot = 8, shutdown = 1 }, engine = { kill_wait = 5 },
      policy = { api = 1, name = "two", version = "1", backfill = "conservative", slices = two },
      jobs = { job{submit=0, nodes=1, runtime=46}, job{submit=0, nodes=5, runtime=1, limit=30},
        job{submit=0, nodes=2, runtime=52}, job{submit=38, nodes=4, runtime=9},
        job{submit=44, nodes=1, runtime=7, limit=2} } }
    expect(ran).violates_nothing()
    expect(ran.jobs[2].start).equals(46)
    expect(ran.jobs[2].finish).equals(46 + 8 + 1)
    expect(ran.jobs[5].start).equals(55)
  end)

  it("a node comes up by the clock, also while the slice is another one", function()
    local two = { interval = 100, overhead = 0,
      classes = { { name = "short", up_to = 20, share = 1 }, { name = "long", share = 1 } } }
    local ran = simulate { nodes = 1, power = { idle = 10, boot = 30 },
      policy = { api = 1, name = "two", version = "1", backfill = "easy", slices = two },
      jobs = { job{submit=0, nodes=1, runtime=10}, job{submit=60, nodes=1, runtime=60},
        job{submit=230, nodes=1, runtime=40} } }
    expect(ran).violates_nothing()
    -- The second job gets a node that is off at 60, which is up at 90. It runs 10 s in that slice, as long as it may in
    -- the slice of short jobs, which have none, and the rest there.
    expect({ ran.jobs[2].start, ran.jobs[2].finish }).equals { 60, 150 }
    expect(ran.jobs[3].start).equals(230)
    expect(ran.jobs[3].finish).equals(300)
  end)

  it("moldable jobs have the size with which they end first", function()
    local jobs = { job{submit=0, nodes=3, runtime=100}, job{submit=1, nodes=1, runtime=80, sizes="1:80,4:30"} }
    local plain, sliced = both({ backfill = "conservative" }, { nodes = 4, jobs = jobs })
    expect(sliced.jobs[2].finish).equals(81)
    expect(sliced.jobs[2].processes).equals(plain.jobs[2].processes)
  end)

  it("jobs wait aside until they are released", function()
    local function aside()
      local waits
      return { schedule = function(view)
        if view.now >= 50 and waits then
          view:release(waits)
          waits = nil
        end
        for j in view:waiting() do
          if j.id == 2 and view.now < 50 then
            view:hold(j)
            waits = j
          end
        end
        if view.now < 50 then view:wake(50) end
        view:start_in_order()
      end }
    end
    local jobs = { job{submit=0, nodes=1, runtime=10}, job{submit=1, nodes=1, runtime=10},
      job{submit=2, nodes=1, runtime=10} }
    local _, sliced = both(aside(), { nodes = 1, jobs = jobs })
    expect(sliced).starts { 0, 50, 10 }
  end)

  it("a reservation that a job names which is too long for it is closed to others in its windows only", function()
    local jobs = { job{submit=0, nodes=1, runtime=4}, job{submit=0, nodes=1, runtime=5, reservation="r"} }
    local _, sliced = both({ backfill = "none" },
      { nodes = 3, jobs = jobs, reservations = { { name = "r", from = 12, length = 2, jobs = { 2 } } } })
    expect(sliced.jobs[1].start).equals(0)
    expect(sliced.jobs[2].state).equals("rejected")
  end)

  it("there is a pass when a job comes that can never run", function()
    -- At 1 s the second job takes the size that fits beside none; at 2 s the one that fits beside the first job.
    local jobs = { job{submit=1, nodes=1, runtime=2}, job{submit=1, nodes=1, runtime=10, sizes="2:4"},
      job{submit=2, nodes=1, runtime=16, reservation="r"} }
    local _, sliced = both({}, { nodes = 2, engine = { molding = "fits-now" }, jobs = jobs,
      reservations = { { name = "r", from = 400, length = 2, jobs = { 3 } } } })
    expect(sliced.jobs[2].start).equals(2)
    expect(sliced.jobs[3].state).equals("rejected")
  end)

  it("jobs are suspended on their nodes", function()
    local function suspends()
      return { key = function(job) return -job.queue end, schedule = function(view)
        for job in view:waiting() do
          if job.queue ~= 1 or not view:preempt(job,
            { how = "suspend", among = function(o) return o.queue ~= 1 end }) then
            break
          end
        end
        view:easy()
      end }
    end
    local jobs = { job{submit=0, nodes=4, runtime=100, queue=0}, job{submit=20, nodes=1, runtime=30, queue=1},
      job{submit=30, nodes=2, runtime=50, queue=1}, job{submit=35, nodes=1, runtime=10, queue=0} }
    local plain, sliced = both(suspends(), { nodes = 4, jobs = jobs })
    expect(sliced.jobs[1].finish).equals(160)
    expect(sliced.summary.preemptions.suspended).equals(plain.summary.preemptions.suspended)
    expect(sliced.summary.preemptions.suspended_time).equals(60)
  end)

  it("a policy says how jobs write checkpoints", function()
    local jobs = { job{submit=0, nodes=2, runtime=100} }
    local outages = { planned = { { nodes = { "0" }, kind = "failure", from = 75, length = 10 } } }
    local plain = both({ checkpoint = function() return 20, 1 end }, { nodes = 2, jobs = jobs, outages = outages })
    expect(plain.jobs[1].finish > 110).equals(true)
  end)
end)
