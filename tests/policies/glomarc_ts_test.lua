-- G-LOMARC-TS on queues made by hand. Four nodes of two processors with two cores each, all jobs in one queue, nobody
-- short, unless a case says otherwise; slowdowns stand in the jobs (slowdowns/by_hand.lua).
local by_hand = { model = "script", script = "slowdowns/by_hand.lua" }

local function shared(options)
  options.machine = options.machine or { nodes = 4, processors = 2, cores = 2 }
  options.policy = options.policy or "glomarc_ts"
  options.slowdown = options.slowdown or by_hand
  options.params = options.params or {}
  if options.params.sliced == nil and type(options.policy) == "string" then options.params.sliced = false end
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

-- A job that bears no second process of its own on a node, so that its size is its number of nodes.
local function wide(options)
  options.executable, options.queue = 120, 130
  options.submit = options.submit or 0
  return job(options)
end

local function serial(options)
  options.size = 1
  options.submit = options.submit or 0
  return job(options)
end

-- The numbers of the jobs that have started at that instant.
local function started(run, time)
  local list = {}
  for i, j in ipairs(run.jobs) do
    if j.start == time then list[#list + 1] = i end
  end
  return list
end

describe("G-LOMARC-TS: one job", function()
  it("starts on all cores of its nodes if it bears that (Case 5)", function()
    local run = shared { jobs = { job{submit=0, size=8, runtime=20000, executable=105, queue=110} } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[1].finish).near(20000 * 1.05 * 1.1, 1e-6)
  end)

  it("starts with a process on each processor if it bears only that (Case 4)", function()
    local run = shared { jobs = { job{submit=0, size=6, runtime=20000, executable=105, queue=130} } }
    expect(run.jobs[1].allocated).equals("0-2")
    expect(run.jobs[1].finish).near(21000, 1e-6)
  end)

  it("starts with one process a node if it bears no more (Case 4)", function()
    local run = shared { jobs = { wide{size=3, runtime=20000} } }
    expect(run.jobs[1].allocated).equals("0-2")
    expect(run.jobs[1].finish).equals(20000)
  end)

  it("may get faster by a second process beside the first", function()
    local run = shared { jobs = { job{submit=0, size=2, runtime=20000, executable=95, queue=140} } }
    expect(run.jobs[1].finish).near(19000, 1e-6)
  end)
end)

describe("G-LOMARC-TS: the flow chart", function()
  it("starts everybody for himself when the load is low", function()
    local run = shared { jobs = { wide{size=2, runtime=20000}, wide{size=2, runtime=20000} } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[2].allocated).equals("2-3")
  end)

  it("lays the first waiting job and others over one another (Case 1)", function()
    local run = shared { jobs = {
      wide{size=4, runtime=20000, partition=110}, wide{size=4, runtime=20000, partition=105},
    } }
    expect(started(run, 0)).equals { 1, 2 }
    expect(run.jobs[2].allocated).equals("0-3")
    expect(run.jobs[1].finish).near(21000, 1e-6)
    -- The second goes on by itself, at full speed, when the first is gone: 20000 = 21000 / 1.1 + the rest.
    expect(run.jobs[2].finish).near(21000 + 20000 - 21000 / 1.1, 1e-6)
  end)

  it("lays the first waiting job over running ones (Case 2)", function()
    local run = shared { jobs = {
      wide{size=2, runtime=20000}, wide{size=2, runtime=20000}, wide{size=4, runtime=20000, submit=100},
    } }
    expect(run).starts { 0, 0, 100 }
    expect(run.jobs[3].allocated).equals("0-3")
  end)

  it("takes idle nodes where the running ones do not suffice (Case 2)", function()
    local run = shared { jobs = { wide{size=3, runtime=20000}, wide{size=4, runtime=20000, submit=100} } }
    expect(run).starts { 0, 100 }
    expect(run.jobs[2].allocated).equals("0-3")
  end)

  it("lays waiting jobs over a running one (Case 3)", function()
    local run = shared { jobs = {
      wide{size=4, runtime=20000}, wide{size=2, runtime=20000, submit=100}, wide{size=2, runtime=20000, submit=100},
    } }
    expect(run).starts { 0, 100, 100 }
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[3].allocated).equals("2-3")
  end)

  it("prefers a group that gains more than a job alone on all cores (Case 5)", function()
    -- Alone: 4 / 1.2 - 1 = 2.33; two processes of each on a node: 3.
    local run = shared { jobs = {
      job{submit=0, size=8, runtime=20000, executable=100, queue=120},
      job{submit=0, size=8, runtime=20000, executable=100, queue=120},
    } }
    expect(run.jobs[1].allocated).equals("0-3")
    expect(run.jobs[2].allocated).equals("0-3")
    expect(run.jobs[1].finish).equals(20000)
  end)

  it("prefers all cores for a job that gains more alone (Case 5)", function()
    -- In a group: 16 / 4 / 1.22 - 1 = 2.28.
    local run = shared { jobs = {
      job{submit=0, size=8, runtime=20000, executable=100, queue=120, partition=122},
      job{submit=0, size=8, runtime=20000, executable=100, queue=120, partition=122},
    } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[2].allocated).equals("2-3")
    expect(run.jobs[1].finish).near(24000, 1e-6)
  end)

  it("may take the widest waiting job as the primary of Case 1, beyond the paper", function()
    local function jobs()
      return { wide{size=2, runtime=20000}, wide{size=2, runtime=20000}, wide{size=4, runtime=20000, submit=0} }
    end
    local first, widest = shared { jobs = jobs() }, shared { jobs = jobs(), params = { primary = "widest" } }
    expect(started(first, 0)).equals { 1, 2 }
    expect(widest.jobs[3].allocated).equals("0-3")
    expect(widest.jobs[2].allocated).equals("2-3")
  end)

  it("leaves short jobs alone", function()
    local run = shared { jobs = { wide{size=4, runtime=500}, wide{size=4, runtime=550} } }
    expect(run).starts { 0, 500 }
    local other = shared { jobs = { wide{size=4, runtime=550}, wide{size=4, runtime=2000} } }
    expect(other).starts { 0, 550 }
  end)

  it("lays serial jobs over a waiting parallel one (Case 1)", function()
    local jobs = { serial{runtime=20000}, wide{size=4, runtime=20000} }
    for i = 3, 5 do jobs[i] = serial{runtime=20000} end
    local run = shared { jobs = jobs }
    expect(started(run, 0)).equals { 1, 2, 3, 4, 5 }
    expect(run.jobs[2].allocated).equals("0-3")
    expect(run.jobs[5].allocated).equals("3")
  end)

  it("lays serial jobs over a running parallel one (Case 3)", function()
    local jobs = { wide{size=4, runtime=20000} }
    for i = 2, 5 do jobs[i] = serial{runtime=20000, submit=100} end
    local run = shared { jobs = jobs }
    expect(started(run, 100)).equals { 2, 3, 4, 5 }
    expect(run.jobs[2].allocated).equals("0")
    expect(run.jobs[5].allocated).equals("3")
  end)

  it("does not lay serial jobs over one another, but with serial_fallthrough", function()
    local jobs = {}
    for i = 1, 5 do jobs[i] = serial{runtime=20000} end
    expect(shared { jobs = jobs }).starts { 0, 0, 0, 0, 20000 }
    expect(shared { jobs = jobs, params = { serial_fallthrough = true } }).starts { 0, 0, 0, 0, 0 }
  end)

  it("backfills a group where it moves no reservation", function()
    local run = shared { jobs = {
      wide{size=2, runtime=10000, group=1}, wide{size=4, runtime=20000, group=1, submit=100}, -- they do not bear each other
      wide{size=2, runtime=5000, group=1, submit=100}, wide{size=2, runtime=5000, submit=100},
    } }
    expect(run.jobs[3].start).equals(100)
    expect(run.jobs[4].start).equals(100)
    expect(run.jobs[3].allocated).equals("2-3")
    expect(run.jobs[4].allocated).equals("2-3")
    expect(run.jobs[2].start).equals(10000)
  end)
end)

