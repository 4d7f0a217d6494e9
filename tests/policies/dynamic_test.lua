-- Priorities that grow while jobs wait. The machine is taken until 100; then two jobs ask for it that do not fit
-- together.
local function after_100(policy, nodes, first, second, params)
  return simulate { policy = policy, nodes = nodes, params = params,
                    jobs = { job{submit=0, nodes=nodes, runtime=100}, first, second } }
end

describe("lxf", function()
  local first, second = job{submit=10, nodes=4, runtime=50}, job{submit=40, nodes=4, runtime=20}

  it("starts the largest expansion factor first", function()
    -- (90 + 50) / 50 = 2.8 against (60 + 20) / 20 = 4
    expect(after_100("lxf", 4, first, second)).starts { 0, 120, 100 }
  end)

  it("can weigh the wait itself", function()
    -- 2.8 + 100 * 90 / 3600 = 5.3 against 4 + 100 * 60 / 3600 = 5.67; with 200: 7.8 against 7.33
    expect(after_100("lxf", 4, first, second, { weight = 100 })).starts { 0, 120, 100 }
    expect(after_100("lxf", 4, first, second, { weight = 200 })).starts { 0, 100, 150 }
  end)
end)

describe("wfp3", function()
  it("starts the highest (wait / estimate)^3 * nodes first", function()
    -- 1.8^3 * 4 = 23.3 against 2^3 * 3 = 24; with squares it would be 13 against 12
    expect(after_100("wfp3", 4, job{submit=10, nodes=4, runtime=50}, job{submit=40, nodes=3, runtime=30}))
      .starts { 0, 130, 100 }
  end)

  it("lets large jobs go first if all else is equal", function()
    expect(after_100("wfp3", 4, job{submit=10, nodes=3, runtime=30}, job{submit=10, nodes=4, runtime=30}))
      .starts { 0, 130, 100 }
  end)
end)

describe("unicef", function()
  it("starts the highest wait / (log2(nodes) * estimate) first", function()
    -- 80 / (2 * 20) = 2 against 60 / (1 * 25) = 2.4
    expect(after_100("unicef", 4, job{submit=20, nodes=4, runtime=20}, job{submit=40, nodes=2, runtime=25}))
      .starts { 0, 125, 100 }
    -- 60 / (1 * 20) = 3 against 100 / (3 * 10) = 3.3; divided by the nodes it would be 1.5 against 1.25
    expect(after_100("unicef", 8, job{submit=40, nodes=2, runtime=20}, job{submit=0, nodes=8, runtime=10}))
      .starts { 0, 110, 100 }
  end)

  it("takes one node for two", function()
    expect(after_100("unicef", 2, job{submit=0, nodes=2, runtime=10}, job{submit=0, nodes=1, runtime=10}))
      .starts { 0, 100, 110 }
  end)
end)
