-- What the engine hands to a policy's functions, and when it calls them.
describe("a policy", function()
  local function run(policy, jobs, more)
    policy.api, policy.name, policy.version = 1, "subject", "1"
    local scenario = { policy = policy, nodes = 4, jobs = jobs }
    for key, value in pairs(more or {}) do scenario[key] = value end
    return simulate(scenario)
  end

  local two_jobs = {
    job{submit=5, nodes=3, runtime=10, limit=700, id=71, user=4, group=5, queue=6, partition=7, executable=8, memory=9},
    job{submit=6, nodes=2, runtime=10},
  }

  it("sees jobs with all their fields, and may add some", function()
    local seen
    run({ submitted = function(_, j)
      if j.id ~= 71 then return end
      expect(j.mine).is_nil()
      j.mine = "added"
      seen = {}
      for name, value in pairs(j) do seen[#seen + 1] = name .. "=" .. tostring(value) end
    end }, two_jobs)
    expect(table.concat(seen, " ")).equals("application= array= class=medium component_count=1 depends= elastic= "
      .. "estimate=700.0 executable=8 "
      .. "gpu_type= gpus=0.0 group=5 id=71 interruptions=0 limit=700.0 memory=9.0 mine=added nodes=3 partition=7 "
      .. "processes=3 qos= queue=6 reservation= sizes= slowdown_cores=1.0 slowdown_processors=1.0 submit=5.0 tier=1 "
      .. "total_memory=0 user=4 view=coslice.View")
  end)

  it("sees what jobs say that they run", function()
    local seen = {}
    run({ submitted = function(_, j) seen[#seen + 1] = j.application end },
      { job{nodes=1, runtime=10, application="net/32"}, job{nodes=1, runtime=10} })
    expect(seen).equals { "net/32", "" }
  end)

  it("finds its own fields again until the job has ended", function()
    local ended = {}
    run({
      submitted = function(view, j) j.number = view.waiting_count end,
      ended = function(_, j) ended[#ended + 1] = { j.number, j.start, j.finish } end,
    }, two_jobs)
    expect(ended).equals { { 1, 5.0, 15.0 }, { 1, 15.0, 25.0 } }
  end)

  it("does not see run times", function()
    expect(function() run({ key = function(j) return j.runtime end }, two_jobs) end)
      .raises("a job has no field 'runtime'; a scheduler knows its 'estimate' and its 'limit' only")
    run({ submitted = function(_, j) for name in pairs(j) do expect(name).never.equals("runtime") end end }, two_jobs)
  end)

  it("hears of misspelt fields of jobs", function()
    local asked
    local function ask(policy) run(policy, two_jobs) end
    for wrong, right in pairs { usr = "user", estimte = "estimate", node = "nodes", Submit = "submit",
      proceses = "processes" } do
      expect(function() ask { key = function(j) return j[wrong] and 1 or 0 end } end)
        .raises("a job has no field '" .. wrong .. "'; did you mean '" .. right .. "'?")
    end
    ask { submitted = function(_, j)
      asked = j.start == nil and j.finish == nil and j[1] == nil  -- waiting; and no name at all
      j.used = 3  -- one's own, although near 'user'
      asked = asked and j.used == 3
    end }
    expect(asked).is_true()
  end)

  it("hears of parameters that it has not declared", function()
    local params = { reach = { default = 1, doc = "How far." } }
    local line = "interface_test.lua:%d+: the policy's 'params' have no field 'reac'; did you mean 'reach'?"
    for _, field in ipairs { "key", "dynamic_key", "may_start", "begin", "submitted", "reservations" } do
      local done, why = pcall(run, {
        params = params, backfill = "easy",
        [field] = function(...) return (select(select("#", ...), ...)).reac or 0 end,
      }, { job{nodes=4, runtime=1}, job{nodes=1, runtime=1}, job{nodes=1, runtime=1} })
      expect(done).is_false()
      expect(tostring(why)).matches(line)
    end
    run({ params = params, key = function(_, p) return p.reach end }, two_jobs)
  end)

  it("hears of misspelt facts of nodes", function()
    expect(function()
      run({ slices = { classes = { { name = "all" } }, node_rank = function(_, node) return node.forein end } },
        two_jobs)
    end).raises("a node has no field 'forein'; did you mean 'foreign'?")
  end)

  it("hears of a start before the next question of the same pass", function()
    local running = 0
    local result = run({
      backfill = "easy",
      started = function(view, j)
        expect(j.start).equals(view.now)
        running = running + 1
      end,
      ended = function() running = running - 1 end,
      may_start = function() return running == 0 end,
    }, { job{nodes=1, runtime=10}, job{nodes=1, runtime=10}, job{nodes=1, runtime=10} })
    expect(result).starts { 0, 10, 20 }
  end)

  it("hears of the starts of its own pass, too", function()
    local log = {}
    run({
      started = function(view, j) log[#log + 1] = j.id .. " at " .. view.now .. ", free " .. view.free end,
      schedule = function(view)
        local blocked = view:start_in_order()
        log[#log + 1] = blocked and blocked.id .. " waits" or "none waits"
      end,
    }, two_jobs)
    expect(table.concat(log, "; ")).equals("71 at 5.0, free 1; none waits; 2 waits; 2 at 15.0, free 2; none waits; "
      .. "none waits")
  end)

  -- Job 1 holds three of four nodes until 100 s, job 2 is to have them all then; jobs 3 and 4 would fit beside both.
  local reserved_head = { job{submit=0, nodes=3, runtime=100}, job{submit=1, nodes=4, runtime=100},
    job{submit=2, nodes=1, runtime=10}, job{submit=3, nodes=1, runtime=500} }

  it("starts no job in order behind one that is reserved for later", function()
    local blocked = {}
    local subject = run({ schedule = function(view)
      local head = view:head()
      if head and not view:reservation(head) and not view:fits(head) then view:reserve(head, view:earliest(head)) end
      local stopped_at = view:start_in_order()
      blocked[#blocked + 1] = stopped_at and stopped_at.id or 0
    end }, reserved_head)
    expect(subject).starts { 0, 100, 200, 200 }
    expect(blocked).equals { 0, 2, 2, 2, 3, 0, 0, 0 }
  end)

  it("passes jobs that are reserved for later with EASY, which tells so", function()
    local subject = run({ schedule = function(view)
      local head = view:head()
      if head and not view:reservation(head) and not view:fits(head) then view:reserve(head, view:earliest(head)) end
      view:start_due()
      view:easy()
    end }, reserved_head)
    expect(subject).starts { 0, 100, 2, 200 }
  end)

  it("decides only in its pass", function()
    for _, hook in ipairs { "submitted", "started", "ended" } do
      local message
      run({ [hook] = function(view, j)
        local done, why = pcall(view.start, view, j)
        message = not done and tostring(why)
      end }, two_jobs)
      expect(message).contains("this hook cannot start or reserve anything; 'schedule' can")
    end
  end)

  it("must give numbers as keys", function()
    for _, field in ipairs { "key", "dynamic_key" } do
      local jobs = { job{nodes=4, runtime=10}, job{nodes=2, runtime=1}, job{nodes=2, runtime=1} }
      expect(function() run({ [field] = function() return "1" end }, jobs) end)
        .raises("hook '" .. field .. "' of policy 'subject' must return a number, got string \"1\"")
      expect(function() run({ [field] = function() return 0 / 0 end }, jobs) end)
        .raises("must return a number that is not NaN")
      expect(function() run({ [field] = function(j) return j.nothing.at_all end }, jobs) end)
        .raises("attempt to index a nil value (field 'nothing')")
    end
  end)

  it("has a budget of instructions for each key", function()
    local jobs = { job{nodes=4, runtime=10}, job{nodes=2, runtime=1}, job{nodes=2, runtime=1} }
    local busy = [[
return {
  api = 1, name = "busy", version = "1",
  params = { rounds = { default = 1, doc = "Of work for each key." } },
  dynamic_key = function(job, _, params)
    for _ = 1, params.rounds do end
    return job.submit
  end,
}
]]
    local function run_busy(rounds)
      return simulate { policy = busy, nodes = 4, jobs = jobs, params = { rounds = rounds },
        engine = { instructions = 60000 } }
    end
    expect(run_busy(45000)).starts { 0, 10, 10 }  -- for both jobs together it would not be enough
    expect(function() run_busy(70000) end).raises("the limit of 60000 instructions per call is used up")
  end)

  it("is asked for dynamic keys only when the order could matter", function()
    local asked = 0
    run({ dynamic_key = function(j)
      asked = asked + 1
      return j.submit
    end }, { job{nodes=4, runtime=10}, job{submit=1, nodes=2, runtime=1}, job{submit=2, nodes=3, runtime=1} })
    expect(asked).equals(2)  -- both waiting jobs at 10; before, none could start, and then one is left
  end)
end)
