-- Elastic jobs: sizes that change while they run, worked out by hand.
local common = require "resizing"(simulate, expect, { nodes = 8 })
local ran, at, resize_to = common.ran, common.at, common.to

describe("a job that may change at any time", function()
  local job = { nodes = 2, runtime = 100, limit = 200, sizes = "1-8 amdahl 1", elastic = "any" }

  it("does the rest of its work as fast as its new size says", function()
    expect(ran({ job }, at(40, resize_to(4))).jobs[1].finish).equals(70) -- 60 s are left, at twice the speed
    expect(ran({ job }, at(40, resize_to(1))).jobs[1].finish).equals(160)
  end)

  it("stands still for what a change costs", function()
    local costly = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any cost 5+2" }
    expect(ran({ costly }, at(40, resize_to(4))).jobs[1].finish).equals(79)
  end)

  it("gives nodes to others, and is expected to end later", function()
    local waits = { submit = 10, nodes = 7, runtime = 10 }
    local all = { nodes = 8, runtime = 80, sizes = "1-8 amdahl 1", elastic = "any" }
    local run = ran({ all, waits }, at(40, function(view, j)
      view:resize(j, 1)
      expect(view.free).equals(7)
      expect(view:start_in_order()).equals(nil)
    end))
    expect(run.jobs[2].start).equals(40)
    expect(run.jobs[1].finish).equals(40 + 40 * 8)
  end)

  it("has its limit as one of work", function()
    local killed = { nodes = 2, runtime = 100, limit = 60, sizes = "1-8 amdahl 1", elastic = "any" }
    local run = ran({ killed }, at(40, resize_to(1)))
    expect(run.jobs[1].finish).equals(80)
    expect(run.jobs[1].state).equals("killed")
  end)

  it("takes nodes that are free, of the sizes that it has", function()
    local other = { nodes = 5, runtime = 500 }
    local function refused(nodes, words)
      ran({ job, other }, at(40, function(view, j)
        local ok, problem = pcall(view.resize, view, j, nodes)
        expect(ok).equals(false)
        expect(problem).matches(words)
        expect(view:can_resize(j, 3)).equals(true)
        expect(view:can_resize(j, 4)).equals(false)
      end))
    end
    refused(4, "that is 2 more, and 1 are free")
    refused(9, "has no size of 9 nodes")
  end)

  it("delays no reservation where it can be resized", function()
    local first = { submit = 1, nodes = 8, runtime = 10 }
    local runs = { nodes = 6, runtime = 90, sizes = "1-8 amdahl 1", elastic = "any" }
    local run = ran({ runs, first }, at(30, function(view, j)
      local head = view:head()
      view:reserve(head, view:earliest(head))
      expect(view:can_resize(j, 8)).equals(true) -- it ends before it would have
      expect(view:can_resize(j, 3)).equals(false) -- it would end at 150 s
      view:unreserve(head)
    end))
    expect(run.jobs[2].start).equals(90)
  end)
end)

describe("a job with steps", function()
  local job = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "steps 4" }

  it("changes at the end of a step", function()
    local told = {}
    local run = ran({ job }, at(30, function(view, j)
      expect(view:next_point(j)).equals(50)
      expect(view:next_point()).equals(50)
      expect(view:resize(j, 4)).equals(false)
      expect({ view:nodes(j) }).equals { 2, 4 }
      expect(view.free).equals(4) -- what it is to have is kept for it
    end), { resized = function(view, j, before) told = { view.now, before, j.nodes } end })
    expect(run.jobs[1].finish).equals(75)
    expect(told).equals { 50, 2, 4 }
  end)

  it("changes at once where it is at the end of one", function()
    local run = ran({ job }, at(50, function(view, j) expect(view:resize(j, 4)).equals(true) end))
    expect(run.jobs[1].finish).equals(75)
  end)

  it("keeps what it gives up until then", function()
    local run = ran({ { nodes = 8, runtime = 80, sizes = "1-8 amdahl 1", elastic = "steps 2" }, { submit = 5, nodes = 4,
      runtime = 10 } }, at(10, resize_to(4)))
    expect(run.jobs[2].start).equals(40)
    expect(run.jobs[1].finish).equals(120)
  end)

  it("has its last order, or none", function()
    local function orders(...)
      local all = { ... }
      return at(30, function(view, j)
        for _, n in ipairs(all) do view:resize(j, n) end
      end)
    end
    expect(ran({ job }, orders(8, 4)).jobs[1].finish).equals(75)
    expect(ran({ job }, orders(8, 2)).jobs[1].finish).equals(100)
    expect(ran({ job }, at(80, resize_to(8))).jobs[1].finish).equals(100) -- no point is left
  end)
