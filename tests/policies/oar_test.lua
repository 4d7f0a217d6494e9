-- OAR with Kamelot. Numbers of sections are those of docs/oar.md.
local Plan = require "oar_plan"

--- The numbers of the nodes in a set.
local function numbers(set, nodes)
  local out = {}
  for number = 0, nodes - 1 do
    if Plan.has(set, number) then out[#out + 1] = number end
  end
  return out
end

--- A set of nodes, of so many words.
local function set(words, ...)
  local out = {}
  for w = 1, words do out[w] = 0 end
  for _, number in ipairs { ... } do out[number // 64 + 1] = out[number // 64 + 1] | 1 << number % 64 end
  return out
end

--- Until when jobs with these starts and limits block their nodes.
local function ends(now, faulty, jobs)
  local current, out = {}, {}
  for i, job in ipairs(jobs) do current[i] = { start = job[1], limit = job[2], nodes = set(1, i) } end
  for i, block in ipairs(Plan.blocks(current, now, 60, faulty)) do out[i] = block.ends end
  return out
end

describe("the current jobs of a plan", function()
  it("block their nodes for their limits and a minute", function()
    expect(ends(50, false, { { 0, 100 }, { 10, 300 }, { 20, 100 } })).equals { 160, 370, 180 }
  end)

  it("are in the plan as if their limits were reached now once they are past them", function()
    expect(ends(500, false, { { 0, 100 }, { 450, 40 } })).equals { 560, 560 }
  end)

  it("lose their nodes at the first of all ends if an earlier job ends later: the fault", function()
    expect(ends(50, true, { { 0, 100 }, { 10, 300 }, { 20, 100 } })).equals { 160, 370, 160 }
    expect(ends(50, true, { { 0, 300 }, { 10, 100 }, { 20, 50 }, { 30, 80 } })).equals { 360, 170, 130, 130 }
    expect(ends(50, true, { { 0, 100 }, { 0, 100 }, { 20, 400 } })).equals { 160, 160, 480 }
  end)
end)

describe("a plan", function()
  it("gives each job the earliest time at which enough nodes are free for long enough, around those before it",
    function()
    local plan = Plan.new(10, Plan.all(4), { { ends = 50, nodes = set(1, 0, 1) }, { ends = 80, nodes = set(1, 2) } })
    local function place(n, length)
      local start, nodes = plan:place(n, length)
      return { start, numbers(nodes, 4) }
    end
    expect(place(3, 20)).equals { 50, { 0, 1, 3 } }
    expect(place(1, 41)).equals { 70, { 0 } } -- 40 s would do on node 3
    expect(place(1, 40)).equals { 10, { 3 } }
    expect(place(4, 10)).equals { 111, { 0, 1, 2, 3 } }
    expect(place(1, 10)).equals { 70, { 1 } }
    expect({ plan:place(5, 1) }).equals {}
  end)

  it("looks at the ends of what it has placed, too", function()
    local plan = Plan.new(0, Plan.all(2), {})
    expect((plan:place(2, 10))).equals(0)
    expect((plan:place(1, 10))).equals(10)
    expect((plan:place(1, 10))).equals(10)
    expect((plan:place(1, 10))).equals(20)
  end)

  it("leaves out nodes that are closed, and looks behind the times in which they are", function()
    -- Nodes 0 and 1 are closed from 20 to 30, and from 50 on for good.
    local asked = 0
    local function closed(job, begin)
      asked = asked + 1
      if begin < 30 and begin + job.limit > 20 then return set(1, 0, 1), 30 end
      if begin + job.limit > 50 then return set(1, 0, 1), math.huge end
    end
    local function place(now, job)
      local plan = Plan.new(now, Plan.all(4), {})
      local start, nodes = plan:place(job.n, job.limit, closed, job)
      return { start, nodes and numbers(nodes, 4) }
    end
    expect(place(0, { n = 2, limit = 20 })).equals { 0, { 0, 1 } }
    expect(place(0, { n = 2, limit = 21 })).equals { 0, { 2, 3 } }
    expect(place(5, { n = 3, limit = 20 })).equals { 30, { 0, 1, 2 } }
    local never = { n = 3, limit = 21 }
    expect(place(5, never)).equals {}
    asked = 0
    expect(place(6, never)).equals {}
    expect(asked).equals(0) -- it is known from the plan before
    local later = { n = 4, limit = 16 }
    expect(place(5, later)).equals { 30, { 0, 1, 2, 3 } }
    expect(place(6, later)).equals { 30, { 0, 1, 2, 3 } }
    expect(place(31, later)).equals { 31, { 0, 1, 2, 3 } }
  end)

  it("knows more than 64 nodes", function()
    local plan = Plan.new(0, Plan.all(130), { { ends = 9, nodes = set(3, 0, 63, 64, 128) } })
    local start, nodes = plan:place(126, 5)
    expect(start).equals(0)
    expect(Plan.has(nodes, 62)).equals(true)
    for _, taken in ipairs { 0, 63, 64, 128 } do expect(Plan.has(nodes, taken)).equals(false) end
    start, nodes = plan:place(65, 5)
    expect(start).equals(5)
    expect(numbers(nodes, 130)[65]).equals(67)
  end)
end)

--- Starts under the policy with these parameters.
local function run(params, jobs, nodes)
  local result = simulate { policy = { name = "oar", params = params }, nodes = nodes or 4, jobs = jobs }
  expect(result).violates_nothing()
  return result
end

local full = { job{submit=0, nodes=4, runtime=10, limit=20}, job{submit=2, nodes=4, runtime=10, limit=20} }

describe("rounds by whole seconds", function()
  it("let jobs start a second after they come, and give nodes free two seconds after an end", function()
    expect(run({ model = "seconds" }, full)).starts { 1, 13 }
  end)
end)

describe("rounds of the server", function()
  it("decide for the next whole second", function()
    -- Qsub at 0.563; a round that looks at the clock at 0.876. The end is dated at 11.868; ChState, then a round for
    -- Term at 12.366.
    expect(run({}, full)).starts { 1, 13 }
    -- Qsub at 1.4: the clock says 1.713.
    expect(run({ submission = 0.9 }, full)).starts { 2, 14 }
  end)

  it("never decide for the same second, and take a job that comes while one is under way", function()
    -- The first round reads the list at 1.395, before the second job is there, and ends at 1.572, after it.
    expect(run({}, { job{submit=0, nodes=1, runtime=50}, job{submit=1, nodes=1, runtime=50} })).starts { 1, 2 }
    -- With a slower reader both are in the first round; the second one comes in the second for which it decides.
    expect(run({ read = 0.7 }, { job{submit=0, nodes=1, runtime=50}, job{submit=1, nodes=1, runtime=50} })).starts {
      1, 1 }
    -- A launch that takes longer than a second makes the next round one of a later second.
    expect(run({ launch = 2 }, { job{submit=0, nodes=1, runtime=50}, job{submit=1, nodes=1, runtime=50} })).starts {
      1, 4 }
  end)

  it("are the same for what is drawn from the same seed only", function()
    local scenario = { policy = { name = "oar", params = { drawn = true } }, nodes = 16,
                       workload = { generator = "lublin", lublin = { jobs = 60, load = 0.9 } } }
    local function fingerprint(seed)
      scenario.seed = seed
      return simulate(scenario).fingerprint
    end
    expect(fingerprint(1)).equals(fingerprint(1))
    scenario.policy.params.drawn = false
    local certain = fingerprint(1)
    scenario.policy.params.drawn = true
    expect(fingerprint(1)).never.equals(certain)
  end)
end)

describe("oar", function()
  -- Three jobs run on a node each until 51, 201 and 101 at the latest; then one comes that needs three, and one that
  -- needs 45 s.
  local jobs = {
    job{submit=0, nodes=1, runtime=50, limit=50}, job{submit=0, nodes=1, runtime=200, limit=200},
    job{submit=0, nodes=1, runtime=100, limit=100}, job{submit=10, nodes=3, runtime=10, limit=10},
    job{submit=12, nodes=1, runtime=45, limit=45},
  }

  it("takes a node to be free too early: the fault stops a job, or lets it pass", function()
    local params = { model = "seconds", SCHEDULER_JOB_SECURITY_TIME = 0 }
    params.fault = false
    expect(run(params, jobs)).starts { 1, 1, 1, 103, 13 }
    -- The third job's node is believed to be free at 51: the fourth is planned for then, and the fifth does not fit.
    params.fault = true
    expect(run(params, jobs)).starts { 1, 1, 1, 103, 53 }
  end)

  it("gives jobs the first nodes in their order, and not those of jobs that have just ended", function()
    local ran = run({ model = "seconds" }, {
      job{submit=0, nodes=2, runtime=8, limit=20}, job{submit=0, nodes=1, runtime=60, limit=100},
      job{submit=9, nodes=1, runtime=10, limit=20}, job{submit=10, nodes=3, runtime=10, limit=20},
    }, 6)
    expect(ran).starts { 1, 1, 10, 11 } -- the first one ends at 9, and keeps its nodes until 11
    local had = {}
    for i, one in ipairs(ran.jobs) do had[i] = one.allocated end
    expect(had).equals { "0-1", "2", "3", "0-1 4" }
  end)

  it("plans each job for its limit and the security time", function()
    -- The second one needs all nodes from 161 on; the third would end at 111 and 60 s.
    local three = { job{submit=0, nodes=3, runtime=100, limit=100}, job{submit=5, nodes=4, runtime=10, limit=10},
                    job{submit=6, nodes=1, runtime=100, limit=100} }
    expect(run({}, three)).starts { 1, 103, 115 }
    expect(run({}, { three[1], three[2], job{submit=6, nodes=1, runtime=90, limit=90} })).starts { 1, 103, 7 }
  end)

  it("waits for nodes that have failed", function()
    local ran = simulate {
      policy = "oar", nodes = 2,
      jobs = { job{submit=5, nodes=2, runtime=10, limit=20}, job{submit=200, nodes=1, runtime=5} },
      outages = { planned = { { kind = "drain", nodes = { "0" }, from = 0, length = 100 } } },
    }
    expect(ran).violates_nothing()
    expect(ran.jobs[1].start >= 100).equals(true)
  end)

  it("forgets a job whose reservation is over", function()
    local ran = simulate {
      policy = "oar", nodes = 2, jobs = { job{submit=0, nodes=2, runtime=190, reservation="r"}, job{submit=5, nodes=2,
        runtime=200, reservation="r"}, job{submit=410, nodes=1, runtime=5} },
      reservations = { { name = "r", nodes = "0-1", from = 100, length = 300 } },
    }
    expect(ran.jobs[1].state).equals("completed")
    expect(ran.jobs[2].state).equals("rejected")
    expect(ran.jobs[3].state).equals("completed")
  end)

  it("tries again when nodes that are reserved for others are free", function()
    for _, model in ipairs { "server", "seconds" } do
      local ran = simulate { policy = "oar", params = { model = model }, machine = { nodes = 1 },
        reservations = { { name = "r1", from = 100, length = 3000, users = { 1 } } },
        jobs = { job{submit=2800, nodes=1, runtime=1} } }
      local late = ran.jobs[1].start - 3100
      expect(late >= 0 and late <= 70).equals(true)
    end
  end)

  it("sleeps through days without a job", function()
    local function last(submit)
      local ran = run({}, { job{submit=0, nodes=1, runtime=10}, job{submit=submit, nodes=1, runtime=10} })
      return ran.jobs[2].start - submit
    end
    for _, days in ipairs { 0.5, 1.5, 30, 3000 } do
      local waited = last(days * 86400)
      expect(waited >= 0 and waited <= 3).equals(true)
    end
  end)

  it("runs jobs that come so late that a number misses whole seconds", function()
    for _, model in ipairs { "server", "seconds" } do
      for _, submit in ipairs { 4.7e9 + 1, 5e9, 5e9 + 1, 5.9e9 + 7 } do
        local ran = run({ model = model }, { job{submit=0, nodes=1, runtime=10},
                                             job{submit=submit, nodes=1, runtime=10} })
        local waited = ran.jobs[2].start - submit
        expect(waited >= 0 and waited <= 3).equals(true)
      end
    end
  end)

  it("plans a moldable job for the size that it says by its nodes, and starts it with that", function()
    for _, model in ipairs { "server", "seconds" } do
      local ran = run({ model = model }, { job{submit=0, nodes=1, runtime=2, sizes="3:1,1:2"},
                                           job{submit=0, nodes=2, runtime=10, sizes="2:10,4:5"} }, 3)
      expect(ran.jobs[1].finish - ran.jobs[1].start).equals(2)
      expect(ran.jobs[2].finish - ran.jobs[2].start).equals(10)
    end
  end)

  it("starts jobs whose partition has not the first nodes", function()
    for _, model in ipairs { "server", "seconds" } do
      local ran = simulate { policy = "oar", params = { model = model },
        machine = { nodes = 5, partitions = { { name = "back", nodes = { "n4", "n5" } }, { name = "all" } } },
        jobs = { job{submit=0, nodes=2, runtime=40, request = { partition = "back" }},
          job{submit=20, nodes=2, runtime=30, request = { partition = "all" }},
          job{submit=30, nodes=1, runtime=10, request = { partition = "back" }} } }
      expect(ran).violates_nothing()
      expect(ran.summary.nb_jobs_finished).equals(3)
      expect(ran.jobs[1].start <= 10).equals(true)
      expect(ran.jobs[3].start < 160).equals(true)
    end
  end)
end)

it("the server sleeps while a job runs for days, until that ends", function()
  local ran = simulate { machine = { nodes = 1 }, policy = "oar", engine = { instructions = 3000000 },
    jobs = { { nodes = 1, runtime = 864000 }, { submit = 900000, nodes = 1, runtime = 10 } } }
  expect(ran).violates_nothing()
  expect(ran.jobs[2].start < 900100).is_true()
end)

describe("nodes that are closed later", function()
  local hourly = { name = "r", nodes = "0-1", from = 1000, length = 600, every = 3600 }
  local closures = {
    once = { reservations = { { name = "r", nodes = "0-1", from = 1000, length = 600 } } },
    hourly = { reservations = { hourly } },
    daily = { reservations = { { name = "r", nodes = "0-1", from = 1000, length = 600, every = 86400 } } },
    maintenance = { outages = { planned = { { kind = "maintenance", nodes = { "0-1" }, from = 1000, length = 600,
                                              every = 3600 } } } },
  }

  --- Runs under both models.
  local function each_model(closure, jobs, check)
    for _, model in ipairs { "server", "seconds" } do
      local scenario = table.copy(closures[closure])
      scenario.policy, scenario.params, scenario.nodes, scenario.jobs = "oar", { model = model }, 8, jobs
      local ran = simulate(scenario)
      expect(ran).violates_nothing()
      check(ran)
    end
  end

  it("keep no job waiting that others do for", function()
    for closure in pairs(closures) do
      for _, runtime in ipairs { 3000, 4000, 90000 } do
        each_model(closure, { job{submit=100, nodes=4, runtime=runtime} }, function(ran)
          expect(ran).starts { 101 }
          expect(ran.jobs[1].allocated).equals "2-5"
        end)
      end
    end
  end)

  it("keep those waiting that need them, until they are open for as long as it takes", function()
    each_model("hourly", { job{submit=100, nodes=8, runtime=2000}, job{submit=110, nodes=2, runtime=500} },
               function(ran)
      expect(ran.jobs[1].start >= 1600 and ran.jobs[1].start < 1700).is_true()
      expect(ran.jobs[2].start < 120).is_true() -- it ends before the first one's place
    end)
    each_model("hourly", { job{submit=100, nodes=8, runtime=2000}, job{submit=110, nodes=6, runtime=3000} },
               function(ran) expect(ran.jobs[2].start > ran.jobs[1].start).is_true() end)
  end)

  it("let the others go on where a job never fits between two times", function()
    each_model("hourly", { job{submit=100, nodes=8, runtime=4000}, job{submit=110, nodes=6, runtime=3000},
                           job{submit=5000, nodes=2, runtime=600} }, function(ran)
      expect(ran.jobs[2].start < 120).is_true()
      expect(ran.jobs[3].start < 6000).is_true()
    end)
  end)

  it("are used in the first gap in which a job has room, if it has all of that", function()
    for _, every in ipairs { 3600, 1800, 7200, 86400 } do
      for _, from in ipairs { 0, 100, 1013 } do
        for _, model in ipairs { "server", "seconds" } do
          for kind, closed in pairs {
            reservation = { reservations = { { name = "r", nodes = "0-1", from = from, length = 600, every = every,
              users = { 7 } } } },
            maintenance = { outages = { planned = { { kind = "maintenance", nodes = { "0-1" }, from = from,
              length = 600, every = every } } } },
          } do
            local scenario = table.copy(closed)
            scenario.policy, scenario.params, scenario.nodes = "oar", { model = model }, 3
            -- The second one needs all of the gap, and the third what the second one leaves of the other node.
            scenario.jobs = { job{submit=from + 20, nodes=1, runtime=60}, job{submit=from + 30, nodes=3,
              runtime=every - 600}, job{submit=from + 40, nodes=1, runtime=100} }
            local ran = simulate(scenario)
            expect(ran).violates_nothing()
            expect(("%s each %d s, %s: %g"):format(kind, every, model, ran.jobs[2].start))
              .equals(("%s each %d s, %s: %g"):format(kind, every, model, from + 600))
            expect(ran.jobs[3].start < from + 200).is_true()
          end
        end
      end
    end
  end)

  it("may be those that are down: jobs have others", function()
    for _, kind in ipairs { "maintenance", "failure", "drain" } do
      for _, model in ipairs { "server", "seconds" } do
        local ran = simulate { policy = "oar", params = { model = model }, nodes = 4,
          outages = { planned = { { kind = kind, nodes = { "0" }, from = 0, length = 5000 } } },
          jobs = { job{submit=10, nodes=2, runtime=500}, job{submit=20, nodes=4, runtime=5} } }
        expect(ran.jobs[1].start).equals(11)
        expect(ran.jobs[1].allocated).equals "1-2"
        expect(ran.jobs[2].start >= 5000 and ran.jobs[2].start < 5070).is_true()
      end
    end
  end)

  it("are looked at anew when they are back sooner than believed", function()
    for _, model in ipairs { "server", "seconds" } do
      local ran = simulate { policy = "oar", params = { model = model }, nodes = 2,
        outages = { believed_repair = 50000,
                    planned = { { kind = "failure", nodes = { "0" }, from = 0, length = 500 } } },
        jobs = { job{submit=10, nodes=2, runtime=50} } }
      expect(ran.jobs[1].start >= 500 and ran.jobs[1].start < 570).is_true()
    end
  end)

  it("may be those of a reservation for others only", function()
    local ran = simulate { policy = "oar", nodes = 4, reservations = { { name = "r", nodes = "0-1", from = 100,
                                                                        length = 600, users = { 7 } } },
      jobs = { job{submit=10, nodes=2, runtime=500, user=7}, job{submit=20, nodes=2, runtime=500, user=8} } }
    expect(ran.jobs[1].allocated).equals "0-1"
    expect(ran.jobs[2].allocated).equals "2-3"
  end)
end)

describe("view:closed", function()
  it("names the nodes that are closed to a job before it would end, and when the first one opens", function()
    local said = {}
    local ran = simulate { nodes = 4,
      policy = { api = 1, name = "asks", version = "1",
        placement = { rank = function(node) return node.number < 9 and 0 end },
        schedule = function(view)
          for waiting in view:waiting() do
            for _, from in ipairs { 0, 50, 150, 400 } do
              local nodes, opens = view:closed(waiting, from)
              said[#said + 1] = nodes and { table.concat(nodes, " "), opens } or {}
            end
            said[#said + 1] = { view:closed(waiting, 0, 100) == nil }
            view:start(waiting)
          end
        end },
      reservations = { { name = "r", nodes = "1-2", from = 100, length = 100 },
                       { name = "s", nodes = "2-3", from = 150, length = 200 } },
      jobs = { job{submit=0, nodes=1, runtime=120} } }
    expect(ran).starts { 0 }
    expect(said).equals { { "1 2", 200 }, { "1 2 3", 200 }, { "1 2 3", 200 }, {}, { true } }
  end)
end)
