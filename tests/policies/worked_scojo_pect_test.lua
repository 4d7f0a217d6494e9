-- Scojo-PECT worked out by hand (Esbaugh 2010). An hour is a medium slice of 1080 s and a long one of 2520 s; of each
-- the last 60 s are lost, so 1020 and 2460 s are left. Without a limit, jobs ask for what they run: up to 600 s they
-- are short, up to 10800 s medium, else long.
local function slices(jobs, params, nodes)
  local run = simulate { policy = "scojo_pect", nodes = nodes or 4, params = params, jobs = jobs }
  expect(run).violates_nothing()
  return run
end

describe("Scojo-PECT by hand: slices (Chapter 3)", function()
  it("gives each class its slice, and what is left to the other", function()
    local run = slices { job{submit=0, nodes=4, runtime=2000}, job{submit=0, nodes=4, runtime=12000} }
    -- Medium: 1020 s in 0-1020; the other 980 s in 3600-4580.
    expect(run.jobs[1].finish).equals(3600 + 2000 - 1020)
    -- Long: 2460 in 1080-3540; 40 of the medium slice in 4580-4620; then 2460 and, the medium slices being empty,
    -- 1020 in each hour from 4680 on: 2460 + 40 + 2460 + 1020 + 2460 + 1020 + 2460 = 11920 at 14340. 80 are left at
    -- 14400.
    expect(run.jobs[2].start).equals(1080)
    expect(run.jobs[2].finish).equals(14400 + 80)
  end)

  it("has a short slice when a short job waits, as long as that runs", function()
    local run = slices { job{submit=0, nodes=4, runtime=2000}, job{submit=0, nodes=4, runtime=50000},
      job{submit=10, nodes=4, runtime=100} }
    expect(run).starts { 0, 1080, 3600 }
    expect(run.jobs[3].finish).equals(3700)
    -- 3600-3760 was for short jobs: of the other 3440 s the medium slice has 30 %, 1032 s, of which 972 count. 1020 +
    -- 972 leave 8 of the 2000 s.
    expect(run.jobs[1].finish).equals(7200 + 8)
    -- Long: 2460 + (7140 - 4792) + (8220 - 7208) + 2460 = 8280 by 10800, 3480 an hour from then on: 11 hours of
    -- these, and of the last 3440 s 1020 in the medium slice from 50400 on and 2420 in the long one from 51480 on.
    expect(run.jobs[2].finish).equals(51480 + 50000 - 8280 - 11 * 3480 - 1020)
  end)

  it("resumes a job of another class where no job of the slice's class can use the nodes", function()
    local run = slices { job{submit=0, nodes=2, runtime=5000}, job{submit=0, nodes=4, runtime=20000},
      job{submit=0, nodes=3, runtime=1000}, job{submit=1, nodes=2, runtime=900}, job{submit=2, nodes=2, runtime=300} }
    -- The third needs 3 nodes and waits for the first. The fourth passes it and ends at 901, long before that.
    expect(run.jobs[4].finish).equals(1 + 900)
    -- The short one has 119 s of the medium slice on the nodes of the fourth, and 181 s in a short slice at 3600.
    expect(run.jobs[5].start).equals(901)
    expect(run.jobs[5].finish).equals(3600 + 300 - (1020 - 901))
    -- Beside it the first has the same 181 s. It has 1020, then these, then 0.3 (7200 - 3841) - 60 = 947.7 of its own
    -- slice, 1020 and 1020: 811.3 of 5000 are left at 14400.
    local first = 14400 + 5000 - (1020 + 181 + 947.7 + 1020 + 1020)
    expect(run.jobs[1].finish).near(first, 1e-6)
    -- The third begins then, has what is left until 15420, and the rest from 18000 on.
    expect(run.jobs[3].start).near(first, 1e-6)
    expect(run.jobs[3].finish).near(18000 + 1000 - (15420 - first), 1e-6)
  end)
end)

-- Nodes of 400 units of memory, 4 units a second to and from disk; jobs say what they need. Beside a memory model no
-- other time is lost at slices' ends.
describe("Scojo-PECT by hand: memory (Chapters 4 and 5)", function()
  it("charges jobs for what others displace (Section 5.3, Fig. 16)", function()
    local run = slices({ job{submit=0, nodes=1, runtime=3000, memory=240},
      job{submit=0, nodes=1, runtime=12000, memory=280} }, { memory = "trace", node_memory = 400 }, 1)
    -- 240 + 280 are 120 more than 400. First loads: 240 / 4 = 60 s, 280 / 4 = 70 s; from then on each load brings
    -- back 120 units in 30 s and costs the other job the 30 s in which these went out. Medium: 1020 by 1080; loads
    -- until 3630, 1050 by 4680. 3000 and 30 for the first displacement leave 960 s, and the second one makes them
    -- 990; from 7200 on 30 s of loading and these.
    expect(run.jobs[1].finish).equals(7200 + 30 + 3000 + 2 * 30 - 1020 - 1050)
    -- Long: twice displaced, 12060 s to do: 2450 in 1150-3600, 2490 in 4710-7200, 30 in 8250-8280 when the other has
    -- ended, 2520 in 8280-10800, 1080 in the medium and 2520 in the long slice of the next hour: 11090 by 14400.
    expect(run.jobs[2].finish).equals(14400 + 12000 + 2 * 30 - (2450 + 2490 + 30 + 2520 + 1080 + 2520))
  end)

  -- Four long jobs on a node each leave 200, 100, 350 and 300 units there, then comes a medium job of these many.
  local function fifth(nodes, memory, params, third)
    params.memory, params.node_memory, params.nodes = "trace", 400, "memory-fit"
    local function old(runtime, units) return job{submit=0, nodes=1, runtime=runtime, memory=units} end
    local run = slices({ old(40000, 200), old(40000, 300), old(third or 40000, 50), old(40000, 100),
      job{submit=3599, nodes=nodes, runtime=3000, memory=memory} }, params)
    expect(run.jobs[5].start).equals(3600)
    return run.jobs[5].allocated, run
  end

  it("fits best, worst or first where all jobs have room (Fig. 13)", function()
    expect((fifth(1, 100, { fit_enough = "best" }))).equals("1")  -- 100 units are free there: just enough
    expect((fifth(1, 100, { fit_enough = "first" }))).equals("0")
    -- Among equals worst fit takes the last node, so that the third job of 50 units, which leaves most, is on node 1.
    local allocated, run = fifth(1, 100, { fit_enough = "worst" })
    expect(run.jobs[3].allocated).equals("1")
    expect(allocated).equals("1")
  end)

  it("takes nodes without room first where too few have it, then fits the rest (Fig. 14)", function()
    -- 250 units: two nodes of the three have them. So 0 and 1, which have not, and one of 2 (350 free) and 3 (300
    -- free).
    expect((fifth(3, 250, { fit_rest = "worst" }))).equals("0-2")
    expect((fifth(3, 250, { fit_rest = "best" }))).equals("0-1 3")
    expect((fifth(3, 250, { fit_rest = "first" }))).equals("0-2")
  end)

  it("of nodes without room takes the one that has it soonest", function()
    -- 380 units are free nowhere; the third job is done in half the time of the others.
    expect((fifth(1, 380, {}, 20000))).equals("2")
  end)
end)
