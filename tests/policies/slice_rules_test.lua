-- Hand-worked schedules under time slices, one rule a case.
--
-- Unless a case says otherwise: four nodes; intervals of 1000 s; the medium slice is 0 to 300, the long one 300 to
-- 1000, nothing is lost between them; limits up to 100 s make a job short, up to 1000 s medium. In the drawings, time
-- goes to the right, a line is a node (or several), M1 a job, a dot idle time and | the end of a slice.
local function slices(options)
  local params = { interval = 1000, overhead = 0, short = 100, medium = 1000, nodes = "first-free" }
  for name, value in pairs(options.params or {}) do params[name] = value end
  options.policy, options.params = options.policy or "scojo_pect", params
  options.nodes = options.nodes or 4
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

--- What a policy may say itself beyond the parameters of scojo_pect.
local function sliced(fields)
  local all = { interval = 1000, overhead = 0, nodes = "first-free", classes = {
    { name = "short", up_to = 100, on_demand = true, longest = 100 },
    { name = "medium", up_to = 1000, share = 0.3 },
    { name = "long", share = 0.7 },
  } }
  for name, value in pairs(fields) do all[name] = value end
  return { api = 1, name = "sliced", version = "1", description = "in slices", backfill = "conservative", slices = all }
end

local function own(options)
  options.nodes = options.nodes or 4
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

--- limit: what makes it long, unless it is given.
local function long(t) t.limit = t.limit or 9000; return job(t) end

