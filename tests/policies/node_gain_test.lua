-- Pairs and groups on nodes of several kinds by utilization gain: examples by hand. Jobs slow one another down as their
-- numbers say (slowdowns/nodes.lua): a job with executable 120 makes others 1.2 times slower.
local kinds = {
  { name = "slow", count = 4, cores = 4 },
  { name = "fast", count = 2, cores = 8, speed = 2 },
}

local function run(list, params, machine, more)
  local jobs = {}
  for i, j in ipairs(list) do
    j.request = j.request or { cores = 2 }
    j.executable, j.group = j.executable or 0, j.group or -1
    jobs[i] = job(j)
  end
  local options = {
    policy = "node_gain", params = params, machine = machine or { nodes = { kinds[1] } }, jobs = jobs,
    slowdown = { model = "script", script = "slowdowns/nodes.lua" }, engine = { at_limit = "extend" },
  }
  for name, value in pairs(more or {}) do options[name] = value end
  local ran = simulate(options)
  expect(ran).violates_nothing()
  local starts, ends = {}, {}
  for i, j in ipairs(ran.jobs) do starts[i], ends[i] = j.start, j.finish end
  return { starts = starts, ends = ends, jobs = ran.jobs, summary = ran.summary }
end

local function on(nodes, more)
  local r = { nodes = nodes, cores = 2 }
  for name, value in pairs(more or {}) do r[name] = value end
  return r
end

--- A job of so many nodes.
local function wide(nodes, runtime, more)
  local j = { nodes = nodes, processes = 2 * nodes, runtime = runtime, request = on(nodes) }
  for name, value in pairs(more or {}) do j[name] = value end
  j.nodes = nil
  return j
end

