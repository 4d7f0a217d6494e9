-- Orders by the estimate: shortest and longest first.
describe("sjf", function()
  it("starts the shortest estimate first, and equal ones as they came", function()
    expect(simulate { policy = "sjf", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=10},
      job{submit=1, nodes=4, runtime=5},
      job{submit=2, nodes=4, runtime=3},
      job{submit=3, nodes=4, runtime=3},
    } }).starts { 0, 16, 10, 13 }
  end)

  it("looks at what users ask for", function()
    expect(simulate { policy = "sjf", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=10},
      job{submit=1, nodes=4, runtime=2, limit=9},
      job{submit=2, nodes=4, runtime=5, limit=8},
    } }).starts { 0, 15, 10 }
  end)

  it("backfills unless it is told not to", function()
    local scenario = { policy = "sjf", nodes = 4, jobs = {
      job{submit=0, nodes=3, runtime=10},
      job{submit=1, nodes=4, runtime=5},  -- the first of the queue
      job{submit=2, nodes=1, runtime=6},
    } }
    expect(simulate(scenario)).starts { 0, 10, 2 }
    expect(simulate(scenario, { params = { backfill = "conservative" } })).starts { 0, 10, 2 }
    expect(simulate(scenario, { params = { backfill = "none" } })).starts { 0, 10, 15 }
  end)
end)

describe("ljf", function()
  it("starts the longest estimate first, and equal ones as they came", function()
    expect(simulate { policy = "ljf", nodes = 4, jobs = {
      job{submit=0, nodes=4, runtime=10},
      job{submit=1, nodes=4, runtime=3},
      job{submit=2, nodes=4, runtime=5},
      job{submit=3, nodes=4, runtime=5},
    } }).starts { 0, 20, 10, 15 }
  end)
end)