describe("jobs in slices of other classes", function()
  it("are short ones that finish there", function()
    --  0      L1 L1 | L1 L1 L1 L1 |
    --  3      .  .  | .  S  .  .  |   S: 400 to 480
    --         0     300           1000
    local run = slices { jobs = { long{submit=0, nodes=3, runtime=5000}, job{submit=400, nodes=1, runtime=80} } }
    expect(run).starts { 0, 400 }
    expect(run.jobs[2].finish).equals(480)
    expect(run.jobs[2].preemptions).equals(0)
    expect(run.summary.slices.foreign_finishing).equals(1)
    expect(run.summary.slices.foreign_pinned).equals(1) -- the long job began in a medium slice
  end)

  it("finish there also if they fill the rest of the slice to the second", function()
    local jobs = { long{submit=300, nodes=3, runtime=5000}, job{submit=500, nodes=1, runtime=500} }
    expect(slices { jobs = jobs }.summary.slices.foreign_finishing).equals(1)
    jobs[2] = job{submit=500, nodes=1, runtime=501}
    expect(slices { jobs = jobs }.summary.slices.foreign_finishing).equals(0)
  end)

  it("stay off the nodes of their own class if they do not finish", function()
    --  0      M1 M1 | L1 L1 L1 L1 | M1 M1 | L1
    --  1-2    M1 M1 | .  M3 M3 .  | M1 M1 | M2 M2   M3 finishes in the long slice, M2 would not: in the next medium
    --  3      .  .  | .  .  .  .  | .  .  | .       slice it would stand where M1 belongs
    --         0     300           1000    1300
    local run = slices { jobs = {
      job{submit=0, nodes=3, runtime=600},
      long{submit=300, nodes=1, runtime=5000},
      job{submit=350, nodes=2, runtime=900},
      job{submit=350, nodes=2, runtime=500},
    } }
    expect(run).starts { 0, 300, 1300, 350 }
    expect(run.jobs[4].allocated).equals("1-2")
    expect(run.jobs[1].finish).equals(1300)
    expect(run.jobs[3].finish).equals(2200)
  end)

  it("resume in their own slice beside those that were there before", function()
    --  0-1    M1 M1 | L1 L1 L1 L1 | M1 M1 |
    --  2-3    .  .  | .  M2 M2 M2 | M2 M2 |
    --         0     300 350       1000    1300
    local run = slices { jobs = {
      job{submit=0, nodes=2, runtime=600},
      long{submit=300, nodes=2, runtime=5000},
      job{submit=350, nodes=2, runtime=900},
    } }
    expect(run).starts { 0, 300, 350 }
    expect(run.jobs[3].allocated).equals("2-3")
    expect(run.jobs[1].finish).equals(1300)
    expect(run.jobs[3].finish).equals(1250)
  end)

  it("wait for their own nodes, whatever else is idle", function()
    --  0-1    M1 M1 | L1 L1 L1 L1 | M1 M1 |
    --  2-3    .  .  | .  .  .  .  | .  .  |   M1 does not migrate
    local jobs = { job{submit=0, nodes=2, runtime=600}, long{submit=300, nodes=2, runtime=5000} }
    local run = slices { jobs = jobs }
    expect(run.jobs[1].finish).equals(1300)
    expect(run.jobs[1].preemptions).equals(1)
    -- On nodes that others use least, L1 takes 2-3, and M1 goes on at once.
    run = slices { jobs = jobs, params = { nodes = "fewest-foreign" } }
    expect(run.jobs[2].allocated).equals("2-3")
    expect(run.jobs[1].finish).equals(600)
    expect(run.jobs[1].preemptions).equals(1)
  end)

  it("delay no reservation of the slice's class", function()
    --  0-1    L1 L1 | L1 L1 L2 L2 .  |      L2 needs all nodes and is reserved for 500
    --  2-3    .  .  | .  S  L2 L2 M  |      M would run into that, S ends just before
    --         0     300  400 500 800 950
    local function run_with(third)
      return slices { params = { medium = 200 }, jobs = {
        job{submit=0, nodes=2, runtime=500},
        job{submit=0, nodes=4, runtime=300},
        third,
      } }
    end
    expect(run_with(job{submit=400, nodes=2, runtime=150})).starts { 0, 500, 800 }
    expect(run_with(job{submit=400, nodes=2, runtime=100})).starts { 0, 500, 400 }
  end)

  it("delay no reservation of their own class", function()
    -- M1 holds three nodes for 600 s of medium time, M2 has a reservation for what comes after; M3 on the fourth node
    -- may begin in the long slice: 1 node is left beside M2. A wider M3 may not.
    --  0      M1 M1 | L  L  L  L  |      L stands where M1 belongs
    --  1-2    M1 M1 | .  .  .  .  |
    --  3      .  .  | .  M3 M3 M3 |
    local function third(nodes)
      return slices { jobs = {
        job{submit=0, nodes=3, runtime=600},
        long{submit=300, nodes=1, runtime=5000},
        job{submit=310, nodes=nodes, runtime=800},
        job{submit=350, nodes=1, runtime=900},
      } }.jobs[4].start
    end
    expect(third(3)).equals(350)   -- M2 needs three of the four nodes from medium second 600 on
    expect(third(4)).equals(4200)  -- M2 needs all four: 2000-2300, 3000-3300, 4000-4200, then M3
  end)

  it("preempted ones come before waiting ones, short ones before longer ones", function()
    --  0   M1 M1 | M1 S M2 M2 |     one node is left in the long slice: M1 stood on it, S and M2 wait
    --  1   .  .  | L1 L1   L1 |
    local run = slices { nodes = 2, params = { nodes = "fewest-foreign" }, jobs = {
      job{submit=0, nodes=1, runtime=400},      -- M1: 0 to 300, goes on to 400
      long{submit=300, nodes=1, runtime=5000},
      job{submit=300, nodes=1, runtime=550},    -- M2 after S
      job{submit=300, nodes=1, runtime=50},     -- S: after M1
    } }
    expect(run).starts { 0, 300, 450, 400 }
  end)

  it("are not wanted by every policy", function()
    local run = slices { params = { foreign = "none" }, jobs = {
      job{submit=0, nodes=1, runtime=400}, long{submit=0, nodes=1, runtime=100},
    } }
    expect(run).starts { 0, 300 }
    expect(run.jobs[1].finish).equals(1100)
  end)
end)