describe("node_gain", function()
  it("has jobs alone on the fastest kind while there is enough", function()
    local list = { wide(2, 100), wide(2, 100), wide(2, 100) }
    for _, j in ipairs(list) do j.request.exclusive = true end
    local ran = run(list, {}, { nodes = kinds })
    expect(ran.jobs[1].allocated).equals "4-5"
    expect(ran.ends).equals { 50, 100, 100 }
    -- Half of a fast node is better than a slow one.
    ran = run({ wide(2, 100), wide(2, 100), wide(2, 100) }, {}, { nodes = kinds })
    expect(ran.jobs[2].allocated).equals "4-5"
    expect(ran.ends).equals { 50, 50, 100 }
  end)

  it("takes kinds that differ by name only for one, and no others", function()
    -- Job 1 leaves one node of the first two and two others, which together are enough for job 2 and, beside it, job 3.
    local list = {
      wide(1, 100, { group = 1 }), wide(3, 100, { group = 1 }), wide(3, 100, { executable = 125 }),
      wide(4, 50, { submit = 10, group = 1 }),
    }
    local function on_two(more)
      local second = { name = "m", count = 2, cores = 4 }
      for name, value in pairs(more) do second[name] = value end
      return run(list, {}, { nodes = { { name = "n", count = 2, cores = 4 }, second } })
    end
    local one, two = run(list), on_two {}
    expect(one.starts).equals { 0, 0, 0, one.starts[4] }
    expect(two.starts).equals(one.starts)
    expect(two.ends).equals(one.ends)
    for i, j in ipairs(one.jobs) do expect(two.jobs[i].allocated).equals(j.allocated) end
    -- On nodes that are only a little faster they are not together.
    expect(on_two({ speed = 1.001 }).starts[3]).greater_than(0)
  end)

  it("starts two waiting jobs together where that gains most (Case 1)", function()
    -- Jobs 1 and 3 keep 0.8 and all of their speeds: a gain of 0.8. Job 1 does not bear job 2.
    local ran = run({ wide(4, 100, { group = 1 }), wide(4, 100, { group = 1 }), wide(4, 100, { executable = 125 }) })
    expect(ran.starts).equals { 0, 120, 0 }
    expect(ran.ends).equals { 120, 220, 100 }
  end)

  it("starts waiting jobs beside a wide one, each on nodes of its own of it", function()
    local ran = run { wide(4, 100), wide(2, 50), wide(1, 50), wide(1, 50) }
    expect(ran.starts).equals { 0, 0, 0, 0 }
    expect(ran.ends).equals { 100, 50, 50, 50 }
    local nodes = { ran.jobs[2].allocated, ran.jobs[3].allocated, ran.jobs[4].allocated }
    expect(nodes).equals { "0-1", "2", "3" }
  end)

  it("starts a wide job over narrow ones that run, and on idle nodes (Case 2)", function()
    local ran = run { wide(2, 1000), wide(1, 1000), wide(4, 100, { submit = 10 }) }
    expect(ran.starts).equals { 0, 0, 10 }
    expect(run({ wide(2, 1000), wide(1, 1000), wide(4, 100, { submit = 10 }) }, { min_gain = 0.8 }).starts[3]).equals(
      1000)
  end)

  it("starts a waiting job beside one that runs (Case 3)", function()
    local ran = run { wide(4, 100), wide(4, 50, { submit = 20, executable = 125 }) }
    expect(ran.starts).equals { 0, 20 }
    expect(ran.ends).equals { 110, 70 } -- 40 s of job 1 by 70, which are 50 s at 1.25
  end)

  it("asks for more cores and memory than there are for no group", function()
    expect(run({ wide(4, 100, { request = on(4, { cores = 3 }) }), wide(4, 100) }).starts).equals { 0, 100 }
    local machine = { nodes = { { name = "slow", count = 4, cores = 4, memory = "8 GiB" } } }
    local function list(memory)
      return { wide(4, 100, { request = on(4, { memory = "5 GiB" }) }),
        wide(4, 100, { request = on(4, { memory = memory }) }) }
    end
    expect(run(list "3 GiB", {}, machine).starts).equals { 0, 0 }
    expect(run(list "4 GiB", {}, machine).starts).equals { 0, 100 }
    expect(run({ wide(4, 100, { request = on(4, { exclusive = true }) }), wide(4, 100) }).starts).equals { 0, 100 }
  end)

  it("keeps to partitions", function()
    local machine = {
      nodes = { { name = "slow", count = 4, cores = 4 } },
      partitions = { { name = "all", nodes = "slow", default = true }, { name = "half", nodes = "slow[3-4]" } },
    }
    -- Job 2 may be on two of the four nodes, where job 1 is, too.
    local ran = run({ wide(4, 100), wide(2, 100, { request = on(2, { partition = "half" }) }), wide(2, 100) },
      {}, machine)
    expect(ran.starts).equals { 0, 0, 0 }
    expect(ran.jobs[2].allocated).equals "2-3"
    expect(ran.jobs[3].allocated).equals "0-1"
  end)

  it("makes no job later than slack allows that came earlier", function()
    -- Job 1 could expect 100 s. Beside job 2 it takes 125 s.
    local function list() return { wide(4, 100), wide(4, 1000, { submit = 0, executable = 125 }) } end
    expect(run(list(), { slack = 1.26 }).starts).equals { 0, 0 }
    expect(run(list(), { slack = 1.24 }).starts).equals { 0, 100 }
  end)

  it("backfills around a job that waits", function()
    local function list(runtime)
      return {
        wide(3, 100, { request = on(3, { exclusive = true }) }),
        wide(4, 100, { request = on(4, { exclusive = true }) }),
        wide(1, runtime),
      }
    end
    expect(run(list(100)).starts).equals { 0, 100, 0 }
    expect(run(list(101)).starts).equals { 0, 100, 200 }
  end)

  it("starts jobs that need nodes of both kinds", function()
    local ran = run({ wide(6, 100), wide(5, 100) }, {}, { nodes = kinds })
    expect(ran.starts).equals { 0, 100 }
  end)

  property("runs every job on a random machine, and breaks no rule", { jobs = 40, nodes = 4, runs = 40 },
    function(workload)
    for i, j in ipairs(workload.jobs) do
      j.executable, j.group = 100 + i % 30, i % 4
      j.request = { nodes = j.nodes, cores = 1 + i % 3, memory = (1 + i % 4) .. " GiB", exclusive = i % 9 == 0 }
      j.processes, j.nodes = j.nodes * (1 + i % 3), nil
    end
    for _, sliced in ipairs { false, true } do
      local ran = simulate(workload, {
        policy = "node_gain", engine = { at_limit = "extend" },
        params = { min_gain = 0.2, sliced = sliced, interval = 600, short = 60, medium = 200, short_slice = 100,
          overhead = 5 },
        machine = { nodes = {
          { name = "slow", count = 3, cores = 4, memory = "8 GiB" }, { name = "fast", count = 3, cores = 8, speed = 2 },
        } },
        slowdown = { model = "script", script = "slowdowns/nodes.lua" },
      })
      expect(ran).violates_nothing()
      expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
    end
  end)
end)
