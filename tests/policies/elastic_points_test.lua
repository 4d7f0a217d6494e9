-- The points at which elastic jobs may change are instants to the nanosecond, and what is done there is rounded: none
-- may come twice, and none be missed.
describe("a job that changes at each of its points", function()
  local points, wrong

  local policy = {
    api = 1, name = "restless", version = "1",
    resized = function(view, job)
      if view:next_point(job) ~= view.now then wrong[#wrong + 1] = view.now end
    end,
    schedule = function(view)
      for job in view:waiting() do view:start(job) end
      for job in view:running() do
        if job.elastic ~= "" and view:next_point(job) == view.now then
          points[#points + 1] = view.now
          view:resize(job, job.nodes % 5 + 1)
          if view:next_point(job) ~= view.now then wrong[#wrong + 1] = view.now end
        end
      end
      local next_point = view:next_point()
      if next_point then view:wake(next_point) end
    end,
  }

  --- One job alone.
  local function run(runtime, elastic, serial)
    points, wrong = {}, {}
    local found = simulate { policy = policy, nodes = 5, engine = { molding = "asked" }, jobs = {
      job{submit=0.1, nodes=5, runtime=runtime, sizes=("1-5 amdahl %g"):format(serial), elastic=elastic},
    } }
    expect(found).violates_nothing()
    expect(wrong).equals {}
    return #points
  end

  it("is at each of them once", function()
    for k = 1, 60 do
      expect(run(1000 / 7 * k, "steps 40", 1 - k / 100)).equals(39)
      expect(run(1e6 / 7 * k, "steps 3", 1 - k / 100)).equals(2)
      expect(run(77.7 * k, "at 0.1,0.33,0.6", 0.9)).equals(3)
      expect(run(77.7 * k, "every 7.77", 0.9)).equals(10 * k - 1)
    end
  end)
end)

describe("a job that may change after so much work", function()
  it("counts in its run time with its own size", function()
    local first
    simulate { nodes = 4, engine = { molding = "asked" }, jobs = {
      job{submit=0, nodes=4, runtime=100, sizes="2-4 amdahl 1", elastic="every 30"},
    }, policy = { api = 1, name = "smaller", version = "1", schedule = function(view)
      local head = view:head()
      if not head then return end
      view:set_nodes(head, 2)
      view:start(head)
      first = view:next_point(head)
    end } }
    expect(first).equals(60)
  end)
end)

describe("a job that changes in its last nanosecond", function()
  it("has its nodes until it has ended", function()
    local asked, free = false, nil
    simulate { nodes = 4, engine = { molding = "asked" }, jobs = {
      job{submit=0, nodes=4, runtime=10, sizes="1-4 amdahl 1", elastic="any"},
    }, policy = { api = 1, name = "late", version = "1", schedule = function(view)
      local head = view:head()
      if head then
        view:set_nodes(head, 1)
        view:start(head)
        return view:wake(40 - 1e-9)
      end
      for job in view:running() do
        asked = view:resize(job, 4)
        free = view.free
      end
    end } }
    expect(asked).equals(true)
    expect(free).equals(0)
  end)
end)
