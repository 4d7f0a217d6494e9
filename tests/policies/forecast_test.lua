-- view:forecast: when a job that has just come will end, by what is known then.
local function noting(fields)
  local noted = {}
  local policy = { api = 1, name = "noting", version = "1", backfill = "conservative" }
  for name, value in pairs(fields or {}) do policy[name] = value end
  policy.submitted = function(view, job) noted[job.id] = view:forecast(job) end
  return policy, noted
end

describe("forecast", function()
  it("plays the queue ahead forward, and is right if no job comes", function()
    local policy, noted = noting()
    local run = simulate { policy = policy, nodes = 4, jobs = {
      job{submit=0, nodes=3, runtime=100},
      job{submit=10, nodes=3, runtime=50}, -- after the first
      job{submit=20, nodes=4, runtime=30}, -- after the second
      job{submit=30, nodes=1, runtime=40}, -- beside the first
    } }
    expect(noted[1]).equals(100)
    expect(noted[2]).equals(140)
    expect(noted[3]).equals(160)
    expect(noted[4]).equals(40)
    for i, j in ipairs(run.jobs) do expect(j.finish).equals(j.submit + noted[i]) end
  end)

  it("counts the user's estimate, not the unknown run time", function()
    local policy, noted = noting()
    local jobs = { job{submit=0, nodes=1, runtime=10, limit=100}, job{submit=0, nodes=1, runtime=10} }
    simulate { policy = policy, nodes = 1, jobs = jobs }
    expect(noted[2]).equals(110)
  end)

  it("counts whole slices on the wall clock", function()
    -- One class with half of each interval of 100 s: 60 s of work are 50 s, a pause, and 10 s more.
    local policy, noted = noting { slices = {
      interval = 100, overhead = 0, foreign = "none",
      classes = { { name = "other", up_to = 1, share = 1 }, { name = "ours", share = 1 } },
    } }
    local jobs = { job{submit=0, nodes=1, runtime=60}, job{submit=10, nodes=1, runtime=40} }
    local run = simulate { policy = policy, nodes = 1, jobs = jobs }
    expect(noted[1]).equals(160)
    expect(noted[2]).equals(190)
    expect(run.jobs[1].finish).equals(160)
    expect(run.jobs[2].finish).equals(200)
  end)

  it("takes a slice on demand to be as long as it may be", function()
    local policy, noted = noting { slices = {
      interval = 1000, overhead = 0, foreign = "none",
      classes = { { name = "short", up_to = 100, on_demand = true, longest = 200 }, { name = "long", share = 1 } },
    } }
    simulate { policy = policy, nodes = 1, jobs = { job{submit=10, nodes=1, runtime=60} } }
    expect(noted[1]).equals(1050) -- in the next interval, from 1000 to 1060
  end)
end)
