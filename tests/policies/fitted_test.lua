-- F1 to F4: an early long job against a late short one, whose estimate is just below and just above what makes their
-- scores equal. That leaves little room for other formulas. The machine is taken until 200; the jobs do not fit
-- together.
local function order(policy, early, late)
  local run = simulate { policy = policy, nodes = 1000, jobs = { job{submit=0, nodes=1000, runtime=200}, early, late } }
  return run.jobs[2].start < run.jobs[3].start and "early first" or "late first"
end

describe("f1", function()
  it("starts the lowest log10(r) * n + 870 * log10(s) first", function()
    -- 3 * 1000 + 870 = 3870 against log10(r) * 1000 + 1740: equal at r = 134.9
    local early = job{submit=10, nodes=1000, runtime=1000}
    expect(order("f1", early, job{submit=100, nodes=1000, runtime=134})).equals("late first")
    expect(order("f1", early, job{submit=100, nodes=1000, runtime=136})).equals("early first")
  end)

  it("takes submission at 0 for submission at 1", function()
    expect(order("f1", job{submit=1, nodes=900, runtime=20}, job{submit=0, nodes=900, runtime=10})).equals("late first")
  end)
end)

describe("f2", function()
  it("starts the lowest sqrt(r) * n + 25600 * log10(s) first", function()
    -- 30 * 1000 + 25600 = 55600 against sqrt(r) * 1000 + 51200: equal at r = 19.36
    local early = job{submit=10, nodes=1000, runtime=900}
    expect(order("f2", early, job{submit=100, nodes=1000, runtime=19.3})).equals("late first")
    expect(order("f2", early, job{submit=100, nodes=1000, runtime=19.4})).equals("early first")
  end)
end)

describe("f3", function()
  it("starts the lowest r * n + 6860000 * log10(s) first", function()
    -- 10000 * 1000 + 6.86e6 against r * 1000 + 13.72e6: equal at r = 3140
    local early = job{submit=10, nodes=1000, runtime=10000}
    expect(order("f3", early, job{submit=100, nodes=1000, runtime=3139})).equals("late first")
    expect(order("f3", early, job{submit=100, nodes=1000, runtime=3141})).equals("early first")
  end)
end)

describe("f4", function()
  it("starts the lowest r * sqrt(n) + 530000 * log10(s) first", function()
    -- 30000 * 30 + 530000 against r * 30 + 1060000: equal at r = 12333.3
    local early = job{submit=10, nodes=900, runtime=30000}
    expect(order("f4", early, job{submit=100, nodes=900, runtime=12333})).equals("late first")
    expect(order("f4", early, job{submit=100, nodes=900, runtime=12334})).equals("early first")
  end)
end)
