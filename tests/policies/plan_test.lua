-- view:plan: what starts of a plan of the whole queue, and which jobs have places in it.
describe("view:plan", function()
  local function planner(options)
    return { api = 1, name = "planner", version = "1", schedule = function(view) view:plan(options) end }
  end
  local function run(jobs, options) return simulate { policy = planner(options or {}), nodes = 4, jobs = jobs } end
  -- Three nodes until 100, then all four for the second job: what is over by then may have the fourth one.
  local function behind(...) return { job{submit=0, nodes=3, runtime=100}, job{submit=1, nodes=4, runtime=10}, ... } end
  local fits, does_not = job{submit=2, nodes=1, runtime=50, user=1}, job{submit=2, nodes=1, runtime=200, user=1}

  it("starts what delays no job before it", function()
    expect(run(behind(fits, does_not))).starts { 0, 100, 2, 110 }
    expect(run(behind(does_not, fits))).starts { 0, 100, 110, 2 }
  end)

  it("looks at so many jobs, and lets so many hold places", function()
    expect(run(behind(fits), { depth = 1 })).starts { 0, 100, 110 }
    expect(run(behind(does_not), { reservations = 0 })).starts { 0, 202, 2 }
    expect(run(behind(does_not), { window = 90 })).starts { 0, 202, 2 }
    expect(run(behind(does_not), { may_hold = function(j) return j.nodes < 4 end })).starts { 0, 202, 2 }
    expect(function() run(behind(fits), { may_start = function(j) return j.nodes > 1 end }) end).raises(
      "left 1 job waiting for ever")
  end)

  it("starts the same where it is said that refusals stay", function()
    for _, stay in ipairs { false, true } do
      local policy = { api = 1, name = "late", version = "1", schedule = function(view)
        local now = view.now
        view:plan { may_start = function(j) return j.nodes > 1 or now >= 100 end, refusals_stay = stay }
      end }
      expect(simulate { policy = policy, nodes = 4, jobs = behind(fits) }).starts { 0, 100, 110 }
      expect(simulate { policy = policy, nodes = 4, jobs = behind(job{submit=2, nodes=2, runtime=5}, fits) }).starts {
        0, 100, 110, 110 }
    end
  end)

  it("ends where places begin and end at so many instants", function()
    expect(run(behind(does_not, fits), { instants = 4 })).starts { 0, 100, 110, 2 }
    expect(run(behind(does_not, fits), { instants = 3 })).starts { 0, 100, 110, 110 }
  end)

  it("makes groups of ends whatever their spans, in as many steps as there are ends", function()
    local jobs = {}
    for i = 1, 40 do
      jobs[i] = job{submit=5 * i, nodes=1 + i % 3, runtime=30 + 7 * i % 50, limit=40 + 11 * i % 300}
    end
    for _, tiny in ipairs { 1e-9, 0.001 } do
      for _, aligned in ipairs { true, false } do
        local ran = run(jobs, { resolution = tiny, end_window = tiny, end_step = tiny, whole_nodes = true,
          ends_aligned = aligned })
        expect(ran).violates_nothing()
        expect(ran.summary.nb_jobs_finished).equals(40)
      end
    end
  end)

  it("starts so many jobs", function()
    local two = { job{submit=0, nodes=1, runtime=10}, job{submit=0, nodes=1, runtime=20} }
    expect(run(two, { starts = 1 })).starts { 0, 10 }
  end)

  it("counts jobs that are alike", function()
    local four = { job{submit=0, nodes=1, runtime=10, user=1}, job{submit=0, nodes=1, runtime=10, user=1},
                   job{submit=0, nodes=1, runtime=10, user=2}, job{submit=0, nodes=1, runtime=10, user=1, partition=5} }
    expect(run(four, { limits = { { "user", most = 1 } } })).starts { 0, 10, 0, 20 }
    expect(run(four, { limits = { { "user", "partition", most = 1 } } })).starts { 0, 10, 0, 0 }
    -- The second job is above the limit of its user, and counts for none of its partition.
    local shared = table.copy(four)
    for i = 1, 3 do shared[i].partition = 1 end
    expect(run(shared, { limits = { { "partition", most = 2 }, { "user", most = 1 } } })).starts { 0, 10, 0, 20 }
  end)

  it("lets places begin and end at multiples of its resolution", function()
    local just = job{submit=2, nodes=1, runtime=95}
    expect(run(behind(just))).starts { 0, 100, 2 }
    expect(run(behind(just), { resolution = 60 })).starts { 0, 100, 110 }
  end)

  it("begins places when groups of running jobs have ended", function()
    -- One node each until 100, 125, 150 and, as it turns out, 10; a job of three nodes, and one that may pass it.
    local function jobs(limit)
      return { job{submit=0, nodes=1, runtime=100}, job{submit=0, nodes=1, runtime=125},
               job{submit=0, nodes=1, runtime=150},
               job{submit=0, nodes=1, runtime=10, limit=170}, job{submit=1, nodes=3, runtime=10},
               job{submit=2, nodes=1, runtime=limit} }
    end
    -- At 10 a node is free. Each end by itself: three nodes at 125.
    expect(run(jobs(115))).starts { 0, 0, 0, 0, 125, 10 }
    expect(run(jobs(120))).starts { 0, 0, 0, 0, 125, 135 }
    -- With 20 s, then 40 s: 100, then 125 and 150 together.
    expect(run(jobs(120), { end_window = 20 })).starts { 0, 0, 0, 0, 130, 10 }
    -- With 30 s: 100 and 125 together. At 100 only 125 and 150 are left, which go together then: four nodes, one to
    -- spare.
    expect(run(jobs(120), { end_window = 30 })).starts { 0, 0, 0, 0, 150, 100 }
    expect(run(jobs(120), { end_window = 20, end_step = 1 })).starts { 0, 0, 0, 0, 125, 135 }
    -- Aligned: at 10 from 120 on, the multiple behind 100, all that end until 140; at 100 from 140 on, both that are
    -- left.
    expect(run(jobs(120), { end_window = 20, ends_aligned = true })).starts { 0, 0, 0, 0, 150, 100 }
    -- From 125 on: until 150.
    expect(run(jobs(120), { end_window = 25, ends_aligned = true })).starts { 0, 0, 0, 0, 130, 10 }
  end)

  it("stops jobs for one that has a place from then on", function()
    local options = { whole_nodes = true, resolution = 60, ends_aligned = true, end_window = 30,
      preempts = function(j)
        return j.user == 2 and { { how = "kill", among = function(other) return other.user == 1 end } } or nil
      end }
    local machine = { nodes = { { name = "m", count = 4, cores = 2 } } }
    local function starts(last, preempts)
      options.preempts = preempts
      local half = { cores = 1 }
      local policy = planner(options)
      policy.schedule = function(view)
        view:plan(options)
        if view.waiting_count > 0 then view:wake(view.now + 1) end
      end
      local ran = simulate { machine = machine, policy = policy, jobs = {
        job{submit=0, nodes=2, runtime=120, user=1, request={ cores = 2 }},
        job{submit=0, nodes=2, runtime=100, user=3, request={ cores = 2 }},
        job{submit=1, nodes=4, runtime=70, user=3, request=half}, job(last) } }
      return { ran.jobs[3].start, ran.jobs[4].start, ran.jobs[1].finish }
    end
    local short = { submit=2, nodes=2, runtime=50, user=2, request={ cores = 2 } }
    local preempts = options.preempts
    expect(starts(short, nil)).equals { 120.0, 190.0, 120.0 }
    expect(starts(short, preempts)).equals { 100.0, 3.0, 2.0 }
    short.runtime = 200 -- it would run into the place of the job before it
    expect(starts(short, preempts)).equals { 120.0, 190.0, 120.0 }
    short.runtime, short.user = 50, 3
    expect(starts(short, preempts)).equals { 120.0, 190.0, 120.0 }
    options.resolution = nil
    expect(function() starts(short, preempts) end).raises("preempts is for plans with whole_nodes, resolution and")
  end)

  it("says what is wrong with its options", function()
    local one = { job{submit=0, nodes=1, runtime=10} }
    expect(function() run(one, { limits = { { "usr", most = 1 } } }) end).raises("jobs are counted by no field 'usr'")
    expect(function() run(one, { limits = { { "user" } } }) end).raises("a list of tables such as")
    expect(function() run(one, { dept = 1 }) end).raises("unknown option 'dept' of view:plan")
    expect(function() run(one, { window = -1 }) end).raises("a span of time in seconds")
    expect(function() run(one, { tries_shared = true }) end).raises("tries_shared is for plans with whole_nodes")
    expect(run(one, { tries_shared = true, whole_nodes = true })).starts { 0 }
    local decides = { api = 1, name = "decides", version = "1", schedule = function(view)
      view:plan { may_start = function(j) view:start(j) end }
    end }
    expect(function() simulate { policy = decides, nodes = 4, jobs = one } end).raises(
      "this hook cannot start or reserve anything")
  end)

  --- The same, step by step.
  local stepwise = { api = 1, name = "stepwise", version = "1", schedule = function(view)
    local planned = {}
    for j in view:waiting() do
      local slot = view:earliest(j)
      if slot.is_now then
        view:start(j)
      else
        view:reserve(j, slot)
        table.insert(planned, j)
      end
    end
    for _, j in ipairs(planned) do view:unreserve(j) end
  end }

  property("is what its steps are", { runs = 100, jobs = 30 }, function(workload)
    local at_once, steps = simulate(workload, { policy = { planner {}, stepwise } })
    expect(at_once).starts_like(steps)
    expect(at_once).violates_nothing()
  end)
end)
