-- What the engine computes in Lua's place where jobs come again, change their size, or what is outside changes its
-- sign.

local function policy(fields)
  local p = { api = 1, name = "subject", version = "1" }
  for name, value in pairs(fields) do p[name] = value end
  return p
end

--- The function, and one that does the same and stays Lua's.
local function both(f)
  return { f, function(...)
    for _ = 1, 1 do end
    return f(...)
  end }
end

local function same(run)
  expect(run(1)).starts_like(run(2))
end

describe("computed without Lua", function()
  it("a job that was requeued has the submission of its second entry", function()
    local keys = both(function(job) return job.submit end)
    same(function(i)
      local done = false
      return simulate { nodes = 2, jobs = {
        job{submit=0, nodes=2, runtime=100}, job{submit=10, nodes=2, runtime=50}, job{submit=30, nodes=2, runtime=30},
      }, policy = policy { dynamic_key = keys[i], schedule = function(view)
        if view.now == 30 and not done then
          done = true
          for j in view:running() do view:requeue(j) end
          return
        end
        view:start_in_order()
      end } }
    end)
  end)

  it("a zero outside that changes its sign is another divisor", function()
    same(function(i)
      local z = 0.0
      local keys = both(function(job) return (job.estimate - 50) / z end)
      return simulate { nodes = 1, jobs = {
        job{submit=0, nodes=1, runtime=10}, job{submit=1, nodes=1, runtime=40}, job{submit=2, nodes=1, runtime=60},
        job{submit=3, nodes=1, runtime=45}, job{submit=4, nodes=1, runtime=70},
      }, policy = policy { backfill = "easy", dynamic_key = keys[i], ended = function() z = -z end } }
    end)
  end)
end)

describe("a function that a method of the view calls", function()
  local jobs = { job{submit=0, nodes=2, runtime=20}, job{submit=0, nodes=2, runtime=20},
    job{submit=0, nodes=2, runtime=20} }
  local function refused(f)
    expect(function()
      simulate { nodes = 2, jobs = jobs, policy = policy { schedule = function(view)
        f(view)
        view:easy()
      end } }
    end).raises("this hook cannot start or reserve anything")
  end

  it("does not give the queue another order, nor decide anything", function()
    refused(function(view) view:rekey(function(j)
      view:rekey(function() return -j.id end)
      return j.id
    end) end)
    refused(function(view) view:rekey(function(j)
      view:start(view:head())
      return j.id
    end) end)
    refused(function(view)
      local running = false
      for _ in view:running() do running = true end
      if not running then return view:wake(view.now + 5) end
      view:preempt(view:head(), { among = function(other)
        view:kill(other)
        return true
      end })
    end)
  end)

  it("may catch the error, and nothing has happened", function()
    local ran = simulate { nodes = 2, jobs = jobs, policy = policy { schedule = function(view)
      view:rekey(function(j)
        for k in view:waiting() do
          for _, method in ipairs { "start", "hold", "unreserve" } do pcall(view[method], view, k) end
          pcall(view.rekey, view, { 1 })
        end
        return -j.id
      end)
      view:easy()
    end } }
    expect(ran).starts { 40, 20, 0 }
  end)
end)

describe("a moldable job", function()
  it("has the nodes that it came with, whenever the policy first sees it", function()
    local function run(look)
      return simulate { nodes = 4, engine = { molding = "fits-now" }, jobs = {
        job{submit=0, nodes=3, runtime=100}, job{submit=10, nodes=4, runtime=50, sizes="4:50,1:150"},
        job{submit=20, nodes=3, runtime=50, sizes="3:50,2:90"}, job{submit=25, nodes=2, runtime=50},
        job{submit=30, nodes=4, runtime=50, sizes="4:50,1:150"}, job{submit=200, nodes=1, runtime=1},
      }, policy = policy { dynamic_key = function(job) return job.nodes * 1.0 end,
        submitted = look and function() end or nil } }
    end
    expect(run(false)).starts_like(run(true))
  end)
end)

describe("a view", function()
  it("names the field that it does not have", function()
    local function look(f)
      expect(function()
        simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = policy { schedule = f } }
      end).raises("a view has no method and no field 'satrt'; did you mean 'start'?")
    end
    look(function(view) view:satrt() end)
    look(function(view) return view.satrt end)
  end)
end)
