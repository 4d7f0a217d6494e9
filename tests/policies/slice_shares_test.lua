-- Shares of the interval: fixed, by the time of day, or from a function.
local function with(shares)
  return {
    api = 1, name = "day_and_night", version = "1", description = "in slices", backfill = "conservative",
    slices = {
      interval = 3600, overhead = 0, foreign = "none", shares = shares,
      classes = { { name = "express", up_to = 60, on_demand = true }, { name = "medium", up_to = 7200 },
        { name = "long" } },
    },
  }
end
local hour = 3600
local function medium(t) return job{submit=t, nodes=1, runtime=600} end
local function long(t) return job{submit=t, nodes=1, runtime=600, limit=36000} end

describe("shares by the time of day", function()
  local day = with { ["00:00"] = { medium = 1 }, ["8:00"] = { long = 1 }, ["20:30"] = { medium = 0.5, long = 0.5 } }

  it("hold from their time on, for intervals that begin then", function()
    local run = simulate { policy = day, nodes = 2, jobs = {
      long(0),                -- nothing for long jobs before 8 h
      medium(8 * hour + 1),   -- nothing for medium jobs until the first interval after 20:30
      long(20.5 * hour),      -- the interval that began at 20 h is still the long jobs' alone
      long(21 * hour),        -- from now on the second half hour is
    } }
    expect(run).starts { 8 * hour, 21 * hour, 20.5 * hour, 21.5 * hour }
  end)

  it("come again every day", function()
    local run = simulate { policy = day, nodes = 2,
      jobs = { long(24 * hour), medium(24 * hour), long(3 * 24 * hour + 1) } }
    expect(run).starts { 32 * hour, 24 * hour, (3 * 24 + 8) * hour }
  end)

  it("hold until the first time of the next day", function()
    local night = with { ["06:00"] = { medium = 1 }, ["22:00"] = { long = 1 } }
    expect(simulate { policy = night, nodes = 2, jobs = { medium(0), long(0) } }).starts { 6 * hour, 0 }
  end)

  it("go by the clock in the head of the trace", function()
    -- Second 0 is 19:30 there; intervals begin at multiples of their length all the same.
    local run = simulate { policy = day, workload = { trace = "traces/evening.swf" } }
    expect(run).starts { hour, 0 }
  end)
end)

it("shares may come from a function of the time", function()
  local asked = {}
  local policy = with(function(now)
    asked[#asked + 1] = now
    return now < 7200 and { long = 2 } or { medium = 1, long = 3 }
  end)
  local run = simulate { policy = policy, nodes = 2, jobs = { medium(0), long(0), long(7200) } }
  expect(run).starts { 7200, 0, 7200 + 900 }
  expect(asked).equals { 0, 3600, 7200 }
end)

describe("shares that are wrong", function()
  local function expect_error(shares, text)
    expect(function() simulate { policy = with(shares), nodes = 2, jobs = { medium(0) } } end).raises(text)
  end

  it("are refused when the policy is loaded", function()
    expect_error({ ["24:00"] = { medium = 1 } }, "'24:00' is not a time of day")
    expect_error({ ["8"] = { medium = 1 } }, "'8' is not a time of day")
    expect_error({ medium = 1 }, "fixed shares stand in the classes")
    expect_error({ { medium = 1 } }, "1 is not a time of day")
    expect_error({ ["08:00"] = 1 }, "the shares at 08:00 are number 1")
    expect_error({ ["08:00"] = { meduim = 1 } }, "did you mean 'medium'?")
    expect_error({ ["08:00"] = { medium = -1 } }, "the share of 'medium' is number -1")
    expect_error({ ["08:00"] = { express = 1 } }, "'express' has slices on demand")
    expect_error({ ["08:00"] = { medium = 1 }, ["8:00"] = { long = 1 } }, "appears twice")
    expect_error({}, "'shares' is empty")
    expect_error(0.5, "shares")
  end)

  it("are refused when a function gives them", function()
    expect_error(function() return { meduim = 1 } end, "did you mean 'medium'?")
    expect_error(function() return { medium = "half" } end, "the share of 'medium' is string")
    expect_error(function() return 1 end, "a table of shares by class name")
  end)
end)
