-- What a policy can ask about GPUs and nodes that jobs share (view:units): examples by hand, with the speeds of
-- slowdowns/gpus.lua.
local function run(schedule, list, machine, more)
  local jobs = {}
  for i, j in ipairs(list) do
    j.nodes, j.executable = 1, j.executable or 1
    j.request = j.request or { cores = 1, gpus = 1, gpu_share = 0.5 }
    jobs[i] = job(j)
  end
  local policy = { api = 1, name = "asks", version = "1", placement = "first", schedule = schedule }
  for name, value in pairs(more or {}) do policy[name] = value end
  return simulate {
    policy = policy, jobs = jobs, engine = { at_limit = "extend" },
    machine = { nodes = machine or { { name = "fast", count = 1, cores = 4, gpus = 1, gpu_type = "fast" } } },
    slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" },
  }
end

local both = {
  { name = "slow", count = 1, cores = 4, gpus = 1, gpu_type = "slow" },
  { name = "fast", count = 1, cores = 4, gpus = 1, gpu_type = "fast" },
}

local function start_all(view)
  for j in view:waiting() do
    if view:fits(j) then view:start(j) end
  end
end

describe("units", function()
  it("are counted, and so are jobs on them", function()
    local seen = {}
    run(function(view)
      local units, head = view:units "gpus", view:head()
      if #seen > 0 or not head then return start_all(view) end
      seen = { units:free(), units:wanted(), units:running(), units:asked(head), units:fits_one(head),
        units:fastest(head) }
      view:start(head, { kind = "fast", alone = true })
      for _, x in ipairs { units:free(), units:wanted(), units:running() } do seen[#seen + 1] = x end
    end, { { runtime = 100 }, { runtime = 10, request = { cores = 1, gpus = 1 } } }, both)
    expect(seen).equals { 2, 2, 0, 1, true, "fast", 1, 1, 1 }
  end)

  it("may be nodes", function()
    local seen = {}
    run(function(view)
      local units = view:units "nodes"
      if #seen == 0 and view:head() then seen = { units:free(), units:asked(view:head()) } end
      start_all(view)
    end, { { runtime = 10, request = { cores = 1 } } }, { { name = "fast", count = 3, cores = 4 } })
    expect(seen).equals { 3, 1 }
  end)

  it("come free when jobs end that share them", function()
    -- From 10 on both have 0.8 of their speeds: job 1 ends at 10 + 90 / 0.8 = 122.5, and job 2 has 10 s to do then,
    -- alone.
    local seen = {}
    run(function(view)
      local units, head = view:units "gpus", view:head()
      if view.now == 20 then seen = { units:earliest(head) } end
      start_all(view)
    end, { { runtime = 100 }, { submit = 10, runtime = 100, executable = 2 },
      { submit = 20, runtime = 5, request = { cores = 1, gpus = 1 } } })
    expect(seen[1]).near(132.5, 1e-6)
    expect(seen[2]).equals(0)
    expect(seen[3]).equals("fast")
  end)
end)

describe("groups on units", function()
  local pair = { { runtime = 100 }, { runtime = 100, executable = 2 } }

  local function groups(rules, found)
    local asked = false
    run(function(view)
      local units = view:units "gpus"
      units:expect()
      if not asked then
        asked = true
        found(units:groups(rules), units, view)
      end
      start_all(view)
    end, { table.copy(pair[1]), table.copy(pair[2]) })
  end

  it("say who shares what, and what that gains", function()
    groups({ max_slowdown = 2 }, function(list)
      expect(#list).equals(1)
      local g = list[1]
      expect({ g.primary.id, #g.guests, g.guests[1].id, #g.coming, g.kind, g.idle }).equals { 1, 1, 2, 2, "fast", 1 }
      expect(g.kept).equals { 0.8 }
      expect(g.of_primary).equals { 0.8 }
      expect(g.gain).near(0.6, 1e-9)
    end)
  end)

  it("are those that jobs bear, and that gain enough, of the first jobs", function()
    groups({ max_slowdown = 1.2 }, function(list) expect(#list).equals(0) end)
    groups({ max_slowdown = 2, min_gain = 0.61 }, function(list) expect(#list).equals(0) end)
    groups({ max_slowdown = 2, depth = 1 }, function(list) expect(#list).equals(0) end)
    groups({ max_slowdown = 2, most = 0 }, function(list) expect(#list).equals(0) end)
  end)

  it("are fair if no job ends later than slack allows", function()
    -- Job 1 would end at 125 instead of 100.
    groups({ max_slowdown = 2, slack = 1.2 }, function(_, units) expect(units:fair(1)).equals(false) end)
    groups({ max_slowdown = 2, slack = 1.3 }, function(_, units) expect(units:fair(1)).equals(true) end)
    groups({ max_slowdown = 2 }, function(_, units) expect(units:fair(1)).equals(true) end)
  end)

  it("are told where a job is faster beside another one than alone", function()
    local seen = {}
    local function ask(executable)
      run(function(view)
        local units, head = view:units "gpus", view:head()
        if head and head.id == 2 then
          local list = units:faster_beside(head, { max_slowdown = 2 })
          seen = { #list, list[1] and list[1].primary.id, list[1] and #list[1].coming }
        end
        while view:head() do
          view:start(view:head(), { kind = view:head().id == 1 and "fast" or "slow", alone = true })
        end
      end, { { runtime = 100, executable = 2 }, { submit = 1, runtime = 100, executable = executable } }, both)
    end
    ask(1) -- 0.8 on the fast GPU, 0.5 on the slow one
    expect(seen).equals { 1, 1, 1 }
    ask(2) -- as fast on the slow one
    expect(seen[1]).equals(0)
  end)

  it("are forgotten when a job starts", function()
    local function after(f) return function() groups({ max_slowdown = 2 }, f) end end
    expect(after(function(_, units) units:fair(2) end)).raises "there is no group 2: 1 were found last"
    expect(after(function(_, units, view)
      view:start(view:head())
      units:fair(1)
    end)).raises "there is no group 1: 0 were found last"
  end)
end)

describe("units that cannot be had", function()
  local one = { { runtime = 1, request = { cores = 1 } } }

  it("are refused", function()
    expect(function() run(function(view) view:units "cores" end, one) end).raises "invalid option 'cores'"
    expect(function() run(function(view) view:units("gpus"):groups { slak = 1 } end, one) end)
      .raises "unknown option 'slak' of units:groups; did you mean 'slack'?"
    expect(function()
      simulate { policy = { api = 1, name = "asks", version = "1", schedule = function(view) view:units "nodes" end },
        machine = { nodes = 1 }, jobs = { job { nodes = 1, runtime = 1 } } }
    end).raises "view:units needs a machine with kinds of nodes"
  end)

  it("are for the hook only", function()
    local kept
    expect(function()
      run(start_all, { one[1], { submit = 5, runtime = 1 } }, nil, {
        begin = function(view) kept = view:units "gpus" end, key = function() return kept:free() end,
      })
    end).raises "only valid inside the hook"
  end)
end)
