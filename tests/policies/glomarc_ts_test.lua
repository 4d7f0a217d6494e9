-- G-LOMARC-TS on queues made by hand. Four nodes of two processors with two cores each, all jobs in one queue, none
-- short, unless a case says otherwise; slowdowns stand in the jobs (slowdowns/by_hand.lua).
local sharing = require("sharing")(simulate, expect, job)
local shared, wide, serial, started = sharing.run, sharing.wide, sharing.serial, sharing.started

describe("G-LOMARC-TS: one job", function()
  it("starts on all cores of its nodes if it bears that (Case 5)", function()
    local run = shared { jobs = { job{submit=0, processes=8, runtime=20000, executable=105, queue=110} } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[1].finish).near(20000 * 1.05 * 1.1, 1e-6)
  end)

  it("starts with a process on each processor if it bears only that (Case 4)", function()
    local run = shared { jobs = { job{submit=0, processes=6, runtime=20000, executable=105, queue=130} } }
    expect(run.jobs[1].allocated).equals("0-2")
    expect(run.jobs[1].finish).near(21000, 1e-6)
  end)

  it("starts with one process a node if it bears no more (Case 4)", function()
    local run = shared { jobs = { wide{processes=3, runtime=20000} } }
    expect(run.jobs[1].allocated).equals("0-2")
    expect(run.jobs[1].finish).equals(20000)
  end)

  it("has more processes on a node than it likes where the machine is too small for less", function()
    local run = shared { jobs = { wide{processes=12, runtime=1000} } }
    expect(run.jobs[1].allocated).equals("0-3")
    expect(run.jobs[1].finish).near(1000 * 1.2 * 1.3, 1e-6)
    expect(shared({ jobs = { wide{processes=17, runtime=1000} } }).summary.nb_jobs_rejected).equals(1)
  end)

  it("may get faster by a second process beside the first", function()
    local run = shared { jobs = { job{submit=0, processes=2, runtime=20000, executable=95, queue=140} } }
    expect(run.jobs[1].finish).near(19000, 1e-6)
  end)
end)

