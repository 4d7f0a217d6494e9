-- LOMARC worked out by hand (Sodan & Lan 2005): nodes that run two threads; what jobs want of CPU, network and disk
-- is in the jobs. A pair runs at sl = max(1, sum of k x the smaller of both parts), as printed, with k = 2 for each
-- resource.
local function run(policy, nodes, jobs, params)
  local r = simulate { policy = policy, params = params or {}, machine = { nodes = nodes, processors = 1, cores = 2 },
    engine = { processes_per_node = 1 }, slowdown = { model = "resources", compatible_share = 0 }, jobs = jobs }
  expect(r).violates_nothing()
  return r
end

local function asks(nodes, runtime, cpu, network, disk, memory, submit)
  return job{submit=submit or 0, nodes=nodes, runtime=runtime, cpu=cpu, network=network, disk=disk,
    memory_fraction=memory or 0.3}
end
local function computes(nodes, runtime, memory) return asks(nodes, runtime, 0.8, 0.1, 0.1, memory) end
local function reads(nodes, runtime, memory) return asks(nodes, runtime, 0.1, 0.1, 0.8, memory) end

-- Two that want 2 (0.2 + 0.1 + 0.4) = 1.4 together.
local function first(nodes, memory) return asks(nodes, 3600, 0.5, 0.1, 0.4, memory) end
local function second(nodes, memory, submit) return asks(nodes, 3600, 0.2, 0.1, 0.7, memory, submit) end

describe("LOMARC by hand: pairs", function()
  it("are not formed where all have room (weak load)", function()
    -- 4 + 4 nodes are no more than 0.8 of ten.
    local r = run("lomarc", 10, { computes(4, 3600), reads(4, 3600) })
    expect(r).starts { 0, 0 }
    expect(r.jobs[1].allocated).never.equals(r.jobs[2].allocated)
  end)

  it("run at what both want at once (Section 4.1)", function()
    local r = run("lomarc", 4, { first(4), second(4) })
    expect(r).starts { 0, 0 }
    for i = 1, 2 do expect(r.jobs[i].finish).near(3600 * 1.4, 1e-6) end
  end)

  it("are formed with a running job, too", function()
    local r = run("lomarc", 4, { first(4), second(4, 0.3, 1000) })
    expect(r).starts { 0, 1000 }
    -- 2600 s are left of the first: 3640 s at 1.4, in which the second does as much; its other 1000 s it has to
    -- itself.
    expect(r.jobs[1].finish).near(1000 + 2600 * 1.4, 1e-6)
    expect(r.jobs[2].finish).near(1000 + 2600 * 1.4 + 1000, 1e-6)
  end)

  it("are not formed of jobs without memory, of two of a kind, of short ones, of a wider one", function()
    expect(run("lomarc", 4, { first(4, 0.6), second(4, 0.6) })).starts { 0, 3600 } -- 1.2 nodes' memory
    expect(run("lomarc", 4, { asks(4, 3600, 0.1, 0.3, 0.6), asks(4, 3600, 0.3, 0.1, 0.6) })).starts { 0, 3600 }
    expect(run("lomarc", 4, { computes(4, 60), reads(4, 60) })).starts { 0, 60 }
    expect(run("lomarc", 8, { computes(4, 3600), reads(8, 3600) })).starts { 0, 3600 }
  end)
end)

describe("LOMARC by hand: the choice (Section 4.2)", function()
  it("of the like one by U_gain,1, of the widest by U_gain,2, of the first by L-FM", function()
    local jobs = { computes(64, 3600, 0.1), reads(64, 36000, 0.1), reads(48, 3600, 0.1) }
    -- sl is 1 (2 x 0.3 < 1). Second: U2 = 1, times 3600 / 36000 for U1 = 0.1. Third: 48 (2 - 1) / 64 = 0.75 in both.
    expect(run("lomarc", 64, jobs)).starts { 0, 3600, 0 }
    -- By U2 the second is beside the first, then alone: the third, which reads as well, is no partner for it.
    expect(run("lomarc_u2", 64, jobs)).starts { 0, 0, 36000 }
    -- L-FM: the second in the queue's order is the wide one; but it is medium before long, so the third.
    expect(run("lomarc_fm", 64, jobs)).starts { 0, 3600, 0 }
  end)

  it("of none that loses more than it gains", function()
    -- sl = 1.4, 8 nodes and 1: 1 (2 / 1.4 - 1) - 7 (1 - 1 / 1.4) = 0.43 - 2 < 0. L-FM does not ask.
    expect(run("lomarc", 8, { first(8), second(1) })).starts { 0, 3600 }
    expect(run("lomarc_fm", 8, { first(8), second(1) })).starts { 0, 0 }
  end)

  it("on standard CPUs of one that reads, not of one that sends (L-N)", function()
    local jobs = { computes(4, 3600), asks(4, 3600, 0.1, 0.8, 0.1) }
    expect(run("lomarc", 4, jobs)).starts { 0, 0 }
    expect(run("lomarc_n", 4, jobs)).starts { 0, 3600 }
  end)

  it("of the next, whatever it is (AC), which pages at 2.5 where memory is short", function()
    local r = run("lomarc_ac", 4, { computes(4, 3600, 0.9), computes(4, 3600, 0.9) })
    expect(r).starts { 0, 0 }
    for i = 1, 2 do expect(r.jobs[i].finish).near(3600 * 2.5, 1e-6) end
  end)
end)

describe("LOMARC by hand: priorities", function()
  local function any(submit, runtime) return asks(4, runtime, 0.4, 0.3, 0.3, 0.3, submit) end

  it("are short, medium, long; who has waited for twice T_age is before all that came later", function()
    local jobs = { any(0, 5000), any(1, 4000), any(2, 3000), any(3, 50) }
    -- At 5000: the short one, the medium one (up to 3600 s), the long one.
    expect(run("lomarc_pss", 4, jobs, { first_age = 1e8, age = 1e8 })).starts { 0, 5000 + 50 + 3000, 5050, 5000 }
    -- With T_age = 1000 s all have waited for more than 2000 s: in the order in which they came.
    expect(run("lomarc_pss", 4, jobs, { age = 1000 })).starts { 0, 5000, 9000, 12000 }
  end)
end)
