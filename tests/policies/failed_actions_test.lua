-- What fails while the engine acts ends the run: a policy that catches errors does not go on with a job that is half
-- started. What is refused changes nothing, and can be caught.

local function policy(fields)
  local p = { api = 1, name = "subject", version = "1" }
  for name, value in pairs(fields) do p[name] = value end
  return p
end

local jobs = { job { submit = 0, nodes = 1, runtime = 100 }, job { submit = 0, nodes = 1, runtime = 50 },
               job { submit = 10, nodes = 2, runtime = 20 } }

--- Ways to call a function whose error is caught.
local catching = {
  pcall = function(f) return pcall(f) end,
  xpcall = function(f) return xpcall(f, function(e) return e end) end,
  ["a coroutine"] = function(f) return coroutine.resume(coroutine.create(f)) end,
  ["a wrapped coroutine"] = function(f) return pcall(coroutine.wrap(f)) end,
  ["pcall in pcall"] = function(f) return pcall(pcall, f) end,
  ["a variable to be closed"] = function(f, after)
    return pcall(function()
      local _ <close> = setmetatable({}, { __close = after })
      f()
    end)
  end,
}

describe("an error of a hook", function()
  local function fails(act, more)
    for name, catch in pairs(catching) do
      local went_on
      local fields = table.copy(more or {})
      fields.started = function() error("the hook has failed") end
      fields.schedule = function(view)
        catch(function() act(view) end, function() went_on = name end)
        went_on = name
      end
      expect(function()
        simulate { jobs = jobs, policy = policy(fields), slowdown = fields.sharing and { model = "drawn" },
          machine = { nodes = 2, processors = 1, cores = 4 }, engine = { processes_per_node = 1 } }
      end).raises("the hook has failed")
      expect(went_on).is_nil()
    end
  end

  it("ends the run where a job starts", function()
    fails(function(view) view:start(view:head()) end)
    fails(function(view) view:start_in_order() end)
    fails(function(view) view:easy() end)
    fails(function(view) view:conservative() end)
    fails(function(view) view:plan() end)
    fails(function(view) view:preempt(view:head()) end)
  end)

  it("ends the run where a group does", function()
    fails(function(view)
      for _, group in ipairs(view:waiting_candidates():windows(view:head(), 1)) do
        local current, can = pcall(view.can_start_group, view, group) -- refused where the job itself is in it
        if current and can then return view:start_group(group) end
      end
      error("no group")
    end, { sharing = { layout = "across", alone = function() return 1 end, shared = function() return 1 end } })
  end)

  it("of which a suite hears, which goes on", function()
    local done, why = pcall(simulate, { nodes = 2, jobs = jobs,
      policy = policy { started = function() error("once") end,
                        schedule = function(view) pcall(view.easy, view) end } })
    expect(done).is_false()
    expect(tostring(why)).contains("once")
    expect((pcall(error, "another one"))).is_false()
    expect(simulate { nodes = 2, jobs = jobs, policy = "easy" }).starts { 0, 0, 100 }
  end)
end)

describe("what is refused", function()
  it("can be caught, and changes nothing", function()
    local refused = 0
    local ran = simulate { nodes = 2, jobs = jobs, policy = policy { schedule = function(view)
      for j in view:waiting() do
        if j.nodes == 2 and not view:fits(j) and not pcall(view.start, view, j) then refused = refused + 1 end
      end
      view:easy()
    end } }
    expect(refused > 0).is_true()
    expect(ran).starts { 0, 0, 100 }
  end)
end)
