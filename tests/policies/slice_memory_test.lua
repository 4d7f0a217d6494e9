-- Loading and swapping, worked by hand. A node has 400 units and transfers 4 a second: loading all of it takes 100 s.
-- Intervals of 1000 s: medium jobs from 0 to 300, long ones from 300 to 1000; each class only in its own slices. A
-- job's `user` says how many units it needs on each node.
local function memory(options)
  local medium_share = options.medium_share or 0.3
  options.policy = {
    api = 1, name = "with_memory", version = "1", description = "in slices", backfill = "conservative",
    slices = {
      interval = 1000, overhead = 0, foreign = options.foreign or "none", nodes = "first-free",
      memory = { capacity = 400, rate = 4, of = function(job) return job.user end },
      classes = { { name = "medium", up_to = 1000, share = medium_share },
        { name = "long", share = 1 - medium_share } },
    },
  }
  options.foreign, options.medium_share = nil, nil
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end
local function long(t) t.limit = 9000; return job(t) end

it("two jobs that do not fit beside each other swap parts", function()
  -- A needs 240 and B 280 of 400 units: the one that comes displaces 120 units, 30 s, of the other.
  --   0-60 load A        60-300 A       A has done 240
  -- 300-370 load B      370-1000 B      writing out A lengthens it by 30 s; B has done 630
  -- 1000-1030 load A   1030-1300 A      270 more; B is lengthened by 30 s
  -- 1300-1330 load B   1330-2000 B      670 more; A is lengthened by 30 s
  -- 2000-2030 load A   2030-2180 A      600 + 60 = 240 + 270 + 150
  -- 2300-2330 load B   2330-3000 B      670; then 90 of 2000 + 60 are left
  -- 3300-3390 B                         no other was there since: nothing to load
  local run = memory { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=600, user=240}, long{submit=0, nodes=1,
    runtime=2000, user=280} } }
  expect(run).finishes { 2180, 3390 }
  expect(run.jobs[1].overhead).equals(60 + 30 + 30 + 30 + 30)
  expect(run.jobs[2].overhead).equals(70 + 30 + 30 + 30 + 30)
  expect(run.summary.slices.loads).equals(6)
  expect(run.summary.slices.swaps).equals(4)
  expect(run.summary.slices.overhead).equals(370)
  expect(run.summary.slices.overhead_without_first_loads).equals(240)
  expect(run.summary.slices.overhead_share).near(370 / 2600, 1e-12)
end)

it("two jobs load at once, each on its own nodes", function()
  --  0    load 60 s, A        A needs 240 units on one node, B 320 on each of two
  --  1-2  load 80 s    , B
  local run = memory { nodes = 3, jobs = { job{submit=0, nodes=1, runtime=100, user=240}, job{submit=0, nodes=2,
    runtime=100, user=320} } }
  expect(run).finishes { 160, 180 }
  expect(run.summary.slices.overhead).equals(140)
  -- Loading nodes are in use, but not for work: 60 + 2 * 80 of 3 * 180 node-seconds.
  expect(run.summary.utilization).near((160 + 2 * 180) / (3 * 180), 1e-12)
  expect(run.summary.slices.utilization_without_loading).near((100 + 2 * 100) / (3 * 180), 1e-12)
end)

it("a job is loaded when its slowest node is", function()
  -- B fills node 0 and C a quarter of node 1; A needs all of both. Node 0 must write out 400 units of B, node 1 100 of
  -- C; afterwards B loads 100 s and C 25 s.
  local run = memory { nodes = 2, jobs = {
    job{submit=0, nodes=1, runtime=250, user=400},
    job{submit=0, nodes=1, runtime=300, user=100},
    long{submit=10, nodes=2, runtime=600, user=400},
  } }
  -- B: 100-300 is 200; C: 25-300 is 275; A: 400-1000 is 600. B then has 50 + 100 left, C 25 + 25.
  expect(run.jobs[3].finish).equals(1000)
  expect(run).finishes { 1000 + 100 + 150, 1000 + 25 + 50, 1000 }
  expect(run.jobs[1].overhead).equals(300)
  expect(run.jobs[2].overhead).equals(75)
end)

it("a slice's end cuts a load short, and what was transferred stays", function()
  -- Medium slices of 90 s. A needs the whole node: 90 of 100 s are loaded in the first slice.
  --   0-90 load     1000-1010 load, 1010-1090 A     2000-2020 A
  local run = memory { nodes = 1, medium_share = 0.09, jobs = { job{submit=0, nodes=1, runtime=100, user=400} } }
  expect(run.jobs[1].start).equals(0)
  expect(run.jobs[1].finish).equals(2020)
  expect(run.jobs[1].overhead).equals(100)
  expect(run.jobs[1].preemptions).equals(2)
end)

it("a load that was cut short displaces only as much as it needed room for", function()
  -- B (long, 300 units) runs first; A (medium, 400 units) begins to load at 1000 and has 90 s: 360 units, for which 260
  -- of B leave: 65 s. At 1090 B needs these 65 s again; for its 260 units A loses 260 (65 s).
  local run = memory { nodes = 1, medium_share = 0.09, jobs = {
    long{submit=100, nodes=1, runtime=2000, user=300}, job{submit=950, nodes=1, runtime=100, user=400},
  } }
  -- B: 175-1000 is 825, 1155-2000 is 845; 330 of 2000 left, and 65 for being written out
  -- A: at 2000 it has 100 units and needs 75 s: 300 units, all 300 of B leave, 75 s; it runs 2075-2090
  -- B: loads 75 s from 2090 and has 395 + 75 left: 2165-2635
  expect(run.jobs[1].finish).equals(2635)
  -- A at 3000: 100 units stayed, 75 s more since B is gone but had displaced 300: 3075-3090; then 70 s at 4000
  expect(run.jobs[2].start).equals(1000)
  expect(run.jobs[1].overhead).equals(75 + 65 + 65 + 75 + 75)
end)

it("a job that stays in memory goes on at once", function()
  local run = memory { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=400, user=200}, long{submit=0, nodes=1,
    runtime=900, user=200} } }
  expect(run).finishes { 1150, 1550 } -- 50-300 and 1000-1150; 350-1000 and 1300-1550
  expect(run.summary.slices.swaps).equals(0)
end)

it("a job counts its load when it asks whether it finishes in a foreign slice", function()
  -- In the long slice, 300 to 1000: 600 s of work and 100 s of loading fit, 601 do not.
  local function counts(runtime)
    return memory { nodes = 1, foreign = "safe",
      jobs = { job{submit=300, nodes=1, runtime=runtime, user=400} } }.summary
  end
  expect(counts(600).slices.foreign_finishing).equals(1)
  expect(counts(601).slices.foreign_finishing).equals(0)
  expect(counts(601).slices.foreign_pinned).equals(1)
end)

property("memory beside groups on shared nodes breaks no rule", { runs = 30, jobs = 20, users = 3 }, function(workload)
  for _, charge in ipairs { "longest", "each-load" } do
    local run = simulate { machine = workload.machine, jobs = workload.jobs, slowdown = { model = "resources" },
      policy = { api = 1, name = "both", version = "1", slices = { interval = 600, overhead = 0, scheduler = "lomarc",
        classes = { { name = "short", up_to = 60, share = 0.4 }, { name = "long", share = 0.6 } },
        memory = { capacity = 10, rate = 1, of = function(job) return 2 + job.id % 7 end, swap_charge = charge } } } }
    expect(run).violates_nothing()
  end
end)
