-- The calendar and the clock that policies see, and shares of slices that follow the queue.
describe("the clock", function()
  local jobs = { job{submit=0, nodes=1, runtime=10}, job{submit=7200, nodes=1, runtime=10} }

  local function seen(settings, slices)
    local told = {}
    settings.nodes, settings.jobs = 2, jobs
    settings.policy = {
      api = 1, name = "reader", version = "1", slices = slices,
      submitted = function(view)
        local c = view:clock()
        told[#told + 1] = c and string.format("%04d-%02d-%02d %d %02d:%02d:%02d", c.year, c.month, c.day,
          c.weekday, c.hour,
          c.minute, c.second) or "no date"
        told[#told + 1] = string.format("%g", view.machine_now)
      end,
      schedule = function(view) view:easy() end,
    }
    simulate(settings)
    return table.concat(told, ", ")
  end

  it("is nil where the workload has no date", function()
    expect(seen {}).equals("no date, 0, no date, 7200")
  end)

  it("is that of the scenario, over midnight and a leap day", function()
    expect(seen { workload = { date = "2024-02-28T23:00" } })
      .equals("2024-02-28 3 23:00:00, 0, 2024-02-29 4 01:00:00, 7200")
  end)

  it("is the machine's under time slices too", function()
    expect(seen({ workload = { date = "2026-11-22" } },
      { interval = 600, classes = { { name = "short", up_to = 5 }, { name = "long" } } }))
      .equals("2026-11-22 7 00:00:00, 0, 2026-11-22 7 02:00:00, 7200")
  end)

  it("knows other times, and refuses what is not a date", function()
    simulate { nodes = 1, jobs = jobs, workload = { date = "2026-12-31T23:59" },
      policy = { api = 1, name = "r", version = "1",
      schedule = function(view)
        expect(view:clock(60).year).equals(2027)
        expect(view:clock(60).weekday).equals(5)
        expect(view:clock(-1).second_of_day).equals(23 * 3600 + 58 * 60 + 59)
        view:easy()
      end } }
    expect(function() simulate { nodes = 1, jobs = jobs, policy = "fcfs", workload = { date = "2026-02-30" } } end)
      .raises("a date such as")
  end)
end)

describe("shares of slices", function()
  it("may follow what the classes want", function()
    local told = {}
    simulate {
      nodes = 4,
      jobs = { job{submit=0, nodes=2, runtime=50, limit=100}, job{submit=0, nodes=4, runtime=3000},
        job{submit=10, nodes=3, runtime=4000} },
      policy = {
        api = 1, name = "by_demand", version = "1",
        slices = {
          interval = 1000, overhead = 10, foreign = "none",
          classes = { { name = "short", up_to = 600 }, { name = "long" } },
          shares = function(now, _, classes)
            local s, l = classes.short, classes.long
            told[#told + 1] = string.format("%g: %d+%d %d+%d %g, %d+%d %d+%d %g", now, s.waiting, s.started,
              s.waiting_nodes,
              s.started_nodes, s.waiting_work, l.waiting, l.started, l.waiting_nodes, l.started_nodes, l.waiting_work)
            return { short = s.waiting + s.started, long = 1 }
          end,
        },
        schedule = function(view) view:easy() end,
      },
    }
    expect(told[1]).equals("0: 0+0 0+0 0, 0+0 0+0 0")
    expect(told[2]).equals("1000: 1+0 2+0 200, 1+1 3+4 12000")
  end)
end)