end)

describe("the elastic jobs that run", function()
  --- Lines of ids, nodes, least and most nodes; and what they could give up, have, and give up at their next points.
  local function said(view)
    local all = {}
    for job, nodes, least, most in view:elastic() do
      all[#all + 1] = ("%d: %d of %d-%d"):format(job.id, nodes, least, most)
    end
    return all, table.concat({ view:elastic_room() }, " ")
  end

  it("are known with the nodes that they have or were ordered to have, in the order of their starts", function()
    local steps = { nodes = 3, runtime = 100, sizes = "2-8 amdahl 1", elastic = "steps 4" }
    local any = { nodes = 2, runtime = 100, sizes = "1:150,4:60,2:100", elastic = "any" }
    local rigid = { nodes = 1, runtime = 100, sizes = "1-2 amdahl 1" }
    ran({ steps, any, rigid }, at(30, function(view, j)
      local all, room = said(view)
      expect(all).equals { "1: 3 of 2-8", "2: 2 of 1-4" }
      expect(room).equals("2 7 0")
      view:resize(j, 2)
      all, room = said(view)
      expect(all).equals { "1: 2 of 2-8", "2: 2 of 1-4" }
      expect(room).equals("1 8 1")
    end))
  end)

  it("may be told to change, stopped and killed while they are gone through", function()
    local any = { nodes = 2, runtime = 100, sizes = "1-4 amdahl 1", elastic = "any" }
    local run = ran({ any, any, any }, at(30, function(view)
      local seen = 0
      for job in view:elastic() do
        seen = seen + 1
        if seen < 3 then view:kill(job) else view:resize(job, 4) end
      end
      expect(seen).equals(3)
      expect({ said(view) }).equals { { "3: 4 of 1-4" }, "3 0 0" }
    end))
    expect(run.jobs[3].finish).equals(65)
  end)
end)

describe("what a resized job holds", function()
  local all = { submit = 1, nodes = 8, runtime = 10 } -- can start when nothing else runs any more

  it("is held until it ends with more nodes from its next point on", function()
    local grows = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "steps 2" }
    local run = ran({ grows, all }, at(10, function(view, j)
      local head = view:head()
      view:reserve(head, view:earliest(head))
      expect(tostring(view:reservation(head))).equals("slot at 100 s")
      expect(view:can_resize(j, 4)).equals(true) -- it changes at 50 s, and ends at 75 s
      expect(view:resize(j, 4)).equals(false)
      expect(tostring(view:earliest(head))).equals("slot at 75 s")
      view:resize(j, 2) -- takes that back
      expect(tostring(view:reservation(head))).equals("slot at 100 s")
      view:unreserve(head)
    end))
    expect(run.jobs[1].finish).equals(100)
  end)

  it("moves no reservation that it can grow beside", function()
    local grows = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "steps 2" }
    local other = { nodes = 4, runtime = 75 }
    local run = ran({ grows, other, { submit = 1, nodes = 6, runtime = 10 } }, at(10, function(view, j)
      local head = view:head()
      view:reserve(head, view:earliest(head))
      expect(tostring(view:reservation(head))).equals("slot at 75 s")
      expect(view:can_resize(j, 4)).equals(true) -- it ends at 75 s
      view:resize(j, 4)
      expect(tostring(view:reservation(head))).equals("slot at 75 s")
      view:unreserve(head)
    end))
    expect(run.jobs[3].start).equals(75)
  end)

  it("is held for the rest of its nodes from when it gives up some", function()
    local shrinks = { nodes = 8, runtime = 80, sizes = "1-8 amdahl 1", elastic = "steps 2" }
    local run = ran({ shrinks, { submit = 1, nodes = 4, runtime = 10 }, all }, at(10, function(view, j)
      local first = view:head()
      expect(tostring(view:earliest(first))).equals("slot at 80 s")
      view:resize(j, 4)
      expect(tostring(view:earliest(first))).equals("slot at 40 s")
      expect(view.free).equals(0)
      view:resize(j, 8)
      expect(tostring(view:earliest(first))).equals("slot at 80 s")
      view:resize(j, 4)
    end))
    expect(run.jobs[1].finish).equals(120)
    expect(run).starts { 0, 40, 120 }
  end)

  it("is held although it runs on beyond its limit", function()
    local late = { nodes = 4, runtime = 100, limit = 30, sizes = "1-8 amdahl 1", elastic = "any" }
    ran({ late }, at(40, function(view, j)
      for _, nodes in ipairs { 2, 6, 4 } do
        view:resize(j, nodes)
        expect(view.free).equals(8 - nodes)
      end
    end), nil, { engine = { molding = "asked", over_limit = 1000 } })
  end)

  it("is held until it stops if it was asked to", function()
    local run = ran({ { nodes = 4, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any" }, all },
      at(10, function(view, j)
        view:kill(j, { grace = 20 })
        for _, nodes in ipairs { 8, 1, 4 } do
          view:resize(j, nodes)
          expect(tostring(view:earliest(view:head()))).equals("slot at 30 s")
        end
      end))
    expect(run.jobs[1].finish).equals(30)
  end)
end)

describe("a job that is suspended", function()
  it("does the rest of its standstill when it goes on", function()
    local job = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any cost 30" }
    local run = ran({ job }, function(view)
      local j = view:running()()
      if view.now == 40 then
        view:resize(j, 4)
      elseif view.now == 50 then
        view:suspend(j)
        expect((view:nodes(j))).is_nil()
        expect((view:sizes(j))).is_nil()
      elseif view.now == 90 then
        view:resume(j)
      end
      view:wake(view.now - view.now % 10 + 10)
    end)
    expect(run.jobs[1].finish).equals(90 + 20 + 30)
  end)

  it("has no order any more", function()
    local job = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "steps 2" }
    local run = ran({ job }, function(view)
      local j = view:running()()
      if view.now == 10 then view:resize(j, 8) end
      if view.now == 20 then view:suspend(j) end
      if view.now == 20 then expect(view.free).equals(6) end
      if view.now == 30 then view:resume(j) end
      view:wake(view.now - view.now % 10 + 10)
    end)
    expect(run.jobs[1].finish).equals(110)
  end)
end)

