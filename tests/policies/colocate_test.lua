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

  it("works in time slices, with jobs of a class beside one another", function()
    local ran = run { policy = "colocate", machine = machine { count = 1 },
      params = { sliced = true, interval = 1000, overhead = 0, short = 100, medium = 1000, max_slowdown = 2, min_gain = 0 },
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
