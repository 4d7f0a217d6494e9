-- G-LOMARC-TS worked out by hand (Zeng 2009): nodes of two processors with two cores each, all jobs in one queue, the
-- parameters of Table 6. Slowdowns are in slowdowns/worked.lua: `kind` says how a job and another bear each other.
local sharing = require("sharing")(simulate, expect, job)

local function run(jobs, params, nodes)
  return sharing.run { jobs = jobs, params = params or {},
    slowdown = { model = "script", script = "slowdowns/worked.lua" },
    machine = { nodes = nodes or 4, processors = 2, cores = 2 } }
end

--- A job with SL_nos 1.05 and SL_crs 1.3: two processes on a node are borne (1.05 <= SELF_SL_2), four are not (1.365
--- > MAX_SL). Eight processes have four nodes.
local function two_a_node(kind, options)
  options.partition, options.submit = kind, options.submit or 0
  options.processes, options.executable, options.queue = options.processes or 8, 105, 130
  return job(options)
end

describe("G-LOMARC-TS by hand: pairs", function()
  it("slows both by their own processes and by each other (Section 4.10)", function()
    local r = run { two_a_node(1, { runtime = 8000 }), two_a_node(2, { runtime = 8000 }) }
    expect(r).starts { 0, 0 }
    for i = 1, 2 do
      expect(r.jobs[i].nodes).equals(4)
      expect(r.jobs[i].finish).near(8000 * 1.05 * 1.1, 1e-6) -- 9240
    end
  end)

  it("forms none where one would be slower than MAX_SL (Section 4.6, step 1)", function()
    local r = run { two_a_node(1, { runtime = 8000 }), two_a_node(3, { runtime = 8000 }) }
    -- 1.05 x 1.2 = 1.26 > 1.25: one after the other, each 8000 x 1.05.
    expect(r.jobs[1].finish).near(8400, 1e-6)
    expect(r.jobs[2].start).near(8400, 1e-6)
    expect(r.jobs[2].finish).near(16800, 1e-6)
  end)

  it("forms none that makes another job later than F_slack times what it expects (Section 4.6, step 7)", function()
    local function starts(slack)
      return run({ two_a_node(1, { runtime = 1000 }), two_a_node(9, { runtime = 1000 }),
        two_a_node(2, { runtime = 3500 }) }, { slack = slack })
    end
    -- Alone, the second ends at 1050 + 1050 = 2100. Behind the first and third together: these are at 1.155 until the
    -- first ends at 1155; the third has done 1000 s then and goes on at 1.05 until 1155 + 2500 x 1.05 = 3780. The
    -- second ends at 4830, 2.3 times 2100 (the factor 0.75 is in both).
    for _, slack in ipairs { 1, 1.5, 2.29 } do
      local r = starts(slack)
      expect(r.jobs[1].finish).near(1050, 1e-6)
      expect(r.jobs[2].start).near(1050, 1e-6)
      expect(r.jobs[3].start).near(2100, 1e-6)
    end
    for _, slack in ipairs { 2.75, 3 } do
      local r = starts(slack)
      expect(r.jobs[3].start).equals(0)
      expect(r.jobs[1].finish).near(1155, 1e-6)
      expect(r.jobs[2].start).near(3780, 1e-6)
    end
  end)

  it("lays the first waiting job over a running one (Section 4.5, Case 2)", function()
    local r = run { two_a_node(1, { runtime = 8000 }), two_a_node(2, { submit = 1000, runtime = 8000 }) }
    expect(r).starts { 0, 1000 }
    -- By 1000 the first has done 1000 / 1.05 s; the rest at 1.155: 1000 + (8000 - 952.38) x 1.155 = 9140. The second
    -- has done as much as that in these 8140 s, and goes on at 1.05 with what the first had done by 1000: 1000 s.
    expect(r.jobs[1].finish).near(9140, 1e-6)
    expect(r.jobs[2].finish).near(10140, 1e-6)
  end)
end)

