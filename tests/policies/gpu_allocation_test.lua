-- Policies that give GPUs of several kinds: examples by hand.
local kinds = {
  { name = "slow", count = 1, cores = 4, gpus = 1, gpu_type = "slow" },
  { name = "fast", count = 1, cores = 4, gpus = 1, gpu_type = "fast" },
}

local function jobs(list)
  local all = {}
  for i, j in ipairs(list) do
    j.nodes, j.executable = 1, j.executable or 1
    j.request = j.request or { cores = 1, gpus = 1, gpu_share = 0.5 }
    all[i] = job(j)
  end
  return all
end

local function run(policy, list, params, machine)
  params = params or {}
  params.round, params.period = params.round or 0, params.period or 0
  local ran = simulate {
    policy = policy, params = params, machine = { nodes = machine or kinds }, jobs = jobs(list),
    slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" }, engine = { at_limit = "extend" },
  }
  expect(ran).violates_nothing()
  return ran.jobs
end

local function times(jobs_of_run)
  local all = {}
  for i, j in ipairs(jobs_of_run) do all[i] = j.finish end
  return all
end

describe("gpu_fifo", function()
  it("gives the fastest GPU that is free, and moves jobs to a faster one", function()
    -- Job 2 has done 50 s of its 100 s on the slow GPU when job 1 ends, and the rest takes 50 s on the fast one.
    local ran = run("gpu_fifo", { { runtime = 100 }, { runtime = 100 } })
    expect(times(ran)).equals { 100, 150 }
    expect(ran[2].allocated).equals "1"
  end)

  it("leaves a job where it is that gains nothing", function()
    local ran = run("gpu_fifo", { { runtime = 100 }, { runtime = 200, executable = 2 } })
    expect(times(ran)).equals { 100, 200 }
    expect(ran[2].allocated).equals "0"
  end)

  it("lets no job overtake, and none share a GPU", function()
    local ran = run("gpu_fifo", { { runtime = 100, executable = 2 }, { runtime = 100 }, { runtime = 10 } })
    -- Job 1 has the slow GPU (the first of equals), job 2 the fast one; job 3 waits for the first that ends.
    expect(times(ran)).equals { 100, 100, 110 }
  end)

  it("moves and starts jobs at the ends of rounds", function()
    -- Rounds of 60 s: job 1 ends at 100; at 120 job 2 has done 60 s and moves: 40 s are left.
    local ran = run("gpu_fifo", { { runtime = 100 }, { runtime = 100 } }, { round = 60 })
    expect(times(ran)).equals { 100, 160 }
  end)

  it("gives GPUs anew after a period at the soonest", function()
    local ran = run("gpu_fifo", { { runtime = 100 }, { runtime = 100 } }, { round = 60, period = 150 })
    expect(times(ran)).equals { 100, 190 } -- at 180 it has done 90 s
  end)

  it("charges what going on costs", function()
    local ran = run("gpu_fifo", { { runtime = 100 }, { runtime = 100 } }, { restart = 5 })
    expect(times(ran)).equals { 100, 155 }
  end)

  it("runs jobs that ask for no GPU where they fit", function()
    local ran = run("gpu_fifo", { { runtime = 100, request = { cores = 4 } }, { runtime = 50, request = { cores = 4 } },
      { runtime = 20, request = { cores = 4 } } })
    expect(times(ran)).equals { 100, 50, 70 }
  end)
end)

describe("jobs that no kind is large enough for", function()
  for _, policy in ipairs { "gpu_fifo", "gpu_sjf", "gpu_las", "gpu_fifo_packed" } do
    it("run on several kinds under " .. policy, function()
      local ran = simulate {
        policy = policy, machine = { nodes = kinds }, engine = { at_limit = "extend" },
        jobs = { job { nodes = 2, runtime = 100, request = { cores = 1, gpus = 1 } },
          job { nodes = 1, runtime = 200, request = { cores = 1, gpus = 1 } } },
      }
      expect(ran).violates_nothing()
      expect(ran.jobs[1].finish).equals(100)
    end)
  end
end)

describe("GPUs of a job on several kinds", function()
  -- Job 1 takes both fast nodes and a slow one. A fast GPU is not to be had until it ends, but a slow one is.
  local machine = {
    { name = "fast", count = 2, cores = 4, gpus = 1, gpu_type = "fast" },
    { name = "slow", count = 2, cores = 4, gpus = 1, gpu_type = "slow" },
  }
  local list = { { nodes = 3, runtime = 100, request = { cores = 1, gpus = 1 } }, { submit = 1, runtime = 10 } }

  local function run_on_several(policy, params)
    local all = {}
    for i, j in ipairs(list) do
      all[i] = job { submit = j.submit or 0, nodes = j.nodes or 1, runtime = j.runtime, executable = 1,
        request = j.request or { cores = 1, gpus = 1, gpu_share = 0.5 } }
    end
    local ran = simulate {
      policy = policy, params = params or { round = 0, period = 0 }, machine = { nodes = machine }, jobs = all,
      slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" }, engine = { at_limit = "extend" },
    }
    expect(ran).violates_nothing()
    return ran
  end

  for _, policy in ipairs { "gpu_fifo", "gpu_sjf", "gpu_las", "gpu_fifo_packed" } do
    it("are not given to others under " .. policy, function()
      local ran = run_on_several(policy)
      expect(ran.jobs[2].start).equals(1)
      expect(ran.jobs[2].finish).equals(21)
      expect(ran.jobs[1].finish).equals(200)
    end)
  end

  it("are told by view:placed", function()
    local seen
    run_on_several({ api = 1, name = "asks", version = "1", placement = "first", schedule = function(view)
      view:easy()
      if seen then return end
      for j in view:running() do seen = view:placed(j) end
    end }, {})
    expect(seen).equals { { nodes = 2, gpus = 2 }, { nodes = 1, gpus = 1 } }
    expect(function()
      run_on_several({ api = 1, name = "asks", version = "1", placement = "first",
        schedule = function(view) view:placed(view:head()) end }, {})
    end).raises("view:placed: job 1 is not running")
  end)
end)