describe("G-LOMARC-TS: how a group is made", function()
  -- The best groups are wanted here, however late they make others.
  local function grouped(jobs, params, nodes, policy)
    params = params or {}
    params.slack = params.slack or 100
    return shared { jobs = jobs, params = params, policy = policy, machine = { nodes = nodes or 4, processors = 2, cores = 2 } }
  end

  it("refuses who slows the first job down too much, or gets too slow (step 1)", function()
    expect(grouped { wide{size=4, runtime=20000}, wide{size=4, runtime=20000, partition=126} }).starts { 0, 20000 }
    expect(grouped { wide{size=4, runtime=20000, partition=126}, wide{size=4, runtime=20000} }).starts { 0, 20000 }
    expect(grouped { wide{size=4, runtime=20000}, wide{size=4, runtime=20000, partition=125} }).starts { 0, 0 }
  end)

  it("counts what a job's own processes cost, or only the partner (max_slowdown_on)", function()
    local function pair() -- 1.1 by itself, 1.15 by the other: 1.265
      return {
        job{submit=0, size=8, runtime=20000, executable=110, queue=130, partition=115},
        job{submit=0, size=8, runtime=20000, executable=110, queue=130, partition=115},
      }
    end
    expect(grouped(pair()).jobs[2].start > 21000).equals(true)
    expect(grouped(pair(), { max_slowdown_on = "partner" })).starts { 0, 0 }
  end)

  it("lets others be an eighth wider than the first job, not more (step 1)", function()
    expect(grouped({ wide{size=8, runtime=20000}, wide{size=9, runtime=20000} }, {}, 9)).starts { 0, 0 }
    -- Nor may the second be laid over the first: that is too long for it.
    expect(grouped({ wide{size=7, runtime=24000}, wide{size=8, runtime=20000} }, {}, 8)).starts { 0, 24000 }
  end)

  it("lets others be 3000 s longer than the first job, not more (step 1)", function()
    expect(grouped { wide{size=4, runtime=20000}, wide{size=3, runtime=23000} }).starts { 0, 0 }
    expect(grouped { wide{size=4, runtime=20000}, wide{size=3, runtime=23001} }).starts { 0, 20000 }
  end)

  it("slides a window over the first block, the longest first (steps 3 and 4)", function()
    -- Sets: 2 alone, 3 and 4, 4 alone. 2 comes first but leaves a node of the first job's unshared.
    local run = grouped {
      wide{size=4, runtime=20000}, wide{size=3, runtime=20000}, wide{size=2, runtime=19000}, wide{size=2, runtime=18000},
    }
    expect(started(run, 0)).equals { 1, 3, 4 }
  end)

  it("adds jobs of other blocks where nodes are left (step 5)", function()
    local function jobs() return { wide{size=4, runtime=20000}, wide{size=2, runtime=20000}, wide{size=2, runtime=20000} } end
    expect(started(grouped(jobs(), { block_size = 1 }), 0)).equals { 1, 2, 3 }
    expect(started(grouped(jobs(), { block_size = 1 }, 4, "glomarc_fbo"), 0)).equals { 1, 2 }
  end)

  it("takes out who slows the first job down and contributes nothing (step 6)", function()
    -- With the third: 8 / 1.25 + 7 + 1 = 14.4 on 8 nodes; without: 15.
    local run = grouped({
      wide{size=8, runtime=20000}, wide{size=7, runtime=20000}, serial{runtime=20000, partition=125},
    }, {}, 8)
    expect(started(run, 0)).equals { 1, 2 }
  end)

  it("forms no group that gains too little (step 7)", function()
    expect(started(grouped { wide{size=4, runtime=20000}, serial{runtime=20000} }, 0)).equals { 1 }
    local run = grouped({ wide{size=4, runtime=20000}, serial{runtime=20000} }, { min_gain = 0.25 })
    expect(started(run, 0)).equals { 1, 2 }
  end)

  it("makes groups of four (Figure 8)", function()
    local run = grouped {
      wide{size=4, runtime=20000}, wide{size=2, runtime=20000}, serial{runtime=19000}, serial{runtime=18000},
    }
    expect(started(run, 0)).equals { 1, 2, 3, 4 }
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[3].allocated).equals("2")
    expect(run.jobs[4].allocated).equals("3")
  end)

  it("uses the area of the first job well, in nodes and in time (Figure 9)", function()
    -- 2 ends early and leaves the nodes to the first job alone; 3 and 4 stay as long as it does.
    for _, policy in ipairs { "glomarc_ts", "glomarc_ns", "glomarc_exhaustive" } do
      local run = grouped({
        wide{size=4, runtime=20000}, wide{size=2, runtime=11000}, wide{size=2, runtime=20000}, wide{size=2, runtime=20000},
      }, {}, 4, policy)
      expect(started(run, 0)).equals { 1, 3, 4 }
    end
  end)

  it("takes the best pair, the first pair, or the first set that gains enough (CST, CSTWS, NH)", function()
    local function jobs() return { wide{size=4, runtime=20000}, wide{size=2, runtime=20000}, wide{size=4, runtime=20000} } end
    expect(started(grouped(jobs(), {}, 4, "glomarc_ts"), 0)).equals { 1, 3 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_cst"), 0)).equals { 1, 3 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_cstws"), 0)).equals { 1, 2 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_nh"), 0)).equals { 1, 2 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_ssp"), 0)).equals { 1 }
  end)

  it("finds the best of all sets, which a window over the sorted block misses (exhaustive)", function()
    -- 2 and 4 fill the nodes, but 3 stands between them in the block.
    local function jobs()
      return { wide{size=4, runtime=20000}, wide{size=3, runtime=20000}, wide{size=2, runtime=19000}, serial{runtime=18000} }
    end
    expect(started(grouped(jobs()), 0)).equals { 1, 2 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_exhaustive"), 0)).equals { 1, 2, 4 }
  end)
end)

