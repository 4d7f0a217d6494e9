-- Estimates that a policy makes itself.
local function policy(fields)
  local all = { api = 1, name = "subject", version = "1", backfill = "easy" }
  for name, value in pairs(fields) do all[name] = value end
  if all.schedule then all.backfill = nil end
  return all
end

local function run(fields, jobs, more)
  local scenario = { policy = policy(fields), nodes = 4, jobs = jobs }
  for key, value in pairs(more or {}) do scenario[key] = value end
  local result = simulate(scenario)
  expect(result).violates_nothing()
  return result
end

-- Job 1 holds three nodes; job 2 needs all; job 3 fits behind it only if it is believed to be over in time.
local three = {
  job{submit=0, nodes=3, runtime=100, limit=1000, user=1}, job{submit=1, nodes=4, runtime=10, user=1},
  job{submit=2, nodes=1, runtime=50, limit=2000, user=2},
}

describe("an estimate by the policy", function()
  it("decides which jobs may be backfilled", function()
    expect(run({}, three)).starts { 0, 100, 110 }
    expect(run({ estimate = function(j) return j.user == 2 and 60 or nil end }, three)).starts { 0, 100, 2 }
  end)

  it("orders the queue", function()
    local jobs = { job{submit=0, nodes=4, runtime=10}, job{submit=1, nodes=4, runtime=10, limit=20, user=1},
      job{submit=2, nodes=4, runtime=10, limit=30, user=2} }
    local function guess(j) return j.user == 2 and 5 or 15 end
    for _, order in ipairs { "duration", "area" } do
      expect(run({ order = order }, jobs)).starts { 0, 10, 20 }
      expect(run({ order = order, estimate = guess }, jobs)).starts { 0, 20, 10 }
    end
    expect(run({ key = function(j) return j.estimate end, estimate = guess }, jobs)).starts { 0, 20, 10 }
    expect(run({ dynamic_key = function(j) return j.estimate end, estimate = guess }, jobs)).starts { 0, 20, 10 }
  end)

  it("is what the policy reads, beside the limit", function()
    local seen = {}
    run({
      estimate = function(j)
        seen[#seen + 1] = { j.estimate, j.limit }
        return 70
      end,
      submitted = function(_, j) seen[#seen + 1] = { j.estimate, j.limit } end,
    }, { job{submit=0, nodes=1, runtime=50, limit=90} })
    expect(seen).equals { { 90, 90 }, { 70, 90 } }
  end)

  it("is no longer than the limit, which alone kills", function()
    local seen
    local subject = run({ estimate = function(j) return j.id == 1 and 3 or 1e12 end, started = function(_, j)
      if j.id == 2 then seen = j.estimate end
    end }, { job{submit=0, nodes=4, runtime=500, limit=80}, job{submit=1, nodes=4, runtime=5, limit=9} })
    expect(seen).equals(9)
    expect(subject).starts { 0, 80 }
    expect(subject.jobs[1].finish).equals(80)
    expect(subject.jobs[1].state).equals("killed")
  end)

  it("that a job outruns grows by 1, 5, 15, 30 minutes and so on, up to the limit", function()
    local seen = {}
    run({
      estimate = function() return 100 end,
      schedule = function(view)
        view:start_in_order()
        for j in view:running() do seen[#seen + 1] = { view.now, j.estimate, view.free, view.corrected } end
      end,
    }, { job{submit=0, nodes=3, runtime=5000, limit=7000} })
    expect(seen).equals { { 0, 100, 1, false }, { 100, 160, 1, true }, { 160, 460, 1, true }, { 460, 1360, 1, true },
      { 1360, 3160, 1, true }, { 3160, 6760, 1, true } }
    seen = {}
    run({ estimate = function() return 100 end, schedule = function(view)
      view:start_in_order()
      for j in view:running() do seen[#seen + 1] = j.estimate end
    end }, { job{submit=0, nodes=3, runtime=150, limit=155} })
    expect(seen).equals { 100, 155 }
  end)

  it("that was too short moves reservations later, and as few as it must", function()
    -- Job 1 is believed to end at 50. Job 2 waits for it, job 3 for both; job 4 has a node of its own.
    local jobs = { job{submit=0, nodes=3, runtime=90, limit=1000}, job{submit=1, nodes=3, runtime=20},
      job{submit=2, nodes=4, runtime=20}, job{submit=3, nodes=1, runtime=10} }
    local subject = run({ backfill = "conservative", estimate = function(j) return j.id == 1 and 50 or nil end }, jobs)
    expect(subject).starts { 0, 90, 110, 3 }
    local promised = {}
    local composed = run({ estimate = function(j) return j.id == 1 and 50 or nil end,
      schedule = function(view)
        view:conservative()
        for j in view:waiting() do
          local slot = view:reservation(j)
          promised[#promised + 1] = { view.now, j.id, slot and slot.time }
        end
      end }, jobs)
    expect(composed).starts_like(subject)
    expect(promised).contains { 2, 3, 70 }
    expect(promised).contains { 50, 2, 110 }
    expect(promised).contains { 50, 3, 130 }
  end)

  it("works in both orders of events, and where limits do not kill", function()
    for _, order in ipairs { "ends-first", "submissions-first" } do
      for _, at_limit in ipairs { "kill", "extend" } do
        for _, backfill in ipairs { "none", "easy", "conservative" } do
          local engine = { event_order = order, at_limit = at_limit }
          run({ backfill = backfill, estimate = function() return 7 end }, three, { engine = engine })
        end
      end
    end
  end)

  it("is a time, or nothing", function()
    for _, wrong in ipairs { 0, -1, 0 / 0 } do
      expect(function() run({ estimate = function() return wrong end }, three) end)
        .raises("a number of seconds above 0, or nil for the limit")
    end
    expect(function() run({ estimate = function() return "soon" end }, three) end).raises(
      "hook 'estimate' of policy 'subject'")
  end)

  it("counts where processes share processors", function()
    local function starts(estimate)
      local seen = {}
      local function see(what) return function(_, j) seen[#seen + 1] = what .. j.id end end
      local function of(nodes, runtime, limit)
        return { nodes = nodes, runtime = runtime, limit = limit, program = "p" }
      end
      local ran = simulate { machine = { nodes = 2 }, processes = { programs = { { name = "p", compute = 1, jitter = 0,
        pattern = "none" } } }, workload = { jobs = { of(1, 20, 50), of(2, 5, 50), of(1, 5, 100), of(1, 9, 100) } },
        policy = { api = 1, name = "own", version = "1", backfill = "easy", estimate = estimate,
          coscheduling = { modes = { alone = { run = "own" } } },
          submitted = see "come ", started = see "go ", ended = see "end " } }
      expect(ran).violates_nothing()
      return ran, table.concat(seen, ", ")
    end
    local ran, seen = starts(function() return nil end)
    expect(ran).starts { 0, 20, 25, 25 }
    expect(seen).equals("come 1, come 2, come 3, come 4, go 1, end 1, go 2, end 2, go 3, go 4, end 3, end 4")
    expect((starts(function(j) return j.id == 1 and 1 or 10 end))).starts { 0, 20, 25, 25 }
    expect((starts(function(j) return j.id > 2 and 10 or nil end))).starts { 0, 20, 0, 5 }
    -- The first job has outrun its estimate by 5 s when the third one ends, and is believed to need a minute more.
    expect((starts(function(j) return j.id == 1 and 6 or j.id == 3 and 5 or 30 end))).starts { 0, 20, 0, 25 }
    expect((starts(function(j) return j.id == 1 and 5 or j.id == 3 and 5 or 30 end))).starts { 0, 20, 0, 5 }
  end)

end)

-- Two jobs that run beside one another at half their speeds, and are believed to take 100 s each by themselves; when
-- the policy heard that they had outrun that, and what was believed of the first one then.
describe("an estimate of work", function()
  local function heard_of(fields, scenario)
    local heard = {}
    fields.estimate = fields.estimate or function() return 100 end
    local schedule = fields.schedule
    fields.schedule = function(view)
      if view.corrected then
        for j in view:running() do
          if j.id == 1 then heard[#heard + 1] = { view.now, j.estimate } end
        end
      end
      schedule(view)
    end
    scenario.policy = policy(fields)
    local ran = simulate(scenario)
    expect(ran).violates_nothing()
    return heard, ran
  end

  -- What they do in 200, 260 and 560 s is their work. The next 15 minutes would end after them.
  local expected = { { 200, 130 }, { 260, 280 }, { 560, 300 } }

  it("is corrected in a group when so much is done", function()
    local function grouped(at_limit, limit)
      return heard_of({
        sharing = { alone = function() return 1 end, shared = function() return 1 end },
        schedule = function(view)
          local all = view:waiting_candidates()
          if #all == 2 then view:start_group(all:pairs(view:head())[2]) else view:start_in_order() end
        end,
      }, { machine = { nodes = 2, processors = 1, cores = 2 }, engine = { at_limit = at_limit },
        slowdown = { model = "script", script = "slowdowns/by_hand.lua" },
        jobs = {
          job{submit=0, processes=2, runtime=300, limit=limit, partition=200},
          job{submit=0, processes=2, runtime=300, limit=limit, partition=200},
        } })
    end
    local heard, ran = grouped("kill", 300)
    expect(ran).starts { 0, 0 }
    expect(ran.jobs[1].finish).equals(600)
    expect(heard).equals(expected)
    expect((grouped("extend", 200))).equals(expected)
  end)

  it("is corrected where jobs interfere and run on beyond their limits", function()
    local heard, ran = heard_of({ schedule = function(view) view:easy() end },
      { machine = { nodes = { { name = "n", count = 1, cores = 2 } } }, engine = { at_limit = "extend" },
        slowdown = { model = "script", script = "slowdowns/half.lua" },
        jobs = {
          job{submit=0, processes=1, runtime=300, limit=200, request={ cores = 1 }},
          job{submit=0, processes=1, runtime=300, limit=200, request={ cores = 1 }},
        } })
    expect(ran).starts { 0, 0 }
    expect(ran.jobs[1].finish).equals(600)
    expect(heard).equals(expected)
  end)

  it("grows in slices until the job ends, where limits do not end it", function()
    local heard, ran = heard_of({ schedule = function(view) view:easy() end, estimate = function() return 20 end,
      slices = { interval = 100, overhead = 0, classes = { { name = "all", share = 1 } } } },
      { nodes = 1, engine = { at_limit = "extend" }, jobs = { job{submit=0, nodes=1, runtime=300, limit=50} } })
    expect(ran.jobs[1].finish).equals(300)
    expect(heard).equals { { 20, 80 }, { 80, 300 } }
  end)

  it("is corrected when the job's own slice begins, if it was reached in one of others", function()
    -- In the slice of short jobs, of which there are none, it runs for 2,000 s. Then the time of its own class begins.
    local two = { interval = 4000, overhead = 0,
      classes = { { name = "short", up_to = 10, share = 1 }, { name = "long", share = 1 } } }
    local heard, ran = heard_of({ schedule = function(view) view:easy() end, estimate = function() return 6 end,
      slices = two }, { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=3501} } })
    expect(ran.jobs[1].finish).equals(3501)
    expect(heard[1]).equals { 0, 2060 }
  end)

  it("is nothing new where it is the limit", function()
    for _, at_limit in ipairs { "kill", "extend" } do
      local heard = heard_of({ schedule = function(view) view:easy() end, estimate = function(j) return j.limit end },
        { nodes = 1, engine = { at_limit = at_limit }, jobs = { job{submit=0, nodes=1, runtime=300, limit=50} } })
      expect(heard).equals {}
    end
  end)
end)

property("where no job has a partner, groups know estimates as others do", { runs = 25, jobs = 25, users = 3 },
  function(workload)
    for _, backfill in ipairs { "none", "easy", "conservative" } do
      local function ran(sharing)
        local result = simulate { machine = workload.machine, jobs = workload.jobs,
          policy = policy { backfill = backfill, sharing = sharing,
            estimate = function(j) return 1 + (j.id * 7) % 50 end } }
        expect(result).violates_nothing()
        return result
      end
      expect(ran { alone = function() return 1 end, shared = function() return 1 end }).starts_like(ran(nil))
    end
  end)

property("estimates of any kind break no rule", { runs = 40, jobs = 25, users = 3 }, function(workload)
  for _, backfill in ipairs { "none", "easy", "conservative" } do
    local result = simulate { machine = workload.machine, jobs = workload.jobs,
      policy = policy { backfill = backfill, estimate = function(j) return 1 + (j.id * 7) % 11 end } }
    expect(result).violates_nothing()
  end
  local exact = simulate { machine = workload.machine, jobs = workload.jobs,
    policy = policy { estimate = function(j) return j.limit end } }
  expect(exact).starts_like(simulate { machine = workload.machine, jobs = workload.jobs, policy = "easy" })
end)

describe("predicted", function()
  it("takes the mean of the user's last two run times", function()
    -- The jobs of user 1 ran 100 and 60 s: the last one is believed to take 80 s, and fits before job 4 at 400 s.
    local jobs = {
      job{submit=0, nodes=1, runtime=100, limit=9000, user=1}, job{submit=0, nodes=1, runtime=60, limit=9000, user=1},
      job{submit=0, nodes=3, runtime=400, user=2}, job{submit=150, nodes=4, runtime=10, user=2},
      job{submit=300, nodes=1, runtime=50, limit=9000, user=1},
      job{submit=300, nodes=1, runtime=50, limit=9000, user=1},
    }
    expect(simulate { policy = "predicted", nodes = 5, jobs = jobs }).starts { 0, 0, 0, 400, 300, 300 }
    expect(simulate { policy = "easy", nodes = 4, jobs = { jobs[3], jobs[4], jobs[5] } }).starts { 0, 400, 410 }
  end)

  it("is EASY where nothing is known of any user", function()
    local workload = { policy = "predicted", nodes = 4, jobs = three }
    expect(simulate(workload)).starts_like(simulate { policy = "easy_sjbf", nodes = 4, jobs = three })
  end)

  it("keeps its claims", function()
    expect(simulate { policy = "predicted", nodes = 4, jobs = three }).keeps_claims()
  end)
end)
