-- LOMARC on queues made by hand: four nodes whose CPU runs two threads; no two CPU-bound jobs go well together unless a
-- case says so, and slowdowns are those of the complete form.
local function shared(options)
  options.machine = options.machine or { nodes = 4, processors = 1, cores = 2 }
  options.engine = { processes_per_node = 1 }
  options.policy = options.policy or "lomarc"
  options.slowdown = options.slowdown or { model = "resources", overlap = "complete", compatible_share = 0 }
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

-- Jobs that do one thing only, so that different ones do not slow each other down at all.
local function computing(fields) fields.cpu, fields.network, fields.disk = 1, 0, 0 return fields end
local function reading(fields) fields.cpu, fields.network, fields.disk = 0, 0, 1 return fields end
local function sending(fields) fields.cpu, fields.network, fields.disk = 0, 1, 0 return fields end

describe("LOMARC", function()
  it("lets the head share its nodes with the best partner in the queue", function()
    -- The third job is as long as the head, the second only half: U_gain,1 is 1 against 0.5.
    local run = shared { jobs = {
      computing { nodes = 4, runtime = 8000 }, reading { nodes = 4, runtime = 4000 },
      reading { nodes = 4, runtime = 8000 },
    } }
    expect(run).starts { 0, 8000, 0 }
  end)

  it("by U_gain,2 does not look at run times: of equal gains the first", function()
    local run = shared { policy = "lomarc_u2", jobs = {
      computing { nodes = 4, runtime = 8000 }, reading { nodes = 4, runtime = 4000 },
      reading { nodes = 4, runtime = 8000 },
    } }
    -- When the partner has ended, the last job joins the head, which still runs.
    expect(run).starts { 0, 0, 4000 }
  end)

  it("slows both down by what they want at the same time", function()
    local both = { nodes = 4, runtime = 4000, cpu = 0.8, network = 0.1, disk = 0.1 }
    local other = { nodes = 4, runtime = 4000, cpu = 0.3, network = 0.2, disk = 0.5 }
    local run = shared { jobs = { both, other } }
    expect(run).starts { 0, 0 }
    expect(run.jobs[1].finish).near(6000, 1e-6)
    expect(run.jobs[2].finish).near(6000, 1e-6)
  end)

  it("shares no nodes where two of a kind meet, memory is short, the candidate is wider or short", function()
    local head = computing { nodes = 3, runtime = 4000, memory_fraction = 0.5 }
    for _, other in ipairs {
      computing { nodes = 3, runtime = 4000 },
      reading { nodes = 3, runtime = 4000, memory_fraction = 0.51 },
      reading { nodes = 4, runtime = 4000 },
    } do
      expect(shared { jobs = { head, other } }).starts { 0, 4000 }
    end
    -- The short one goes first.
    expect(shared { jobs = { head, reading { nodes = 3, runtime = 60 } } }).starts { 60, 0 }
  end)

  it("lets CPU-bound jobs share a CPU that they do not compete for", function()
    local slowdown = { model = "resources", overlap = "complete", compatible_share = 1 }
    local jobs = { computing { nodes = 4, runtime = 4000 }, computing { nodes = 4, runtime = 4000 } }
    local run = shared { slowdown = slowdown, jobs = jobs }
    expect(run).starts { 0, 0 }
    expect(run.jobs[1].finish).near(5600, 1e-6)
  end)

  it("on a standard CPU pairs computing with reading only", function()
    local head = computing { nodes = 4, runtime = 4000 }
    expect(shared { policy = "lomarc_n", jobs = { head, sending { nodes = 4, runtime = 4000 } } }).starts { 0, 4000 }
    expect(shared { policy = "lomarc_n", jobs = { head, reading { nodes = 4, runtime = 4000 } } }).starts { 0, 0 }
    expect(shared { jobs = { head, sending { nodes = 4, runtime = 4000 } } }).starts { 0, 0 }
  end)

  it("backfills all that do not delay the head, or not short jobs, one in a pass, the next few, none", function()
    local function starts(params, expected)
      local run = shared { policy = "lomarc_pss", params = params, jobs = {
        computing { nodes = 2, runtime = 1000 }, computing { submit = 1, nodes = 4, runtime = 60 },
        computing { submit = 2, nodes = 1, runtime = 50 }, computing { submit = 2, nodes = 1, runtime = 500 },
        computing { submit = 4, nodes = 1, runtime = 400 },
      } }
      expect(run).starts(expected)
    end
    starts({}, { 0, 1000, 2, 2, 52 })
    starts({ backfill = "not-short" }, { 0, 1000, 1060, 2, 4 })
    starts({ backfill = "one" }, { 0, 1000, 2, 4, 52 })
    starts({ backfill_depth = 1 }, { 0, 1000, 2, 4, 52 })
    starts({ backfill = "none" }, { 0, 1000, 1060, 1060, 1060 })
  end)

  it("starts a head that does not fit on the nodes of a running job", function()
    local run = shared { jobs = { computing { nodes = 4, runtime = 4000 }, reading { submit = 1000, nodes = 2,
      runtime = 1500 } } }
    expect(run).starts { 0, 1000 }
    expect(run.jobs[1].finish).equals(4000)
  end)

  it("gives every job its own nodes when the load is weak", function()
    local run = shared { jobs = { computing { nodes = 1, runtime = 4000 }, reading { nodes = 2, runtime = 4000 } } }
    expect(run.jobs[1].allocated).equals("0")
    expect(run.jobs[2].allocated).equals("1-2")
  end)

  it("as AC pairs whatever comes, paging and all; as AM the next one if it fits; as PSS none", function()
    local jobs = {
      computing { nodes = 4, runtime = 4000, memory_fraction = 0.9 },
      computing { nodes = 4, runtime = 4000, memory_fraction = 0.9 },
      reading { nodes = 4, runtime = 4000, memory_fraction = 0.1 },
    }
    local ac = shared { policy = "lomarc_ac", jobs = jobs }
    expect(ac.jobs[2].start).equals(0)
    expect(ac.jobs[3].start).near(10000, 1e-6)
    expect(ac.jobs[1].finish).near(10000, 1e-6)
    expect(shared { policy = "lomarc_am", jobs = jobs }).starts { 0, 4000, 4000 }
    expect(shared { policy = "lomarc_pss", jobs = jobs }).starts { 0, 4000, 8000 }
  end)

  it("takes a pair apart if it turns out to get on worse than it should", function()
    local slowdown = {
      model = "resources", overlap = "complete", compatible_share = 0, misjudged_share = 1, misjudged = 3,
    }
    local jobs = { computing { nodes = 4, runtime = 4000 }, reading { nodes = 4, runtime = 8000 } }
    -- Together both get on at a third of their speed, though the estimate says that they do not hinder each other.
    local wrong = shared { slowdown = slowdown, jobs = jobs }
    expect(wrong).starts { 0, 0 }
    expect(wrong.jobs[1].finish).near(12000, 1e-6)
    expect(wrong.jobs[2].finish).near(16000, 1e-6)
    -- After a minute each has done 20 s. The second one then waits for the first.
    local apart = shared { slowdown = slowdown, jobs = jobs, params = { preempt = 2 } }
    expect(apart).starts { 0, 0 }
    expect(apart.jobs[1].finish).near(4040, 1e-6)
    expect(apart.jobs[2].finish).near(12020, 1e-6)
    -- A slowdown that one puts up with, and an estimate that was right.
    expect(shared { slowdown = slowdown, jobs = jobs, params = { preempt = 3 } }.jobs[2].finish).near(16000, 1e-6)
    expect(shared { jobs = jobs, params = { preempt = 2 } }.jobs[1].finish).near(4000, 1e-6)
  end)

  it("keeps the nodes of the job it stopped, and lets no other share them meanwhile", function()
    local slowdown = { model = "resources", overlap = "complete", misjudged_share = 1, misjudged = 3 }
    local run = shared { slowdown = slowdown, params = { preempt = 2 }, jobs = {
      computing { nodes = 4, runtime = 4000 }, reading { nodes = 3, runtime = 4000 },
      sending { submit = 100, nodes = 3, runtime = 1000 },
    } }
    expect(run.jobs[1].finish).near(4040, 1e-6)
    expect(run.jobs[2].allocated).equals("0-2")
    -- Only when the first one has ended does the second one run for itself, and the third joins it, as badly: after a
    -- minute both have done 20 s more.
    expect(run.jobs[3].start).near(4040, 1e-6)
    expect(run.jobs[2].finish).near(8060, 1e-6)
    expect(run.jobs[3].finish).near(9040, 1e-6)
  end)

  property("takes pairs apart without losing anything", { jobs = 25, nodes = 8, longest = 9000, gap = 900, runs = 60 },
    function(workload)
      local run = simulate(workload, {
        policy = "lomarc_fm", params = { preempt = 1.5, notice = 7 }, engine = { processes_per_node = 1 },
        machine = { processors = 1, cores = 2 },
        slowdown = { model = "resources", misjudged_share = 0.5, misjudged = 2 },
      })
      expect(run).violates_nothing()
      expect(run.summary.nb_jobs_finished).equals(#workload.jobs)
    end)

  it("lets the job that it stopped go on where its partner is interrupted", function()
    -- Both take four times as long together as they should; taken apart, the second one waits for the end of the first.
    local function run(nodes)
      return shared {
        slowdown = { model = "resources", overlap = "complete", compatible_share = 0, misjudged_share = 1,
          misjudged = 4 },
        params = { preempt = 2, notice = 100 },
        outages = { interrupted = "lose",
          planned = { { nodes = nodes, kind = "failure", from = 1000, length = 500 } } },
        jobs = { computing { nodes = 4, runtime = 8000 }, reading { nodes = 3, runtime = 8000 } },
      }
    end
    local one = run("3") -- which the second one does not have
    expect(one.jobs[1].finish).equals(1000)
    expect(one.jobs[2].state).equals("completed")
    expect(one.jobs[2].finish > 8000 and one.jobs[2].finish < 9000).equals(true)
    local both = run("0")
    expect(both.jobs[1].finish).equals(1000)
    expect(both.jobs[2].finish).equals(1000)
  end)

  it("lets no job wait for ever behind a stream of short jobs", function()
    -- A short job is always there when the last one ends; without ageing the long one would come last.
    local jobs = { computing { submit = 0, nodes = 4, runtime = 50 },
      computing { submit = 1, nodes = 4, runtime = 4000 } }
    for i = 1, 400 do jobs[#jobs + 1] = computing { submit = i * 50 - 10, nodes = 4, runtime = 50 } end
    for _, name in ipairs { "lomarc", "lomarc_pss", "lomarc_r" } do
      local aged = shared { policy = name, params = { age = 1000 }, jobs = jobs }
      expect(aged.jobs[2].start < 2000 + 100).equals(true)
      local never = shared { policy = name, params = { age = 1e9 }, jobs = jobs }
      expect(never.jobs[2].start > 20000).equals(true)
    end
  end)

  it("lifts a job that waits to the priority of a short one, and none any further unless told to", function()
    -- After 3500 s, 3.5 T_age, the long job has the priority of the short one that came 1.4 T_age later.
    local jobs = {
      computing { submit = 0, nodes = 4, runtime = 3500 }, computing { submit = 1, nodes = 4, runtime = 4000 },
      computing { submit = 1401, nodes = 4, runtime = 50 },
    }
    local function run(params) return shared { policy = "lomarc_pss", params = params, jobs = jobs } end
    expect(run { age = 1000 }).starts { 0, 3500, 7500 }
    -- Where the short one gains as well, it stays two levels ahead, less the one that it came later.
    expect(run { age = 1000, capped = false }).starts { 0, 3550, 3500 }
  end)

  it("as L-FM takes the first partner that will do, or the first with a gain", function()
    -- The second job is so narrow that it slows the first down by more than it gains itself.
    local jobs = {
      { nodes = 16, runtime = 4000, cpu = 0.6, network = 0.4, disk = 0, memory_fraction = 0.1 },
      { nodes = 1, runtime = 4000, cpu = 0.4, network = 0.5, disk = 0.1, memory_fraction = 0.1 },
      reading { nodes = 16, runtime = 4000, memory_fraction = 0.1 },
    }
    local function run(choice)
      return shared {
        policy = "lomarc_fm", params = { choice = choice }, machine = { nodes = 16, processors = 1, cores = 2 },
        slowdown = { model = "resources", overlap = "complete", compatible_share = 1 }, jobs = jobs,
      }
    end
    local first, gaining = run("first"), run("first-gain")
    expect(first.jobs[2].start).equals(0)
    expect(first.jobs[3].start > 0).equals(true)
    expect(gaining.jobs[3].start).equals(0)
    expect(gaining.jobs[2].start > 0).equals(true)
  end)

  it("looks for partners of a backfilled job in the whole queue, or only behind it", function()
    -- The second job is the head; the third would delay it, alone and beside the fourth, which is backfilled with the
    -- last.
    local jobs = {
      computing { submit = 0, nodes = 6, runtime = 9000 }, computing { submit = 1, nodes = 8, runtime = 4000 },
      reading { submit = 1, nodes = 1, runtime = 12000 }, computing { submit = 1, nodes = 2, runtime = 8500 },
      reading { submit = 1, nodes = 1, runtime = 7000 },
    }
    for _, policy in ipairs { "lomarc", "lomarc_r" } do
      local function run(where)
        return shared {
          policy = policy, params = { backfill_partners = where }, machine = { nodes = 8, processors = 1, cores = 2 },
          jobs = jobs,
        }
      end
      local queue, behind = run("queue"), run("behind")
      for _, found in ipairs { queue, behind } do
        expect(found.jobs[4].start).equals(1)
        expect(found.jobs[5].start).equals(1)
        expect(found.jobs[2].start).equals(9000)
      end
      expect(queue.summary.notes["search.chosen"].mean > behind.summary.notes["search.chosen"].mean).equals(true)
    end
  end)

  it("in every variant runs all jobs, keeps the rules of nodes and gives the same bytes again", function()
    local jobs = {}
    for i = 1, 300 do
      jobs[i] = job { submit = i * 200, nodes = 1 + i * 7 % 16, runtime = 20 + i * 9973 % 9000 }
    end
    for _, name in ipairs { "lomarc", "lomarc_u2", "lomarc_r", "lomarc_fm", "lomarc_n", "lomarc_am", "lomarc_ac",
      "lomarc_pss" } do
      local options = {
        policy = name, machine = { nodes = 16, processors = 1, cores = 2 }, slowdown = { model = "resources" },
        jobs = jobs,
      }
      local run = shared(options)
      expect(run.summary.nb_jobs_finished).equals(300)
      expect(shared(options).fingerprint).equals(run.fingerprint)
    end
  end)
end)

-- Found by coslice check: pairs were planned by the limit of a job whose nodes are held until its end.
describe("a job that runs on beyond its limit", function()
  it("does not delay the head as half of a pair", function()
    local run = simulate {
      policy = "lomarc",
      machine = { nodes = 2, cores = 2 },
      engine = { at_limit = "extend", processes_per_node = 1 },
      slowdown = { model = "resources" },
      jobs = {
        job { submit = 0, nodes = 2, runtime = 7000 },
        job { submit = 0, nodes = 1, runtime = 4376, cpu = 1, network = 0, disk = 0, memory_fraction = 0.8 },
        job { submit = 2, nodes = 1, runtime = 4000, cpu = 1, network = 0, disk = 0 },
        job { submit = 562, nodes = 1, runtime = 1 },
        job { submit = 562, nodes = 2, runtime = 1, limit = 63 },
        job { submit = 562, nodes = 1, runtime = 4376, limit = 4000, cpu = 0, network = 0, disk = 1 },
        job { submit = 2938, nodes = 1, runtime = 2 },
        job { submit = 2938, nodes = 1, runtime = 1, limit = 4376 },
      },
    }
    expect(run).violates_nothing()
    expect(run).keeps_claims()
  end)
end)

describe("lomarc_ac", function()
  it("takes waits of less than a nanosecond for none", function()
    local run = simulate {
      policy = "lomarc_ac",
      machine = { nodes = 1, cores = 2 },
      engine = { processes_per_node = 1 },
      slowdown = { model = "resources" },
      jobs = {
        job { submit = 0, nodes = 1, runtime = 600, cpu = 1, disk = 0, memory_fraction = 0.2, network = 0 },
        job { submit = 0, nodes = 1, runtime = 600 },
        job { submit = 1500, nodes = 1, runtime = 1 },
      },
    }
    expect(run).violates_nothing()
  end)
end)
