-- Groups of jobs where nodes are told apart: kinds, GPUs, memory, partitions, maintenance, reservations (G-LOMARC-TS,
-- LOMARC).
local sharing = require("sharing")(simulate, expect, job)
local shared, wide = sharing.run, sharing.wide

local function kind(more)
  local k = { name = "n", count = 4, processors = 2, cores = 2 }
  for key, value in pairs(more or {}) do k[key] = value end
  return k
end

local function grouped(jobs, kinds, more)
  local scenario = { jobs = jobs, params = { slack = 100 }, machine = { nodes = kinds } }
  for key, value in pairs(more or {}) do scenario[key] = value end
  return shared(scenario)
end

describe("groups where nodes are told apart", function()
  it("share the GPUs of a node, as far as these are enough", function()
    local function two(share)
      local request = { nodes = 4, cores = 1, gpus = 2, gpu_share = share }
      return grouped({ wide{processes=4, runtime=20000, request=request},
        wide{processes=4, runtime=20000, request=request} },
        { kind { gpus = 2, gpu_type = "g" } })
    end
    expect(two(0.5)).starts { 0, 0 }
    expect(two(0.5).jobs[1].allocated).equals(two(0.5).jobs[2].allocated)
    expect(two(0.6)).starts { 0, 20000 }
  end)

  it("need memory for both", function()
    local function two(memory)
      local request = { nodes = 4, cores = 1, memory = memory }
      return grouped({ wide{processes=4, runtime=20000, request=request},
        wide{processes=4, runtime=20000, request=request} },
        { kind { memory = "8 GiB" } })
    end
    expect(two("4 GiB")).starts { 0, 0 }
    expect(two("5 GiB")).starts { 0, 20000 }
  end)

  it("are not formed where the other job may not be", function()
    local function two(feature)
      return grouped({
        wide{processes=4, runtime=20000, request={ nodes = 4, features = "fast" }},
        wide{processes=4, runtime=20000, request={ nodes = 4, features = feature }},
      }, { kind { features = { "fast" } }, kind { name = "m", features = { "slow" } } })
    end
    expect(two("fast").jobs[2].allocated).equals(two("fast").jobs[1].allocated)
    expect(two("slow")).starts { 0, 0 }
    expect(two("slow").summary.sharing.groups).equals(0)
  end)

  it("run as fast as the slowest of their nodes and their partners let them", function()
    local run = grouped({ wide{processes=4, runtime=20000, partition=110},
      wide{processes=4, runtime=20000, partition=110} },
      { kind { count = 2, speed = 0.5 }, kind { name = "m", count = 2 } })
    local alone = grouped({ wide{processes=4, runtime=20000} },
      { kind { count = 2, speed = 0.5 }, kind { name = "m", count = 2 } })
    expect(run).starts { 0, 0 }
    expect(alone.jobs[1].finish).equals(40000)
    expect(math.abs(run.jobs[1].finish - 44000) < 1e-3).equals(true)
  end)

  it("are over before maintenance", function()
    local function two(from)
      return grouped({ wide{processes=4, runtime=20000, partition=110},
        wide{processes=4, runtime=20000, partition=110} }, { kind() },
        { outages = { planned = { { kind = "maintenance", from = from, length = 1000 } } } })
    end
    expect(two(100000)).starts { 0, 0 }
    expect(two(21000).summary.sharing.groups).equals(0)
  end)

  it("are not formed on nodes that are reserved for others", function()
    local function two(users)
      return grouped({ wide{processes=4, runtime=20000, user=101}, wide{processes=4, runtime=20000, user=101} },
        { kind { count = 1 }, kind { name = "m" } },
        { reservations = { { name = "r", nodes = "n", from = 0, length = 1000000, users = users } } })
    end
    for _, j in ipairs(two({ 102 }).jobs) do expect(j.start .. " on " .. j.allocated).equals("0 on 1-4") end
  end)

  it("are gone when the reservation is over that they name", function()
    -- Alone each would need 40000 s; beside the other one, which its limit counts as work, 44000 s.
    local function two(length, more)
      local j = { processes = 4, runtime = 40000, limit = 30000, user = 101, partition = 110, reservation = "r" }
      local run = grouped({ wide(table.copy(j)), wide(table.copy(j)) }, { kind() },
        { engine = more, reservations = { { name = "r", nodes = "n", from = 0, length = length, users = { 102 } } } })
      expect(run).violates_nothing()
      expect(run).starts { 0, 0 }
      return { math.floor(run.jobs[1].finish + 0.5), math.floor(run.jobs[2].finish + 0.5) }, run
    end
    local ends, run = two(40000, { over_limit = 50000 })
    expect(ends).equals { 40000, 40000 }
    expect(run.jobs[1].state).equals("killed")
    expect(run.summary.sharing.groups).equals(1)
    expect((two(35000, { kill_wait = 9000 }))).equals { 35000, 35000 }
    expect((two(90000, { over_limit = 50000 }))).equals { 44000, 44000 }
  end)
end)