describe("G-LOMARC-TS: the flow chart", function()
  it("starts every job alone when the load is low", function()
    local run = shared { jobs = { wide{processes=2, runtime=20000}, wide{processes=2, runtime=20000} } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[2].allocated).equals("2-3")
  end)

  it("lays the first waiting job and others over one another (Case 1)", function()
    local run = shared { jobs = {
      wide{processes=4, runtime=20000, partition=110}, wide{processes=4, runtime=20000, partition=105},
    } }
    expect(started(run, 0)).equals { 1, 2 }
    expect(run.jobs[2].allocated).equals("0-3")
    expect(run.jobs[1].finish).near(21000, 1e-6)
    -- The second goes on by itself, at full speed, when the first is gone: 20000 = 21000 / 1.1 + the rest.
    expect(run.jobs[2].finish).near(21000 + 20000 - 21000 / 1.1, 1e-6)
  end)

  it("lays the first waiting job over running ones (Case 2)", function()
    local run = shared { jobs = {
      wide{processes=2, runtime=20000}, wide{processes=2, runtime=20000}, wide{processes=4, runtime=20000, submit=100},
    } }
    expect(run).starts { 0, 0, 100 }
    expect(run.jobs[3].allocated).equals("0-3")
  end)

  it("takes idle nodes where the running ones do not suffice (Case 2)", function()
    local run = shared { jobs = { wide{processes=3, runtime=20000}, wide{processes=4, runtime=20000, submit=100} } }
    expect(run).starts { 0, 100 }
    expect(run.jobs[2].allocated).equals("0-3")
  end)

  it("lays waiting jobs over a running one (Case 3)", function()
    local run = shared { jobs = {
      wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000, submit=100},
      wide{processes=2, runtime=20000, submit=100},
    } }
    expect(run).starts { 0, 100, 100 }
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[3].allocated).equals("2-3")
  end)

  it("prefers a group that gains more than a job alone on all cores (Case 5)", function()
    -- Alone: 4 / 1.2 - 1 = 2.33; two processes of each on a node: 3.
    local run = shared { jobs = {
      job{submit=0, processes=8, runtime=20000, executable=100, queue=120},
      job{submit=0, processes=8, runtime=20000, executable=100, queue=120},
    } }
    expect(run.jobs[1].allocated).equals("0-3")
    expect(run.jobs[2].allocated).equals("0-3")
    expect(run.jobs[1].finish).equals(20000)
  end)

  it("prefers all cores for a job that gains more alone (Case 5)", function()
    -- In a group: 16 / 4 / 1.22 - 1 = 2.28.
    local run = shared { jobs = {
      job{submit=0, processes=8, runtime=20000, executable=100, queue=120, partition=122},
      job{submit=0, processes=8, runtime=20000, executable=100, queue=120, partition=122},
    } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[2].allocated).equals("2-3")
    expect(run.jobs[1].finish).near(24000, 1e-6)
  end)

  it("may take the widest waiting job as the primary of Case 1, beyond the paper", function()
    local function jobs()
      return { wide{processes=2, runtime=20000}, wide{processes=2, runtime=20000},
        wide{processes=4, runtime=20000, submit=0} }
    end
    local first, widest = shared { jobs = jobs() }, shared { jobs = jobs(), params = { primary = "widest" } }
    expect(started(first, 0)).equals { 1, 2 }
    expect(widest.jobs[3].allocated).equals("0-3")
    expect(widest.jobs[2].allocated).equals("2-3")
  end)

  it("leaves short jobs alone", function()
    local run = shared { jobs = { wide{processes=4, runtime=500}, wide{processes=4, runtime=550} } }
    expect(run).starts { 0, 500 }
    local other = shared { jobs = { wide{processes=4, runtime=550}, wide{processes=4, runtime=2000} } }
    expect(other).starts { 0, 550 }
  end)

  it("lays serial jobs over a waiting parallel one (Case 1)", function()
    local jobs = { serial{runtime=20000}, wide{processes=4, runtime=20000} }
    for i = 3, 5 do jobs[i] = serial{runtime=20000} end
    local run = shared { jobs = jobs }
    expect(started(run, 0)).equals { 1, 2, 3, 4, 5 }
    expect(run.jobs[2].allocated).equals("0-3")
    expect(run.jobs[5].allocated).equals("3")
  end)

  it("lays serial jobs over a running parallel one (Case 3)", function()
    local jobs = { wide{processes=4, runtime=20000} }
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
      wide{processes=2, runtime=10000, group=1}, wide{processes=4, runtime=20000, group=1, submit=100},
      -- they do not bear each other
      wide{processes=2, runtime=5000, group=1, submit=100}, wide{processes=2, runtime=5000, submit=100},
    } }
    expect(run.jobs[3].start).equals(100)
    expect(run.jobs[4].start).equals(100)
    expect(run.jobs[3].allocated).equals("2-3")
    expect(run.jobs[4].allocated).equals("2-3")
    expect(run.jobs[2].start).equals(10000)
  end)

  it("backfills the best of the groups that move no reservation", function()
    -- 4 beside 3 gains more than 5, but would keep the nodes until 11600.
    local run = shared { params = { slack = 100 }, jobs = {
      wide{processes=2, runtime=10000, group=1}, wide{processes=4, runtime=20000, group=1, submit=100},
      wide{processes=2, runtime=9000, submit=100}, wide{processes=2, runtime=11500, submit=100},
      wide{processes=2, runtime=5000, submit=100, partition=105},
    } }
    expect(started(run, 100)).equals { 3, 5 }
    expect(run.jobs[2].start).equals(10000)
  end)
end)

describe("G-LOMARC-TS: all cores for one job", function()
  local function eager(options) -- it bears a process on each core
    options.executable, options.queue, options.group = 100, 120, options.group or 1
    options.submit = options.submit or 0
    return job(options)
  end

  it("is what the first waiting job gets, unless it is told not to", function()
    local function jobs() return { eager{processes=8, runtime=20000}, eager{processes=8, runtime=20000} } end
    for _, policy in ipairs { "glomarc_ts", "glomarc_cst", "glomarc_cstws" } do
      local with = shared { jobs = jobs(), policy = policy }
      expect(with).starts { 0, 0 }
      expect(with.jobs[1].allocated).equals("0-1")
      for _, which in ipairs { "not-first", "never" } do
        local without = shared { jobs = jobs(), policy = policy, params = { alone_on_all_cores = which } }
        expect(without.jobs[1].allocated).equals("0-3")
      end
    end
    expect(shared { jobs = jobs(), policy = "glomarc_cst", params = { alone_on_all_cores = "not-first" } })
      .starts { 0, 20000 }
  end)

  it("is what jobs get under low load, short ones, and those that are too wide otherwise", function()
    for _, which in ipairs { "not-first", "never" } do
      local function without(jobs)
        return shared { jobs = jobs, policy = "glomarc_cst", params = { alone_on_all_cores = which } }
      end
      expect(without({ eager{processes=4, runtime=20000} }).jobs[1].allocated).equals("0")
      expect(without({ eager{processes=8, runtime=500}, eager{processes=8, runtime=500} })).starts { 0, 0 }
      expect(without({ eager{processes=12, runtime=20000} }).jobs[1].allocated).equals("0-2")
    end
  end)

  it("is what a job behind the first one may get, or not", function()
    local function behind(which)
      return shared { policy = "glomarc_cst", params = { alone_on_all_cores = which }, jobs = {
        wide{processes=3, runtime=20000, group=1}, wide{processes=4, runtime=20000, group=1, submit=100},
        eager{processes=4, runtime=5000, submit=100},
      } }
    end
    for _, which in ipairs { "always", "not-first" } do
      local run = behind(which)
      expect(run.jobs[3].start).equals(100)
      expect(run.jobs[3].allocated).equals("3")
      expect(run.jobs[2].start).equals(20000)
    end
    expect(behind("never").jobs[3].start >= 20000).equals(true)
  end)
end)

