-- Pairs on GPUs by utilization gain: examples by hand. On a GPU two jobs keep 0.8 of their speeds where one of them is
-- of application 2 (a gain of 0.6), else 0.5 (0); on slow GPUs jobs of application 1 have half their speed.
local function run(list, params, gpus, slowdown)
  local jobs = {}
  for i, j in ipairs(list) do
    j.nodes, j.executable = 1, j.executable or 1
    j.request = j.request or { cores = 1, gpus = 1, gpu_share = 0.5 }
    jobs[i] = job(j)
  end
  local machine = gpus or { { name = "fast", count = 1, cores = 4, gpus = 1, gpu_type = "fast" } }
  local ran = simulate {
    policy = "gpu_gain", params = params, machine = { nodes = machine }, jobs = jobs,
    slowdown = { model = "script", script = slowdown or "slowdowns/gpus.lua", among = "gpu" },
    engine = { at_limit = "extend" },
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
    -- Jobs 1 and 2 gain nothing together, 1 and 3 as much as 2 and 3: the pair of which the first came first. Both end
    -- at 100 / 0.8 = 125. Apart job 1 would end at 100 and job 3 at 300 at the latest: it may end at 450 (and job 2 at
    -- 300).
    local ran = run { { runtime = 100 }, { runtime = 100 }, { runtime = 100, executable = 2 } }
    expect(ran.starts).equals { 0, 125, 0 }
    expect(ran.ends).equals { 125, 225, 125 }
  end)

  it("asks about each two jobs, also where all run the same", function()
    -- As above, but jobs 1 and 2 are as jobs 1 and 3 but for their users.
    local ran = run({ { runtime = 100 }, { runtime = 100 }, { runtime = 100, user = 2 } }, nil, nil,
      "slowdowns/by_user.lua")
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
    -- Job 2 would end at 200, having come at 10: 190 s. Beside job 3, job 1 ends at 120, and job 3 at 20 + 500 / 0.8
    -- less what it makes up for alone, at 20 + 100 + 420 = 540: job 2 would end at 640, which takes a slack of 630 /
    -- 190 = 3.3.
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
    local ran = run({ { runtime = 100 }, { runtime = 50, request = two }, { runtime = 9, request = { cores = 1 } } },
      {}, machine)
    expect(ran.starts).equals { 0, 100, 100 }
  end)

  it("lets jobs start alone behind one that waits for several GPUs, where they do not delay it", function()
    local two = { cores = 1, gpus = 2 }
    local machine = { { name = "node", count = 1, cores = 4, gpus = 2, gpu_type = "fast" } }
    local list = { { runtime = 100 }, { runtime = 50, request = two }, { runtime = 100 }, { runtime = 10 } }
    -- Job 3 would end with job 1, at 100; then job 4 has no GPU.
    expect(run(list, {}, machine).starts).equals { 0, 100, 0, 150 }
    list[3].runtime = 101
    expect(run(list, {}, machine).starts).equals { 0, 100, 150, 0 }
    expect(run(list, { backfill = false }, machine).starts).equals { 0, 100, 150, 150 }
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

-- A node of four GPUs; two jobs on one keep 0.8 of their speeds.
local four = { { name = "node", count = 1, cores = 16, gpus = 4, gpu_type = "fast" } }
local function half_of(n) return { cores = 2, gpus = n, gpu_share = 0.5 } end

describe("groups of more than two jobs", function()
  it("are a job of several GPUs and others on different ones of them", function()
    local list = { { runtime = 100, request = half_of(4), executable = 2 } }
    for i = 2, 5 do list[i] = { runtime = 80, request = half_of(1), executable = 2 } end
    local ran = run(list, {}, four)
    -- All keep 0.8: a gain of (4 * 0.8 + 4 * 0.8) / 4 - 1 = 0.6. The narrow ones end at 100; 20 s are left of the wide
    -- one.
    expect(ran.starts).equals { 0, 0, 0, 0, 0 }
    expect(ran.ends).equals { 120, 100, 100, 100, 100 }
    -- Three of them gain (3.2 + 2.4) / 4 - 1 = 0.4 only.
    table.remove(list)
    ran = run(list, {}, four)
    expect(ran.starts).equals { 0, 100, 100, 100 }
    expect(run(list, { min_gain = 0.39 }, four).starts).equals { 0, 0, 0, 0 }
  end)

  it("leave out those that slow the others down", function()
    -- Beside a job of application 1, one of application 1 keeps half of its speed, and so would the primary.
    local list = { { runtime = 100, request = half_of(4), executable = 1 } }
    for i = 2, 5 do list[i] = { runtime = 80, request = half_of(1), executable = i == 3 and 1 or 2 } end
    local ran = run(list, { min_gain = 0.3, max_slowdown = 3 }, four)
    expect(ran.starts).equals { 0, 0, 120, 0, 0 }
    expect(ran.ends[1]).equals(120)
  end)

  it("have guests of several GPUs, too", function()
    local list = {
      { runtime = 100, request = half_of(4), executable = 2 }, { runtime = 80, request = half_of(2), executable = 2 },
      { runtime = 80, request = half_of(1), executable = 2 }, { runtime = 80, request = half_of(1), executable = 2 },
    }
    local ran = run(list, {}, four)
    expect(ran.starts).equals { 0, 0, 0, 0 }
    expect(ran.ends).equals { 120, 100, 100, 100 }
    -- What a group gains is that of its whole time: when short ones have ended, the others use it less well.
    list[3].runtime, list[4].runtime = 40, 40
    expect(run(list, {}, four).starts).equals { 50, 150, 0, 0 }
  end)

  it("grow over a running job while GPUs of it have one job", function()
    local list = { { runtime = 100, request = half_of(4), executable = 2 } }
    for i = 2, 3 do list[i] = { submit = 10, runtime = 32, request = half_of(1), executable = 2 } end
    for i = 4, 6 do list[i] = { submit = 30, runtime = 8, request = half_of(1), executable = 2 } end
    -- Two of four gain (3.2 + 1.6) / 4 - 1 = 0.2. At 30 there is room for two more; the last one follows when these
    -- have ended.
    local ran = run(list, { min_gain = 0.1 }, four)
    expect(ran.starts).equals { 0, 10, 10, 30, 30, 40 }
    expect(ran.ends[6]).equals(50)
    expect(ran.ends[2]).equals(50)
    expect(ran.ends[1]).equals(108) -- at 0.8 of its speed from 10 to 50
  end)

  it("are formed by a wide job over narrow ones that run, and GPUs that none has", function()
    local list = {
      { runtime = 1000, request = half_of(1), executable = 2 },
      { runtime = 1000, request = half_of(1), executable = 2 },
      { submit = 10, runtime = 80, request = half_of(4), executable = 2 },
    }
    -- The wide job has two GPUs for itself and two with the others, (3.2 + 1.6) / 4 - 1 = 0.2.
    local ran = run(list, { min_gain = 0.1 }, four)
    expect(ran.starts).equals { 0, 0, 10 }
    expect(ran.ends).equals { 1020, 1020, 110 }
    expect(run(list, { min_gain = 0.21 }, four).starts[3]).equals(1000)
  end)

  it("are started as a whole or not at all", function()
    -- The node has cores for the wide job and three others.
    local list = { { runtime = 100, request = half_of(4), executable = 2 } }
    for i = 2, 5 do list[i] = { runtime = 80, request = half_of(1), executable = 2 } end
    local machine = { { name = "node", count = 1, cores = 9, gpus = 4, gpu_type = "fast" } }
    expect(run(list, {}, machine).starts).equals { 0, 100, 100, 100, 100 }
  end)

  it("are not formed where one would end too late", function()
    -- Alone the wide job ends at 100; beside the others at 120.
    local list = { { runtime = 100, request = half_of(4), executable = 2 } }
    for i = 2, 5 do list[i] = { submit = 10, runtime = 72, request = half_of(1), executable = 2 } end
    expect(run(list, { slack = 1.19 }, four).ends).equals { 118, 100, 100, 100, 100 }
    expect(run(list, { slack = 1.17 }, four).ends).equals { 100, 172, 172, 172, 172 }
  end)
end)

describe("gpu_gain in time slices", function()
  -- Of 200 s, limits of up to 100 s have the first half, others the second; nothing is lost between.
  local slices = {
    sliced = true, interval = 200, short = 1, medium = 100, medium_share = 0.5, overhead = 0, foreign = "none",
  }
  local function sliced(more)
    local params = table.copy(slices)
    for name, value in pairs(more or {}) do params[name] = value end
    return params
  end

  it("forms pairs of the jobs of a class", function()
    -- Jobs 1 and 3 are long, jobs 2 and 4 medium. Those of a class share the GPU in its slices and keep 0.8. Jobs 2 and
    -- 4 end at 100 / 0.8 - 25 in the second interval; jobs 1 and 3 have done 80 s in each slice, and 40 s are left in
    -- the third.
    local list = {
      { runtime = 200, limit = 200, executable = 2 }, { runtime = 100, limit = 100, executable = 2 },
      { runtime = 200, limit = 200, executable = 2 }, { runtime = 100, limit = 100, executable = 2 },
    }
    local ran = run(list, sliced { slack = 2.3 })
    expect(ran.starts).equals { 100, 0, 100, 0 }
    expect(ran.ends).equals { 550, 225, 550, 225 }
    -- Job 2 could expect to end at 100.
    expect(run(list, sliced { slack = 2.2 }).starts).equals { 100, 0, 100, 200 }
    -- Each alone, one after the other.
    ran = run(list, sliced { min_gain = 0.7 })
    expect(ran.ends).equals { 400, 100, 800, 300 }
  end)

  it("lets a job join one that was preempted and goes on", function()
    local list = {
      { runtime = 160, limit = 200, executable = 2 }, { submit = 210, runtime = 32, limit = 200, executable = 2 },
    }
    -- Job 1 has done 100 s by 200. At 300 job 2 joins it for 40 s; 28 s of job 1 are left then.
    local ran = run(list, sliced())
    expect(ran.starts).equals { 100, 300 }
    expect(ran.ends).equals { 368, 340 }
  end)

  it("reckons with the machine's clock how late a job would be", function()
    -- Job 1 could expect to end at 500, after 100 s in each of two slices and 10 s in the third. Beside job 2 from 300
    -- on, with 110 s to do at 0.8 of its speed until job 2 ends, it ends in the third slice, too; but not if job 2
    -- takes long.
    local function list(runtime)
      return {
        { runtime = 210, limit = 210, executable = 2 },
        { submit = 210, runtime = runtime, limit = runtime, executable = 2 },
      }
    end
    expect(run(list(101), sliced { slack = 1.1 }).starts[2]).equals(300)
    expect(run(list(101), sliced { slack = 1.01 }).starts[2] >= 500).is_true()
    -- The same later, when the clock of the class is far behind.
    local late = list(101)
    for _, j in ipairs(late) do j.submit = (j.submit or 0) + 2000 end
    table.insert(late, { runtime = 950, limit = 950 })
    expect(run(late, sliced { slack = 1.1 }).starts[2]).equals(2300)
    expect(run(late, sliced { slack = 1.03 }).starts[2] >= 2500).is_true()
  end)

  it("has jobs of other classes make way for a group", function()
    -- The long job runs in the slice of the medium ones, which it leaves when they come.
    local list = {
      { runtime = 300, limit = 300, executable = 2 },
      { submit = 20, runtime = 40, limit = 100, executable = 2 },
      { submit = 20, runtime = 40, limit = 100, executable = 2 },
    }
    local ran = run(list, sliced { foreign = "safe" })
    expect(ran.starts).equals { 0, 20, 20 }
    expect(ran.ends[2]).equals(70)
    expect(ran.ends[3]).equals(70)
    expect(ran.ends[1]).equals(350) -- 20 s before, 30 s after, and 250 s
  end)

  property("keeps all rules with jobs of several GPUs", { jobs = 30, nodes = 2, runs = 40 }, function(workload)
    for i, j in ipairs(workload.jobs) do
      j.nodes, j.executable, j.request = 1, 1 + i % 2,
      { cores = 1, gpus = 1 + i % 3, gpu_share = i % 5 == 0 and 1 or 0.5 }
    end
    local ran = simulate(workload, {
      policy = "gpu_gain",
      params = { sliced = true, interval = 600, short = 60, medium = 200, short_slice = 100, overhead = 5,
        min_gain = 0.1 },
      machine = { nodes = {
        { name = "slow", count = 2, cores = 4, gpus = 3, gpu_type = "slow" },
        { name = "fast", count = 1, cores = 8, gpus = 4, gpu_type = "fast" },
      } },
      engine = { at_limit = "extend" }, slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" },
    })
    expect(ran).violates_nothing()
    expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
  end)
end)

describe("why a job waits that there is room for", function()
  -- What is said of job 3 in the first pass after which it waits.
  local function said(backfill, jobs)
    local matchmaking = require "matchmaking"
    local policy = matchmaking.policy({ api = 1, name = "own", version = "1", params = matchmaking.with_params {
      min_gain = { default = 0.45, doc = "As gpu_gain." }, max_slowdown = { default = 1.6, doc = "As gpu_gain." },
    } }, "gpus")
    local schedule, words = policy.schedule, nil
    policy.schedule = function(view, params)
      schedule(view, params)
      for j in view:waiting() do
        if j.id == 3 and not words then words = select(2, policy.reason(view, j, params)) end
      end
    end
    simulate { policy = policy, params = { backfill = backfill }, jobs = jobs,
      machine = { nodes = { { name = "g", count = 2, cores = 4, gpus = 1, gpu_type = "fast" } } } }
    return words
  end
  local function three(asked, cores, short)
    return {
      job{submit=0, nodes=1, runtime=100, request={ cores = cores, gpus = 1 }},
      job{submit=1, nodes=2, runtime=10, request={ cores = cores, gpus = asked }},
      job{submit=2, nodes=1, runtime=short and 50 or 500, request={ cores = 1, gpus = 1 }},
    }
  end
  local no_group = "; no group of jobs with it gained enough and was fair"

  it("is the first one that it would delay, or behind which none starts", function()
    expect(said(true, three(1, 1))).equals("alone it would have delayed job 2, the first in the queue" .. no_group)
    expect(said(true, three(1, 1, true))).is_nil()
    expect(said(false, three(1, 1, true))).equals(
      "no job starts alone behind job 2, the first in the queue (backfill)" .. no_group)
    expect(said(true, three(0, 4))).equals(
      "no job starts alone behind job 2, the first in the queue, which does not wait for GPUs" .. no_group)
  end)
end)
