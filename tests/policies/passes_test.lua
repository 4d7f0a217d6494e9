-- Which passes a policy of its own is asked for, and what it sees of jobs that it meets late.

local function policy(schedule, fields)
  local p = { api = 1, name = "subject", version = "1", schedule = schedule }
  for name, value in pairs(fields or {}) do p[name] = value end
  return p
end

local function shortest_passing(view)
  local head = view:start_in_order()
  if not head then return end
  for job in view:passing(head, "shortest") do view:start(job) end
end

describe("passes = \"room\"", function()
  property("leaves out passes in which nothing can start, and no others", { jobs = 60 }, function(workload)
    local without_room, asked = 0, 0
    local all = simulate(workload, { policy = policy(function(view)
      if view.room then asked = asked + 1 else without_room = without_room + 1 end
      shortest_passing(view)
    end) })
    local with_room = simulate(workload, { policy = policy(function(view)
      asked = asked - 1
      expect(view.room).equals(true)
      shortest_passing(view)
    end, { passes = "room" }) })
    expect(with_room).starts_like(all)
    expect(asked).equals(0)
    expect(without_room > 0).equals(true)
  end)

  it("tells in the next pass what happened in those that were left out", function()
    local seen = {}
    simulate { nodes = 4, jobs = {
      job{submit=0, nodes=3, runtime=100},
      job{submit=10, nodes=4, runtime=10},  -- waits for all nodes: no pass has room before 100
      job{submit=20, nodes=4, runtime=10},
    }, policy = policy(function(view)
      seen[#seen + 1] = string.format("%g %s %s", view.now, view.submitted, view.ended)
      view:start_in_order()
    end, { passes = "room" }) }
    expect(seen).equals { "0 true false", "100 true true", "110 false true" }
  end)

  it("works where nodes differ", function()
    local function run(passes)
      return simulate {
        machine = { nodes = { { name = "a", count = 3, cores = 4 }, { name = "b", count = 2, cores = 8 } } },
        jobs = { job{submit=0, nodes=3, runtime=50}, job{submit=1, nodes=1, runtime=30, request={ cores=8 }},
                 job{submit=2, nodes=1, runtime=9}, job{submit=3, nodes=5, runtime=5},
                 job{submit=4, nodes=1, runtime=60} },
        policy = policy(shortest_passing, { passes = passes }),
      }
    end
    expect(run("room")).starts_like(run("all"))
  end)

  it("asks nothing of policies without a pass of their own", function()
    local function refused(fields, message)
      fields.api, fields.name, fields.version = 1, "subject", "1"
      expect(function() simulate { nodes = 4, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = fields } end)
        .raises(message)
    end
    refused({ backfill = "easy", passes = "room" }, "field 'passes' has no effect without 'schedule'")
    refused({ schedule = shortest_passing, passes = "some" }, "all")
  end)
end)

describe("view.room", function()
  property("holds where some waiting job needs no more nodes than are free", { jobs = 40 }, function(workload)
    simulate(workload, { policy = policy(function(view)
      local room = false
      for job in view:waiting() do room = room or job.nodes <= view.free end
      expect(view.room).equals(room)
      view:start_in_order()
    end) })
  end)
end)

describe("a job that the policy meets late", function()
  it("has the fields that it had when it came", function()
    local met = {}
    simulate { nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=100},
      job{submit=30, nodes=2, runtime=10, limit=25},
    }, policy = policy(function(view)
      if view.now < 100 then return view:start_in_order() and nil end
      for job in view:waiting() do met[#met + 1] = { job.submit, job.nodes, job.estimate, job.limit } end
      view:start_in_order()
    end) }
    expect(met).equals { { 30, 2, 25, 25 } }
  end)

  it("is seen first when it runs, or when it has ended", function()
    local seen = {}
    simulate { nodes = 4, jobs = { job{submit=5, nodes=1, runtime=100}, job{submit=7, nodes=1, runtime=10} }, policy = {
      api = 1, name = "subject", version = "1",
      ended = function(view, job)
        for other in view:running() do seen[#seen + 1] = string.format("%g: %g-", view.now, other.start) end
        seen[#seen + 1] = string.format("%g: %g %g-%g", view.now, job.submit, job.start, job.finish)
      end,
    } }
    expect(seen).equals { "17: 5-", "17: 7 7-17", "105: 5 5-105" }
  end)
end)
