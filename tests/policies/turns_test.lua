-- Jobs that their policy lets stand still on their nodes: view:suspend, view:resume and view:side_by_side.

--- Jobs of the trace that are running, by number.
local function running(view)
  local found = {}
  for job in view:running() do found[job.id] = job end
  return found
end

--- A policy that starts what fits, and does at an instant what `at` says.
local function policy(at)
  return { api = 1, name = "own", version = "1", schedule = function(view)
    view:start_in_order()
    local jobs = running(view)
    for when, f in pairs(at) do
      if when > view.now then view:wake(when) end
      if when == view.now then f(view, jobs) end
    end
  end }
end

local function stop(i) return function(view, jobs) view:suspend(jobs[i]) end end
local function go(i) return function(view, jobs) view:resume(jobs[i]) end end

describe("a job that its policy suspends", function()
  it("goes on where it stopped, with its nodes, and its limit has not passed", function()
    local ran = simulate { nodes = 2, policy = policy { [20] = stop(1), [50] = go(1) },
      jobs = { job{submit=0, nodes=2, runtime=100, limit=100}, job{submit=30, nodes=1, runtime=10} } }
    expect(ran.jobs[1].finish).equals(130)
    expect(ran.jobs[1].state).equals("completed")
    expect(ran.jobs[2].start).equals(130) -- its nodes are for nobody
    expect(ran.summary.preemptions.suspended).equals(1)
    expect(ran.summary.preemptions.suspended_time).equals(30)
    expect(ran).violates_nothing()
  end)

  it("is killed at its limit of time in which it ran", function()
    local ran = simulate { nodes = 1, policy = policy { [20] = stop(1), [90] = go(1) },
      jobs = { job{submit=0, nodes=1, runtime=100, limit=60} } }
    expect(ran.jobs[1].finish).equals(130)
    expect(ran.jobs[1].state).equals("killed")
    expect(ran).violates_nothing()
  end)

  it("may be suspended as it starts, and go on at once", function()
    local ran = simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=100} },
      policy = policy { [0] = function(view, jobs)
        view:suspend(jobs[1])
        view:suspend(jobs[1])
      end, [40] = function(view, jobs)
        view:resume(jobs[1])
        view:suspend(jobs[1])
        view:resume(jobs[1])
        view:resume(jobs[1])
      end } }
    expect(ran.jobs[1].start).equals(0)
    expect(ran.jobs[1].finish).equals(140)
    expect(ran).violates_nothing()
  end)

  it("stands still for longer than it was to run, and others do not have its nodes", function()
    local ran = simulate { nodes = 2, policy = policy { [20] = stop(1), [5000] = go(1) },
      jobs = { job{submit=0, nodes=1, runtime=100, limit=100}, job{submit=0, nodes=1, runtime=30, limit=30},
               job{submit=25, nodes=2, runtime=10} } }
    expect(ran.jobs[1].finish).equals(5080)
    expect(ran.jobs[3].start).equals(5080)
    expect(ran).violates_nothing()
  end)

  it("is interrupted where its node fails, and begins anew", function()
    local ran = simulate { nodes = 2, policy = policy { [20] = stop(1) },
      outages = { planned = { { nodes = "1", kind = "failure", from = 40, length = 10 } } },
      jobs = { job{submit=0, nodes=2, runtime=100} } }
    expect(ran.jobs[1].start).equals(50)
    expect(ran.jobs[1].finish).equals(150)
    expect(ran.summary.outages.lost).equals(40)
    expect(ran).violates_nothing()
  end)

  it("keeps parts of nodes and its memory", function()
    local ran = simulate {
      machine = { nodes = { { name = "n", count = 1, cores = 4, memory = 1000 } } },
      policy = policy { [10] = stop(1), [50] = go(1) },
      jobs = { job{submit=0, nodes=1, runtime=100, request = { cores = 2, memory = 600 }},
               job{submit=0, nodes=1, runtime=20, request = { cores = 2, memory = 400 }},
               job{submit=20, nodes=1, runtime=20, request = { cores = 1, memory = 600 }} } }
    expect(ran).starts { 0, 0, 140 }
    expect(ran.jobs[1].finish).equals(140)
    expect(ran).violates_nothing()
  end)

  it("slows nobody down meanwhile", function()
    local ran = simulate {
      machine = { nodes = { { name = "n", count = 1, cores = 4 } } },
      slowdown = { model = "script", script = "slowdowns/half.lua" },
      engine = { at_limit = "extend" },
      policy = policy { [10] = stop(1), [30] = go(1) },
      jobs = { job{submit=0, nodes=1, runtime=40, request = { cores = 2 }},
               job{submit=0, nodes=1, runtime=40, request = { cores = 2 }} } }
    -- Half as fast until 10 and from 30 on: the second has done 5, then 20, and ends behind 15 more.
    expect(ran.jobs[2].finish).equals(60)
    expect(ran.jobs[1].finish).equals(80) -- 5, then 15 beside the other, and 20 alone
    expect(ran).violates_nothing()
  end)

  it("has to go on some time", function()
    expect(function()
      simulate { nodes = 1, policy = policy { [20] = stop(1) }, jobs = { job{submit=0, nodes=1, runtime=100} } }
    end).raises("job 1 is suspended, and its policy never lets it go on")
    expect(function()
      simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=100} },
        policy = policy { [20] = stop(1), [30] = function(view, jobs) view:kill(jobs[1]) end } }
    end).raises("job 1 is suspended: it goes on when those end that run on its nodes, or with view:resume")
  end)

  it("says so, too, where its policy suspends whatever runs at each pass", function()
    local still = { api = 1, name = "still", version = "1", schedule = function(view)
      for job in view:running() do view:suspend(job) end
      view:start_in_order()
    end }
    expect(function()
      simulate { nodes = 3, policy = still,
        jobs = { job{submit=0, nodes=1, runtime=70}, job{submit=4, nodes=2, runtime=30},
          job{submit=9, nodes=3, runtime=5} } }
    end).raises("is suspended, and its policy never lets it go on")
  end)

  it("is none under time slices", function()
    local sliced = policy { [0] = stop(1) }
    sliced.slices = { interval = 200, overhead = 0, classes = { { name = "short", up_to = 200, share = 0.5 },
                                                                { name = "long", share = 0.5 } } }
    expect(function()
      simulate { nodes = 1, policy = sliced, jobs = { job{submit=0, nodes=1, runtime=100} } }
    end).raises("time slices and jobs that a policy lets stand still cannot be combined")
  end)

  it("goes on when its loans are back and its policy lets it", function()
    local function ran(at)
      at[20] = function(view, jobs)
        view:preempt(view:head(), { how = "suspend" })
        view:suspend(jobs[1])
      end
      return simulate { nodes = 2, policy = policy(at),
        jobs = { job{submit=0, nodes=2, runtime=100}, job{submit=20, nodes=2, runtime=30} } }
    end
    expect(ran({ [30] = go(1) }).jobs[1].finish).equals(130)
    expect(ran({ [70] = go(1) }).jobs[1].finish).equals(150)
  end)
