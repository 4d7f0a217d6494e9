-- Tests of @NAME@: coslice test @NAME@_test.lua. A case writes down a small workload and says when its jobs start.
-- All that a suite may say: docs/testing.md.
describe("@NAME@", function()
  -- A machine of four nodes; `params` are the policy's parameters, where a case wants other ones.
  local function run(jobs, params)
    return simulate { policy = "@NAME@", nodes = 4, jobs = jobs, params = params }
  end

  it("starts short jobs first", function()
    expect(run {
      job{submit=0, nodes=4, runtime=100},
      job{submit=1, nodes=4, runtime=1000},
      job{submit=2, nodes=4, runtime=10},
    }).starts { 0, 110, 100 }
  end)

  it("lets a job that has waited for long go before a short one", function()
    expect(run({
      job{submit=0, nodes=4, runtime=100},
      job{submit=1, nodes=4, runtime=200},
      job{submit=99, nodes=4, runtime=10},
    }, { patience = 1 })).starts { 0, 100, 300 }
  end)

  it("fills gaps with jobs that delay no other", function()
    expect(run {
      job{submit=0, nodes=3, runtime=100},
      job{submit=1, nodes=4, runtime=50},
      job{submit=2, nodes=1, runtime=90},
    }).starts { 0, 100, 2 }
  end)

  property("breaks no rule on random workloads", function(workload)
    expect(simulate(workload, { policy = "@NAME@" })).violates_nothing()
  end)
end)
