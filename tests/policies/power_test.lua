-- Nodes that are powered down while no job has them.
describe("power", function()
  local power = { idle = 10, boot = 5 }

  it("lets a job wait for nodes that it has, and a policy see how many are powered down", function()
    local seen = {}
    local ran = simulate { nodes = 3, power = power,
      jobs = { job{submit=0, nodes=1, runtime=100}, job{submit=50, nodes=1, runtime=10},
        job{submit=70, nodes=2, runtime=10} },
      policy = { api = 1, name = "watching", version = "1",
        schedule = function(view)
          seen[#seen + 1] = view.now .. ": " .. view.nodes_off
          view:start_in_order()
        end } }
    expect(ran).starts { 0, 50, 70 }
    expect(ran.jobs[2].finish).equals(65)
    expect(ran.jobs[3].finish).equals(85) -- one of its nodes was up, the other not
    expect(table.concat(seen, ", ")).equals("0.0: 0, 50.0: 2, 65.0: 1, 70.0: 1, 85.0: 0, 100.0: 2")
    expect(ran.summary.power.boots).equals(2)
    expect(ran.summary.power.delayed).equals(2)
    expect(ran.summary.power.boot_wait).near(10 / 3, 1e-9)
  end)

  it("suspends no job while its nodes come up, and counts what it waited when it goes on", function()
    local function run(urgent_at)
      return simulate { policy = { name = "preemptive", params = { urgent_queue = 1, how = "suspend" } }, nodes = 2,
        power = power,
        jobs = { job{submit=0, nodes=1, runtime=1, queue=2}, job{submit=50, nodes=2, runtime=100, queue=2},
          job{submit=urgent_at, nodes=2, runtime=30, queue=1} } }
    end
    local later = run(60)
    expect(later.jobs[3].start).equals(60)
    expect(later.jobs[3].finish).equals(90) -- its nodes are up
    expect(later.jobs[2].finish).equals(50 + 5 + 100 + 30)
    expect(run(52).jobs[3].start).greater_than(54)
  end)

  it("loses no work of a job that is stopped while its nodes come up", function()
    local ran = simulate { nodes = 1, power = power,
      jobs = { job{submit=0, nodes=1, runtime=1}, job{submit=50, nodes=1, runtime=20} },
      outages = { planned = { { nodes = "0", kind = "failure", from = 53, length = 10 } } }, policy = "easy" }
    expect(ran.jobs[2].finish).equals(83)
    expect(ran.summary.outages.lost).equals(0)
  end)

  it("has energy among its figures where watts are known", function()
    local ran = simulate { nodes = 1, policy = "fcfs",
      jobs = { job{submit=0, nodes=1, runtime=20}, job{submit=50, nodes=1, runtime=10} },
      power = { idle = 10, boot = 5, watts = { busy = 400, idle = 100, booting = 200, off = 10 } } }
    expect(ran.summary.energy.used * 3.6e6).near(30 * 400 + 10 * 100 + 20 * 10 + 5 * 200, 1e-3)
    expect(ran.summary.energy.always_on * 3.6e6).near(30 * 400 + 35 * 100, 1e-3)
  end)

  it("has energy and cost among its figures where no node is powered down", function()
    local ran = simulate { machine = { nodes = 2, price = 36 }, policy = "fcfs",
      power = { watts = { busy = 400, idle = 100 }, kwh_price = 0.5 },
      jobs = { job{submit=0, nodes=1, runtime=20}, job{submit=50, nodes=2, runtime=10} } }
    local energy, cost = ran.summary.energy, ran.summary.cost
    expect(energy.used * 3.6e6).near(40 * 400 + 80 * 100, 1e-3)
    expect(energy.idle * 3.6e6).near(80 * 100, 1e-3)
    expect(energy.always_on).equals(energy.used)
    expect(cost.nodes).near(120 * 0.01, 1e-9)
    expect(cost.idle).near(80 * 0.01, 1e-9)
    expect(cost.energy).near(energy.used * 0.5, 1e-9)
    expect(cost.total).near(cost.nodes + cost.energy, 1e-9)
    local plain = simulate { nodes = 2, policy = "fcfs", jobs = { job{submit=0, nodes=1, runtime=20} } }.summary
    expect(function() return plain.cost end).raises("no field 'cost'")
  end)

  it("takes what each kind of nodes draws and costs", function()
    local ran = simulate { policy = "fcfs", power = { watts = { busy = 200, idle = 50 } },
      machine = { nodes = { { name = "gpu", count = 1, gpus = 2, cores = 2, price = 72, busy_watts = 1000,
        idle_watts = 300 },
        { name = "cpu", count = 2, price = 36, features = "plain" } } },
      jobs = { job{submit=0, nodes=1, runtime=20, request={gpus=1}},
        job{submit=0, nodes=1, runtime=40, request={gpus=1}},
        job{submit=0, nodes=1, runtime=60, request={features="plain", exclusive=true}} } }
    expect(ran.summary.energy.used * 3.6e6).near(40 * 1000 + 20 * 300 + 60 * 200 + 60 * 50, 1e-3)
    expect(ran.summary.cost.total).near(60 * 0.02 + 120 * 0.01, 1e-9)
    expect(ran.summary.cost.idle).near(20 * 0.02 + 60 * 0.01, 1e-9)
  end)

  it("counts preempted jobs' nodes as idle under time slices, and shared nodes once", function()
    local policy = { api = 1, name = "sliced", version = "1", slices = {
      interval = 200, overhead = 0, foreign = "none",
      classes = { { name = "short", up_to = 10, share = 0.5 }, { name = "long", share = 0.5 } },
    } }
    local draws = { watts = { busy = 3600, idle = 0 } }
    local sliced = simulate { nodes = 1, power = draws, policy = policy,
      jobs = { job{submit=0, nodes=1, runtime=5}, job{submit=0, nodes=1, runtime=150} } }
    expect(sliced.summary.energy.used).near(0.155, 1e-9) -- kWh: a second is a Wh
    local shared = simulate { machine = { nodes = { { name = "n", count = 1, cores = 2 } } }, power = draws,
      policy = "fcfs",
      jobs = { job{submit=0, nodes=1, runtime=20, request={cores=1}},
        job{submit=10, nodes=1, runtime=20, request={cores=1}} } }
    expect(shared.summary.energy.used).near(0.03, 1e-9)
  end)

  it("asks for what it needs to tell energy", function()
    local function with(kinds, given)
      return function()
        simulate { policy = "fcfs", machine = { nodes = kinds }, power = given,
          jobs = { job{submit=0, nodes=1, runtime=20} } }
      end
    end
    local gpu = { name = "gpu", count = 1, busy_watts = 1000, idle_watts = 300 }
    expect(with({ { name = "gpu", count = 1, busy_watts = 1000 } })).raises("busy_watts alone gives no energy")
    expect(with({ gpu, { name = "cpu", count = 1 } })).raises("the kind 'cpu' does not say what its nodes draw")
    expect(with(3, { kwh_price = 1 })).raises("not known what nodes draw")
    expect(with(3, { watts = { busy = 1, idle = 1, off = 1 } })).raises("no node is powered down")
  end)

  it("counts jobs that slow one another down from when all of their nodes are up", function()
    local half = { model = "script", script = "slowdowns/half.lua" }
    local function two(options)
      local ran = simulate { policy = "fcfs", slowdown = half, power = { idle = 10, boot = 30 }, engine = options,
        machine = { nodes = { { name = "n", count = 1, cores = 4 } } },
        jobs = { job{submit=0, nodes=1, runtime=10, limit=400, request={cores=1}},
          job{submit=100, nodes=1, runtime=100, limit=150, request={cores=1}},
          job{submit=110, nodes=1, runtime=100, limit=400, request={cores=1}} } }
      expect(ran).violates_nothing()
      return { ran.jobs[2].finish, ran.jobs[3].finish }
    end
    expect(two { at_limit = "extend" }).equals { 330, 330 } -- from 130 on, at half the speed
    expect(two {}).equals { 280, 305 } -- the limit of the first begins at 130, too
    expect(two { limit_check = 200 }).equals { 330, 330 } -- limits are looked at no sooner than at 400
  end)

  it("brings nodes up for jobs of a reservation", function()
    local ran = simulate { nodes = 2, policy = "easy", power = { idle = 10, boot = 20 },
      reservations = { { name = "demo", from = 100, length = 100, nodes = "0", users = { 7 } } },
      jobs = { job{submit=0, nodes=2, runtime=10, limit=10}, job{submit=60, nodes=2, runtime=60, limit=60},
        job{submit=90, nodes=1, runtime=20, limit=20, user=7} } }
    expect(ran).violates_nothing()
    expect({ ran.jobs[2].start, ran.jobs[3].start, ran.jobs[3].finish }).equals { 200, 90, 130 }
  end)
end)