it("the largest size of at most so many nodes is found in whatever order they are said", function()
  local jobs = { { nodes = 6, runtime = 60, limit = 600, sizes = "8:50,2:160,4:90,6:60", elastic = "any" },
    { submit = 20, nodes = 8, runtime = 10, sizes = "3:20,8:10" }, { submit = 20, nodes = 1, runtime = 10 } }
  local asked = false
  ran(jobs, function(view)
    local elastic, waiting = view:running()(), {}
    for job in view:waiting() do waiting[#waiting + 1] = job end
    if #waiting == 2 then
      local moldable, rigid = table.unpack(waiting)
      for most, nodes in pairs { [0] = 2, [1] = 2, [2] = 2, [3] = 2, [5] = 4, [6] = 6, [7] = 6, [8] = 8, [99] = 8 } do
        expect((view:size(elastic, most))).equals(nodes)
      end
      expect((view:size(elastic))).equals(8)
      expect(select(2, view:size(elastic, 5))).equals(900)
      expect((view:size(moldable, 7))).equals(3)
      expect((view:size(moldable))).equals(8)
      expect((view:size(rigid))).is_nil()
      asked = true
    end
    view:easy()
  end)
  expect(asked).equals(true)
end)

it("a job that has borrowed nodes keeps them", function()
  local lends = { nodes = 8, runtime = 100 }
  local borrows = { submit = 10, nodes = 4, runtime = 50, sizes = "1-8 amdahl 1", elastic = "any" }
  ran({ lends, borrows }, at(10, function(view)
    local job = view:head()
    expect((view:preempt(job, { how = "suspend" }))).equals(true)
    expect((view:sizes(job))).is_nil()
    expect((view:nodes(job))).is_nil()
    expect(function() view:resize(job, 2) end).raises("it has borrowed nodes")
  end))
end)

for _, kind in ipairs { "failure", "drain" } do
  for _, suspends in ipairs { false, true } do
    local how = suspends and ", where jobs are suspended" or ""
    it("a node that is kept for an order goes by a " .. kind .. how, function()
      local grows = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "steps 2" }
      local run = ran({ grows, { nodes = 1, runtime = 9 } }, at(10, function(view, j)
        if suspends then
          view:suspend(j)
          view:resume(j)
        end
        view:resize(j, 4)
        expect(view.free).equals(4)
      end), nil, { outages = { planned = { { kind = kind, nodes = { "3" }, from = 20, length = 100 } } } })
      expect(run.jobs[1].finish).equals(100)
      expect(run.jobs[1].allocated).equals("0-1")
    end)
  end
