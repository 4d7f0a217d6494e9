-- Orders by nodes and by nodes x estimate. Of the waiting jobs no two fit at a time.
local jobs = {
  job{submit=0, nodes=8, runtime=10},
  job{submit=1, nodes=7, runtime=10},  -- area 70
  job{submit=2, nodes=5, runtime=20},  -- area 100
  job{submit=3, nodes=6, runtime=11},  -- area 66
}

describe("smallest_first", function()
  it("starts the job with the fewest nodes first", function()
    expect(simulate { policy = "smallest_first", nodes = 8, jobs = jobs }).starts { 0, 41, 10, 30 }
  end)
end)

describe("largest_first", function()
  it("starts the job with the most nodes first", function()
    expect(simulate { policy = "largest_first", nodes = 8, jobs = jobs }).starts { 0, 10, 31, 20 }
  end)

  it("lets small jobs fill what is left", function()
    expect(simulate { policy = "largest_first", nodes = 8, jobs = {
      job{submit=0, nodes=6, runtime=10},
      job{submit=1, nodes=2, runtime=9},  -- over when the largest can start
      job{submit=1, nodes=8, runtime=5},
    } }).starts { 0, 1, 10 }
  end)
end)

describe("saf", function()
  it("starts the smallest nodes x estimate first", function()
    expect(simulate { policy = "saf", nodes = 8, jobs = jobs }).starts { 0, 21, 31, 10 }
  end)
end)
