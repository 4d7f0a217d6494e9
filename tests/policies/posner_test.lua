-- Strategies for malleable jobs, on examples that were worked out by hand. Jobs run in inverse proportion to their
-- nodes (p = 1), so that a job of n nodes and t seconds has n t node-seconds to do.

--- The study's own way, with all of its faults.
local study = { skip_after_start = true, easy_never_passes = true, average_wrong_way = true, event_by_event = true,
  period = 60 }

local function run(nodes, jobs, params, faults)
  local all = {}
  for name, value in pairs(faults or {}) do all[name] = value end
  for name, value in pairs(params) do all[name] = value end
  local found = simulate { policy = "posner", nodes = nodes, jobs = jobs, params = all, engine = { molding = "asked" } }
  expect(found).violates_nothing()
  return found
end

--- How often running jobs were told to shrink or to grow, and by how many nodes in the mean.
local function noted(found, name)
  local note = found.summary.notes[name]
  return { note.count, note.mean }
end

describe("rigid jobs", function()
  local queue = {
    job{submit=0, nodes=4, runtime=100}, job{submit=1, nodes=1, runtime=30}, job{submit=2, nodes=1, runtime=30},
    job{submit=3, nodes=1, runtime=30},
  }

  it("start together when there is room", function()
    for _, rule in ipairs { "rigid_backfill", "rigid_easy_backfill", "min", "pref", "average" } do
      expect(run(4, queue, { rule = rule })).starts { 0, 100, 100, 100 }
    end
  end)

  it("are passed over behind one that starts, in the study: the timer starts the next one", function()
    -- At 100 the job ends: the second starts, the third is passed over, the fourth would pass the third. The second
    -- ends at 130, before the timer comes to start the fourth.
    expect(run(4, queue, { rule = "rigid_easy_backfill" }, study)).starts { 0, 100, 120, 130 }
    -- First fit starts the fourth as well.
    expect(run(4, queue, { rule = "rigid_backfill" }, study)).starts { 0, 100, 120, 100 }
    expect(run(4, queue, { rule = "rigid_backfill", skip_after_start = true })).starts { 0, 100, 130, 100 }
  end)

  it("come before the timer of their instant, or behind it", function()
    local jobs = { job{submit=0, nodes=4, runtime=50} }
    for submit = 1, 4 do jobs[submit + 1] = job{submit=submit, nodes=1, runtime=1000} end
    jobs[6] = job{submit=60, nodes=1, runtime=1000}
    -- At 50 the second and the fourth start. At 60 the timer starts the third; the last one that comes then has the
    -- fifth start and is passed over itself.
    expect(run(4, jobs, { rule = "rigid_backfill" }, study)).starts { 0, 50, 60, 50, 60, 1050 }
    expect(run(4, jobs, { rule = "rigid_backfill", submissions_first = true }, study))
      .starts { 0, 50, 60, 50, 1050, 60 }
  end)

  local blocked = {
    job{submit=0, nodes=3, runtime=100}, job{submit=1, nodes=4, runtime=10},
    job{submit=2, nodes=1, runtime=99}, -- would end at 101
    job{submit=3, nodes=1, runtime=97}, -- ends at 100
  }

  it("pass the first one that waits where they do not delay it", function()
    expect(run(4, blocked, { rule = "rigid_easy_backfill" })).starts { 0, 100, 110, 3 }
    expect(run(4, blocked, { rule = "min" })).starts { 0, 100, 110, 3 }
    expect(run(4, blocked, { rule = "rigid_easy_backfill", easy_never_passes = true })).starts { 0, 100, 110, 110 }
    -- First fit: any that fits does, and the second job starts when the last of these ends.
    expect(run(4, blocked, { rule = "rigid_backfill" })).starts { 0, 197, 2, 100 }
  end)

  it("pass it also for long, on nodes that it leaves", function()
    expect(run(4, {
      job{submit=0, nodes=3, runtime=100}, job{submit=1, nodes=3, runtime=10}, job{submit=2, nodes=1, runtime=500},
    }, { rule = "rigid_easy_backfill" })).starts { 0, 100, 2 }
  end)

  property("come out as under EASY, with exact estimates", { runs = 30, estimates = "exact" }, function(workload)
    expect(simulate(workload, { policy = "posner", params = { rule = "rigid_easy_backfill" } }))
      .starts_like(simulate(workload, { policy = "easy" }))
  end)
end)