describe("gpu_sjf", function()
  local list = { { runtime = 100, executable = 2 }, { runtime = 100 }, { submit = 10, runtime = 50 },
    { submit = 10, runtime = 20 } }

  it("starts the shortest waiting job first", function()
    -- At 100 job 4 gets the fast GPU, job 3 the slow one, until it moves at 120 with 40 s left.
    expect(times(run("gpu_sjf", list))).equals { 100, 100, 160, 120 }
  end)

  it("takes the GPUs of longer jobs where it may", function()
    -- At 10 both GPUs go to jobs 4 (fast) and 3 (slow, 40 s of work left when job 4 ends at 30 and it moves). Job 1
    -- goes on at 30 on the slow one with 90 s left. Job 3 ends at 70, and job 2 goes on with 90 s left on the fast one.
    expect(times(run("gpu_sjf", list, { preempt = true }))).equals { 120, 160, 70, 30 }
  end)
end)

describe("gpu_las", function()
  local one = { kinds[2] }

  it("stops jobs that have had the most GPU time", function()
    -- One GPU, levels from 40 s on, looked at every 20 s: job 1 is of the second level at 40, when job 2 takes its
    -- place and ends at 70. It goes on at 80, the first look after that: the last one was at 60.
    local ran = run("gpu_las", { { runtime = 100, executable = 2 }, { submit = 10, runtime = 30, executable = 2 } },
      { first = 40, period = 20 }, one)
    expect(ran[2].start).equals(40)
    expect(times(ran)).equals { 140, 70 }
  end)
end)

describe("gpu_fifo_packed", function()
  it("lets a waiting job join the one with which it comes to most", function()
    -- Beside job 1 (application 2) both keep 0.8 of their speeds, beside job 2 half. Job 3 joins job 1: 0.8 * 0.5 on
    -- the slow GPU.
    local ran = run("gpu_fifo_packed", { { runtime = 80, executable = 2 }, { runtime = 1000 }, { runtime = 40 } })
    expect(ran[3].allocated).equals "0"
    expect(times(ran)).equals { 100, 1000, 100 } -- both end at 80 / 0.8 = 40 / 0.4
  end)

  it("lets jobs wait where no pair is worth it", function()
    local ran = run("gpu_fifo_packed", { { runtime = 80 }, { runtime = 200 }, { runtime = 40 } })
    expect(times(ran)[1]).equals(80)
    expect(ran[3].start >= 80).is_true()
    local packed = run("gpu_fifo_packed", { { runtime = 80 }, { runtime = 200 }, { runtime = 40 } }, { least = 0.9 })
    expect(packed[3].start).equals(0)
  end)
end)

describe("the view's methods for places", function()
  local list = { { runtime = 10 }, { runtime = 10 } }

  local function asks(schedule)
    return run({ api = 1, name = "asks", version = "1", placement = "first", schedule = schedule,
      params = { round = { default = 0, doc = "None." }, period = { default = 0, doc = "None." } } }, list)
  end

  it("tell kinds, speeds and requests", function()
    local seen
    asks(function(view)
      local head = view:head()
      if not seen then
        seen = {}
        for i, kind in ipairs(view:kinds()) do
          seen[i] = { kind.name, kind.nodes, kind.gpus, view:speed(head, kind.name), view:speed(head, kind.name, head) }
        end
        local r = view:request(head)
        seen[3] = { r.gpus, r.gpu_share, r.nodes, r.cores }
      end
      view:easy()
    end)
    expect(seen).equals { { "slow", 1, 1, 0.5, 0.25 }, { "fast", 1, 1, 1, 0.5 }, { 1, 0.5, 1, 1 } }
  end)

  it("start a job on a kind, alone or beside another one", function()
    local fit = {}
    local ran = asks(function(view)
      local first, second
      for j in view:waiting() do if first then second = j else first = j end end
      if not second then return end
      view:start(first, { kind = "fast", alone = true })
      fit = { view:fits(second, { kind = "fast" }), view:fits(second, { kind = "fast", alone = true }),
        view:fits(second, { beside = first }) }
      view:start(second, { beside = first })
    end)
    expect(fit).equals { true, false, true }
    expect(ran[1].allocated).equals "1"
    expect(ran[2].allocated).equals "1"
    expect(times(ran)).equals { 20, 20 }
  end)

  it("hear of kinds and options that there are not", function()
    expect(function() asks(function(view) view:start(view:head(), { kind = "fst" }) end) end)
      .raises("the machine has no kind of nodes 'fst'")
    expect(function() asks(function(view) view:fits(view:head(), { kinds = "fast" }) end) end).raises(
      "unknown option 'kinds'")
  end)
end)