end)

describe("jobs of a partition with two rows", function()
  local machine = { nodes = { { name = "n", count = 1, cores = 4 } },
    partitions = { { name = "p", oversubscribe = 2, oversubscribe_all = true } } }

  it("may run side by side where they have no core in common", function()
    local said
    local four = {}
    for i, cores in ipairs { 2, 2, 3, 1 } do
      four[i] = job{submit=0, nodes=1, runtime=100, request = { cores = cores }}
    end
    simulate { machine = machine, jobs = four,
      policy = policy { [10] = function(view, jobs)
        local all = { jobs[1], jobs[2], jobs[3], jobs[4] }
        said = { view:side_by_side(all), view:side_by_side(all, 3), view:side_by_side({ jobs[3], jobs[4], jobs[2] }) }
      end } }
    expect(said[1]).equals { true, true, false, false }
    expect(said[2]).equals { true, true, true, false }
    expect(said[3]).equals { true, true, false }
  end)
end)

describe("where jobs of one partition may have the cores of another one,", function()
  local machine = { nodes = { { name = "m", count = 1, cores = 6 } },
    partitions = { { name = "low" }, { name = "high", over = "low" } } }
  local function of(partition, cores, fields)
    fields.request, fields.nodes = { partition = partition, cores = cores }, 1
    return job(fields)
  end
  -- The third one ends behind the start that is promised to the second one, which could not come beside it.
  local jobs = { of("low", 6, { submit = 0, runtime = 80 }), of("low", 6, { submit = 10, runtime = 40 }),
    of("high", 2, { submit = 30, runtime = 60 }) }

  it("none is laid over what is promised to a waiting job", function()
    for _, name in ipairs { "easy", "conservative", "relaxed" } do
      local ran = simulate { machine = machine, policy = name, jobs = jobs }
      expect(ran.jobs[2].start).equals(80)
      expect(ran).violates_nothing()
    end
  end)

  it("one that has ended by then is laid over what runs, and one that is promised its place keeps it", function()
    local ran = simulate { machine = machine, policy = "conservative",
      jobs = { jobs[1], jobs[2], of("high", 2, { submit = 30, runtime = 50 }) } }
    expect(ran).starts { 0, 80, 30 }
    -- The job of the high partition comes when its licence is back, over one of the other partition that starts before.
    ran = simulate { policy = "conservative", machine = { nodes = machine.nodes, partitions = machine.partitions,
        licences = { { name = "key", count = 1 } } },
      jobs = { of("high", 6, { submit = 0, runtime = 30 }), of("low", 6, { submit = 5, runtime = 90 }),
        of("high", 2, { submit = 6, runtime = 200 }) } }
    expect(ran.jobs[2].start).equals(30)
    expect(ran).violates_nothing()
  end)

  it("a job that stands still for longer moves the promises that it is in the way of", function()
    -- The one of the high partition stands still over the end that was believed, on cores that are promised.
    local promised = {}
    local ran = simulate { machine = machine,
      policy = { api = 1, name = "own", version = "1", schedule = function(view)
        view:conservative()
        for j in view:waiting() do promised[#promised + 1] = { j.id, view:reservation(j).time } end
        for j in view:running() do
          if j.id == 2 and view.now == 20 then view:suspend(j) end
          if j.id == 2 and view.now == 130 then view:resume(j) end
        end
        for _, t in ipairs { 20, 130 } do
          if view.now < t then view:wake(t) end
        end
      end },
      jobs = { of("low", 6, { submit = 0, runtime = 80 }), of("high", 2, { submit = 0, runtime = 70 }),
        of("low", 6, { submit = 10, runtime = 40 }) } }
    expect(promised[1]).equals { 3, 80 }
    expect(ran.jobs[2].finish).equals(180)
    expect(ran.jobs[3].start).equals(180)
    expect(ran).violates_nothing()
  end)
end)

describe("random workloads, of whose jobs each third stands still in turn,", function()
  --- Every 7 s others stand still.
  local function turns(more)
    local p = { api = 1, name = "turns", version = "1", schedule = function(view)
      view:easy()
      local turn, any = math.floor(view.now / 7), false
      for job in view:running() do
        any = true
        if (job.id + turn) % 3 == 0 then view:suspend(job) else view:resume(job) end
      end
      if any then view:wake((turn + 1) * 7) end
    end }
    for key, value in pairs(more or {}) do p[key] = value end
    return p
  end

  local function check(ran)
    expect(ran).violates_nothing()
    local suspended = 0
    for _, j in ipairs(ran.jobs) do
      local all = math.min(j.runtime, j.limit)
      expect(j.finish - j.start).at_least(all)
      suspended = suspended + j.finish - j.start - all
    end
    if suspended > 0 then expect(ran.summary.preemptions.suspended_time).near(suspended, 1e-6) end
  end

  property("lose no work", { runs = 60, nodes = 6 }, function(workload)
    check(simulate { machine = workload.machine, jobs = workload.jobs, policy = turns() })
  end)

  property("on nodes that they share lose no work", { runs = 60, nodes = 3 }, function(workload)
    for i, j in ipairs(workload.jobs) do j.request = { cores = 1 + (i * 5 + j.nodes) % 4, memory = 100 * (i % 3) } end
    check(simulate { jobs = workload.jobs, policy = turns(),
      machine = { nodes = { { name = "n", count = 3, cores = 4, memory = 500 } },
        partitions = { { name = "p", oversubscribe = 2, oversubscribe_all = true } } } })
  end)

  property("go on after failures", { runs = 60, nodes = 6 }, function(workload)
    local planned = {}
    for i = 1, 3 do table.insert(planned, { nodes = "1-2", kind = "failure", from = 20 * i, length = 5 }) end
    local ran = simulate { machine = workload.machine, jobs = workload.jobs, policy = turns(),
      outages = { planned = planned } }
    expect(ran).violates_nothing()
    for _, j in ipairs(ran.jobs) do expect(j.finish - j.start).at_least(math.min(j.runtime, j.limit)) end
  end)

  it("are packed into rows anew where a node is closed beside them", function()
    -- A shrunk random case: a job ends on nodes that go at the same instant.
    local function of(fields, request)
      fields.request = request
      return job(fields)
    end
    local ran = simulate { policy = "easy", engine = { at_limit = "extend" },
      machine = { nodes = { { name = "a", count = 3, cores = 4, speed = 0.5, processors = 2 } },
        partitions = { { name = "p", oversubscribe = 3, oversubscribe_all = true }, { name = "q" } } },
      jobs = {
        of({ submit = 0, nodes = 2, runtime = 1 }, { cores = 2, partition = "p" }),
        of({ submit = 13, nodes = 1, runtime = 26, limit = 13 }, { cores = 1, partition = "p" }),
        of({ submit = 13, nodes = 2, runtime = 50, limit = 25 }, { cores = 3, partition = "p" }),
        of({ submit = 0, nodes = 1, runtime = 300 }, { cores = 4, partition = { "p", "q" } }),
        of({ submit = 26, nodes = 2, runtime = 1, limit = 1 }, { cores = 1, partition = "p" }),
        of({ submit = 26, nodes = 2, runtime = 13 }, { partition = "p", oversubscribe = true }) },
      outages = { planned = { { from = 40, length = 50 }, { from = 40, length = 13 } } },
      reservations = { { name = "r", from = 20, length = 13, count = 1 } } }
    expect(ran).violates_nothing()
  end)

  property("have no numbers where none of them may share, and move nothing",
    { runs = 30, nodes = 3 }, function(workload)
    for i, j in ipairs(workload.jobs) do j.request = { cores = 1 + (i * 5 + j.nodes) % 4, partition = "p" } end
    local function starts(other)
      return simulate { jobs = workload.jobs, policy = "conservative",
        machine = { nodes = { { name = "n", count = 3, cores = 4 } }, partitions = { { name = "p" }, other } } }
    end
    local plain = starts { name = "q" }
    expect(starts { name = "q", oversubscribe = 2, oversubscribe_all = true }).starts_like(plain)
    expect(starts { name = "q", over = "p" }).starts_like(plain)
  end)

  it("do not go on and stop at one instant for ever", function()
    -- At 60 s limits are looked at: the job that goes on would end, and stands still before it does, pass for pass.
    local restless = { api = 1, name = "restless", version = "1", schedule = function(view)
      view:start_in_order()
      for job in view:running() do
        if view.now == 60 then view:resume(job) end
        if view.now == 28 or view.now == 60 then view:suspend(job) end
      end
      for _, t in ipairs { 28, 60 } do
        if view.now < t then view:wake(t) end
      end
    end }
    expect(function()
      simulate { policy = restless, nodes = 1, jobs = { job { submit = 0, nodes = 1, runtime = 50, limit = 25 } },
        engine = { limit_check = 30 } }
    end).raises("at 60 s: the policy resized, suspended or resumed jobs in 10000 passes in a row")
  end)

  --- A job that stands still from one instant to the other: when it ends.
  local function ends(from, to, said, engine)
    local done = {}
    local once = { api = 1, name = "turns", version = "1", schedule = function(view)
      view:start_in_order()
      local runs = view:running()()
      for time, act in pairs { [from] = "suspend", [to] = "resume" } do
        if view.now < time then view:wake(time)
        elseif view.now == time and not done[time] then
          done[time] = true
          view[act](view, runs)
        end
      end
    end }
    said.submit, said.nodes = 0, 1
    local run = simulate { policy = once, nodes = 1, jobs = { job(said) }, engine = engine }
    expect(run).violates_nothing()
    return run.jobs[1].finish
  end

  it("end at the instant at which they go on, if their limit is looked at then", function()
    expect(ends(10, 30, { runtime = 29, limit = 1 }, { limit_check = 30 })).equals(30)
  end)

  it("do not end at a look while they stand still, but at the next one", function()
    expect(ends(25, 40, { runtime = 50, limit = 5 }, { limit_check = 30 })).equals(60)
    expect(ends(25, 40, { runtime = 30, limit = 5 }, { limit_check = 30 })).equals(45)
    expect(ends(25, 40, { runtime = 50, limit = 5 }, { limit_check = 30, kill_wait = 7 })).equals(65)
    expect(ends(25, 40, { runtime = 60, limit = 5 }, { limit_check = 30, kill_wait = 7 })).equals(67)
  end)

  it("have the rest of the wait for a kill when they go on", function()
    expect(ends(10, 40, { runtime = 50, limit = 5 }, { kill_wait = 20 })).equals(55)
    expect(ends(40, 95, { runtime = 90, limit = 5 }, { limit_check = 30, kill_wait = 20 })).equals(105)
  end)
end)