describe("a malleable job", function()
  -- 320 node-seconds in four steps of 80.
  local jobs = {
    job{submit=0, nodes=4, runtime=80, sizes="1-4 amdahl 1", elastic="steps 4"}, job{submit=5, nodes=2, runtime=30},
  }

  it("shrinks for one that waits, and grows again", function()
    -- Told so at 5, it gives up two nodes at 20, where the other one starts, which ends at 50. Told to grow then, it
    -- does at the end of its second step, of 40 s, at 60. Two more of 20 s follow.
    local found = run(4, jobs, { rule = "pref" })
    expect(found).starts { 0, 20 }
    expect(found).finishes { 100, 50 }
    expect(noted(found, "shrink")).equals { 1, 2 }
    expect(noted(found, "expand")).equals { 1, 2 }
  end)

  it("gives up its nodes after the decision of its step, in the study", function()
    -- So the other one waits for the timer at 60, and ends at 90. The third step has begun at 60, on two nodes.
    local found = run(4, jobs, { rule = "pref" }, study)
    expect(found).starts { 0, 60 }
    expect(found).finishes { 120, 90 }
  end)

  it("starts with its least by one rule, with what is free up to its preferred size by another", function()
    local pair = { job{submit=0, nodes=2, runtime=10}, jobs[1] }
    expect(run(4, pair, { rule = "pref" }).jobs[2].finish).equals(100) -- 40 s on two nodes, then three steps of 20 s
    -- 80 s on one node; told at 10 to have four, it has them from then on.
    expect(run(4, pair, { rule = "min" }).jobs[2].finish).equals(140)
    expect(run(4, pair, { rule = "rigid_backfill" }).jobs[2].start).equals(10)
  end)
end)

describe("nodes that were given up", function()
  -- The first is between its steps at 100 only, the second at 10, 20, ...; two nodes come free at 5. The fourth is
  -- promised nodes of the first, the fifth nodes of the second.
  local jobs = {
    job{submit=0, nodes=4, runtime=200, sizes="2-4 amdahl 1", elastic="steps 2"},
    job{submit=0, nodes=4, runtime=200, sizes="2-4 amdahl 1", elastic="steps 20"},
    job{submit=0, nodes=2, runtime=5},
    job{submit=1, nodes=2, runtime=500},
    job{submit=2, nodes=2, runtime=500},
  }

  it("are for the job for which they were given up", function()
    expect(run(10, jobs, { rule = "pref", promise = "agreement" })).starts { 0, 0, 0, 100, 10 }
  end)

  it("are for the first that was promised as many", function()
    expect(run(10, jobs, { rule = "pref", promise = "steal_agreement" })).starts { 0, 0, 0, 10, 100 }
  end)

  it("are in one pool with others", function()
    expect(run(10, jobs, { rule = "pref", promise = "common_pool" })).starts { 0, 0, 0, 5, 10 }
  end)
end)

describe("the average", function()
  -- Both start with two nodes. At the end of their first step, at 4, they grow to eight.
  local jobs = {
    job{submit=0, nodes=8, runtime=100, sizes="2-8 amdahl 1", elastic="steps 100"},
    job{submit=0, nodes=8, runtime=100, sizes="2-8 amdahl 1", elastic="steps 100"},
    job{submit=10.5, nodes=4, runtime=10},
  }

  it("takes the same of all", function()
    local found = run(16, jobs, { rule = "average" })
    expect(found).starts { 0, 0, 11 }
    expect(noted(found, "shrink")).equals { 2, 2 }
  end)

  it("takes all of one, the wrong way", function()
    local found = run(16, jobs, { rule = "average", average_wrong_way = true })
    expect(found).starts { 0, 0, 11 }
    expect(noted(found, "shrink")).equals { 1, 4 }
  end)
end)

describe("nodes that were down", function()
  local function starts(kind, from, submit)
    for _, faults in ipairs { {}, { event_by_event = true, period = 5 } } do
      expect(simulate {
        policy = "posner", params = faults, nodes = 1, jobs = { job{submit=submit, nodes=1, runtime=1} },
        outages = { planned = { { from = from, length = 4, kind = kind } } },
      }).starts { from + 4 }
    end
  end

  it("are there again when they are back", function()
    starts("maintenance", 0, 0)
    starts("drain", 10, 14)
    starts("drain", 10, 12)
  end)
end)