describe("the utilization of GPUs", function()
  it("counts every run of a job that moves", function()
    -- Job 2 has the slow GPU for 100 s and the fast one for 50 s; job 1 has the fast one for 100 s.
    local ran = simulate {
      policy = "gpu_fifo", params = { round = 0 }, machine = { nodes = kinds },
      jobs = jobs { { runtime = 100, request = { cores = 1, gpus = 1 } },
        { runtime = 100, request = { cores = 1, gpus = 1 } } },
      slowdown = { model = "script", script = "slowdowns/gpus.lua", among = "gpu" }, engine = { at_limit = "extend" },
    }
    local of = ran.summary.resources
    expect(of.by_kind.slow.gpu_utilization).near(100 / 150, 1e-9)
    expect(of.by_kind.slow.core_utilization).near(100 / 4 / 150, 1e-9)
    expect(of.by_kind.slow.jobs).equals(1)
    expect(of.by_kind.fast.gpu_utilization).near(1, 1e-9)
    expect(of.by_kind.fast.jobs).equals(2)
    expect(of.gpu_utilization).near(250 / 300, 1e-9)
  end)
end)

describe("a policy of one's own that gives GPUs one by one", function()
  local gpus = require "gpu_allocation"
  local function own(allocate)
    return gpus.policy({ api = 1, name = "own", version = "1" }, { allocate = allocate })
  end
  local function fastest(units)
    for job in function() return units:next() end do
      local kind = units:fastest_left(job)
      if not kind then return end
      units:give(job, kind)
    end
  end

  it("decides as gpu_fifo does where it gives each job the fastest that is left", function()
    for seed = 1, 5 do
      local random, list = seed, {}
      for i = 1, 12 do
        random = random * 1103515245 + 12345 & 0x7fffffff
        list[i] = { runtime = 10 + random % 90, submit = i * 7, executable = 1 + random // 128 % 2 }
      end
      local mine, theirs = run(own(fastest), list), run("gpu_fifo", list)
      expect(times(mine)).equals(times(theirs))
    end
  end)

  it("cannot give more than is left", function()
    expect(function()
      run(own(function(units)
        for job in function() return units:next() end do units:give(job, "fast") end
      end), { { runtime = 100 }, { runtime = 100 } })
    end).raises "of the 1 units of 'fast' that job 2 asks for 0 are left"
  end)
end)

describe("why a job waits for GPUs", function()
  -- What is said of job 4 after each pass, with when it was said first.
  local function said(how, params)
    local policy = require("gpu_allocation").policy({ api = 1, name = "own", version = "1" }, how)
    local schedule, words = policy.schedule, {}
    policy.schedule = function(view, values)
      schedule(view, values)
      for j in view:waiting() do
        local _, why = policy.reason(view, j, values)
        if j.id == 4 and (#words == 0 or words[#words][2] ~= why) then words[#words + 1] = { view.now, why } end
      end
    end
    local function four(submit, nodes) return { submit = submit, runtime = 1000, limit = 2000, nodes = nodes,
      request = { gpus = 4 } } end
    simulate { policy = policy, params = params,
      machine = { nodes = { { name = "g", count = 2, cores = 16, gpus = 4, gpu_type = "new" } } },
      jobs = { job(four(0, 1)), job(four(1, 1)), job(four(2, 2)),
        job{ submit = 3, runtime = 1000, limit = 2000, nodes = 1, request = { gpus = 1 } } } }
    return words
  end
  local behind = "job 3 before it had to wait when GPUs were given, and no job passes another"
  local none_left = "no kind of node had left what it asks for when GPUs were given"

  it("is what was decided when they were given, until they are given anew", function()
    local period = "enough was free, but GPUs are given anew no sooner than 1800 s after the last time, at the end of "
      .. "a round"
    expect(said({ always = true }, { period = 1800 })).equals {
      { 3, period }, { 1800, behind }, { 3600, none_left }, { 4600, period } }
  end)

  it("is that rounds have not ended, and that the period is not over without rounds", function()
    local round = "enough was free, but GPUs are given anew at the ends of rounds"
    expect(said({}, {})).equals { { 3, round }, { 360, behind }, { 1440, none_left }, { 2440, round } }
    expect(said({ always = true }, { round = 0, period = 1800 })[1]).equals {
      3, "enough was free, but GPUs are given anew no sooner than 1800 s after the last time" }
  end)

  it("is what the policy says of a job that it gave nothing", function()
    expect(said({ unplaced = "none was left" }, {})[3]).equals { 1440, "none was left" }
  end)
end)
