-- What a script keeps of a run may be used when that run is over, or inside of another one: it says so, or works.

local function jobs(n)
  local list = {}
  for i = 1, n do list[i] = job { submit = 0, nodes = 1, runtime = 10, user = i } end
  return list
end

--- A policy that hands each view and the jobs that wait to `look` before it starts them.
local function looking(look)
  return {
    api = 1, name = "looking", version = "1",
    schedule = function(view)
      look(view)
      view:start_in_order()
    end,
  }
end

--- The last job that waits in the first pass of a run, its view, and an iterator that has not come to its end.
local function kept_of(n)
  local kept = {}
  simulate { nodes = 4, jobs = jobs(n), policy = looking(function(view)
    if kept.job then return end
    kept.view, kept.step = view, view:waiting()
    for j in view:waiting() do kept.job = j end
    kept.slot = view:earliest(kept.job)
  end) }
  return kept
end

describe("when a run is over", function()
  it("a job keeps the fields that were read, and says that the others are gone", function()
    local kept = kept_of(40)
    expect(kept.job.nodes).equals(1)
    for _, field in ipairs { "user", "id", "class", "no_field_at_all" } do
      expect(function() return kept.job[field] end).raises("the run of this job is over")
    end
    expect(function() for _ in pairs(kept.job) do error("a field") end end).raises("the run of this job is over")
  end)

  it("a view, a loop over it and a slot say so", function()
    local kept = kept_of(40)
    expect(function() return kept.view.now end).raises("only valid inside the hook")
    expect(function() return kept.step() end).raises("only valid inside the hook")
    expect(function() return kept.slot.is_now end).raises("only valid inside the hook")
    expect(kept.slot.time).equals(0)
  end)

  it("its jobs are nothing to the view of another run", function()
    local kept = kept_of(400)
    local asked = 0
    simulate { nodes = 4, jobs = jobs(3), policy = looking(function(view)
      for _, ask in ipairs { "fits", "start", "earliest", "reservation", "unreserve", "forecast", "shadow" } do
        expect(function() return view[ask](view, kept.job) end).raises("this job belongs to another run")
      end
      expect(function() view:because(kept.job, "text") end).raises("this job belongs to another run")
      expect(function() return kept.step() end).raises("only valid inside the hook")
      asked = asked + 1
    end) }
    expect(asked > 0).equals(true)
  end)
end)

it("a run inside of a hook does not take the jobs of the outer one", function()
  local inner = 0
  simulate { nodes = 4, jobs = jobs(9), policy = looking(function(outer)
    local last
    for j in outer:waiting() do last = j end
    if not last or inner > 0 then return end
    simulate { nodes = 4, jobs = jobs(2), policy = looking(function(view)
      expect(function() return view:fits(last) end).raises("this job belongs to another run")
      inner = inner + 1
    end) }
    expect(outer:fits(last)).equals(true)
    expect(last.user).equals(9)
  end) }
  expect(inner > 0).equals(true)
end)

it("the functions of a run's tables cannot be had", function()
  local run = simulate { nodes = 4, jobs = jobs(3), policy = "fcfs" }
  for _, t in ipairs { run, run.jobs, run.jobs[1], run.summary, run.summary.by_user } do
    local m = getmetatable(t)
    expect(type(m) ~= "table").equals(true)
    if type(t) == "table" then expect(function() setmetatable(t, {}) end).raises("protected metatable") end
  end
end)

it("an error inside of a metamethod that the engine runs into comes out as it is", function()
  local scenario = setmetatable({}, { __index = function(_, field) error("no " .. field .. " today") end })
  for _, more in ipairs { 0, 1000, 20000, 190000 } do  -- arguments, which lie on the stack meanwhile
    local rest = {}
    for i = 1, more do rest[i] = i end
    expect(function() simulate(scenario, table.unpack(rest)) end).raises("no policy today")
  end
  expect(function() simulate({ nodes = 1, jobs = jobs(1), policy = setmetatable({}, getmetatable(scenario)) }) end)
    .raises("no api today")
end)
