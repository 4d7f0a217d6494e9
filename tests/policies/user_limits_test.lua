-- EASY with limits on what a user holds.
describe("user_limits", function()
  local function user_limits(jobs, params)
    return simulate { policy = "user_limits", nodes = 8, jobs = jobs, params = params }
  end

  it("passes over jobs above the limit, also within one pass", function()
    expect(user_limits({
      job{submit=0, nodes=3, runtime=10, user=1},
      job{submit=0, nodes=2, runtime=10, user=1},  -- the user would hold 5
      job{submit=0, nodes=1, runtime=10, user=1},  -- 4
      job{submit=0, nodes=4, runtime=10, user=2},
    }, { max_nodes = 4 })).starts { 0, 10, 0, 0 }
  end)

  it("runs a job that is larger than the limit alone", function()
    expect(user_limits({
      job{submit=0, nodes=1, runtime=10, user=1},
      job{submit=0, nodes=6, runtime=10, user=1},
      job{submit=0, nodes=1, runtime=10, user=1},
    }, { max_nodes = 4 })).starts { 0, 10, 0 }
  end)

  it("limits the number of jobs", function()
    local jobs = {
      job{submit=0, nodes=1, runtime=10, user=1},
      job{submit=0, nodes=1, runtime=20, user=1},
      job{submit=0, nodes=1, runtime=10, user=1},
    }
    expect(user_limits(jobs, { max_jobs = 2 })).starts { 0, 0, 10 }
    expect(user_limits(jobs)).starts { 0, 0, 0 }
  end)

  it("does not limit users that are not known", function()
    expect(user_limits({
      job{submit=0, nodes=4, runtime=10},
      job{submit=0, nodes=4, runtime=10},
    }, { max_nodes = 4 })).starts { 0, 0 }
  end)

  property("no user holds more than the limit", { jobs = 30, users = 3 }, function(workload)
    local run = simulate(workload, { policy = "user_limits", params = { max_nodes = 3 } })
    expect(run).violates_nothing()
    for _, at in ipairs(run.jobs) do
      local held, running = 0, 0
      for _, other in ipairs(run.jobs) do
        if other.start and at.start and other.user == at.user and other.start <= at.start
          and other.finish > at.start then
          held, running = held + other.nodes, running + 1
        end
      end
      expect(held <= 3 or running == 1).is_true()
    end
  end)
end)
