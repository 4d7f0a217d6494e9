-- Options of calls, and fields of jobs: what is misspelt or wrong is an error that names it.
local function pass(schedule, more)
  local scenario = { nodes = 4, jobs = { job{submit=0, nodes=1, runtime=10}, job{submit=0, nodes=4, runtime=10} },
    policy = { api = 1, name = "subject", version = "1", schedule = function(view) schedule(view) view:easy() end } }
  for key, value in pairs(more or {}) do scenario[key] = value end
  return function() simulate(scenario) end
end

describe("options of a pass", function()
  it("that are unknown are errors with what was meant", function()
    expect(pass(function(view) view:easy { dept = 3 } end)).raises(
      "unknown option 'dept' of view:easy; did you mean 'depth'?")
    expect(pass(function(view) view:easy { backfill = 3 } end))
      .raises("unknown option 'backfill' of view:easy; it has 'reservations', 'depth'")
    expect(pass(function(view) view:easy { 3 } end)).raises("unknown option number 1 of view:easy")
    expect(pass(function(view) view:conservative { compres = "start" } end))
      .raises("unknown option 'compres' of view:conservative; did you mean 'compress'?")
  end)

  it("are named where they are wrong", function()
    for _, wrong in ipairs { -1, 1.5, "3", true } do
      expect(pass(function(view) view:easy { depth = wrong } end))
        .raises("option 'depth' of view:easy: a whole number of at least 0 was expected, got ")
    end
    expect(pass(function(view) view:conservative { compress = "end" } end))
      .raises('option \'compress\' of view:conservative: one of "queue", "start" was expected, got string "end"')
    expect(pass(function(view) view:easy(3) end)).raises("the options of view:easy are a table, got number 3")
  end)

  it("may be left out", function()
    expect(pass(function(view) view:easy {} end)).never.raises()
    expect(pass(function(view) view:easy(nil) end)).never.raises()
    expect(pass(function(view) view:easy { depth = 0, reservations = 2 } end)).never.raises()
    expect(pass(function(view) view:easy { depth = nil } end)).never.raises()
  end)
end)

describe("options of calls for shared nodes", function()
  local function shared(call)
    return function()
      simulate {
        machine = { nodes = 4, processors = 2 }, slowdown = { model = "resources" },
        jobs = {
          job{submit=0, nodes=1, runtime=10, cpu=1, network=0, disk=0},
          job{submit=0, nodes=1, runtime=10, cpu=1, network=0, disk=0},
        },
        policy = { api = 1, name = "subject", version = "1",
          sharing = { alone = function() return 1 end, shared = function() return 1 end },
          schedule = function(view)
            local head = view:head()
            if head then call(view, head) end
            view:conservative()
          end },
      }
    end
  end

  it("name the call", function()
    expect(shared(function(view) view:running_candidates { slak = 1 } end))
      .raises("unknown option 'slak' of view:running_candidates; did you mean 'slack'?")
    expect(shared(function(view, head) view:expect(head, { slack = "much" }) end))
      .raises('option \'slack\' of view:expect: a number was expected, got string "much"')
    expect(shared(function(view, head) view:waiting_candidates():tolerating(head, { max_slowdwn = 1 }) end))
      .raises("unknown option 'max_slowdwn' of candidates:tolerating; did you mean 'max_slowdown'?")
    expect(shared(function(view, head) view:partners(head, { narower = true }) end))
      .raises("unknown option 'narower' of view:partners; did you mean 'narrower'?")
    expect(shared(function(view, head) view:running_partners(head, { memory = 1 }) end))
      .raises("option 'memory' of view:running_partners: true or false was expected, got number 1")
    expect(shared(function(view, head) view:best_pair(head, view:partners(head), { by = "luck" }) end))
      .raises('option \'by\' of view:best_pair: one of "first", "gain", "weighted-gain", "response", "first-gain" was '
        .. 'expected, '
        .. 'got string "luck"')
    expect(shared(function(view, head) view:best_pair(head, view:partners(head), { arrivals = { frist = 1 } }) end))
      .raises("unknown option 'frist' of 'arrivals' of view:best_pair; did you mean 'first'?")
  end)
end)

describe("a field of a job", function()
  it("that is the engine's cannot be set", function()
    for name, value in pairs { estimate = 5, limit = 5 } do
      expect(pass(function(view) view:head()[name] = value end))
        .raises("'" .. name .. "' of a job cannot be set; a policy gives the scheduler another estimate with estimate "
          .. "= function(job, params) ... end")
    end
    for _, name in ipairs { "submit", "nodes", "start", "finish", "user", "id", "class", "processes", "view" } do
      expect(pass(function(view) view:head()[name] = 5 end)).raises("'" .. name .. "' of a job cannot be set")
      expect(pass(function(view)
        local _ = view:head()[name] -- fields that were read are kept
        view:head()[name] = 5
      end)).raises("'" .. name .. "' of a job cannot be set")
    end
  end)

  it("that is the engine's cannot be overridden, either", function()
    expect(pass(function(view) if view:head() then rawset(view:head(), "estimate", 5) end end))
      .raises("policy 'subject' has set 'estimate' of job 1 with rawset")
  end)

  it("that is the policy's own can be set, anew, and to nil", function()
    local seen = {}
    pass(function(view)
      for j in view:waiting() do
        seen[#seen + 1] = j.count or 0
        j.count = (j.count or 0) + 1
        j.gone = true
        j.gone = nil
        if j.gone ~= nil then error("a field that was taken out is there") end
        j[1] = "a number for a name"
      end
    end)()
    expect(seen).equals { 0, 0, 1 }
  end)
end)