describe("eviction", function()
  --  all    L1 M .. | L1      M comes at 100 and needs two of the nodes on which L1 runs in a medium slice
  local jobs = { long{submit=0, nodes=4, runtime=5000}, job{submit=100, nodes=2, runtime=150} }

  it("makes room for jobs of the slice's class", function()
    local run = slices { jobs = jobs }
    expect(run).starts { 0, 100 }
    expect(run.summary.slices.evictions).equals(1)
    -- L1: 100 s, idle to 250, then 50 s more of the medium slice, 700 of its own: 850 by 1000, then without a break
    expect(run.jobs[1].finish).equals(5150)
  end)

  it("can be left out", function()
    expect(own { policy = sliced { evict = false }, jobs = jobs }).starts { 0, 1000 }
  end)

  it("takes the longest and last started first, and no more than are needed", function()
    --  0-1  L1 L1 L1 |
    --  2-3  L2 M  M  |
    local run = slices { jobs = {
      long{submit=0, nodes=2, runtime=2000},
      long{submit=0, nodes=2, runtime=2000},
      job{submit=100, nodes=2, runtime=200},
    } }
    expect(run.jobs[3].allocated).equals("2-3")
    expect(run.jobs[1].finish).equals(2000)
    expect(run.jobs[2].finish).equals(2200)
    expect(run.summary.slices.evictions).equals(1)
  end)

  it("spares jobs that finish in the slice", function()
    -- S may stand on nodes of its class and could not go on later: M waits for it.
    --  0-2    .  S  S  M |
    --  3      .  .  .  M |
    --         0  90   170
    local run = slices { jobs = { job{submit=90, nodes=3, runtime=80}, job{submit=100, nodes=2, runtime=100} } }
    expect(run).starts { 90, 170 }
    expect(run.summary.slices.evictions).equals(0)
  end)
end)

