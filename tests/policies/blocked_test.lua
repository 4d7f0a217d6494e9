-- Jobs that nothing will ever let start: they wait, and the others run.

describe("a job of which its policy says that nothing lets it start", function()
  --- Starts what fits, but for these jobs; asks for a pass every 10 s, or so often.
  local function policy(blocked, says, every)
    return { api = 1, name = "patient", version = "1", schedule = function(view)
      for job in view:waiting() do
        if not blocked[job.id] then
          if view:fits(job) then view:start(job) end
        elseif says then
          view:blocked(job, "it is not meant to")
        end
      end
      if view.waiting_count > 0 then view:wake(view.now + (every or 10)) end
    end }
  end
  local jobs = { job{submit=0, nodes=2, runtime=30}, job{submit=5, nodes=1, runtime=10},
    job{submit=9, nodes=1, runtime=70},
    job{submit=400, nodes=2, runtime=10} }

  it("goes on to wait, and the run ends with what the others did", function()
    local ran = simulate { nodes = 2, jobs = jobs, policy = policy({ [2] = true }, true) }
    expect(ran).violates_nothing()
    expect(ran.jobs[2].state).equals("not run")
    expect(ran.jobs[3].start).equals(30)
    expect(ran.jobs[4].start).equals(400)
    expect(ran.summary.nb_jobs_finished).equals(3)
  end)

  it("ends the run also beside failures that go on for ever, and with jobs that depend on it", function()
    local ran = simulate { nodes = 2, policy = policy({ [2] = true }, true),
      outages = { failures = { { mtbf = 500, repair = 20 } } },
      jobs = { jobs[1], jobs[2], jobs[3], job{submit=20, nodes=1, runtime=5, depends="afterany:2"} } }
    expect(ran).violates_nothing()
    expect(ran.jobs[4].state).equals("not run")
  end)

  it("starts where its policy has thought better of it", function()
    local blocked = { [2] = true }
    local changes = policy(blocked, true)
    changes.ended = function(_, job) if job.id == 4 then blocked[2] = nil end end
    local ran = simulate { nodes = 2, jobs = jobs, policy = changes }
    expect(ran.jobs[2].start).equals(410)
    expect(ran).violates_nothing()
  end)

  it("is an error where its policy does not say so, however often it looks", function()
    local never = policy({ [2] = true, [3] = true }, false, 3600)
    expect(function() simulate { nodes = 2, jobs = jobs, policy = never } end).raises(
      "left 2 jobs waiting for ever")
  end)
end)

describe("a limit of Slurm that never lets a job start", function()
  local nodes = { { name = "n", count = 1, cores = 8 } }
  --- The first job is of another user, and runs; the second one is as the limits say.
  local function second(account, user, params, qos)
    local holder = { name = "sea", number = 2 }
    for name, value in pairs(account) do holder[name] = value end
    local own = { name = "kim", number = 2, account = "sea" }
    for name, value in pairs(user or {}) do own[name] = value end
    local all = { AccountingStorageEnforce = "limits", PriorityDecayHalfLife = 0.0 }
    for name, value in pairs(params or {}) do all[name] = value end
    local ran = simulate { machine = { nodes = nodes }, params = all,
      policy = require("slurm_site").policy { qos = { qos }, accounts = { { name = "hill", number = 1 }, holder },
        users = { { name = "lee", number = 1, account = "hill" }, own } },
      jobs = { job{submit=0, nodes=1, runtime=300, user=1, group=1, qos="n", request = { cores = 2 }},
        job{submit=7, nodes=1, runtime=120, limit=600, user=2, group=2, qos="n", request = { cores = 2 }},
        job{submit=5000, nodes=1, runtime=120, limit=600, user=2, group=2, qos="n", request = { cores = 2 }},
        job{submit=90000, nodes=1, runtime=30, user=1, group=1, qos="n", request = { cores = 1 }} } }
    expect(ran).violates_nothing()
    expect(ran.jobs[1].state).equals("completed")
    expect(ran.jobs[4].state).equals("completed")
    return ran.jobs[2].state, ran.jobs[3].state
  end

  it("leaves it waiting, and lets the others run", function()
    local never = { GrpJobs = { GrpJobs = 0 }, GrpTRESMins = { GrpTRESMins = "cpu=0" }, GrpWall = { GrpWall = 0 },
      GrpTRESRunMins = { GrpTRESRunMins = "cpu=19" } }
    for name, account in pairs(never) do
      for _, half_life in ipairs { 0.0, 86400.0 } do
        local one, two = second(account, nil, { PriorityDecayHalfLife = half_life })
        expect(name .. " " .. one .. " " .. two).equals(name .. " not run not run")
      end
    end
    expect((second({}, { MaxJobs = 0 }))).equals("not run")
    expect((second({}, nil, nil, { name = "n", MaxJobsPerUser = 1 }))).equals("completed")
    -- `safe`: it would use 20 CPU-minutes.
    expect((second({ GrpTRESMins = "cpu=19" }, nil, { AccountingStorageEnforce = "safe" }))).equals("not run")
  end)

  it("leaves no look of the main scheduler to come: the next job waits for its own", function()
    local site = { accounts = { { name = "hill", number = 1 }, { name = "sea", number = 2, GrpTRESRunMins = "cpu=1" } },
      users = { { name = "lee", number = 1, account = "hill" }, { name = "kim", number = 2, account = "sea" } } }
    local ran = simulate { machine = { nodes = 4 }, policy = require("slurm_site").policy(site),
      params = { AccountingStorageEnforce = "limits", slurmctld_start = -14.7, ends_as_submissions = true },
      jobs = { job{submit=0, nodes=1, runtime=1200.3, limit=3600, user=2, group=2},
        job{submit=10, nodes=1, runtime=1200.3, limit=3600, user=1, group=1},
        job{submit=7560, nodes=1, runtime=1200.3, limit=3600, user=1, group=1} } }
    expect(ran.jobs[1].state).equals("not run")
    expect(ran.jobs[3].start).near(7560.3, 1e-6)
  end)

  it("is one that is used up, where usage never fades", function()
    local used_up = { GrpTRESMins = "cpu=3" } -- 4 after the second one
    local one, two = second(used_up)
    expect(one .. " " .. two).equals("completed not run")
    one, two = second(used_up, nil, { PriorityDecayHalfLife = 3600.0 })
    expect(one .. " " .. two).equals("completed completed")
  end)
end)