-- What is planned for all nodes alike makes no kinds of them: groups count nodes, and know it.
describe("groups on nodes that are all away at a time", function()
  local function computing(j) j.cpu, j.network, j.disk = 1, 0, 0 return job(j) end
  local function reading(j) j.cpu, j.network, j.disk = 0, 0, 1 return job(j) end

  local function pairs_beside(jobs, plans)
    local scenario = { policy = "lomarc", machine = { nodes = 4, processors = 1, cores = 2 }, jobs = jobs,
      engine = { processes_per_node = 1 }, slowdown = { model = "resources", overlap = "complete" } }
    for name, plan in pairs(plans) do scenario[name] = plan end
    local ran = simulate(scenario)
    expect(ran).violates_nothing()
    return ran
  end

  local closed = {
    { outages = { planned = { { kind = "maintenance", from = 5000, length = 1000 } } } },
    { reservations = { { name = "r", from = 5000, length = 1000, users = { 99 } } } },
  }

  it("are not formed where a member would run into that", function()
    for _, plans in ipairs(closed) do
      -- The longer one would not be over at 5000, beside the other one or alone.
      expect(pairs_beside({ computing { submit = 0, nodes = 4, runtime = 4000, user = 1 },
        reading { submit = 0, nodes = 4, runtime = 5500, user = 1 } }, plans)).starts { 0, 6000 }
      expect(pairs_beside({ computing { submit = 0, nodes = 4, runtime = 4000, user = 1 },
        reading { submit = 10, nodes = 3, runtime = 4995, user = 1 } }, plans)).starts { 0, 6000 }
      expect(pairs_beside({ computing { submit = 0, nodes = 4, runtime = 4000, user = 1 },
        reading { submit = 10, nodes = 3, runtime = 4990, user = 1 } }, plans)).starts { 0, 10 }
    end
  end)

  property("run as without groups where no job has a partner", { runs = 25, jobs = 25, users = 3 }, function(workload)
    local plans = {
      { outages = { planned = { { kind = "maintenance", from = 40, length = 35 } } } },
      { reservations = { { name = "r", from = 50, length = 60, users = { 99 } },
        { name = "later", from = 150, length = 20, users = { 99 }, announced = 60 } } },
    }
    for _, more in ipairs(plans) do
      for _, backfill in ipairs { "none", "easy", "conservative" } do
        local function ran(groups)
          local scenario = { machine = workload.machine, jobs = workload.jobs,
            policy = { api = 1, name = "own", version = "1", backfill = backfill, sharing = groups } }
          for name, plan in pairs(more) do scenario[name] = plan end
          local result = simulate(scenario)
          expect(result).violates_nothing()
          return result
        end
        expect(ran { alone = function() return 1 end, shared = function() return 1 end }).starts_like(ran(nil))
      end
    end
  end)
end)

describe("nodes that boot at once", function()
  it("do not change when jobs are expected to end on nodes of several speeds", function()
    for _, policy in ipairs { "lomarc_pss", "lomarc", "glomarc_ts" } do
      local function run(power)
        return simulate {
          policy = policy,
          machine = { nodes = { { name = "a", count = 3, speed = 0.5 }, { name = "b", count = 3 } } },
          slowdown = { model = "resources" },
          power = power,
          jobs = {
            job { submit = 0, nodes = 3, runtime = 2 },
            job { submit = 0, nodes = 1, runtime = 2 },
            job { submit = 0, nodes = 3, runtime = 1 },
            job { submit = 1, nodes = 1, runtime = 1 },
          },
        }
      end
      expect(run { idle = 600, boot = 0, shutdown = 0 }).starts_like(run(nil))
    end
  end)
end)