describe("slices", function()
  it("know the speed of nodes", function()
    local run = simulate { policy = "scojo_pect", machine = { nodes = { { count = 1, name = "a", speed = 0.5 } } },
      jobs = { job{submit=0, nodes=1, runtime=20} } }
    expect(run).violates_nothing()
    expect(run.jobs[1].finish).equals(40)
  end)

  it("of 30 minutes are shorter, and more is lost between them", function()
    -- Medium 480 and long 1200 s of each 1800: 0-480, 540-1740, 1800-2280, 2340-3540, 3600-4080 make 3840 s; then 1160
    local run = simulate { policy = "scojo_pect", nodes = 4, params = { interval = 1800 },
                           jobs = { job{submit=0, nodes=1, runtime=5000, limit=11000} } }
    expect(run.jobs[1].finish).equals(5300)
    expect(run.jobs[1].overhead).equals(300)
  end)

  it("of a class without jobs are for the others, or idle", function()
    local jobs = { long{submit=0, nodes=1, runtime=1500} }
    expect(slices { jobs = jobs }.jobs[1].finish).equals(1500)
    expect(slices { jobs = jobs, params = { foreign = "none" } }.jobs[1].finish).equals(2400)
  end)

  it("do not exist for a class without a share", function()
    local jobs = { job{submit=0, nodes=1, runtime=700}, long{submit=0, nodes=1, runtime=1500} }
    local run = slices { jobs = jobs, params = { medium_share = 0 } }
    expect(run).starts { 0, 0 } -- the medium job runs in long slices, as what they leave over
    expect(run.jobs[2].finish).equals(1500)
    expect(run.summary.slices.slices).equals(2)
    expect(function() slices { jobs = jobs, params = { medium_share = 0, foreign = "none" } } end).raises(
      "could never run")
  end)

  it("are the whole interval for a class with all of it", function()
    local run = slices { params = { medium_share = 1 }, jobs = {
      job{submit=0, nodes=4, runtime=900}, long{submit=0, nodes=4, runtime=1500},
    } }
    expect(run).starts { 0, 900 } -- the long job has what the medium ones leave over
    expect(run.jobs[2].finish).equals(2400)
  end)

  it("end with what ends at the same second finished, not preempted", function()
    local run = slices { params = { foreign = "none" }, jobs = { job{submit=0, nodes=1, runtime=300} } }
    expect(run.jobs[1].finish).equals(300)
    expect(run.jobs[1].preemptions).equals(0)
  end)

  it("on demand take their time from all others in proportion", function()
    -- S comes at 950 when the machine is full: its slice is 1000 to 1080; of 920 s the medium slice gets 276.
    local run = slices { params = { foreign = "none" }, jobs = {
      long{submit=0, nodes=4, runtime=5000}, job{submit=950, nodes=4, runtime=80},
      job{submit=1001, nodes=1, runtime=500},
    } }
    expect(run).starts { 300, 1000, 1080 }
    -- The long job: 300-1000, 1356-2000, then 700 s of each interval
    expect(run.jobs[1].finish).equals(7456)
  end)

  it("may be for five classes", function()
    -- 0-100 short, 100-300 medium, 300-600 long, 600-1000 huge. The tiny job was not there when the first interval was
    -- laid out; its slice is 1000-1050, and the others share 950 s: 1050-1145, -1335, -1620, -2000.
    local run = own {
      policy = sliced { foreign = "none", classes = {
        { name = "tiny", up_to = 60, on_demand = true, longest = 60 },
        { name = "short", up_to = 200, share = 1 },
        { name = "medium", up_to = 400, share = 2 },
        { name = "long", up_to = 800, share = 3 },
        { name = "huge", share = 4 },
      } },
      jobs = {
        job{submit=0, nodes=4, runtime=50}, job{submit=0, nodes=4, runtime=150}, job{submit=0, nodes=4, runtime=300},
        job{submit=0, nodes=4, runtime=500}, job{submit=0, nodes=4, runtime=900},
      },
    }
    expect(run).starts { 1000, 0, 100, 300, 600 }
    expect(run).finishes { 1050, 1100, 1245, 1535, 2720 }
  end)

  it("on demand do not come after those that share all of the interval", function()
    local policy = sliced { classes = { { name = "short", up_to = 100 }, { name = "long", on_demand = true } } }
    expect(function() own { policy = policy, jobs = { job{submit=0, nodes=1, runtime=10} } } end)
      .raises("class 'long' comes last and on demand")
  end)

  it("of a policy that comes with coslice are varied in a few lines", function()
    local jobs = { long{submit=0, nodes=4, runtime=5000}, job{submit=950, nodes=3, runtime=80}, job{submit=1001,
      nodes=2, runtime=500} }
    local half = simulate { policy = "../../scenarios/policies/slices_30.lua", nodes = 4, jobs = jobs }
    expect(half.policy).equals("slices_30")
    expect(half).starts_like(simulate { policy = "scojo_pect", nodes = 4, jobs = jobs, params = { interval = 1800 } })
  end)

  it("may be scheduled by any policy", function()
    -- One node: M1 runs, M2 waits for it, M3 is shorter and comes later.
    local jobs = { job{submit=0, nodes=1, runtime=250}, job{submit=1, nodes=1, runtime=800},
      job{submit=2, nodes=1, runtime=150} }
    expect(own { nodes = 1, policy = sliced { scheduler = "sjf", foreign = "none" }, jobs = jobs }).finishes {
      250, 3300, 1100 }
    expect(own { nodes = 1, policy = sliced { scheduler = "fcfs", foreign = "none" }, jobs = jobs }).finishes {
      250, 3150, 3300 }
  end)

  it("share the variables of their policy, wherever it is written", function()
    -- The third job that comes goes last: of all jobs that is M2, of the medium ones M3.
    local text = [[
      local count = 0
      return {
        api = 1, name = "counted", version = "1",
        key = function() count = count + 1 return count == 3 and 1 or 0 end,
        slices = { interval = 1000, overhead = 0, foreign = "none", classes = {
          { name = "medium", up_to = 1000, share = 0.3 }, { name = "long", share = 0.7 } } },
      }
    ]]
    local jobs = { job{submit=0, nodes=1, runtime=100}, long{submit=0, nodes=1, runtime=300},
      job{submit=1, nodes=1, runtime=60},
      job{submit=2, nodes=1, runtime=80} }
    for _, policy in ipairs { text, load(text)() } do
      expect(own { nodes = 1, policy = policy, jobs = jobs }).starts { 0, 300, 180, 100 }
    end
  end)
end)