describe("G-LOMARC-TS: a denser layout instead of waiting", function()
  local function beside_three(processes, denser)
    return shared { params = { denser = denser }, jobs = {
      wide{processes=3, runtime=20000, group=1}, wide{processes=processes, runtime=20000, group=1, submit=100},
    } }
  end

  it("is not tried unless it is asked for", function()
    expect(beside_three(2, "never")).starts { 0, 20000 }
  end)

  it("is tried if the job bears it, or whatever it costs", function()
    for _, denser in ipairs { "tolerated", "whatever" } do
      local run = beside_three(2, denser)
      expect(run).starts { 0, 100 }
      expect(run.jobs[2].allocated).equals("3")
      expect(run.jobs[2].finish).near(100 + 20000 * 1.2, 1e-6)
    end
    expect(beside_three(4, "tolerated").jobs[2].start >= 20000).equals(true) -- four on a node it does not bear
    local run = beside_three(4, "whatever")
    expect(run).starts { 0, 100 }
    expect(run.jobs[2].finish).near(100 + 20000 * 1.2 * 1.3, 1e-6)
  end)

  it("is tried behind the first waiting job, too", function()
    local run = shared { params = { denser = "tolerated" }, jobs = {
      wide{processes=3, runtime=20000, group=1}, wide{processes=16, runtime=20000, group=1, submit=100},
      wide{processes=2, runtime=5000, group=1, submit=100},
    } }
    expect(run.jobs[3].start).equals(100)
  end)
end)

describe("G-LOMARC-TS: processes on a node in groups", function()
  it("are as many as the job bears by itself, or one on each processor", function()
    local function together(ppn)
      return shared { params = { ppn_in_groups = ppn, max_slowdown_on = "partner" }, jobs = {
        wide{processes=4, runtime=20000, partition=105}, wide{processes=4, runtime=20000, partition=105},
      } }
    end
    expect(together("tolerated").jobs[1].allocated).equals("0-3")
    local run = together("first-step")
    expect(run).starts { 0, 0 }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[2].allocated).equals("0-1")
    expect(run.jobs[1].finish).near(20000 * 1.2 * 1.05, 1e-6)
  end)
end)

describe("G-LOMARC-TS: processes on the cores of one processor (Figure 17)", function()
  it("are slowed down as over cores, alone and beside others, whatever they are across processors", function()
    local function jobs()
      return {
        job{submit=0, processes=8, runtime=20000, executable=130, queue=105, partition=120, user=110},
        job{submit=0, processes=8, runtime=20000, executable=130, queue=105, partition=120, user=110},
      }
    end
    local one = { jobs()[1] }
    expect(shared({ jobs = one, machine = { nodes = 8, processors = 2, cores = 2 } }).jobs[1].allocated).equals("0-7")
    local alone = shared { jobs = one, params = { layout = "within" } }
    expect(alone.jobs[1].allocated).equals("0-3")
    expect(alone.jobs[1].finish).near(20000 * 1.05, 1e-6)
    local together = shared { jobs = jobs(), params = { layout = "within", slack = 100 } }
    expect(together).starts { 0, 0 }
    expect(together.jobs[1].finish).near(20000 * 1.05 * 1.1, 1e-6)
  end)

  it("need a second processor for a second job", function()
    local jobs = { wide{processes=2, runtime=20000}, wide{processes=2, runtime=20000} }
    local function on(processors, cores)
      local machine = { nodes = 2, processors = processors, cores = cores }
      return shared { jobs = jobs, params = { layout = "within" }, machine = machine }
    end
    expect(on(2, 2)).starts { 0, 0 }
    expect(on(1, 4)).starts { 0, 20000 }
  end)
end)

