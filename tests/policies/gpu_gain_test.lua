-- Pairs on GPUs by utilization gain: examples by hand. On a GPU two jobs keep 0.8 of their speeds where one of them is of
-- application 2 (a gain of 0.6), else 0.5 (0); on slow GPUs jobs of application 1 have half their speed.
local function run(list, params, gpus)
  local jobs = {}
  for i, j in ipairs(list) do
    j.nodes, j.executable = 1, j.executable or 1
    j.request = j.request or { cores = 1, gpus = 1, gpu_share = 0.5 }
    jobs[i] = job(j)
  end
  local machine = gpus or { { name = "fast", count = 1, cores = 4, gpus = 1, gpu_type = "fast" } }
  local ran = simulate {
    policy = "gpu_gain", params = params, machine = { nodes = machine }, jobs = jobs,
    slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" }, engine = { at_limit = "extend" },
  }
  expect(ran).violates_nothing()
  local starts, ends = {}, {}
  for i, j in ipairs(ran.jobs) do starts[i], ends[i] = j.start, j.finish end
  return { starts = starts, ends = ends, jobs = ran.jobs }
end

local function gpus(slow, fast)
  return {
    { name = "slow", count = slow, cores = 4, gpus = 1, gpu_type = "slow" },
    { name = "fast", count = fast, cores = 4, gpus = 1, gpu_type = "fast" },
  }
end

