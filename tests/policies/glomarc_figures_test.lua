-- What the captions of the figures of Zeng 2009 show, as small queues with the group that is expected of each.
local sharing = require("sharing")(simulate, expect, job)
local shared, wide, serial, started = sharing.run, sharing.wide, sharing.serial, sharing.started

-- However late they make others.
local function grouped(jobs, params, policy)
  params = params or {}
  params.slack = 100
  return shared { jobs = jobs, params = params, policy = policy }
end

describe("Zeng 2009", function()
  it("Figure 4: one waiting job and several waiting ones (Case 1)", function()
    local run = grouped { wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000},
      wide{processes=2, runtime=19000} }
    expect(started(run, 0)).equals { 1, 2, 3 }
    expect(run.jobs[1].allocated).equals("0-3")
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[3].allocated).equals("2-3")
    expect(run.summary.sharing.groups).equals(1)
  end)

  it("Figure 5: one waiting job and several running ones (Case 2)", function()
    local run = grouped {
      wide{processes=2, runtime=20000}, wide{processes=2, runtime=20000}, wide{processes=4, runtime=20000, submit=100},
    }
    expect(run).starts { 0, 0, 100 }
    expect(run.jobs[3].allocated).equals("0-3")
    expect(run.summary.sharing.groups).equals(1)
    expect(run.summary.sharing.jobs_per_group).equals(3)
  end)

  it("Figure 6: the five cases in their order", function()
    -- Case 5 for the first; the second tolerates no other and does not fit: it waits (Case 4 when the first is gone).
    -- The third goes over the first, which is what is left for it, only if that one leaves it a core: it does not.
    local run = grouped {
      job{submit=0, processes=12, runtime=20000, executable=100, queue=110, group=1},
      wide{processes=4, runtime=9000, group=1, submit=10},
      wide{processes=4, runtime=9000, submit=20},
    }
    expect(run.jobs[1].allocated).equals("0-2")
    expect(run.jobs[2].start).near(22000, 1e-6)
    expect(run.jobs[3].start).near(22000, 1e-6) -- together with the second, as it tolerates it (Case 1)
  end)

  it("Figure 7: one running job and several waiting ones (Case 3)", function()
    local run = grouped {
      wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000, submit=100},
      wide{processes=2, runtime=19000, submit=100},
    }
    expect(run).starts { 0, 100, 100 }
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[3].allocated).equals("2-3")
    expect(run.summary.sharing.groups).equals(1)
  end)

  it("Figure 8: a group of four", function()
    local run = grouped {
      wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000}, serial{runtime=19000}, serial{runtime=18000},
    }
    expect(started(run, 0)).equals { 1, 2, 3, 4 }
    expect(run.summary.sharing.jobs_per_group).equals(4)
    expect(run.jobs[4].allocated).equals("3")
  end)

  it("Figure 9: of two groups the one that uses more of the first job's area, in nodes and in time", function()
    -- 2 ends early and leaves the nodes to the first job alone; 3 and 4 stay as long as it does.
    for _, policy in ipairs { "glomarc_ts", "glomarc_ns", "glomarc_exhaustive" } do
      local run = grouped({
        wide{processes=4, runtime=20000}, wide{processes=2, runtime=11000}, wide{processes=2, runtime=20000},
        wide{processes=2, runtime=20000},
      }, {}, policy)
      expect(started(run, 0)).equals { 1, 3, 4 }
    end
  end)

  it("Figure 10: the window over the first block", function()
    -- Longest first: 3, 4, 2, 5. Windows: 3 and 4 (4 nodes), 4 and 2 (4), 2 and 5 (3), 5. The second slows the first
    -- job down less than the first window does.
    local run = grouped {
      wide{processes=4, runtime=20000}, wide{processes=2, runtime=18000},
      wide{processes=2, runtime=20000, partition=120},
      wide{processes=2, runtime=19000}, serial{runtime=17000},
    }
    expect(started(run, 0)).equals { 1, 2, 4 }
  end)

  it("Figure 11: what a group of three with two processes on each node gains", function()
    -- All three take 1.1 times as long. The second leaves at 6600, the primary at 11000, when the first has done 10000
    -- s.
    local function two(options)
      options.executable, options.queue, options.partition, options.submit = 100, 140, 110, 0
      return job(options)
    end
    local run = grouped { two{processes=8, runtime=10000}, two{processes=4, runtime=12000},
      two{processes=4, runtime=6000} }
    expect(started(run, 0)).equals { 1, 2, 3 }
    expect(run.jobs[3].finish).near(6600, 1e-6)
    expect(run.jobs[1].finish).near(11000, 1e-6)
    expect(run.jobs[2].finish).near(13000, 1e-6)
    local gain = (8 * 10000 + 4 * 10000 + 4 * 6000) / (4 * 11000) - 1
    expect(run.summary.sharing.gain_promised).near(gain, 1e-9)
    expect(run.summary.sharing.gain_had).near(gain, 1e-6)
  end)

  it("Figure 12: one, two or four processes of a job on a node, and pairs of one and one, two and one, two and two",
    function()
    local function one(options) return wide(options) end
    local function two(options)
      options.executable, options.queue, options.submit = 100, 140, 0
      return job(options)
    end
    expect(grouped({ one{processes=4, runtime=20000} }).jobs[1].allocated).equals("0-3")
    expect(grouped({ two{processes=8, runtime=20000} }).jobs[1].allocated).equals("0-3")
    expect(grouped({ job{submit=0, processes=16, runtime=20000, executable=100, queue=110} }).jobs[1].allocated).equals(
      "0-3")
    for _, pair in ipairs {
      { one{processes=4, runtime=20000}, one{processes=4, runtime=20000} }, { two{processes=8, runtime=20000},
      one{processes=4, runtime=20000} },
      { two{processes=8, runtime=20000}, two{processes=8, runtime=20000} },
    } do
      local run = grouped(pair)
      expect(run).starts { 0, 0 }
      expect(run.jobs[1].allocated).equals("0-3")
      expect(run.jobs[2].allocated).equals("0-3")
    end
  end)
end)
