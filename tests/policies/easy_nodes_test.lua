-- EASY and conservative backfilling that name nodes: where that differs from counting them.
describe("policies that name nodes", function()
  local function run(policy, nodes, jobs, params)
    return simulate { policy = policy, nodes = nodes, jobs = jobs, params = params }
  end

  local function nodes(ran)
    local of = {}
    for i, j in ipairs(ran.jobs) do of[i] = j.allocated end
    return of
  end

  -- When job 3 comes, nodes 0 and 1 are free; it is to have them and node 2 at 10, where node 3 is left over.
  local function two_left()
    return {
      job{submit=0, nodes=2, runtime=1},
      job{submit=0, nodes=2, runtime=10},
      job{submit=2, nodes=3, runtime=10},
      job{submit=3, nodes=1, runtime=100},
    }
  end

  it("let no job run on nodes that another one is to have", function()
    expect(run("easy", 4, two_left())).starts { 0, 0, 10, 3 }
    expect(run("conservative", 4, two_left())).starts { 0, 0, 10, 3 }
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local ran = run(policy, 4, two_left())
      expect(ran).starts { 0, 0, 10, 10 }
      expect(nodes(ran)).equals { "0-1", "2-3", "0-2", "3" }
    end
  end)

  it("let a job run there that ends in time", function()
    local jobs = two_left()
    jobs[4] = job{submit=3, nodes=1, runtime=7}
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local ran = run(policy, 4, jobs)
      expect(ran).starts { 0, 0, 10, 3 }
      expect(nodes(ran)).equals { "0-1", "2-3", "0-2", "0" }
    end
  end)

  it("may believe that each job has its nodes for longer", function()
    local jobs = {
      job{submit=0, nodes=2, runtime=10},
      job{submit=1, nodes=2, runtime=10},
      job{submit=2, nodes=3, runtime=10}, -- planned at 20, with a delay of 5 at 30
      job{submit=3, nodes=1, runtime=17},
    }
    expect(run("conservative_nodes", 3, jobs)).starts { 0, 10, 20, 3 }
    jobs[4] = job{submit=3, nodes=1, runtime=18}
    expect(run("conservative_nodes", 3, jobs)).starts { 0, 10, 20, 30 }
    expect(run("conservative_nodes", 3, jobs, { delay = 5 })).starts { 0, 10, 21, 3 }
  end)

  it("give jobs the lowest nodes, also those that stand behind one that waits", function()
    local ran = run("easy_nodes", 4, {
      job{submit=0, nodes=2, runtime=10},
      job{submit=0, nodes=3, runtime=10},  -- is to have 0 to 2
      job{submit=0, nodes=1, runtime=100}, -- node 3
      job{submit=0, nodes=1, runtime=10},  -- node 2, until 10
    })
    expect(ran).starts { 0, 10, 0, 0 }
    expect(nodes(ran)).equals { "0-1", "0-2", "3", "2" }
  end)

  it("start the same jobs where nodes may be powered down, but never are", function()
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local function starts(power)
        local ran = simulate { policy = policy, machine = { nodes = 64 }, power = power, jobs = {
          job{submit=0, nodes=1, runtime=3830},
          job{submit=0, nodes=17, runtime=4000},
          job{submit=0, nodes=47, runtime=1},
          job{submit=3466, nodes=1, runtime=1, limit=500},
        } }
        local of = {}
        for i, j in ipairs(ran.jobs) do of[i] = j.start end
        return of
      end
      local without = starts(nil)
      expect(without[4]).equals(3831)
      expect(starts { idle = 1e9, boot = 300, shutdown = 60 }).equals(without)
    end
  end)

  it("plan all jobs anew when one ends early, in order of the queue", function()
    local ran = run("conservative_nodes", 2, {
      job{submit=0, nodes=2, runtime=5, limit=10},
      job{submit=1, nodes=1, runtime=10},
      job{submit=2, nodes=2, runtime=10},
      job{submit=3, nodes=1, runtime=10},
    })
    expect(ran).starts { 0, 5, 15, 5 }
    expect(nodes(ran)).equals { "0-1", "0", "0-1", "1" }
  end)

  it("start every job of random workloads, and keep each node to one job", function()
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local ran = simulate { policy = policy, nodes = 16, seed = 3,
        workload = { generator = "lublin", lublin = { jobs = 60, load = 0.9 } } }
      expect(#ran.jobs).equals(60)
    end
  end)
end)

local policies = { "easy_nodes", "conservative_nodes" }

describe("policies that name nodes, where some are closed or down,", function()
  local function run(policy, jobs, more)
    local scenario = { policy = policy, nodes = 4, jobs = jobs }
    for key, value in pairs(more) do scenario[key] = value end
    local ran = simulate(scenario)
    expect(ran).violates_nothing()
    return ran
  end
  local function places(ran)
    local of = {}
    for i, j in ipairs(ran.jobs) do of[i] = ("%g on %s"):format(j.start, j.allocated) end
    return of
  end
  local course = { name = "course", nodes = { "0-1" }, from = 20, length = 20, users = { 7 } }

  it("let jobs run on reserved nodes that end before, and others wait or have other nodes", function()
    local jobs = {
      job{submit=0, nodes=1, runtime=20},         -- before it
      job{submit=0, nodes=1, runtime=21},         -- not on 0 and 1
      job{submit=0, nodes=2, runtime=25},         -- behind it
      job{submit=25, nodes=1, runtime=5, user=7}, -- in it
    }
    for _, policy in ipairs(policies) do
      expect(places(run(policy, jobs, { reservations = { course } }))).equals {
        "0 on 0", "0 on 2", "21 on 2-3", "25 on 0" }
    end
  end)

  it("start a job in the first gap of a reservation that repeats in which it has room", function()
    local hourly = { name = "r", nodes = { "0-1" }, from = 100, length = 50, every = 200, users = { 7 } }
    local jobs = {
      job{submit=0, nodes=4, runtime=10},
      job{submit=0, nodes=3, runtime=110}, -- 10 to 100 is too short
      job{submit=0, nodes=1, runtime=500}, -- beside it, on 2
      job{submit=0, nodes=2, runtime=90},  -- from 10 to 100
      job{submit=0, nodes=4, runtime=150}, -- 350 to 500, when job 3 has ended: the next gap is from 550 on
    }
    for _, policy in ipairs(policies) do
      expect(places(run(policy, jobs, { reservations = { hourly } }))).equals {
        "0 on 0-3", "150 on 0-2", "10 on 3", "10 on 0-1", "550 on 0-3" }
    end
  end)

  it("wait for maintenance, and for nodes that fail or are drained", function()
    local jobs = {
      job{submit=0, nodes=2, runtime=10},
      job{submit=0, nodes=4, runtime=10}, -- not before the nodes are back
      job{submit=1, nodes=2, runtime=5},  -- passes it
    }
    for _, policy in ipairs(policies) do
      for kind, starts in pairs { failure = { 0, 35, 10 }, drain = { 0, 35, 10 }, maintenance = { 0, 35, 1 } } do
        local ran = run(policy, jobs, { outages = { planned = { { kind = kind, nodes = { "2-3" }, from = kind ==
          "maintenance" and 15 or 1, length = kind == "maintenance" and 20 or 34 } } } })
        expect(ran).starts(starts)
      end
    end
  end)

  it("start jobs again whose node has failed, elsewhere", function()
    for _, policy in ipairs(policies) do
      local ran = run(policy, { job{submit=0, nodes=2, runtime=30} },
        { outages = { planned = { { kind = "failure", nodes = { "0" }, from = 10, length = 1000 } } } })
      expect(places(ran)).equals { "10 on 1-2" }
    end
  end)

  it("give nodes of those kinds and partitions only that the job may have", function()
    local machine = { nodes = { { name = "thin", count = 2, cores = 2 }, { name = "fat", count = 2, cores = 4 } },
      partitions = { { name = "all", nodes = { "thin", "fat" }, default = true }, { name = "few", nodes = "fat" } } }
    local jobs = {
      job{submit=0, nodes=1, runtime=10, request={ cores=4 }},
      job{submit=0, nodes=2, runtime=10, request={ cores=1, partition="few" }},
      job{submit=0, nodes=2, runtime=10, request={ cores=1 }},
      job{submit=1, nodes=1, runtime=10, request={ cores=3 }},
    }
    for policy, starts in pairs { easy_nodes = { 0, 10, 0, 20 }, conservative_nodes = { 0, 10, 0, 20 } } do
      local ran = simulate { policy = policy, machine = machine, jobs = jobs }
      expect(ran).violates_nothing()
      expect(ran).starts(starts)
    end
  end)

  -- What a machine may have beside its jobs; jobs have 1 to 8 nodes, and take up to 12 s.
  local function outage(kind, nodes, from, length, every)
    return { kind = kind, nodes = nodes, from = from, length = length, every = every }
  end
  local function reserved(from, length, every, more)
    local r = { name = "r", nodes = { "5-7" }, from = from, length = length, every = every, users = { 1 } }
    for key, value in pairs(more or {}) do r[key] = value end
    return r
  end
  local beside = {
    maintenance = { outages = { planned = { outage("maintenance", { "0-7" }, 20, 15, 100) } } },
    part = { outages = { planned = { outage("maintenance", { "0-3" }, 20, 15, 100) } } },
    drains = { outages = { planned = { outage("drain", { "1" }, 5, 40), outage("drain", { "4-6" }, 9, 50) } } },
    failures = { outages = { planned = { outage("failure", { "0" }, 5, 40), outage("failure", { "2-3" }, 9, 50) } } },
    unknown = { outages = { believed_repair = 7, planned = { outage("failure", { "0-2" }, 5, 40) } } },
    reserved = { reservations = { reserved(20, 15) } },
    repeated = { reservations = { reserved(20, 15, 100, { backfill = 3 }) } },
    late = { reservations = { reserved(20, 15, nil, { announced = 18 }) } },
    floating = { reservations = { { name = "r", nodes = { "0-7" }, floating = 24, users = { 1 } } } },
    extended = { engine = { at_limit = "extend" }, reservations = { reserved(20, 15) } },
  }
  for name, scenario in pairs(beside) do
    property("run every job, and break no rule: " .. name, { jobs = 15, users = 3, runs = 6 }, function(workload)
      for _, policy in ipairs(policies) do
        local own = table.copy(scenario)
        own.policy = policy
        local ran = simulate(workload, own)
        expect(ran).violates_nothing()
        expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
      end
    end)
  end

  for name, fields in pairs {
    elastic = { sizes = "1-8 amdahl 0.95", elastic = "any" }, moldable = { sizes = "1-8 amdahl 0.95" },
  } do
    property("run jobs that are " .. name, { jobs = 15, runs = 6, estimates = "exact" }, function(workload)
      for i, j in ipairs(workload.jobs) do
        if i % 2 == 0 then for key, value in pairs(fields) do j[key] = value end end
      end
      for _, policy in ipairs(policies) do
        local ran = simulate(workload, { policy = policy, reservations = { reserved(20, 15) } })
        expect(ran).violates_nothing()
        expect(ran.summary.nb_jobs_finished).equals(#workload.jobs)
      end
    end)
  end
end)

describe("a place by numbers of nodes", function()
  local function by(place)
    return { api = 1, name = "by", version = "1", placement = function() return 0 end,
      schedule = function(view)
        for j in view:waiting() do
          if view:fits(j, place) then view:start(j, place) end
        end
      end }
  end
  local function on(place, n)
    local jobs = { job{submit=0, nodes=n or 2, runtime=10} }
    return simulate { policy = by(place), nodes = 4, jobs = jobs }.jobs[1].allocated
  end

  it("is on these nodes, or where the placement chooses among more of them", function()
    expect(on { nodes = { 3, 1 } }).equals "1 3"
    expect(on { nodes = { 3, 2, 1 } }).equals "1-2"
  end)

  it("fits no job that needs more nodes", function()
    expect(function() on { nodes = { 3 } } end).raises "waiting for ever"
  end)

  it("is a list of numbers that the machine has", function()
    expect(function() on { nodes = { 4, 1 } } end).raises "numbers of nodes, from 0 to 3"
    expect(function() on { nodes = { "a" } } end).raises "numbers of nodes, from 0 to 3"
    expect(function() on { nodes = 3 } end).raises "a list of numbers of nodes"
  end)
end)

describe("view:taken", function()
  it("names the nodes that jobs have and those that are down, and until when", function()
    local seen = {}
    simulate {
      nodes = 4, jobs = { job{submit=0, nodes=2, runtime=30, limit=40}, job{submit=20, nodes=1, runtime=5} },
      outages = { planned = { { kind = "failure", nodes = { "3" }, from = 10, length = 90 } } },
      policy = { api = 1, name = "sees", version = "1", placement = function() return 0 end, schedule = function(view)
        for j in view:waiting() do view:start(j) end
        local words = {}
        for n, till in pairs(view:taken()) do words[#words + 1] = ("%d until %g"):format(n, till) end
        seen[#seen + 1] = ("%g: %s"):format(view.now, table.concat(words, ", "))
      end },
    }
    expect(seen).equals {
      "0: 0 until 40, 1 until 40", "10: 0 until 40, 1 until 40, 3 until 100",
      "20: 0 until 40, 1 until 40, 2 until 25, 3 until 100", "25: 0 until 40, 1 until 40, 3 until 100",
      "30: 3 until 100" }
  end)

  it("needs a policy that chooses nodes", function()
    local policy = { api = 1, name = "counts", version = "1", schedule = function(view) view:taken() end }
    expect(function() simulate { nodes = 1, jobs = { job{submit=0, nodes=1, runtime=1} }, policy = policy } end)
      .raises "view:taken needs a machine with kinds of nodes"
  end)
end)