describe("gpu_gain", function()
  it("gives each job a GPU of its own while there are enough, the fastest first", function()
    local ran = run({ { runtime = 100, executable = 2 }, { runtime = 100 } }, {}, gpus(1, 1))
    -- Job 1 is as fast on both and has the first; job 2 has the fast one.
    expect(ran.jobs[1].allocated).equals "0"
    expect(ran.jobs[2].allocated).equals "1"
    expect(ran.ends).equals { 100, 100 }
  end)

  it("prefers half of a fast GPU to a slow one where that is faster", function()
    -- Both keep 0.8 on the fast GPU, where job 2, of application 1, would have half its speed alone on the slow one.
    local fast = { cores = 1, gpus = 1, gpu_share = 0.5, gpu_type = "fast" }
    local ran = run({ { runtime = 100, executable = 2, request = fast }, { runtime = 100 } }, {}, gpus(1, 1))
    expect(ran.jobs[2].allocated).equals(ran.jobs[1].allocated)
    expect(ran.ends).equals { 125, 125 }
    -- Of application 2 it is as fast on the slow one.
    ran = run({ { runtime = 100, executable = 2, request = fast }, { runtime = 100, executable = 2 } }, {}, gpus(1, 1))
    expect(ran.ends).equals { 100, 100 }
  end)

  it("starts the two that gain most together", function()
    -- Jobs 1 and 2 gain nothing together, 1 and 3 as much as 2 and 3: the pair of which the first came first. Both end at
    -- 100 / 0.8 = 125. Apart job 1 would end at 100 and job 3 at 300 at the latest: it may end at 450 (and job 2 at 300).
    local ran = run { { runtime = 100 }, { runtime = 100 }, { runtime = 100, executable = 2 } }
    expect(ran.starts).equals { 0, 125, 0 }
    expect(ran.ends).equals { 125, 225, 125 }
  end)

  it("lets a job join one that runs, past others that came before it", function()
    -- Job 3 joins job 1 at 20: 80 s are left of it, which take 100 s, as do the 80 s of job 3.
    local ran = run { { runtime = 100 }, { submit = 10, runtime = 100 }, { submit = 20, runtime = 80, executable = 2 } }
    expect(ran.starts).equals { 0, 120, 20 }
    expect(ran.ends).equals { 120, 220, 120 }
  end)

  it("lets the other one have the GPU for itself when one has ended", function()
    -- Job 2 has done 40 s at 60 when it has been there for 50 s, and ends; job 1 has done 10 + 40 s, and 50 s are left.
    local ran = run { { runtime = 100 }, { submit = 10, runtime = 40, executable = 2 } }
    expect(ran.ends).equals { 110, 60 }
  end)

  it("does not pair jobs that lose more than they tolerate, or gain too little", function()
    local list = { { runtime = 100 }, { runtime = 100, executable = 2 } }
    expect(run(list, { max_slowdown = 1.25 }).ends).equals { 125, 125 }
    expect(run(list, { max_slowdown = 1.2 }).ends).equals { 100, 200 }
    expect(run(list, { min_gain = 0.59 }).ends).equals { 125, 125 }
    expect(run(list, { min_gain = 0.61 }).ends).equals { 100, 200 }
  end)

  it("does not pair jobs that ask for more than a GPU together", function()
    local whole = { cores = 1, gpus = 1, gpu_share = 0.6 }
    local ran = run { { runtime = 100, request = whole }, { runtime = 100, executable = 2 } }
    expect(ran.ends).equals { 100, 200 }
  end)

  it("does not make a running job later than slack allows", function()
    -- Alone job 1 ends at 100. Job 2 joins at 10 and would leave at 110, when job 1 has done 90 s and ends at 120.
    local list = { { runtime = 100 }, { submit = 10, runtime = 80, executable = 2 } }
    expect(run(list, { slack = 1.21 }).ends).equals { 120, 110 }
    expect(run(list, { slack = 1.19 }).ends).equals { 100, 180 }
  end)

  it("does not make a job later that came earlier and waits", function()
    -- Job 2 would end at 200, having come at 10: 190 s. Beside job 3, job 1 ends at 120, and job 3 at 20 + 500 / 0.8 less what
    -- it makes up for alone, at 20 + 100 + 420 = 540: job 2 would end at 640, which takes a slack of 630 / 190 = 3.3.
    local list = { { runtime = 100 }, { submit = 10, runtime = 100 }, { submit = 20, runtime = 500, executable = 2 } }
    -- With the slack it joins job 1; then job 2 joins job 3 when job 1 has ended, and both keep 0.8.
    expect(run(list, { slack = 3.4 }).starts).equals { 0, 120, 20 }
    -- Without it waits until job 1 ends, and has the GPU together with job 2: that leaves at 100 + 125 s.
    expect(run(list, { slack = 3.2 }).starts).equals { 0, 100, 100 }
    expect(run(list, { slack = 0 }).starts).equals { 0, 120, 20 }
  end)

  it("looks at a block of the queue", function()
    local list = { { runtime = 100 }, { submit = 1, runtime = 10 }, { submit = 2, runtime = 10, executable = 2 } }
    expect(run(list, { block_size = 1, slack = 0 }).starts[3] >= 100).is_true()
    expect(run(list, { block_size = 2, slack = 0 }).starts[3]).equals(2)
  end)

  it("starts jobs of several GPUs, and those of none, in order", function()
    local two = { cores = 1, gpus = 2 }
    local machine = { { name = "node", count = 1, cores = 4, gpus = 2, gpu_type = "fast" } }
    local ran = run({ { runtime = 100 }, { runtime = 50, request = two }, { runtime = 9, request = { cores = 1 } } }, {}, machine)
    expect(ran.starts).equals { 0, 100, 100 }
  end)

  property("runs every job on GPUs of two kinds, shared or not", { jobs = 30, nodes = 1, runs = 40 }, function(workload)
    for i, j in ipairs(workload.jobs) do
      j.executable, j.request = 1 + i % 2, { cores = 1, gpus = 1, gpu_share = i % 5 == 0 and 1 or 0.5 }
    end
    local ran = simulate(workload, {
      policy = "gpu_gain", machine = { nodes = gpus(1, 1) }, engine = { at_limit = "extend" },
      slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" },
    })
    expect(ran).violates_nothing()
    expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
  end)
end)
