-- Time slices, one rule a case. With the usual parameters an hour without short jobs is a medium slice of 1080 s and a
-- long one of 2520 s; the last 60 s of each are lost.
local function slices(options)
  options.policy = "scojo_pect"
  options.nodes = options.nodes or 4
  return simulate(options)
end

--- Short, medium and long jobs by what their users ask for.
local function medium(t) t.limit = t.limit or 7200; return job(t) end
local function long(t) t.limit = t.limit or 36000; return job(t) end

describe("scojo_pect", function()
  it("lets a long job that is alone run in medium slices, too", function()
    -- 0-1020 in a medium slice, 1080-3540 in its own, 3600-4620, and 500 s of the next long one
    local run = slices { jobs = { long{submit=0, nodes=1, runtime=5000} } }
    expect(run).starts { 0 }
    expect(run.jobs[1].finish).equals(5180)
  end)

  it("keeps jobs in the slices of their class if foreign jobs are not wanted", function()
    local run = slices { params = { foreign = "none" }, jobs = { long{submit=0, nodes=1, runtime=5000} } }
    expect(run).starts { 1080 }
    expect(run.jobs[1].finish).equals(8360)
  end)

  it("starts short jobs in a slice on demand, which ends with the last of them", function()
    -- The short job comes at 3500 in the lost time of no slice: it finishes in the long slice's rest, 40 s, if it can.
    local run = slices { jobs = {
      long{submit=0, nodes=4, runtime=10000},
      job{submit=3000, nodes=4, runtime=100, limit=100}, -- the machine is full: it waits for the slice at 3600
    } }
    expect(run.jobs[2].start).equals(3600)
    expect(run.jobs[2].finish).equals(3700)
  end)

  it("resumes a job on its own nodes", function()
    local run = slices { jobs = {
      medium{submit=0, nodes=3, runtime=2000},
      long{submit=1, nodes=3, runtime=4000},
    } }
    expect(run.jobs[1].start).equals(0)
    expect(run.jobs[2].start).equals(1080) -- only one node is left before
    -- The medium job has done 1020 s by 1080 and has 980 s left at 3600: its slice suffices.
    expect(run.jobs[1].finish).equals(4580)
  end)

  it("does not charge jobs that simply continue, if so wanted", function()
    local jobs = { long{submit=0, nodes=1, runtime=2000} }
    -- 0-1020 in the medium slice; charged it goes on at 1080, else without a break.
    expect(slices { jobs = jobs }.jobs[1].finish).equals(2060)
    expect(slices { jobs = jobs, params = { charge_continuing = false } }.jobs[1].finish).equals(2000)
  end)

  it("ends a job that is done exactly at the slice's end", function()
    local run = slices { params = { foreign = "none" }, jobs = { medium{submit=0, nodes=1, runtime=1020} } }
    expect(run.jobs[1].finish).equals(1020)
  end)

  it("gives a class with the whole share every slice", function()
    local run = slices { params = { medium_share = 1, foreign = "none" },
      jobs = { medium{submit=0, nodes=1, runtime=4000} } }
    expect(run.jobs[1].finish).equals(4060)
  end)

  it("loads jobs before they run and charges the jobs that are displaced", function()
    -- One node; both jobs need all of it (medium under MM5 draws from the default vector: fixed by the seed).
    local run = slices { nodes = 1, params = { memory = "MM3", interval = 3600 }, jobs = {
      long{submit=0, nodes=1, runtime=3000, limit=40000},
    } }
    expect(run.jobs[1].finish).less_than(3101)
    expect(run.jobs[1].finish).greater_than(3069) -- very high memory: loading takes 70 to 100 s
  end)
end)

property("slices lose no work and hold no node twice", { runs = 60, jobs = 40, nodes = 8 }, function(workload)
  for _, memory in ipairs { "none", "MM1", "MM4" } do
    for _, scheduler in ipairs { "conservative", "easy" } do
      local run = simulate(workload, { policy = "scojo_pect", params = {
        memory = memory, scheduler = scheduler, interval = 600, short = 5, medium = 60, short_slice = 20,
        overhead = 10, nodes = memory == "none" and "first-free" or "memory-fit",
      } })
      expect(run).violates_nothing()
    end
  end
end)
