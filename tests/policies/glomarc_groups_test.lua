-- Group formation of G-LOMARC-TS, step by step, on queues made by hand (sharing.lua).
local sharing = require("sharing")(simulate, expect, job)
local shared, wide, serial, started = sharing.run, sharing.wide, sharing.serial, sharing.started

describe("G-LOMARC-TS: how a group is made", function()
  -- The best groups are wanted here, however late they make others.
  local function grouped(jobs, params, nodes, policy)
    params = params or {}
    params.slack = params.slack or 100
    return shared { jobs = jobs, params = params, policy = policy,
      machine = { nodes = nodes or 4, processors = 2, cores = 2 } }
  end

  it("refuses a job that slows the first one down too much, or gets too slow (step 1)", function()
    expect(grouped { wide{processes=4, runtime=20000}, wide{processes=4, runtime=20000, partition=126} }).starts {
      0, 20000 }
    expect(grouped { wide{processes=4, runtime=20000, partition=126}, wide{processes=4, runtime=20000} }).starts {
      0, 20000 }
    expect(grouped { wide{processes=4, runtime=20000}, wide{processes=4, runtime=20000, partition=125} }).starts {
      0, 0 }
  end)

  it("counts what a job's own processes cost, or only the partner (max_slowdown_on)", function()
    local function pair() -- 1.1 by itself, 1.15 by the other: 1.265
      return {
        job{submit=0, processes=8, runtime=20000, executable=110, queue=130, partition=115},
        job{submit=0, processes=8, runtime=20000, executable=110, queue=130, partition=115},
      }
    end
    expect(grouped(pair()).jobs[2].start > 21000).equals(true)
    expect(grouped(pair(), { max_slowdown_on = "partner" })).starts { 0, 0 }
  end)

  it("lets others be an eighth wider than the first job, not more (step 1)", function()
    expect(grouped({ wide{processes=8, runtime=20000}, wide{processes=9, runtime=20000} }, {}, 9)).starts { 0, 0 }
    -- Nor may the second be placed on the nodes of the first: that is too long for it.
    expect(grouped({ wide{processes=7, runtime=24000}, wide{processes=8, runtime=20000} }, {}, 8)).starts { 0, 24000 }
  end)

  it("lets others be 3000 s longer than the first job, not more (step 1)", function()
    expect(grouped { wide{processes=4, runtime=20000}, wide{processes=3, runtime=23000} }).starts { 0, 0 }
    expect(grouped { wide{processes=4, runtime=20000}, wide{processes=3, runtime=23001} }).starts { 0, 20000 }
  end)

  it("slides a window over the first block, the longest first (steps 3 and 4)", function()
    -- Sets: 2 alone, 3 and 4, 4 alone. 2 comes first but leaves a node of the first job's unshared.
    local run = grouped {
      wide{processes=4, runtime=20000}, wide{processes=3, runtime=20000}, wide{processes=2, runtime=19000},
      wide{processes=2, runtime=18000},
    }
    expect(started(run, 0)).equals { 1, 3, 4 }
  end)

  it("adds jobs of other blocks where nodes are left (step 5)", function()
    local function jobs() return { wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000},
      wide{processes=2, runtime=20000} } end
    expect(started(grouped(jobs(), { block_size = 1 }), 0)).equals { 1, 2, 3 }
    expect(started(grouped(jobs(), { block_size = 1 }, 4, "glomarc_fbo"), 0)).equals { 1, 2 }
  end)

  it("takes out a job that slows the first one down and contributes nothing (step 6)", function()
    -- With the third: 8 / 1.25 + 7 + 1 = 14.4 on 8 nodes; without: 15.
    local run = grouped({
      wide{processes=8, runtime=20000}, wide{processes=7, runtime=20000}, serial{runtime=20000, partition=125},
    }, {}, 8)
    expect(started(run, 0)).equals { 1, 2 }
  end)

  it("forms no group that gains too little (step 7)", function()
    expect(started(grouped { wide{processes=4, runtime=20000}, serial{runtime=20000} }, 0)).equals { 1 }
    local run = grouped({ wide{processes=4, runtime=20000}, serial{runtime=20000} }, { min_gain = 0.25 })
    expect(started(run, 0)).equals { 1, 2 }
  end)

  it("takes the best pair, the first pair, or the first set that gains enough (CST, CSTWS, NH)", function()
    local function jobs() return { wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000},
      wide{processes=4, runtime=20000} } end
    expect(started(grouped(jobs(), {}, 4, "glomarc_ts"), 0)).equals { 1, 3 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_cst"), 0)).equals { 1, 3 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_cstws"), 0)).equals { 1, 2 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_nh"), 0)).equals { 1, 2 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_ssp"), 0)).equals { 1 }
  end)

  it("finds the best of all sets, which a window over the sorted block misses (exhaustive)", function()
    -- 2 and 4 fill the nodes, but 3 stands between them in the block.
    local function jobs()
      return { wide{processes=4, runtime=20000}, wide{processes=3, runtime=20000},
        wide{processes=2, runtime=19000}, serial{runtime=18000} }
    end
    expect(started(grouped(jobs()), 0)).equals { 1, 2 }
    expect(started(grouped(jobs(), {}, 4, "glomarc_exhaustive"), 0)).equals { 1, 2, 4 }
  end)
end)