describe("partitions whose jobs share cores", function()
  it("let a reserved job start beside one that came since by the rules of another partition", function()
    -- Jobs that share nothing may come to nodes of jobs that share in their own partition only. The first job is
    -- reserved on a node; the second one comes to it with the partition that shares, and has a core left.
    local machine = { nodes = { { name = "n", count = 2, cores = 2 } },
                      partitions = { { name = "sharing", nodes = { "n" }, oversubscribe = 2 },
                                     { name = "plain", nodes = { "n" } } } }
    local function of(partition, fields)
      fields.request = { partition = partition, cores = 1 }
      return job(fields)
    end
    local run = simulate { machine = machine, policy = "scojo_pect", jobs = {
      of("sharing", { submit = 937, nodes = 2, runtime = 9961, limit = 29883 }),
      of("plain", { submit = 2138, nodes = 1, runtime = 15246, limit = 15246 }),
      of("sharing", { submit = 3137, nodes = 2, runtime = 43914, limit = 65871 }) } }
    expect(run).violates_nothing()
    expect(run).starts { 937, 44560, 3137 }
  end)
end)

describe("nodes that are down under slices", function()
  local function failing(from, length)
    return { planned = { { nodes = "0", from = from, length = length, kind = "failure" } } }
  end

  it("interrupt running and preempted jobs, whose policy sees them end and come again", function()
    --  0  M1 | L1 L1 x .  L1 L1 | ...      it fails from 600 to 650
    local log = {}
    local policy = sliced { foreign = "none" }
    local function note(what)
      return function(_, job) log[#log + 1] = what .. " " .. job.id .. " after " .. job.interruptions end
    end
    policy.submitted, policy.ended = note("submitted"), note("ended")
    local jobs = { long{submit=0, nodes=1, runtime=500} }
    local run = own { policy = policy, nodes = 1, jobs = jobs, outages = failing(600, 50) }
    expect(run).starts { 650 }
    expect(run.jobs[1].finish).equals(1450) -- 350 s, then 150 s from 1300 on
    expect(table.concat(log, ", ")).equals("submitted 1 after 0, ended 1 after 0, submitted 1 after 1, ended 1 after 1")
    expect(run.summary.outages.lost).equals(300)

    run = own { policy = sliced { foreign = "none" }, nodes = 1, jobs = { long{submit=0, nodes=1, runtime=800} },
      outages = failing(1100, 100) } -- preempted since 1000
    expect(run).starts { 1300 }
    expect(run.jobs[1].finish).equals(2400)
    expect(run.summary.outages.lost).equals(700)
    expect(run.summary.outages.interruptions).equals(1)
  end)

  it("are waited for in the time of each class", function()
    local window = { planned = { { from = 1500, length = 100, kind = "maintenance" } } }
    local function starts(limit)
      return own { policy = sliced { foreign = "none" }, nodes = 2, outages = window,
        jobs = { job{submit=400, nodes=1, runtime=10, limit=limit} } }
    end
    expect(starts(9000)).starts { 1600 } -- in the middle of a long slice
    -- A medium slice of 300 s comes before; of 270 s if short jobs take their longest time.
    expect(starts(270)).starts { 1000 }
    expect(starts(300)).starts { 1000 }
    expect(starts(301)).starts { 2000 }
  end)
end)