describe("G-LOMARC-TS: fairness", function()
  -- 2 waits for 1 and bears nobody. With 3 over 1, both slowed down, it waits for longer.
  local function jobs()
    return {
      wide{size=4, runtime=20000, partition=120, group=1}, wide{size=4, runtime=11000, group=1},
      wide{size=4, runtime=20000, partition=120, executable=120},
    }
  end

  it("forms no group that makes others later than the slack allows", function()
    local three = jobs()
    three[2].partition = 200 -- the third does not bear it
    local params = { fair_to_members = false }
    params.slack = 1.0
    expect(shared { jobs = three, params = params }).starts { 0, 20000, 31000 }
    params.slack = 1.5
    expect(started(shared { jobs = three, params = params }, 0)).equals { 1, 3 }
  end)

  it("protects the jobs of the group, too (fair_to_members)", function()
    local two = { wide{size=4, runtime=20000, partition=120}, wide{size=4, runtime=20000, partition=120} }
    expect(shared { jobs = two, params = { slack = 1.0 } }).starts { 0, 20000 }
    expect(shared { jobs = two, params = { slack = 1.0, fair_to_members = false } }).starts { 0, 0 }
    expect(shared { jobs = two, params = { slack = 1.2 } }).starts { 0, 0 }
  end)

  it("takes the next best group where the best is not fair", function()
    -- 2 would slow the first job down by 1.2, 3 by nothing; only 2 covers all of its nodes.
    local run = shared { params = { slack = 1.0 }, jobs = {
      wide{size=4, runtime=20000}, wide{size=4, runtime=20000, partition=120}, wide{size=2, runtime=20000},
    } }
    expect(started(run, 0)).equals { 1, 3 }
  end)
end)

