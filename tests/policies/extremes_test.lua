-- Numbers at the edge of what can be counted: very short and very long jobs, slowdowns that no machine has.
describe("extremes on shared nodes and in slices", function()
  local machine = { nodes = 4, processors = 2, cores = 2 }

  --- Jobs that say themselves how much slower they get over processors, in percent (executable).
  local function run(options)
    options.machine = machine
    options.policy = options.policy or "glomarc_ts"
    options.slowdown = { model = "script", script = "slowdowns/by_hand.lua" }
    local result = simulate(options)
    expect(result).violates_nothing()
    return result
  end

  it("a job that would run for centuries is an error, its estimate alone is not", function()
    local function slow(runtime)
      return function()
        return run {
          params = { sliced = false, self_slowdown_2 = 1000, form = "none" },
          jobs = {
            job { submit = 0, processes = 8, runtime = runtime, limit = 1e9, executable = 90000 },
            job { submit = 1, processes = 4, runtime = 100, limit = 1e9, executable = 90000 },
          },
        }
      end
    end
    expect(slow(1e9)).raises("job 1 would run for more than 146 years: it progresses 900 times slower than alone")
    expect(math.round(slow(50)().jobs[1].finish)).equals(45000)
    expect(math.round(slow(1e6)().jobs[1].finish / 100)).equals(9e6)
  end)

  it("a job that gets faster than a nanosecond takes one", function()
    for _, sliced in ipairs { false, true } do
      local result = run {
        params = { sliced = sliced, self_slowdown_2 = 2 },
        jobs = {
          job { submit = 0, processes = 8, runtime = 1e-9, executable = 2 },
          job { submit = 1, processes = 8, runtime = 1e-9, executable = 2 },
        },
      }
      expect(result.summary.nb_jobs_finished).equals(2)
    end
  end)

  it("a run in slices may reject all jobs", function()
    local jobs = { job { submit = 5, nodes = 2, runtime = 3 } }
    local result = simulate { machine = { nodes = 1 }, policy = "scojo_pect", jobs = jobs }
    expect(result.summary.nb_jobs_rejected).equals(1)
    expect(result.summary.makespan).equals(0)
  end)

  it("slices longer than a year are waited for", function()
    local result = run {
      params = { interval = 1e9 },
      jobs = { job { submit = 4e8, processes = 4, runtime = 700 },
        job { submit = 4e8, processes = 4, runtime = 20000 } },
    }
    expect(result.summary.nb_jobs_finished).equals(2)
  end)

  it("a schedule in slices ends with the time that can be counted", function()
    local function longest()
      local list = {}
      for i = 1, 12 do list[i] = job { submit = i, processes = 16, runtime = 1e9 } end
      return run { params = { interval = 1e9, overhead = 0 }, jobs = list }
    end
    expect(longest).raises("beyond the 292 years")
  end)

  it("slices without productive time are named", function()
    local function never(foreign)
      return function()
        return run {
          params = { interval = 600, medium_share = 0.05, foreign = foreign },
          jobs = { job { submit = 0, processes = 4, runtime = 700 } },
        }
      end
    end
    expect(never("none")).raises("class 'medium' could never run: its slices are no longer than what is lost at their "
      .. "end")
    expect(never("safe")().summary.nb_jobs_finished).equals(1)
  end)

  it("so they are where shares change, when no job has started for a year", function()
    local function never()
      return simulate {
        machine = machine, jobs = { job { submit = 0, processes = 4, runtime = 700 } },
        policy = {
          api = 1, name = "changing", version = "1", backfill = "easy",
          slices = {
            foreign = "none", shares = function() return { small = 0.01, large = 1 } end,
            classes = { { name = "small", up_to = 1000, share = 0.01 }, { name = "large", share = 1 } },
          },
        },
      }
    end
    expect(never).raises("1 job never gets to run: for 365 d 00:00:00 no slice has let it start; slices of class "
      .. "'small' ")
  end)

  it("slowdowns that are no numbers are refused alike on every machine", function()
    local function wrong()
      return simulate {
        machine = machine, policy = "glomarc_ts", jobs = { job { submit = 0, processes = 4, runtime = 700 } },
        slowdown = { model = "script", script = "slowdowns/not_a_number.lua" },
      }
    end
    expect(wrong).raises("got number NaN")
  end)

  it("a policy may ask for a pass after the end of time", function()
    local late = {
      api = 1, name = "late", version = "1",
      schedule = function(view)
        view:wake(view.now + 1e300)
        for j in view:waiting() do view:start(j) end
      end,
    }
    local result = simulate { machine = machine, policy = late,
      jobs = { job { submit = 1e9, nodes = 1, runtime = 1 } } }
    expect(result.summary.nb_jobs_finished).equals(1)
  end)

  it("memory in slices that is swapped by whole jobs, and shared nodes are refused together", function()
    local function both(swapping)
      local ppn = function() return 1 end
      return simulate {
        machine = machine, jobs = { job { submit = 0, processes = 4, runtime = 700 } },
        policy = {
          api = 1, name = "both", version = "1", sharing = { alone = ppn, shared = ppn },
          slices = { classes = { { name = "all" } },
            memory = { capacity = 1, rate = 1, of = function() return 1 end, swapping = swapping } },
        },
      }
    end
    expect(function() both("whole-jobs") end)
      .raises("groups on shared nodes and memory that is swapped by whole jobs cannot be combined")
    expect(both("parts").jobs[1].finish).equals(701)
  end)
end)
