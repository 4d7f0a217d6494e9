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

  -- GPUs of two nodes with four each; every job has one core.
  local function on_gpus(params, jobs)
    for _, j in ipairs(jobs) do
      j.nodes, j.submit, j.request = 1, 0, { cores = 1, gpus = j.gpus }
      j.gpus = nil
    end
    params.max_nodes = params.max_nodes or 0
    local list = {}
    for i, j in ipairs(jobs) do list[i] = job(j) end
    return simulate { policy = "user_limits", params = params, jobs = list,
      machine = { nodes = { { name = "v", count = 2, cores = 8, gpus = 4, gpu_type = "v" } } } }
  end

  it("limits the GPUs of a user and of a group", function()
    local function jobs()
      return {
        { runtime = 50, user = 1, group = 7, gpus = 2 },
        { runtime = 50, user = 1, group = 7, gpus = 1 },
        { runtime = 50, user = 2, group = 7, gpus = 2 },
        { runtime = 50, user = 2, group = 7, gpus = 0 }, -- asks for none
        { runtime = 50, user = 3, group = 8, gpus = 3 },
      }
    end
    expect(on_gpus({ max_gpus = 2 }, jobs())).starts { 0, 50, 0, 0, 0 }
    expect(on_gpus({ group_max_gpus = 3 }, jobs())).starts { 0, 0, 50, 0, 0 }
    expect(on_gpus({ gpu_quotas = "7 = 2, 9=1" }, jobs())).starts { 0, 50, 100, 0, 0 }
    expect(on_gpus({ gpu_quotas = "8=1", group_max_gpus = 3 }, jobs())).starts { 0, 0, 50, 0, 0 } -- runs alone
    expect(on_gpus({}, jobs())).starts { 0, 0, 0, 0, 50 } -- no node has three left
  end)

  it("limits the nodes and the jobs of a group", function()
    local jobs = {
      job{submit=0, nodes=2, runtime=10, user=1, group=4},
      job{submit=0, nodes=2, runtime=10, user=2, group=4},
      job{submit=0, nodes=2, runtime=10, user=2, group=5},
    }
    expect(user_limits(jobs, { group_max_nodes = 3 })).starts { 0, 10, 0 }
    expect(user_limits(jobs, { group_max_jobs = 1 })).starts { 0, 10, 0 }
  end)

  it("takes a list of quotas that it can read only", function()
    expect(function() on_gpus({ gpu_quotas = "7:2" }, { { runtime = 5, user = 1, group = 7, gpus = 1 } }) end)
      .raises "parameter 'gpu_quotas' of policy 'user_limits' is \"7:2\"; expected groups, each once, and their GPUs"
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