describe("G-LOMARC-TS: the life of a group", function()
  it("adds nobody while it lasts, and matches again what is left of it", function()
    -- The second leaves at 11000; only then the third is laid over the first.
    local run = shared { jobs = {
      wide{size=4, runtime=15000}, wide{size=2, runtime=11000}, wide{size=2, runtime=7000, submit=5000},
    } }
    expect(run).starts { 0, 0, 11000 }
    expect(run.jobs[3].allocated).equals("0-1")
    expect(run.jobs[1].finish).equals(15000)
    expect(run.jobs[3].finish).equals(18000)
  end)

  it("slows the first job down as the worst of those still there does", function()
    -- 1.2 until the third ends, at 11000 s x 1; then 1.1.
    local run = shared { params = { slack = 100 }, jobs = {
      wide{size=4, runtime=20000}, wide{size=2, runtime=20000, partition=110}, wide{size=2, runtime=11000, partition=120},
    } }
    expect(started(run, 0)).equals { 1, 2, 3 }
    expect(run.jobs[3].finish).equals(11000)
    expect(run.jobs[2].finish).equals(20000)
    -- 9167 s of its work until 11000, 8182 until 20000, and the rest alone.
    expect(run.jobs[1].finish).near(20000 + 20000 - 11000 / 1.2 - 9000 / 1.1, 1e-6)
  end)

  it("frees the nodes of the first job that nobody else is on", function()
    local run = shared { jobs = {
      wide{size=4, runtime=10000}, wide{size=2, runtime=13000}, wide{size=2, runtime=20000, submit=5000, group=1},
    } }
    expect(run.jobs[2].start).equals(0)
    expect(run.jobs[3].start).equals(10000)
    expect(run.jobs[3].allocated).equals("2-3")
  end)
end)