property("malleable jobs break no rule", { runs = 15, jobs = 25 }, function(workload)
  for i, j in ipairs(workload.jobs) do
    if i % 2 == 0 and j.nodes > 1 then
      j.sizes, j.elastic = ("1-%d amdahl 0.9"):format(j.nodes), ("steps %d"):format(i % 5 + 1)
    end
  end
  for _, rule in ipairs { "min", "pref", "average" } do
    for _, promise in ipairs { "agreement", "steal_agreement", "common_pool" } do
      for _, faults in ipairs { {}, study } do
        local params = { rule = rule, promise = promise }
        for name, value in pairs(faults) do params[name] = value end
        expect(simulate(workload, { policy = "posner", params = params, engine = { molding = "asked" } }))
          .violates_nothing()
      end
    end
  end
end)

property("promises to jobs that are withdrawn are void", { runs = 15, jobs = 25 }, function(workload)
  for i, j in ipairs(workload.jobs) do
    if i % 2 == 0 and j.nodes > 1 then j.sizes, j.elastic = ("1-%d amdahl 0.9"):format(j.nodes), "steps 6" end
    if i % 3 == 0 then j.withdrawn_at = j.submit + i % 7 end
  end
  for _, promise in ipairs { "agreement", "steal_agreement", "common_pool" } do
    for _, faults in ipairs { {}, study } do
      local params = { rule = "min", promise = promise }
      for name, value in pairs(faults) do params[name] = value end
      local found = simulate(workload, { policy = "posner", params = params, engine = { molding = "asked" } })
      expect(found).violates_nothing()
      for _, j in ipairs(found.jobs) do expect(j.state ~= "not run").is_true() end
    end
  end
end)

describe("where the machine is not as in the study", function()
  local function ran(options)
    options.policy = "posner"
    local found = simulate(options)
    expect(found).violates_nothing()
    return found
  end

  it("a job goes on from a checkpoint with the nodes that it had", function()
    -- 50 s are done when a node fails; with its two nodes it needs 50 s more.
    local found = ran { machine = { nodes = 4 },
      jobs = { { nodes = 2, runtime = 100, sizes = "1-4", elastic = "any" } },
      outages = { checkpoint_interval = 10, planned = { { kind = "failure", nodes = "0", from = 50, length = 5 } } } }
    expect(found).finishes { 100 }
  end)

  it("nodes that come back are free for others while an order waits for its point", function()
    local found = ran { machine = { nodes = 10 },
      jobs = { { nodes = 4, runtime = 1000, sizes = "4-10", elastic = "steps 2" },
        { submit = 5, nodes = 1, runtime = 5 }, { submit = 30, nodes = 2, runtime = 10 } },
      outages = { planned = { { nodes = "9", from = 0, length = 20 } } } }
    expect(found).starts { 0, 5, 30 }
  end)

  it("a job beside others on their nodes leaves the idle nodes to those behind it", function()
    local found = ran { machine = { nodes = { { name = "a", count = 4, cores = 4 } } },
      jobs = { { nodes = 2, runtime = 100, request = { cores = 1 } },
        { submit = 10, nodes = 2, runtime = 100, request = { cores = 1 } },
        { submit = 10, nodes = 2, runtime = 100, request = { cores = 4 } } } }
    expect(found).starts { 0, 10, 10 }
  end)

  it("strategies decide in the slices of each class", function()
    -- Long jobs have the second half of each 80 s: on all four nodes the work of the first is done in one slice.
    local found = simulate { machine = { nodes = 4 }, policy = { api = 1, name = "sliced", version = "1",
        slices = { interval = 80, overhead = 0, foreign = "none", scheduler = "posner",
          classes = { { name = "short", up_to = 50, share = 1 }, { name = "long", share = 1 } } } },
      jobs = { { nodes = 2, runtime = 80, sizes = "1-4 amdahl 1", elastic = "any" }, { nodes = 4, runtime = 40 } } }
    expect(found).violates_nothing()
    expect(found.jobs[2].start).equals(0)
    expect(found.jobs[1].finish).equals(80)
  end)
end)
