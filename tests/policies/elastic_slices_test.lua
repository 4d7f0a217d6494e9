-- Elastic jobs in time slices, worked out by hand. Short jobs have the first half of each interval of 80 s, long ones
-- the second: [40, 80), [120, 160), ... What a policy sees of a class passes in its slices only.
local function slices(more)
  local all = { interval = 80, overhead = 0, foreign = "none",
    classes = { { name = "short", up_to = 50, share = 1 }, { name = "long", share = 1 } } }
  for k, v in pairs(more or {}) do all[k] = v end
  return all
end

--- Runs jobs on eight nodes, each with the size that it asks for.
local function ran(jobs, decide, more, rest)
  more = more or {}
  local p = { api = 1, name = "resizes", version = "1", slices = slices(more.slices), resized = more.resized,
    asks = more.asks, schedule = function(view)
      view:start_in_order()
      decide(view)
      view:start_in_order()
    end }
  local options = { machine = { nodes = 8 }, workload = { jobs = jobs }, policy = p, engine = { molding = "asked" } }
  for k, v in pairs(rest or {}) do options[k] = v end
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

--- What is done once, when so much time of its class has passed, with the job of that number.
local function at(time, act, id)
  local done = false
  return function(view)
    for job in view:running() do
      if job.id == (id or 1) and not done then
        if view.now < time then return view:wake(time) end
        done = true
        return act(view, job)
      end
    end
  end
end

local function resize_to(nodes)
  return function(view, job) return view:resize(job, nodes) end
end

local function long(fields)
  local job = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any" }
  for k, v in pairs(fields) do job[k] = v end
  return job
end

describe("in a slice of its class", function()
  it("a job gives up nodes, with which another one starts", function()
    local jobs = { long { nodes = 8, runtime = 80 }, { nodes = 4, runtime = 60 } }
    local run = ran(jobs, at(20, resize_to(4)), { slices = { interval = 200 } })
    expect(run).starts { 100, 120 }
    expect(run).finishes { 340, 180 } -- 60 s are left at half the speed: until the 140th second of long jobs
  end)

  it("a job grows on nodes that others have in their slices", function()
    local jobs = { long {}, { nodes = 8, runtime = 50 } }
    local run = ran(jobs, at(10, function(view, job) expect(view:resize(job, 8)).equals(true) end))
    expect(run).finishes { 72.5, 90 }
    expect(run.jobs[1].allocated).equals("0-7")
  end)

  it("foreign jobs make way for one that grows", function()
    local jobs = { long { submit = 1 }, { nodes = 6, runtime = 50 } }
    local run = ran(jobs, at(5, resize_to(8)), { slices = { foreign = "safe" } })
    expect(run).starts { 1, 0 }
    -- The long one has been running since the first second: 39 s before its slice, and 5 s in it.
    expect(run).finishes { 45 + 56 / 4, 45 + 14 + 5 }
  end)

  it("its limit is one of work", function()
    local run = ran({ long { limit = 60 } }, at(20, resize_to(1)))
    expect(run.jobs[1].finish).equals(220)
    expect(run.jobs[1].state).equals("killed")
  end)

  it("a job is gone at once that survives the failure of a node without it", function()
    local job = long { nodes = 4, sizes = "2:180,4:100", elastic = "any cost 10 survives" }
    local function with_failure_at(time)
      return ran({ job }, function() end, nil,
        { outages = { planned = { { kind = "failure", nodes = { "1" }, from = time, length = 10 } } } })
    end
    local run = with_failure_at(60)
    expect(run.jobs[1].finish).equals(374) -- after 20 + 10 + 144 s
    expect(run.jobs[1].allocated).equals("0 2")
    run = with_failure_at(90) -- between its slices it does not
    expect(run.jobs[1].finish).equals(300)
  end)
end)

describe("over the end of a slice", function()
  local steps = long { elastic = "steps 2" }

  it("an order waits, and others have in their slices what is kept for it", function()
    local told = {}
    local run = ran({ steps, { submit = 80, nodes = 8, runtime = 40 } }, at(10, function(view, job)
      expect(view:next_point(job)).equals(50)
      expect(view:next_point()).equals(50)
      expect(view:resize(job, 4)).equals(false)
      expect({ view:nodes(job) }).equals { 2, 4 }
      expect(view.free).equals(4)
    end), { resized = function(view, job, before) told = { view.now, before, job.nodes } end })
    expect(told).equals { 50, 2, 4 }
    expect(run).starts { 40, 80 }
    expect(run).finishes { 155, 120 }
  end)

  it("what is kept is for nobody else in the slices of its class", function()
    local short = { submit = 46, nodes = 4, runtime = 20 }
    local more = { slices = { foreign = "safe" } } -- the long one runs from the first second on
    expect(ran({ steps, short }, function() end, more).jobs[2].start).equals(46)
    local run = ran({ steps, short }, at(5, function(view, job)
      expect(view:next_point(job)).equals(10)
      expect(view:resize(job, 8)).equals(false)
    end), more)
    expect(run.jobs[1].finish).equals(50 + 50 / 4)
    expect(run.jobs[2].start).equals(50 + 50 / 4)
  end)

  it("what is given up at a point can be promised to others from then on", function()
    local waits = { submit = 45, nodes = 4, runtime = 60 }
    local run = ran({ long { nodes = 8, elastic = "steps 2" }, waits }, at(10, function(view, job)
      expect(view:earliest(view:head()).time).equals(100)
      view:resize(job, 4)
      expect(view:earliest(view:head()).time).equals(50)
    end))
    expect(run).starts { 40, 130 }
    expect(run).finishes { 310, 230 } -- at the 150th second of long jobs, and at the 110th
  end)

  it("a job stands still for the rest of what its change costs", function()
    local run = ran({ long { elastic = "any cost 30" } }, at(30, resize_to(4)))
    expect(run.jobs[1].finish).equals(215)
  end)

  it("a job that stops at a point is there when it goes on", function()
    local told
    local run = ran({ long { runtime = 80, elastic = "steps 2" }, { submit = 90, nodes = 1, runtime = 70 } },
      function(view)
        local job = view:running()()
        if not job or view.now ~= 40 or job.id ~= 1 then return end
        expect(view:next_point(job)).equals(40)
        if view.free > 0 then told = view:resize(job, 4) end
      end)
    expect(told).equals(true)
    expect(run.jobs[1].finish).equals(140)
  end)
end)