describe("G-LOMARC-TS on random workloads", function()
  local variants = { "ssp", "ts", "cst", "cstws", "fbo", "ns", "nh", "exhaustive" }

  local function random_jobs(count, seed)
    local draw, list, time = seed, {}, 0
    local function below(n)
      draw = (draw * 1103515245 + 12345) % 2147483648
      return draw // 65536 % n
    end
    for i = 1, count do
      time = time + below(1200)
      local size = below(4) == 0 and 1 or 1 + below(16)
      list[i] = job{submit=time, size=size, runtime=700 + below(20000)}
    end
    return list
  end

  it("all jobs end under every variant, in time slices and without", function()
    for _, name in ipairs(variants) do
      for _, sliced in ipairs { false, true } do
        local run = shared {
          policy = "glomarc_" .. name, params = { sliced = sliced, block_size = 8 }, slowdown = { model = "drawn" },
          machine = { nodes = 16, processors = 2, cores = 2 }, jobs = random_jobs(60, 7),
        }
        expect(run.summary.finished).equals(60)
      end
    end
  end)

  -- One group is formed, at the beginning, and nobody comes later: what was expected holds for everybody.
  it("a group that is fair keeps everybody's bound", function()
    local groups = require "groups"
    local formed, bounds, slack = 0, {}, 1.2
    local function ppn(job) return job.processes > 1 and job.slowdown_processors <= 1.12 and 2 or 1 end
    local defaults = {
      max_slowdown = 1.25, max_slowdown_on = "total", matched_exceed = 0.125, matched_longer = 3000, block_size = 16, sort = true,
      other_blocks = true, min_gain = 0.3, slack = slack, expected = 1, predicted = 1, fair_to_members = true,
    }
    local once = {
      api = 1, name = "one_group", version = "1", sharing = { alone = ppn, shared = ppn },
      submitted = function(view, job) bounds[job.id] = slack * view:expect(job) end,
      schedule = function(view)
        view:keep_reservations()
        if view.now == 0 then
          for job in view:waiting() do
            local group = groups.form(view, job, view:waiting_candidates(), defaults)
            if group then
              formed = formed + 1
              view:start_group(group)
              break
            end
          end
        end
        view:start_due()
      end,
    }
    for seed = 1, 40 do
      local jobs = random_jobs(25, seed)
      for _, j in ipairs(jobs) do j.submit = 0 end
      local run = shared {
        policy = once, jobs = jobs, slowdown = { model = "drawn" }, seed = seed,
        machine = { nodes = 16, processors = 2, cores = 2 },
      }
      for _, j in ipairs(run.jobs) do
        expect(j.response <= bounds[j.id] + 1.001).equals(true)
      end
    end
    expect(formed > 10).equals(true)
  end)

  it("slices change nothing for one class, when a switch costs nothing", function()
    for seed = 1, 5 do
      local jobs = random_jobs(60, seed)
      for _, j in ipairs(jobs) do j.runtime = j.runtime + 10800 end
      local options = {
        slowdown = { model = "drawn" }, machine = { nodes = 16, processors = 2, cores = 2 }, jobs = jobs,
        params = { sliced = false },
      }
      local alone = shared(options)
      options.params = { sliced = true, medium_share = 0, overhead = 0 }
      local sliced = shared(options)
      for i in ipairs(jobs) do
        expect(sliced.jobs[i].start).equals(alone.jobs[i].start)
        expect(sliced.jobs[i].finish).equals(alone.jobs[i].finish)
        expect(sliced.jobs[i].allocated).equals(alone.jobs[i].allocated)
      end
    end
  end)
end)