describe("G-LOMARC-TS: fairness", function()
  -- 2 waits for 1 and tolerates no other. With 3 on the nodes of 1, both slowed down, it waits for longer.
  local function jobs()
    return {
      wide{processes=4, runtime=20000, partition=120, group=1}, wide{processes=4, runtime=11000, group=1},
      wide{processes=4, runtime=20000, partition=120, executable=120},
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
    local two = { wide{processes=4, runtime=20000, partition=120}, wide{processes=4, runtime=20000, partition=120} }
    expect(shared { jobs = two, params = { slack = 1.0 } }).starts { 0, 20000 }
    expect(shared { jobs = two, params = { slack = 1.0, fair_to_members = false } }).starts { 0, 0 }
    expect(shared { jobs = two, params = { slack = 1.2 } }).starts { 0, 0 }
  end)

  it("is counted where it failed", function()
    local function run(params)
      params.fair_to_members, params.expected, params.predicted, params.slack = false, 1, 1, 1
      local two = { wide{processes=4, runtime=20000, partition=120}, wide{processes=4, runtime=20000, partition=120} }
      return shared({ jobs = two, params = params }).summary.sharing
    end
    local late = run {}
    expect(late.bounded).equals(2)
    expect(late.late).equals(1) -- the first was to have its nodes for itself
    expect(late.late_grouped).equals(1)
    expect(late.few_candidates_share).equals(1)
    expect(run({ form = "none" }).late).equals(0)
  end)

  it("takes the next best group where the best is not fair", function()
    -- 2 would slow the first job down by 1.2, 3 by nothing; only 2 covers all of its nodes.
    local run = shared { params = { slack = 1.0 }, jobs = {
      wide{processes=4, runtime=20000}, wide{processes=4, runtime=20000, partition=120},
      wide{processes=2, runtime=20000},
    } }
    expect(started(run, 0)).equals { 1, 3 }
  end)
end)

describe("Shared nodes: what cannot be", function()
  local jobs = { wide{processes=2, runtime=1000} }

  it("is said of another order of events", function()
    expect(function()
      shared { jobs = jobs, engine = { event_order = "submissions-first" } }
    end).raises("and groups on shared nodes cannot be combined")
  end)

  it("is said of slowdowns where processes are played message by message", function()
    expect(function()
      simulate { machine = { nodes = 4 }, jobs = jobs, policy = "fcs", slowdown = { model = "drawn" } }
    end).raises("slowdown factors have no effect")
  end)

  it("is said of processes per node that a job cannot have", function()
    local function spreading(ppn)
      return function()
        shared {
          jobs = { wide{processes=8, runtime=1000} },
          policy = {
            api = 1, name = "spreading", version = "1",
            sharing = { alone = function() return 2 end, shared = function() return 1 end },
            schedule = function(view)
              view:keep_reservations()
              for job in view:waiting() do view:spread(job, ppn) end
              view:start_due()
            end,
          },
        }
      end
    end
    expect(spreading(5)).raises("from 1 to its cores")
    expect(spreading(0)).raises("from 1 to its cores")
    expect(spreading(1)).raises("would need 8 nodes with 1 processes on each, and there are 4")
    spreading(4)()
  end)

  it("does not include a slack without bounds", function()
    expect(shared({ jobs = jobs, params = { slack = 1e300 } }).summary.nb_jobs_finished).equals(1)
  end)
end)

describe("G-LOMARC-TS: the life of a group", function()
  it("adds no job while it lasts, and matches again what is left of it", function()
    -- The second leaves at 11000; only then the third is placed on the nodes of the first.
    local run = shared { jobs = {
      wide{processes=4, runtime=15000}, wide{processes=2, runtime=11000}, wide{processes=2, runtime=7000, submit=5000},
    } }
    expect(run).starts { 0, 0, 11000 }
    expect(run.jobs[3].allocated).equals("0-1")
    expect(run.jobs[1].finish).equals(15000)
    expect(run.jobs[3].finish).equals(18000)
  end)

  it("slows the first job down as the worst of those still there does", function()
    -- 1.2 until the third ends, at 11000 s x 1; then 1.1.
    local run = shared { params = { slack = 100 }, jobs = {
      wide{processes=4, runtime=20000}, wide{processes=2, runtime=20000, partition=110},
      wide{processes=2, runtime=11000, partition=120},
    } }
    expect(started(run, 0)).equals { 1, 2, 3 }
    expect(run.jobs[3].finish).equals(11000)
    expect(run.jobs[2].finish).equals(20000)
    -- 9167 s of its work until 11000, 8182 until 20000, and the rest alone.
    expect(run.jobs[1].finish).near(20000 + 20000 - 11000 / 1.2 - 9000 / 1.1, 1e-6)
  end)

  it("frees the nodes of the first job that no other is on", function()
    local run = shared { jobs = {
      wide{processes=4, runtime=10000}, wide{processes=2, runtime=13000},
      wide{processes=2, runtime=20000, submit=5000, group=1},
    } }
    expect(run.jobs[2].start).equals(0)
    expect(run.jobs[3].start).equals(10000)
    expect(run.jobs[3].allocated).equals("2-3")
  end)
end)
