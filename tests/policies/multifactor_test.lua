-- Multifactor priority: each factor alone, then two against each other.
describe("multifactor", function()
  local function multifactor(jobs, params)
    local all = { age_weight = 0, size_weight = 0, shortness_weight = 0, fairshare_weight = 0 }
    for name, value in pairs(params) do all[name] = value end
    return simulate { policy = "multifactor", nodes = 8, jobs = jobs, params = all }
  end

  it("favours large jobs, or with a negative weight small ones", function()
    local jobs = {
      job{submit=0, nodes=8, runtime=10},
      job{submit=1, nodes=5, runtime=10},
      job{submit=2, nodes=7, runtime=10},
    }
    expect(multifactor(jobs, { size_weight = 1 })).starts { 0, 20, 10 }
    expect(multifactor(jobs, { size_weight = -1 })).starts { 0, 10, 20 }
  end)

  it("favours short jobs, and those beyond the longest estimate alike", function()
    expect(multifactor({
      job{submit=0, nodes=8, runtime=10},
      job{submit=1, nodes=8, runtime=7300},
      job{submit=2, nodes=8, runtime=7200},
      job{submit=3, nodes=8, runtime=3600},
    }, { shortness_weight = 1, max_estimate = 2 })).starts { 0, 3610, 10910, 10 }
  end)

  it("weighs age against usage", function()
    -- Until 500 user 1 has used 300, user 2 100, user 3 1600 of 2000 node-seconds; a share is a third. Usage over share
    -- is 0.45 and 0.15, the factors are 2^-0.45 = 0.7320 and 2^-0.15 = 0.9013: worth 169.2 s of age.
    local function starts(lead)
      local run = simulate { policy = "multifactor", nodes = 4, jobs = {
        job{submit=0, nodes=4, runtime=75, user=1},
        job{submit=0, nodes=4, runtime=25, user=2},
        job{submit=0, nodes=4, runtime=400, user=3},
        job{submit=200, nodes=4, runtime=10, user=1},
        job{submit=200 + lead, nodes=4, runtime=10, user=2},
      }, params = { age_weight = 1000, max_age = 1000 / 86400, fairshare_weight = 1000, half_life = 0 } }
      return run.jobs[4].start, run.jobs[5].start
    end
    expect({ starts(169) }).equals { 510.0, 500.0 }
    expect({ starts(170) }).equals { 500.0, 510.0 }
  end)

  it("does not age beyond max_age", function()
    local jobs = {
      job{submit=0, nodes=8, runtime=1000},
      job{submit=1, nodes=5, runtime=10},
      job{submit=700, nodes=7, runtime=10},
    }
    local weights = { age_weight = 1000, size_weight = 1000, max_age = 1000 / 86400 }
    expect(multifactor(jobs, weights)).starts { 0, 1000, 1010 }  -- 999 + 625 against 300 + 875
    weights.max_age = 300 / 86400
    expect(multifactor(jobs, weights)).starts { 0, 1010, 1000 }  -- 1000 + 625 against 1000 + 875
  end)

  property("by age alone is first come, first served", { jobs = 30 }, function(workload)
    local easy = simulate(workload, { policy = "easy" })
    expect(simulate(workload, { policy = "multifactor", params = { fairshare_weight = 0 } })).starts_like(easy)
  end)
end)
