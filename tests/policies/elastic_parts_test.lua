-- Elastic jobs that have parts of nodes: two of the four GPUs of each, or some of its cores.
local gpu_nodes = { nodes = { { name = "g", count = 4, cores = 8, gpus = 4 } } }

local common = require "resizing"(simulate, expect, gpu_nodes)
local ran, at, resize_to = common.ran, common.at, common.to

--- A job with so many GPUs, and twice as many cores, on each of its nodes.
local function job(gpus, more)
  local j = { nodes = 1, runtime = 100, request = { cores = 2 * gpus, gpus = gpus } }
  for k, v in pairs(more) do j[k] = v end
  return j
end

local function elastic(gpus, changes, more)
  local j = job(gpus, { sizes = "1-4 amdahl 1", elastic = changes })
  for k, v in pairs(more or {}) do j[k] = v end
  return j
end

describe("a job with parts of nodes", function()
  it("grows beside others, on nodes that have its part", function()
    local others = { job(3, { runtime = 300 }), job(3, { runtime = 300 }), job(2, { nodes = 2, runtime = 300 }) }
    local run = ran({ elastic(2, "any"), table.unpack(others) }, at(40, function(view, j)
      expect(view:can_resize(j, 4)).is_false() -- two nodes have one GPU left
      expect(function() view:resize(j, 4) end).raises("cannot have 4 nodes now")
      expect(view:can_resize(j, 2)).is_true()
      expect(view:resize(j, 2)).is_true()
    end))
    expect(run.jobs[1].allocated).equals("0 3")
    expect(run.jobs[1].finish).equals(40 + 60 / 2)
  end)

  it("gives up its last nodes, of which others get what it had", function()
    local waits = job(4, { submit = 10, nodes = 2, runtime = 50 })
    local run = ran({ elastic(2, "any", { nodes = 4, runtime = 80 }), waits }, at(40, function(view, j)
      view:resize(j, 2)
      view:start_in_order()
    end))
    expect(run.jobs[2].start).equals(40)
    expect(run.jobs[2].allocated).equals("2-3")
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[1].finish).equals(40 + 40 * 2)
  end)

  it("gives up its slowest nodes first", function()
    local kinds = { nodes = { { name = "slow", count = 2, cores = 8, gpus = 4 },
      { name = "fast", count = 2, cores = 8, gpus = 4, speed = 2 } } }
    local run = ran({ elastic(2, "any", { nodes = 4, runtime = 80 }) }, at(40, resize_to(2)), nil, { machine = kinds })
    expect(run.jobs[1].allocated).equals("2-3")
    expect(run.jobs[1].finish).equals(40 + 40)
  end)

  it("has what it gains kept until its point, and the rest of the node is for others", function()
    local beside = job(2, { submit = 10, nodes = 2, runtime = 20 })
    local whole = job(3, { submit = 10, nodes = 1, runtime = 20 })
    local run = ran({ elastic(2, "steps 2", { runtime = 100 }), job(4, { nodes = 2, runtime = 200 }), beside, whole },
      at(5, function(view, j)
        expect(view:resize(j, 2)).is_false()
        expect(view.free).equals(0)
      end))
    expect(run.jobs[3].start).equals(10) -- beside the job, and beside what is kept for it
    expect(run.jobs[4].start).equals(75) -- else it would have the fourth node before
    expect(run.jobs[1].finish).equals(50 + 25)
  end)

  it("can have an order taken back, or replaced by a larger one", function()
    local run = ran({ elastic(2, "steps 2"), job(3, { submit = 12, nodes = 3, runtime = 5 }) }, function(view)
      local j = view:running()()
      if view.now == 0 then return view:wake(10) end
      if view.now == 10 then
        view:resize(j, 2)
        view:resize(j, 4)
        expect(table.pack(view:nodes(j))).equals(table.pack(1, 4))
        return view:wake(20)
      end
      if view.now == 20 then
        expect(view:head() ~= nil).is_true()
        view:resize(j, 1)
        view:start_in_order()
        expect(view:head()).equals(nil)
      end
    end)
    expect(run.jobs[2].start).equals(20)
    expect(run.jobs[1].finish).equals(100)
  end)

  it("lets the ledger know from when it gives parts up", function()
    local waits = job(3, { submit = 5, nodes = 2, runtime = 10 })
    local small = job(2, { submit = 6, nodes = 4, runtime = 500 })
    local run = ran({ elastic(2, "steps 2", { nodes = 4, runtime = 80 }), waits, small }, at(10, function(view, j)
      local head = view:head()
      expect(view:earliest(head).time).equals(80)
      expect(view:resize(j, 2)).is_false()
      expect(view:earliest(head).time).equals(40)
      expect(view:resize(j, 4)).is_true() -- the order is taken back
      expect(view:earliest(head).time).equals(80)
      view:resize(j, 2)
      expect(view:earliest(head).time).equals(40)
    end))
    expect(run.jobs[2].start).equals(40)
  end)

  it("keeps the GPUs that it has on a node, and its pictures know those of each size", function()
    local first = job(1, { runtime = 30 })
    local run = ran({ first, elastic(2, "any", { nodes = 2, runtime = 100 }) }, function(view)
      for j in view:running() do
        if view.now == 40 and j.id == 2 then view:resize(j, 4) end
        if view.now == 60 and j.id == 2 then view:resize(j, 1) end
      end
      view:wake(view.now + 20)
    end)
    expect(run.jobs[2].allocated).equals("0")
    expect(run.jobs[2].finish).equals(60 + (100 - 40 - 40) * 2)
  end)

  it("has its licences with whichever size, and gives none up with its nodes", function()
    local licensed = { nodes = gpu_nodes.nodes, licences = { { name = "key", count = 2 } } }
    local function keyed(more)
      local j = elastic(2, "steps 2", more)
      j.request = { cores = 4, gpus = 2, licences = { key = 1 } }
      return j
    end
    local waits = keyed { submit = 5, nodes = 1, runtime = 300, elastic = "any" }
    local last = keyed { submit = 6, nodes = 1, runtime = 10, elastic = "any" }
    local run = ran({ keyed { nodes = 4, runtime = 80 }, waits, last }, at(10, resize_to(1)), nil,
      { machine = licensed })
    expect(run.jobs[2].start).equals(5)
    expect(run.jobs[3].start).equals(40 + 40 * 4) -- when the first one ends
  end)

  it("grows beside reservations, as long as it ends before them", function()
    local tall = job(4, { nodes = 3, runtime = 50 })
    local waits = job(4, { submit = 5, nodes = 4, runtime = 10 })
    local run = ran({ elastic(2, "any", { runtime = 100, limit = 200 }), tall, waits }, function(view)
      local head = view:head()
      if view.now == 5 then
        view:reserve(head, view:earliest(head))
        expect(view:reservation(head).time).equals(200)
      end
      if view.now < 60 then return view:wake(60) end
      if view.now == 60 then
        local j = view:running()()
        expect(view:can_resize(j, 4)).is_true()
        view:resize(j, 4)
        expect(view:reservation(head).time).equals(200)
      end
      if view.due then view:start_due() end
    end)
    expect(run.jobs[1].finish).equals(60 + 40 / 4)
  end)

  it("survives the failure of a node with the rest of its parts", function()
    local planned = { { kind = "failure", nodes = { "g2" }, from = 50, length = 10 } }
    local beside = job(2, { nodes = 4, runtime = 200 })
    local run = ran({ elastic(2, "any survives", { nodes = 4, runtime = 100, sizes = "2:200,4:100" }), beside },
      function() end, nil, { outages = { planned = planned } })
    expect(run.jobs[1].allocated).equals("0 2")
    expect(run.jobs[1].finish).equals(50 + 50 * 2)
  end)

  it("loses an order where a node fails of which a part is kept for it", function()
    for _, kind in ipairs { "failure", "drain" } do
      local planned = { { kind = kind, nodes = { "g4" }, from = 20, length = 100 } }
      local run = ran({ elastic(2, "steps 2"), job(3, { nodes = 2, runtime = 30 }) },
        at(10, resize_to(2)), nil, { outages = { planned = planned } })
      expect(run.jobs[1].finish).equals(100)
      expect(run.jobs[1].allocated).equals("0")
    end
  end)

  it("waits for nodes that boot", function()
    local run = ran({ elastic(2, "any", { runtime = 200 }) }, at(100, resize_to(2)), nil,
      { power = { idle = 10, boot = 20, shutdown = 5 } })
    expect(run.jobs[1].finish).equals(100 + 20 + 50)
  end)

  it("grows on nodes that its placement chooses", function()
    local last = { placement = function(node) return node.number end }
    local run = ran({ elastic(2, "any") }, at(40, resize_to(2)), last)
    expect(run.jobs[1].allocated).equals("2-3")
  end)

  it("asks for nodes itself", function()
    local evolving = elastic(2, "any asks 0.5:4,0.75:2")
    local asked = {}
    local run = ran({ evolving, job(2, { nodes = 4, runtime = 500 }) }, function(view)
      local nodes = table.remove(asked)
      if nodes then view:resize(view:running()(), nodes) end
    end, { asks = function(_, _, nodes) asked[1] = nodes end })
    expect(run.jobs[1].finish).equals(50 + 25 / 4 + 25 / 2)
  end)
end)

it("jobs that share cores keep their nodes", function()
  local shared = { nodes = { { name = "g", count = 4, cores = 8 } },
    partitions = { { name = "all", oversubscribe = 2, oversubscribe_all = true } } }
  local j = { nodes = 1, runtime = 100, request = { cores = 4 }, sizes = "1-4", elastic = "any" }
  local run = ran({ j }, at(40, function(view, running)
    expect(function() view:resize(running, 2) end).raises("such jobs may not change them here")
  end), nil, { machine = shared })
  expect(run.jobs[1].finish).equals(100)
end)

it("EASY shrinks jobs with parts of nodes for the first that waits, and they have what is left over", function()
  local waits = job(4, { submit = 20, nodes = 2, runtime = 60 })
  local run = simulate { machine = gpu_nodes, policy = "easy_elastic",
    jobs = { elastic(2, "any", { nodes = 4, runtime = 100, sizes = "1-4 amdahl 1" }), waits } }
  expect(run).violates_nothing()
  expect(run.jobs[2].start).equals(20)
  expect(run.jobs[1].finish).equals(80 + (100 - 20 - 30))
end)