end

it("an elastic job has sizes whose speeds can be told apart", function()
  local function with(sizes)
    return function() ran({ { nodes = 1, runtime = 10, sizes = sizes, elastic = "any" } }, function() end) end
  end
  expect(with("2:0.000001")).raises("at most 1,000,000 times the shortest")
  expect(with("2:100000000")).raises("at most 1,000,000 times the shortest")
  with("2:0.001,3:1000")()
end)

describe("a job with points of its own", function()
  it("changes there", function()
    local job = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "at 0.3,0.9" }
    local run = ran({ job }, at(10, resize_to(4)))
    expect(run.jobs[1].finish).equals(65)
  end)

  it("asks for nodes, which its policy may give it", function()
    local asked = {}
    local evolving = { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any asks 0.5:8,0.75:4" }
    local run = ran({ evolving }, function(view)
      for j in view:running() do
        local n = table.remove(asked)
        if n then view:resize(j, n) end
      end
    end, { asks = function(_, _, nodes) asked[#asked + 1] = nodes end })
    expect(run.jobs[1].finish).equals(50 + 25 / 4 + 12.5)
  end)
end)

it("an elastic job whose node fails begins anew with what it asked for", function()
  local run = ran({ { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any" } }, at(40, resize_to(4)), nil,
    { outages = { planned = { { kind = "failure", nodes = { "0" }, from = 50, length = 10 } } } })
  expect(run.jobs[1].finish).equals(150)
  expect(run.jobs[1].allocated).equals("1-2")
end)

it("a policy sees the nodes that are chosen for jobs with sizes", function()
  for molding, nodes in pairs { asked = 2, ["fits-now"] = 8, ["ends-first"] = 8 } do
    local waited, ran_with
    local run = simulate { nodes = 8, engine = { molding = molding },
      jobs = { { nodes = 2, runtime = 100, sizes = "1-8 amdahl 1" } },
      policy = { api = 1, name = "sees", version = "1", schedule = function(view)
        if view:head() then waited = view:head().nodes end
        view:easy()
        for job in view:running() do ran_with = job.nodes end
      end } }
    expect({ waited, ran_with, run.jobs[1].nodes }).equals { nodes, nodes, nodes }
  end
end)

it("an elastic job goes on without a node that fails, if it survives that", function()
  local job = { nodes = 4, runtime = 100, sizes = "2:180,4:100", elastic = "steps 2 cost 10 survives" }
  local outages = { outages = { planned = { { kind = "failure", nodes = { "1" }, from = 50, length = 10 } } } }
  local run = ran({ job, { submit = 50, nodes = 5, runtime = 10 } }, function() end, nil, outages)
  expect(run.jobs[1].finish).equals(50 + 10 + 90)
  expect(run.jobs[1].allocated).equals("0 2")
  expect(run.jobs[2].start).equals(50) -- the fourth node is free, and so are those that it never had
end)

describe("where nodes differ", function()
  local machine = { nodes = {
    { name = "fast", count = 4, cores = 1, speed = 2 },
    { name = "slow", count = 4, cores = 1, features = { "old" } },
  } }

  it("a job gives up its slowest nodes first, and is as fast as the slowest that is left", function()
    local job = { nodes = 6, runtime = 120, sizes = "4-8 amdahl 1", elastic = "any" }
    local run = ran({ job }, at(60, resize_to(4)), nil, { machine = machine })
    expect(run.jobs[1].finish).equals(60 + 60 * 6 / 4 / 2)
    expect(run.jobs[1].allocated).equals("0-3")
  end)

  it("the ledger knows from when a job gives nodes up, as where they are equal", function()
    for _, nodes in ipairs { machine, { nodes = 8 } } do
      local jobs = { { nodes = 8, runtime = 80, sizes = "1-8 amdahl 1", elastic = "steps 2" },
        { submit = 5, nodes = 4, runtime = 10 } }
      local run = ran(jobs, at(10, function(view, j)
        expect(view:earliest(view:head()).time).equals(80)
        expect(view:resize(j, 4)).equals(false)
        expect(view:earliest(view:head()).time).equals(40)
        expect(view:resize(j, 8)).equals(true) -- the order is taken back
        expect(view:earliest(view:head()).time).equals(80)
        view:resize(j, 4)
      end), nil, { machine = nodes })
      expect(run.jobs[2].start).equals(40)
    end
  end)

  it("a job grows on nodes that it may have", function()
    local function old(job)
      job.nodes, job.request = 1, { features = "old", exclusive = true }
      return job
    end
    local jobs = { old { runtime = 100, sizes = "1-8 amdahl 1", elastic = "any" }, old { runtime = 500 } }
    local run = ran(jobs, at(10, function(view, j)
      expect(#view:sizes(j)).equals(4) -- there are no more nodes of that kind
      expect(view:can_resize(j, 3)).equals(true)
      expect(view:can_resize(j, 4)).equals(false)
      view:resize(j, 3)
    end), nil, { machine = machine })
    expect(run.jobs[1].allocated).equals("4 6-7")
    expect(run.jobs[1].finish).equals(10 + 90 / 3)
  end)

  it("a job does not grow onto nodes that are reserved for others", function()
    local reserved = { { name = "course", nodes = { "0-3" }, from = 50, length = 100, users = { 7 } } }
    local job = { nodes = 4, runtime = 100, limit = 100, sizes = "1-8 amdahl 1", elastic = "any" }
    local run = ran({ job }, at(20, function(view, j)
      expect(view:can_resize(j, 6)).equals(false)
      view:resize(j, 2)
    end), nil, { reservations = reserved })
    expect(run.jobs[1].finish).equals(20 + 160)
  end)
end)

it("jobs are told of with their start, wherever they come from", function()
  local evolving = { submit = 5, nodes = 2, runtime = 100, sizes = "1-8 amdahl 1", elastic = "any asks 0.5:8" }
  local function note(_, j) expect(j.start).equals(5) end
  local told = { resized = 0, asks = 0 }
  ran({ evolving, { submit = 20, nodes = 8, runtime = 1 } }, function(view)
    for j in view:elastic() do note(view, j) end
    for j in view:waiting() do expect(j.start).is_nil() end
    if view.now == 55 then view:resize(view:running()(), 4) end
  end, { resized = function(view, j) note(view, j) told.resized = told.resized + 1 end,
    asks = function(view, j) note(view, j) told.asks = told.asks + 1 end })
  expect(told).equals { resized = 1, asks = 1 }
end)

it("jobs whose limit is over a nanosecond before their work does not complete, if they are ordered anything then",
  function()
    -- On 3 nodes it takes 12.349514564 s, and has 12.349514563.
    local job = { nodes = 2, runtime = 9, limit = 18, request = { cores = 2 }, sizes = "2-7 amdahl 0.97",
      elastic = "steps 2" }
    local run = ran({ job }, at(12.349514563, resize_to(2)), nil, { engine = { kill_wait = 19, molding = "ends-first" },
      machine = { nodes = { { name = "a", count = 3, cores = 3, speed = 0.5 } } } })
    expect(run.jobs[1].finish).equals(12.349514564)
    expect(run.jobs[1].state).equals("killed")
  end)

it("jobs that share nodes do not shrink and grow for ever under easy_elastic", function()
  local run = simulate { policy = "easy_elastic", engine = { molding = "fits-now" },
    machine = { nodes = { { name = "a", count = 3, cores = 6 }, { name = "b", count = 4, cores = 4 } } },
    jobs = { job { nodes = 5, runtime = 20, request = { cores = 1 }, sizes = "5-6 amdahl 1", elastic = "any cost 3" },
      job { nodes = 3, runtime = 1 },
      job { nodes = 1, runtime = 1, request = { cores = 1 }, sizes = "1-6 amdahl 0.5", elastic = "any cost 0.75" } } }
  expect(run).violates_nothing()
  expect(run.jobs[1].finish < 60).is_true()
end)

describe("the figures of elastic jobs", function()
  --- What is summed up of a job of 8 nodes that is half as fast, and twice as fast, on 4 and 16 of 16.
  local function summed(elastic, orders, more)
    local job = { nodes = 8, runtime = 100, sizes = "4:200,16:50", elastic = elastic }
    local done = 0
    local run = ran({ job }, function(view)
      while orders[done + 1] and orders[done + 1][1] <= view.now do
        done = done + 1
        view:resize(view:running()(), orders[done][2])
      end
      if orders[done + 1] then view:wake(orders[done + 1][1]) end
    end, nil, more or { machine = { nodes = 16 } })
    local e = run.summary.elastic
    return { e.grown, e.shrunk, e.standstill, e.efficiency }
  end

  it("count changes at the instant at which it starts", function()
    expect(summed("any", { { 0, 4 } })).equals { 0, 1, 0, 1 }
    expect(summed("any", { { 0, 4 }, { 20, 16 } })).equals { 1, 1, 0, 1 }
  end)

  it("count each change of several at an instant", function()
    expect(summed("any", { { 20, 4 }, { 20, 8 } })).equals { 1, 1, 0, 1 }
  end)

  it("have all of the time for which it stands still", function()
    -- 4 s of the first standstill with 4 nodes, the rest and all of the second with 8.
    expect(summed("any cost 10", { { 20, 4 }, { 24, 8 } })[3]).equals(4 * 4 + 16 * 8)
    expect(summed("any cost 10", { { 20, 4 }, { 20, 8 } })[3]).equals(20 * 8)
    expect(summed("any cost 10", { { 20, 4 } })[3]).equals(10 * 4)
  end)

  it("compare what it used with what it would have used where it started", function()
    local fast = { machine = { nodes = { { name = "n", count = 16, speed = 2 } } } }
    expect(summed("any", { { 10, 4 } }, fast)[4]).equals(1)
    -- It is stopped by a failure at 50, has lost 10 s, and takes 60 s more on 8 nodes, 40 of them as 80 s on 4.
    local failed = { machine = { nodes = 16 }, outages = { checkpoint_interval = 40, checkpoint_cost = 0,
      planned = { { kind = "failure", nodes = { "0" }, from = 50, length = 10 } } } }
    expect(summed("any", { { 70, 4 } }, failed)[4]).equals(800 / (800 + 8 * 10))
  end)
end)

describe("what is said of elastic jobs", function()
  local function fails(job, words)
    job.nodes, job.runtime = 1, 10
    expect(function() simulate { machine = { nodes = 4 }, jobs = { job }, policy = "easy" } end).raises(words)
  end

  it("is refused where it says nothing", function()
    fails({ elastic = "any" }, "workload.jobs[1] is elastic and says no sizes")
    for _, text in ipairs { "sometimes", "steps", "steps 0", "at 1.5", "any cost", "any cost -1", "any asks 0.5",
      "any asks 0.5:2,0.4:1", "steps 3 asks 0.5:2", "any survives twice" } do
      fails({ sizes = "1-2", elastic = text }, ('elastic = "%s"'):format(text))
    end
  end)

  it("is refused with what is wrong of it", function()
    local function elastic(text, words) fails({ sizes = "1-2", elastic = text }, "expected " .. words) end
    elastic("steps 10000000", "a whole number from 1 to 1000000, not 10000000")
    elastic("every 0.0001", "seconds from 0.001 to 1000000000, not 0.0001")
    elastic("any cost 2e9", "seconds from 0 to 1000000000, not 2000000000")
    elastic("at 1.5", "a part of its work, above 0 and below 1, not 1.5")
    elastic("steps 4 asks 0.5:2", '"asks" behind "any" or "at"')
    elastic("any asks 0.5:2,0.4:1", "the parts of its work at which it asks in ascending order")
  end)

  it("is its own run time with its own nodes, whatever its table says", function()
    expect(ran({ { nodes = 1, runtime = 10, sizes = "1:5,2:4" } }, function() end).jobs[1].finish).equals(10)
  end)

  it("may cost as long as any time that is simulated", function()
    local job = { nodes = 1, runtime = 10, sizes = "1-2 amdahl 1", elastic = "any cost 1e6+9999" }
    expect(ran({ job }, at(5, resize_to(2))).jobs[1].finish).equals(5 + 1e6 + 9999 + 2.5)
  end)

  it("may be laid over a workload, for a share that grows by jobs that were there", function()
    local jobs = {}
    for i = 1, 200 do jobs[i] = { submit = i, nodes = i % 4 + 1, runtime = 10 } end
    local function elastic(share)
      local run = simulate { machine = { nodes = 8 }, policy = "easy", workload = { jobs = jobs,
        elastic = { share = share, smallest = 0.5, largest = 2, efficiency = 0.8, changes = "any cost 1" } } }
      local which, count = {}, 0
      for i, job in ipairs(run.jobs) do
        if job.elastic ~= "" then which[i], count = job, count + 1 end
      end
      return which, count
    end
    local few, count = elastic(0.25)
    local many = elastic(0.5)
    expect(count).near(50, 20)
    for i, job in pairs(few) do
      expect(many[i] ~= nil).is_true()
      expect(job.elastic).equals("any cost 1")
    end
    local _, none = elastic(0)
    expect(none).equals(0)
    expect(select(2, elastic(1))).equals(200)
    local full = elastic(1)
    expect(full[4].sizes).equals("1-2 amdahl 0.75") -- of one node: as on two
    expect(full[3].sizes).equals("2-8 amdahl 0.9166666666666666")
  end)

  it("costs nothing where no policy resizes", function()
    local function runs(elastic)
      local jobs = {}
      for i = 1, 60 do
        jobs[i] = { submit = 7 * i, nodes = i % 5 + 1, runtime = 20 + 13 * (i % 7), sizes = "1-8 amdahl 0.9",
          elastic = elastic }
      end
      return simulate { machine = { nodes = 8 }, jobs = jobs, policy = "conservative" }
    end
    expect(runs("steps 3 cost 5")).starts_like(runs())
  end)
end)

property("policies for elastic jobs break no rule", { runs = 20, jobs = 40 }, function(workload)
  for i, job in ipairs(workload.jobs) do
    local own = job.nodes or 1
    job.sizes = ("%d-%d amdahl 0.9"):format(math.max(1, own // 2), 2 * own)
    job.elastic = ({ "any", "any cost 3", "steps 4", "at 0.2,0.7 cost 1+0.5" })[i % 5 + 1]
  end
  for _, resizing in ipairs { { name = "easy_elastic" }, { name = "equipartition" },
    { name = "equipartition", params = { rule = "efficient" } } } do
    local run = simulate { machine = workload.machine, jobs = workload.jobs, policy = resizing,
      engine = { molding = "asked" } }
    expect(run).violates_nothing()
  end
end)

it("policies for elastic jobs leave them as they are where no job may change", function()
  for _, resizing in ipairs { "easy_elastic", "equipartition", "posner" } do
    local run = simulate { machine = { nodes = 3 }, policy = resizing, engine = { event_order = "submissions-first" },
      jobs = { { nodes = 2, runtime = 10, sizes = "1:20,2:10", elastic = "any" }, { nodes = 2, runtime = 1 } } }
    expect(run).violates_nothing()
    expect(run.jobs[1].nodes).equals(2)
  end
end)
