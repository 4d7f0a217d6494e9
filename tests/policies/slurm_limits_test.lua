-- Limits of Slurm that keep jobs waiting: their answers are kept, and asked for anew only when they may have changed.
describe("what a limit of Slurm has answered", function()
  local Limits = require "slurm_limits"
  local of = require("slurm_jobs")(job, 1)
  local machine = { nodes = { { name = "m", count = 4, cores = 4 } } }

  local function run(account, jobs, params, engine)
    local site = { accounts = { account, { name = "sea", number = 2, GrpTRES = "cpu=4" } },
      users = { { name = "lee", number = 1, account = "hill" }, { name = "kim", number = 2, account = "sea" } },
      cpus = 16 }
    account.name, account.number = "hill", 1
    params = table.copy(params)
    params.AccountingStorageEnforce = params.AccountingStorageEnforce or "limits"
    local ran = simulate { machine = machine, jobs = jobs, params = params, engine = engine,
      policy = require("slurm_site").policy(site) }
    expect(ran).violates_nothing()
    return ran
  end

  --- Calls f with each answer of these functions of Limits while `act` runs.
  local function watched(names, f, act)
    local own = {}
    for _, name in ipairs(names) do
      own[name] = Limits[name]
      Limits[name] = function(self, ...) return f(name, own[name], self, ...) end
    end
    local ok, problem = pcall(act)
    for name, was in pairs(own) do Limits[name] = was end
    if not ok then error(problem, 0) end
  end

  local function many()
    local jobs = {}
    for i = 1, 40 do
      local runtime = 30 * math.random(1, 12)
      jobs[i] = of { submit = 20 * i + math.random(0, 15), nodes = math.random(1, 2), runtime = runtime,
        limit = runtime + 60 * math.random(0, 4), user = i % 4 == 0 and 2 or 1, group = i % 4 == 0 and 2 or 1 }
    end
    return jobs
  end

  it("is what it would answer now", function()
    local accounts = { { GrpTRESMins = "cpu=40" }, { GrpTRESMins = "cpu=40", GrpTRES = "cpu=4" }, { GrpWall = 20 },
      { GrpTRESRunMins = "cpu=17" }, { GrpTRESRunMins = "node=9", GrpWall = 40 }, { GrpJobs = 2 } }
    local asked, kept, all = 0, 0, 0
    local function compare(name, own, self, job, now, ...)
      if name == "keep_all" then
        local view, answer = job, own(self, job)
        for waiting in view:waiting() do
          if answer then
            expect(self:allows(waiting, view.now)).is_false()
            all = all + 1
          end
        end
        return answer
      end
      local was, answer = job.kept_by, own(self, job, now, ...)
      local by, at, nodes, what, counts = job.kept_by, job.kept_at, job.kept_nodes, job.kept_for, job.kept_counts
      job.kept_by = nil
      expect(own(self, job, now, ...)).equals(answer)
      job.kept_by, job.kept_at, job.kept_nodes, job.kept_for, job.kept_counts = by, at, nodes, what, counts
      asked, kept = asked + 1, kept + (was and not answer and 1 or 0)
      return answer
    end
    watched({ "allows", "counts_allow", "keep_all" }, compare, function()
      for _, account in ipairs(accounts) do
        for _, half_life in ipairs { 0.0, 900.0 } do
          for _, enforce in ipairs { "limits", "safe" } do
            run(account, many(), { PriorityDecayHalfLife = half_life, AccountingStorageEnforce = enforce })
          end
        end
      end
    end)
    expect(kept > asked // 4).is_true()
    expect(all > 0).is_true()
  end)

  --- The same jobs at once, of which two use up what there is, beside one that runs on.
  local function used_up(n)
    local jobs = { of { runtime = 20000, limit = 20000, user = 2, group = 2 } }
    for i = 1, n do table.insert(jobs, of { submit = i, nodes = 2, runtime = 300, limit = 600 }) end
    return jobs
  end

  it("is not asked for anew at each calculation of priorities where minutes are used up", function()
    local asked = 0
    for _, limit in ipairs { { GrpTRESMins = "cpu=9" }, { GrpWall = 4 }, { GrpTRESRunMins = "cpu=19" } } do
      watched({ "allows", "counts_allow" }, function(_, own, ...)
        asked = asked + 1
        return own(...)
      end, function() run(limit, used_up(40), { PriorityDecayHalfLife = 0.0 }) end)
    end
    expect(asked < 1500).is_true() -- 67 calculations, and 40 jobs for each of the limits
  end)

  it("is of so many nodes: where a range of them is above a limit, fewer may not be", function()
    local jobs = { of { runtime = 100, limit = 100, request = { cores = 4 } },
      of { submit = 2, sizes = "1-4", nodes = 2, request = { cores = 4 } } }
    local ran = run({ GrpTRES = "cpu=12" }, jobs, {}, { molding = "asked" })
    expect(ran.jobs[2].start).equals(4.0)
    expect(ran.jobs[2].allocated).equals("1-2")
  end)
end)
