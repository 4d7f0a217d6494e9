-- Settings of Slurm's two schedulers and of its priorities: each is turned here, and acts.
describe("under the policy slurm,", function()
  local machine = { nodes = { { name = "m", count = 4, cores = 4 } } }
  -- Cycles take no time and plan to the instant, unless `params` say otherwise.
  local function run(jobs, params, site)
    site = table.copy(site or {})
    site.cpus = 16
    local all = { bf_job_time = 0.0, bf_resolution = 0.0 }
    for key, value in pairs(params or {}) do all[key] = value end
    local ran = simulate { machine = machine, jobs = jobs, policy = require("slurm_site").policy(site), params = all }
    expect(ran).violates_nothing()
    return ran
  end
  local function of(more)
    local j = { submit = 0, runtime = 50, limit = 50, nodes = 1, user = 1, group = 1, partition = 1, qos = "normal",
      request = { cores = 4 } }
    for key, value in pairs(more or {}) do j[key] = value end
    return job(j)
  end
  -- Three nodes are taken until 201 and one until 51; a job of all four waits for 201, and one more behind it.
  local function full(last)
    return { of { nodes = 3, runtime = 200, limit = 200 }, of {},
      of { submit = 2, nodes = 4, runtime = 10, limit = 10 }, of(last) }
  end
  local short = { submit = 3, runtime = 20, limit = 130 }
  local function main_only(more)
    local params = { SchedulerType = "sched/builtin" }
    for key, value in pairs(more or {}) do params[key] = value end
    return params
  end

  it("default_queue_depth is how many jobs the main scheduler looks at, but for one more", function()
    local jobs = { of { nodes = 3, runtime = 200, limit = 200 }, of { submit = 2, nodes = 4 },
      of { submit = 3, partition = 2 } }
    expect(run(jobs, main_only())).starts { 1, 201, 4 }
    expect(run(jobs, main_only { default_queue_depth = 1 })).starts { 1, 201, 4 }
    expect(run(jobs, main_only { default_queue_depth = 0 })).starts { 1, 201, 60 } -- when it looks at all of them
  end)

  it("partition_job_depth is how many of one partition, and sched_interval when it looks again", function()
    local jobs = { of { runtime = 500, limit = 500 }, of {} }
    expect(run(jobs, main_only())).starts { 1, 1 }
    expect(run(jobs, main_only { partition_job_depth = 1 })).starts { 1, 60 }
    expect(run(jobs, main_only { partition_job_depth = 1, sched_interval = 20.0 })).starts { 1, 20 }
  end)

  it("batch_sched_delay is between runs after submissions", function()
    local jobs = { of {}, of { submit = 2 } }
    expect(run(jobs, main_only())).starts { 1, 4 }
    expect(run(jobs, main_only { batch_sched_delay = 10.0 })).starts { 1, 11 }
  end)

  it("after a look at the whole queue, the next one for submissions is batch_sched_delay later", function()
    local jobs = { of {}, of { submit = 60 } }
    expect(run(jobs, main_only())).starts { 1, 60 } -- the look itself
    jobs[2] = of { submit = 61 }
    expect(run(jobs, main_only { batch_sched_delay = 10.0 })).starts { 1, 70 }
  end)

  it("with ends_as_submissions the look after an end is batch_sched_delay after the last one, but not of a job that "
    .. "was killed", function()
    local jobs = { of { nodes = 4, limit = 60 }, of { submit = 2, nodes = 4 }, of { submit = 49 } } -- a look at 50
    expect(run(jobs, main_only())).starts { 1, 51, 101 }
    expect(run(jobs, main_only { ends_as_submissions = true })).starts { 1, 53, 103 }
  end)

  it("a job that lacks licences keeps none behind it waiting, but with bf_licenses it ends a run", function()
    local request = { cores = 4, licences = { mesher = 1 } }
    local licensed = { nodes = { { name = "m", count = 4, cores = 4 } }, licences = { { name = "mesher", count = 1 } } }
    local function starts(params)
      local all = { bf_job_time = 0.0, bf_resolution = 0.0 }
      for key, value in pairs(params) do all[key] = value end
      local jobs = { of { runtime = 100, limit = 100, request = request }, of { submit = 2, request = request },
        of { submit = 3 } }
      return simulate { machine = licensed, jobs = jobs,
        policy = require("slurm_site").policy { cpus = 16, licences = true }, params = all }
    end
    expect(starts {}).starts { 1, 101, 4 }
    expect(starts { bf_licenses = true }).starts { 1, 101, 30 }
  end)

  it("bf_interval is from one backfill cycle to the next", function()
    expect(run(full(short))).starts { 1, 1, 201, 60 }
    expect(run(full(short), { bf_interval = 28.0 })).starts { 1, 1, 201, 56 }
  end)

  it("bf_window is how far a cycle plans", function()
    local long = { submit = 3, runtime = 20, limit = 1000 }
    expect(run(full(long))).starts { 1, 1, 201, 211 }
    expect(run(full(long), { bf_window = 1 })).starts { 1, 1, 201, 60 }
  end)

  it("bf_node_space_size is at how many instants plans begin and end", function()
    -- Two jobs of all nodes have places from 201 to 211 and from there to 221. Behind them one that is over by then.
    local jobs = { of { nodes = 3, runtime = 200, limit = 200 }, of {},
                   of { submit = 2, nodes = 4, runtime = 10, limit = 10 },
                   of { submit = 2, nodes = 4, runtime = 10, limit = 10 }, of(short) }
    expect(run(jobs)).starts { 1, 1, 201, 211, 60 }
    expect(run(jobs, { bf_node_space_size = 4 })).starts { 1, 1, 201, 211, 60 }
    expect(run(jobs, { bf_node_space_size = 3 })).starts { 1, 1, 201, 211, 221 }
    expect(run(jobs, { bf_max_job_test = 3 })).starts { 1, 1, 201, 211, 221 }
  end)

  it("bf_max_job_test, _user and _part are how many jobs it looks at", function()
    expect(run(full(short), { bf_max_job_test = 1 })).starts { 1, 1, 201, 211 }
    -- Two nodes come free at 51, for two short jobs behind one of four nodes.
    local jobs = { of { nodes = 2, runtime = 300, limit = 300 }, of { nodes = 2 },
                   of { submit = 2, nodes = 4, runtime = 10, limit = 10, user = 9 },
                   of { submit = 3, runtime = 20, limit = 100 }, of { submit = 3, runtime = 20, limit = 100 } }
    expect(run(jobs)).starts { 1, 1, 301, 60, 60 }
    expect(run(jobs, { bf_max_job_user = 1 })).starts { 1, 1, 301, 60, 90 }
    expect(run(jobs, { bf_max_job_part = 2 })).starts { 1, 1, 301, 60, 90 }
    expect(run(jobs, { bf_max_job_part = 1 })).starts { 1, 1, 301, 311, 311 }
  end)

  it("elements of an array that are still to come count where one of them has a place", function()
    -- Of one user: an array of four elements of three nodes, one at a time, and behind it a job that could pass.
    local function element(i)
      return of { submit = 2, nodes = 3, runtime = 10, limit = 10, array = "7_" .. i .. "%1" }
    end
    local jobs = { of { nodes = 2, runtime = 200, limit = 200, user = 9 }, element(1), element(2), element(3),
                   element(4), of { submit = 3, runtime = 20, limit = 20 } }
    local site = { arrays = { { number = 7, elements = 4 } } }
    expect(run(jobs, { bf_max_job_user = 4 })).starts { 1, 201, 211, 221, 231, 30 }
    expect(run(jobs, { bf_max_job_user = 4 }, site)).starts { 1, 201, 211, 221, 231, 201 }
    expect(run(jobs, { bf_max_job_user = 5 }, site)).starts { 1, 201, 211, 221, 231, 30 }
  end)

  it("bf_window_linear makes the groups narrower in which ends are looked at", function()
    -- Nodes come free at 101, 140 and 190. A job of three has the idle one, and needs two of these. By groups of 30 and
    -- 60 s it is planned for 190, so that one of 130 s may pass it; by groups of 30 and 40 s for 140.
    local jobs = { of { runtime = 100, limit = 100 }, of { runtime = 139, limit = 139 },
                   of { runtime = 189, limit = 189 },
                   of { submit = 2, nodes = 3, runtime = 10, limit = 10 }, of(short) }
    expect(run(jobs)).starts { 1, 1, 1, 140, 30 }
    expect(run(jobs, { bf_window_linear = 10.0 })).starts { 1, 1, 1, 140, 150 }
  end)

  local two = { accounts = { { name = "a", number = 1, Fairshare = 100 }, { name = "b", number = 2, Fairshare = 100 } },
                users = { { name = "x", number = 1, account = "a", Fairshare = 1, Priority = 10 },
                  { name = "y", number = 2, account = "b", Fairshare = 1 } } }
  -- A job of the user of the first one waits before one of a user who has used nothing.
  local function waiting(runtime)
    return { of { nodes = 4, runtime = runtime, limit = runtime }, of { submit = 2, nodes = 4 },
      of { submit = 3, nodes = 4, user = 2, group = 2 } }
  end

  it("PriorityWeightFairshare weighs what was used, by PriorityCalcPeriod", function()
    expect(run(waiting(400), {}, two)).starts { 1, 401, 451 }
    expect(run(waiting(400), { PriorityWeightFairshare = 1000 }, two)).starts { 1, 451, 401 }
    -- Nothing was calculated yet.
    expect(run(waiting(200), { PriorityWeightFairshare = 1000 }, two)).starts { 1, 201, 251 }
    expect(run(waiting(200), { PriorityWeightFairshare = 1000, PriorityCalcPeriod = 60.0 }, two)).starts { 1, 251, 201 }
  end)

  it("FairShareDampeningFactor lets usage count less in the classic formula", function()
    local params = { PriorityWeightFairshare = 1000, PriorityWeightAssoc = 500, PriorityFlags = "NO_FAIR_TREE",
      PriorityCalcPeriod = 120.0 }
    expect(run(waiting(400), params, two)).starts { 1, 451, 401 }
    params.FairShareDampeningFactor = 10
    expect(run(waiting(400), params, two)).starts { 1, 401, 451 }
  end)

  it("a job that is withdrawn holds its place until then, which no scheduler run follows, and counts for no limit any "
    .. "more", function()
    local jobs = full { submit = 3, runtime = 20, limit = 1000 }
    jobs[3].withdrawn_at = 100
    local ran = run(jobs)
    expect(ran.jobs[3].state).equals("withdrawn")
    expect(ran.jobs[4].start).equals(120.0)
    local site = { users = { { name = "x", number = 1, account = "root", MaxSubmitJobs = 2 } } }
    local function last(withdrawn_at)
      local three = { of { nodes = 4, runtime = 100, limit = 100 }, of { submit = 2, withdrawn_at = withdrawn_at },
        of { submit = 30 } }
      return run(three, { AccountingStorageEnforce = "limits" }, site).jobs[3].state
    end
    expect(last(nil)).equals("rejected")
    expect(last(20)).equals("completed")
  end)

  it("PriorityWeightQOS weighs the priority of the quality of service", function()
    local site = { qos = { { name = "normal", Priority = 1 }, { name = "high", Priority = 10 } } }
    local jobs = { of { nodes = 4 }, of { submit = 2, nodes = 4 }, of { submit = 3, nodes = 4, qos = "high" } }
    expect(run(jobs, {}, site)).starts { 1, 51, 101 }
    expect(run(jobs, { PriorityWeightQOS = 1000 }, site)).starts { 1, 101, 51 }
  end)

  it("preempt_youngest_first stops the jobs that started last", function()
    local three = { nodes = { { name = "m", count = 3, cores = 4 } },
                    partitions = { { name = "batch", nodes = "m", default = true },
                      { name = "urgent", nodes = "m", tier = 2 } } }
    local function states(params)
      params.PreemptType, params.PreemptMode = "preempt/partition_prio", "CANCEL"
      local jobs = {}
      for i, at in ipairs { 0, 5, 20 } do -- the second one has done more on its two nodes
        jobs[i] = job{submit=at, runtime=500, nodes=i == 2 and 2 or 1,
          request={ cores = 4, partition = i == 3 and "urgent" or "batch" }}
      end
      local ran = simulate { machine = three, jobs = jobs, policy = require("slurm_site").policy { cpus = 12 },
        params = params }
      return { ran.jobs[1].state, ran.jobs[2].state }
    end
    expect(states {}).equals { "cancelled", "completed" }
    expect(states { preempt_youngest_first = true }).equals { "completed", "cancelled" }
  end)
end)
