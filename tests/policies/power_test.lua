-- Nodes that are powered down while no job has them.
describe("power", function()
  local power = { idle = 10, boot = 5 }

  it("lets a job wait for nodes that it has, and a policy see how many are powered down", function()
    local seen = {}
    local ran = simulate { nodes = 3, power = power,
      jobs = { job{submit=0, nodes=1, runtime=100}, job{submit=50, nodes=1, runtime=10}, job{submit=70, nodes=2, runtime=10} },
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
      return simulate { policy = { name = "preemptive", params = { urgent_queue = 1, how = "suspend" } }, nodes = 2, power = power,
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
    local ran = simulate { nodes = 1, power = power, jobs = { job{submit=0, nodes=1, runtime=1}, job{submit=50, nodes=1, runtime=20} },
      outages = { planned = { { nodes = "0", kind = "failure", from = 53, length = 10 } } }, policy = "easy" }
    expect(ran.jobs[2].finish).equals(83)
    expect(ran.summary.outages.lost).equals(0)
  end)

  it("has energy among its figures where watts are known", function()
    local ran = simulate { nodes = 1, policy = "fcfs", jobs = { job{submit=0, nodes=1, runtime=20}, job{submit=50, nodes=1, runtime=10} },
      power = { idle = 10, boot = 5, watts = { busy = 400, idle = 100, booting = 200, off = 10 } } }
    expect(ran.summary.energy.used * 3.6e6).near(30 * 400 + 10 * 100 + 20 * 10 + 5 * 200, 1e-3)
    expect(ran.summary.energy.always_on * 3.6e6).near(30 * 400 + 35 * 100, 1e-3)
  end)
end)