describe("between the slices of its class", function()
  it("a job can be ordered to give up nodes when it goes on", function()
    local told, ordered = {}, nil
    local run = ran({ long { nodes = 4 }, { submit = 90, nodes = 6, runtime = 60 } }, function(view)
      local job = view:running()()
      if not job or ordered or view:head() == nil then return end
      ordered = true
      expect(view.now).equals(40)
      expect(view.free).equals(0)
      expect(view:can_resize(job, 6)).equals(false)
      expect(function() view:resize(job, 6) end).raises("0 are free")
      expect(view:next_point(job)).equals(40)
      expect(view:resize(job, 2)).equals(false)
      expect({ view:nodes(job) }).equals { 4, 2 }
      expect(view:resize(job, 4)).equals(true) -- that takes the order back
      expect({ view:nodes(job) }).equals { 4, 4 }
      view:resize(job, 2)
    end, { resized = function(view, job, before) told = { view.now, before, job.nodes } end })
    expect(told).equals { 40, 4, 2 }
    expect(run).starts { 40, 120 }
    expect(run).finishes { 320, 220 }
  end)

  it("a job that runs there changes when its own begins", function()
    local run = ran({ long { nodes = 4 }, { submit = 20, nodes = 6, runtime = 60 } }, function(view)
      local job = view:running()()
      if view.now ~= 0 or not job or view:head() == nil then return end
      expect(view:resize(job, 2)).equals(false)
    end, { slices = { foreign = "safe" } })
    expect(run).starts { 0, 40 }
    expect(run).finishes { 160, 100 }
  end)

  it("what is kept for an order goes where its node fails", function()
    local run = ran({ long { elastic = "steps 2" }, { submit = 110, nodes = 6, runtime = 60 } },
      at(10, resize_to(4)), nil,
      { outages = { planned = { { kind = "failure", nodes = { "3" }, from = 100, length = 5 } } } })
    expect(run.jobs[1].finish).equals(220)
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[2].start).equals(120)
  end)

  it("a policy knows the jobs of a class in the view of that class", function()
    local job
    ran({ long {}, { submit = 90, nodes = 1, runtime = 10 } }, function(view)
      if view:running()() and view:running()().id == 1 then job = view:running()() end
      if not view:running()() or view:running()().id ~= 2 then return end
      expect((view:nodes(job))).is_nil()
      expect((view:sizes(job))).is_nil()
      expect(function() view:resize(job, 4) end).raises("job 1 is not running")
    end)
  end)
end)

describe("a job that asks for nodes", function()
  local function granted(job, more)
    local when, asked
    more = more or {}
    more.asks = function(view, _, nodes) when, asked = view.now, nodes end
    local run = ran({ job }, function(view)
      local j = view:running()()
      if j and asked then view:resize(j, asked) end
      asked = nil
    end, more)
    return run.jobs[1].finish, when
  end

  it("is heard in its slices", function()
    expect({ granted(long { elastic = "any asks 0.5:8" }) }).equals { 142.5, 50 }
  end)

  it("is heard when its slice begins if it asked for them in another one", function()
    local more = { slices = { foreign = "safe" } }
    expect({ granted(long { elastic = "any asks 0.25:8" }, more) }).equals { 55, 0 }
    expect({ granted(long { elastic = "any asks 0.5:8" }, more) }).equals { 62.5, 10 }
  end)
end)

it("figures count the nodes that a job had while it ran", function()
  local run = ran({ long { nodes = 4 } }, at(20, resize_to(2)), nil, { machine = { nodes = 8 } })
  expect(run.jobs[1].finish).equals(380) -- after 20 + 160 s
  expect(run.summary.elastic.jobs).equals(1)
  expect(run.summary.elastic.shrunk).equals(1)
  expect(run.summary.elastic.efficiency).equals(1)
end)

it("memory that slices model keeps the nodes of jobs", function()
  local memory = { capacity = 1, rate = 1, of = function() return 1 end }
  ran({ long {} }, at(20, function(view, job)
    expect((view:sizes(job))).is_nil()
    expect(function() view:resize(job, 4) end).raises("such jobs may not change them here")
  end), { slices = { memory = memory } })
end)