describe("G-LOMARC-TS by hand: groups", function()
  it("adds up what each job gains while it is there (Equation 6)", function()
    local function group(min_gain)
      local function member(kind, processes, runtime)
        return job{submit=0, processes=processes, runtime=runtime, partition=kind, executable=100, queue=130}
      end
      return run({ member(5, 32, 3600), member(6, 16, 1800), member(7, 16, 3600) }, { min_gain = min_gain }, 16)
    end
    -- The primary has 16 nodes, each of the others 8 of them: 1800 x 1.05 = 1890 and 3600 x 1.1 = 3960. The primary
    -- is as slow as the worst of them makes it, 1.15, for all of 3960 s, and goes on alone: 3960 + 3600 - 3960 /
    -- 1.15.
    local r = group(2.1)
    expect(r).starts { 0, 0, 0 }
    expect(r.jobs[2].finish).near(1890, 1e-6)
    expect(r.jobs[3].finish).near(3960, 1e-6)
    expect(r.jobs[1].finish).near(3960 + 3600 - 3960 / 1.15, 1e-6) -- 4116.52
    -- Gain: (1890 x 16 / 1.05 + 3960 x 16 / 1.1 + 3960 x 32 / 1.15) / (3960 x 16) - 1 = 2.1027. If more is wanted,
    -- the primary is with the longer one only, (57600 + 110191.3) / 63360 - 1 = 1.648, which is less still: all are
    -- alone.
    expect(r.summary.sharing.gain_promised).near((28800 + 57600 + 3960 * 32 / 1.15) / 63360 - 1, 1e-6)
    expect(group(2.11).jobs[2].start).never.equals(0)
  end)

  it("compares them with a job alone on all cores (Sections 4.5 and 4.7, Case 5)", function()
    local jobs = { job{submit=0, processes=16, runtime=8000, partition=1, executable=120, queue=102},
      two_a_node(2, { runtime = 8000 }) }
    local r = run(jobs)
    -- SL_nos x SL_crs = 1.2 x 1.02 = 1.224 <= 1.25: four processes on each of four nodes; 4 / 1.224 - 1 = 2.268.
    expect(r.jobs[1].allocated).equals("0-3")
    expect(r.jobs[1].nodes).equals(4)
    expect(r.jobs[1].finish).near(9792, 1e-6)
    expect(r.jobs[2].start).near(9792, 1e-6)
  end)
end)

describe("G-LOMARC-TS by hand: serial jobs (Section 4.5, step 3)", function()
  local function serial(kind, runtime)
    return job{submit=0, processes=1, runtime=runtime, partition=kind, executable=105, queue=130}
  end

  it("go together over a waiting parallel one (Case 1)", function()
    local r = run { serial(2, 8000), two_a_node(1, { runtime = 8000 }), serial(2, 7000) }
    expect(r).starts { 0, 0, 0 }
    -- A serial job has no second process to slow it down: 1.1 by the parallel one. That is at 1.05 x 1.1 until the
    -- last serial one ends, and has done 8800 / 1.155 = 7619.05 s then; the other 380.95 at 1.05 take 400 s.
    expect(r.jobs[1].finish).near(8800, 1e-6)
    expect(r.jobs[3].finish).near(7700, 1e-6)
    expect(r.jobs[2].finish).near(9200, 1e-6)
  end)

  it("do not go over one another, unless serial_fallthrough says so", function()
    local jobs = { serial(1, 8000), serial(2, 8000), two_a_node(9, { runtime = 8000 }) }
    local apart = run(jobs)
    expect(apart).starts { 0, 0, 8000 }
    expect(apart.jobs[1].allocated).never.equals(apart.jobs[2].allocated)
    local together = run(jobs, { serial_fallthrough = true })
    expect(together.jobs[1].allocated).equals(together.jobs[2].allocated)
    expect(together.jobs[2].finish).near(8800, 1e-6) -- 8000 x 1.1
  end)
end)

describe("G-LOMARC-TS by hand: no groups", function()
  it("of short jobs (Section 4.5, step 2)", function()
    local r = run { two_a_node(1, { runtime = 600 }), two_a_node(2, { runtime = 601 }),
      two_a_node(1, { runtime = 601 }) }
    -- 600 s is short: alone, 630 s. The others are not, and share: 601 x 1.155.
    expect(r.jobs[1].finish).near(630, 1e-6)
    expect(r.jobs[2].start).near(630, 1e-6)
    expect(r.jobs[3].start).near(630, 1e-6)
    expect(r.jobs[2].finish).near(630 + 601 * 1.155, 1e-6)
  end)

  it("while all processes that wait could have a node each (Section 4.5, step 1)", function()
    -- Four processes, four nodes: both are alone, with two processes on a node (Equation 11).
    local r = run { two_a_node(1, { processes = 2, runtime = 8000 }), two_a_node(2, { processes = 2, runtime = 8000 }) }
    expect(r).starts { 0, 0 }
    for i = 1, 2 do expect(r.jobs[i].finish).near(8400, 1e-6) end
    expect(r.jobs[1].allocated).never.equals(r.jobs[2].allocated)
  end)
end)
