-- Jobs that slow one another down on the nodes that they share, and the policy that puts them where they gain most.
local half = { model = "script", script = "slowdowns/half.lua" }

local function machine(options)
  local kind = { name = "n", count = 2, cores = 4 }
  for name, value in pairs(options or {}) do kind[name] = value end
  return { nodes = { kind } }
end

--- Jobs of a core on one node, unless they say more.
local function jobs(list)
  local all = {}
  for i, j in ipairs(list) do
    j.nodes, j.limit = 1, j.limit or 10000
    j.request = j.request or { cores = 1 }
    all[i] = job(j)
  end
  return all
end

local function run(options)
  options.slowdown = options.slowdown or half
  options.machine = options.machine or machine()
  local ran = simulate(options)
  expect(ran).violates_nothing()
  return ran
end

describe("what a placement function is told", function()
  it("is what the job would suffer and cause, and what the node would gain", function()
    local seen = {}
    local policy = { api = 1, name = "asks", version = "1", backfill = "easy", placement = function(node, job)
      if node.number == 0 then
        local others = {}
        for i, other in ipairs(node:others()) do others[i] = { other.id, other.start } end
        seen[job.id] = { node:slowdown(job), node:slows(job), node:gain(job), others }
      end
      return -node.number
    end }
    run { policy = policy, jobs = jobs { { runtime = 100 }, { runtime = 100 }, { runtime = 100 } } }
    expect(seen[1]).equals { 1, 0, 1, {} }
    expect(seen[2]).equals { 2, 2, 0, { { 1, 0 } } } -- both at half the speed: nothing is gained
    expect(seen[3]).equals { 4, 4, -0.25, { { 1, 0 }, { 2, 0 } } }
  end)

  it("is about the GPUs that it names, one or as many as the job asks for", function()
    local seen = {}
    local policy = { api = 1, name = "asks", version = "1", backfill = "easy", placement = function(node, job)
      if job.id == 2 then
        for g = 1, 2 do
          seen[g] = { node:jobs_on(g), node:slowdown(job, g), node:slows(job, g), node:gain(job, g), node:alone(job) }
        end
        return 1, 2
      elseif job.id == 3 then
        seen[3] = { node:slowdown(job, { 2, 3 }), node:slowdown(job, { 3, 4 }), node:slows(job, { 2, 3 }),
          node:slows(job, { 3, 4 }) }
        seen[4] = { pcall(node.slowdown, node, job, 3) }
        seen[5] = { pcall(node.slowdown, node, job, { 3, 3 }) }
        return 1, { 3, 4 }
      end
      return 1
    end }
    local function asks(gpus) return { runtime = 100, request = { cores = 1, gpus = gpus, gpu_share = 0.5 } } end
    run { policy = policy, machine = machine { count = 1, gpus = 4 }, jobs = jobs { asks(1), asks(1), asks(2) },
      slowdown = { model = "script", among = "gpu", script = "slowdowns/half.lua" } }
    expect(seen[1]).equals { 1, 2, 2, 0, 1 }
    expect(seen[2]).equals { 0, 1, 0, 1, 1 }
    expect(seen[3]).equals { 2, 1, 2, 0 }
    expect(seen[4][2]).matches("another number of GPUs")
    expect(seen[5][2]).matches("twice")
  end)

  it("is the node's speed and no other job where jobs do not slow one another down", function()
    local seen = {}
    local policy = { api = 1, name = "asks", version = "1", backfill = "easy", placement = function(node, job)
      seen[job.id] = { node:slowdown(job), node:slows(job), node:gain(job), #node:others() }
      return 1
    end }
    run { policy = policy, machine = machine { speed = 2, count = 1 }, slowdown = { model = "none" },
      jobs = jobs { { runtime = 100 }, { runtime = 100 } } }
    expect(seen[2]).equals { 0.5, 0, 1, 0 }
  end)
end)

describe("colocate", function()
  it("takes idle nodes first, then those on which no job suffers too much", function()
    local ran = run { policy = "colocate", params = { max_slowdown = 2, min_gain = 0 },
      jobs = jobs { { runtime = 100 }, { runtime = 300 }, { runtime = 100 } } }
    expect(ran.jobs[1].allocated).equals "0"
    expect(ran.jobs[2].allocated).equals "1"
    expect(ran.jobs[3].allocated).equals "0"
    expect(ran.jobs[1].finish).equals(200)
    expect(ran.jobs[3].finish).equals(200)
  end)

  it("leaves jobs waiting that would slow down others or themselves too much", function()
    local ran = run { policy = "colocate", params = { max_slowdown = 1.9, min_gain = 0 },
      jobs = jobs { { runtime = 100 }, { runtime = 300 }, { runtime = 100 } } }
    expect(ran.jobs[3].start).equals(100)
    expect(ran.jobs[3].finish).equals(200)
  end)

  it("leaves jobs waiting that would gain too little, or where there are jobs enough", function()
    local function third(params, factor)
      params.max_slowdown = 100
      local ran = run { policy = "colocate", slowdown = factor, params = params,
        jobs = jobs { { runtime = 100 }, { runtime = 300 }, { runtime = 100 } } }
      return ran.jobs[3].start
    end
    expect(third { min_gain = 0 }).equals(0)
    expect(third { min_gain = 0.1 }).equals(100)
    expect(third({ min_gain = 0.1 }, { model = "none" })).equals(0)
    expect(third({ min_gain = 0.1, max_jobs = 1 }, { model = "none" })).equals(100)
  end)

  -- Jobs of a share of a GPU, on nodes that have some: two of half keep 0.6 of their speeds there each, or as told.
  local function on_gpus(nodes, gpus, params, list, factor)
    local all = {}
    for i, j in ipairs(list) do
      all[i] = job {
        submit = j.submit or 0, nodes = 1, runtime = j.runtime or 100, limit = 10000,
        request = { cores = 1, gpus = j.gpus or 1, gpu_share = j.share or 0.5 },
      }
    end
    return run {
      policy = "colocate", params = params, jobs = all,
      machine = { nodes = { { name = "g", count = nodes, cores = 4 * gpus, gpus = gpus, speed = 0.5 } } },
      slowdown = { model = "script", among = "gpu", script = "slowdowns/half.lua",
        params = { factor = factor or 1.6 } },
    }
  end

  it("fills all GPUs of a node before jobs share one", function()
    local ran = on_gpus(1, 4, {}, { {}, {}, {}, {} })
    expect(ran).starts { 0, 0, 0, 0 }
    for i = 1, 4 do expect(ran.jobs[i].finish).equals(200) end -- on nodes of half the speed, each by itself
  end)

  it("lets as many jobs share a GPU as max_jobs says, on nodes with several", function()
    local function starts(nodes, gpus, most, share, n)
      local list = {}
      for i = 1, n do list[i] = { share = share } end
      local params = { max_jobs = most, max_slowdown = 100, min_gain = 0 }
      local at = {}
      for i, j in ipairs(on_gpus(nodes, gpus, params, list, 1).jobs) do at[i] = j.start end
      return at
    end
    expect(starts(1, 2, 1, 0.5, 3)).equals { 0, 0, 200 }
    expect(starts(1, 2, 2, 0.25, 5)).equals { 0, 0, 0, 0, 200 }
    expect(starts(1, 2, 3, 0.25, 7)).equals { 0, 0, 0, 0, 0, 0, 200 }
    expect(starts(1, 2, 0, 0.25, 9)).equals { 0, 0, 0, 0, 0, 0, 0, 0, 200 }
    expect(starts(3, 4, 2, 0.5, 30)).equals(starts(12, 1, 2, 0.5, 30))
  end)

  it("gives the idle GPUs to jobs of several, and none that is shared if each job has its own", function()
    local list = { { gpus = 2, share = 1 }, {}, { gpus = 2 }, { gpus = 2 } }
    expect(on_gpus(1, 4, { max_jobs = 1 }, list)).starts { 0, 0, 200, 200 }
    -- The third would share one GPU with the second.
    expect(on_gpus(1, 4, { max_slowdown = 4, min_gain = 0 }, list)).starts { 0, 0, 0, 200 }
  end)

  it("takes no slow node for a slowdown by others", function()
    local half_gpu = { cores = 1, gpu_share = 0.5 }
    local ran = run { policy = "colocate", slowdown = { model = "none" },
      machine = machine { count = 1, gpus = 2, speed = 0.5 },
      jobs = jobs { { runtime = 100, request = half_gpu }, { runtime = 100, request = half_gpu }, { runtime = 100 } } }
    expect(ran).starts { 0, 0, 0 }
  end)

  it("counts jobs without GPUs by node", function()
    local ran = run { policy = "colocate", params = { max_jobs = 1 }, slowdown = { model = "none" },
      machine = machine { count = 1, gpus = 2 },
      jobs = jobs { { runtime = 100, request = { cores = 1, gpus = 1 } }, { runtime = 100 }, { runtime = 100 },
        { runtime = 100, request = { cores = 1, gpus = 1 } } } }
    expect(ran).starts { 0, 0, 100, 0 }
  end)

  it("works in time slices, with jobs of a class beside one another", function()
    local ran = run { policy = "colocate", machine = machine { count = 1 },
      params = { sliced = true, interval = 1000, overhead = 0, short = 100, medium = 1000, max_slowdown = 2,
        min_gain = 0 },
      jobs = jobs { { runtime = 100, limit = 900 }, { runtime = 100, limit = 900 }, { runtime = 50, limit = 9000 } } }
    expect(ran.jobs[1].finish).equals(200)
    expect(ran.jobs[2].finish).equals(200)
    expect(ran.jobs[3].start).equals(300) -- the slice of long jobs
    expect(ran.jobs[3].finish).equals(350)
  end)

  it("holds nothing while it is preempted, in the figures", function()
    local ran = run { policy = "colocate", machine = machine { count = 1, gpus = 1 },
      params = { sliced = true, interval = 1000, overhead = 0, short = 100, medium = 1000 },
      jobs = jobs { { runtime = 400, limit = 900, request = { cores = 1, gpus = 1 } } } }
    expect(ran.jobs[1].finish).equals(1100)
    expect(ran.summary.resources.gpu_utilization).equals(400 / 1100)
    expect(ran.summary.resources.by_kind.n.core_utilization).equals(100 / 1100)
  end)
end)
