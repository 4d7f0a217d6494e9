-- Sizes that a function of the number of nodes says, instead of a text.
local function ran(job, rest)
  local options = { machine = { nodes = 8 }, workload = { jobs = { job } }, policy = "fcfs",
    engine = { molding = "ends-first" } }
  for k, v in pairs(rest or {}) do options[k] = v end
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

describe("sizes by a function", function()
  it("are a table of run times: each number of nodes is asked about once", function()
    local asked = {}
    local sizes = { from = 2, to = 5, speed = function(n)
      asked[#asked + 1] = n
      return n == 5 and 2 or n
    end }
    local run = ran { nodes = 2, runtime = 120, sizes = sizes }
    expect(run.jobs[1].sizes).equals("2:120,3:80,4:60,5:120")
    expect(run.jobs[1].nodes).equals(4)
    expect(run.jobs[1].finish).equals(60)
    expect(asked).equals { 2, 3, 4, 5 }
  end)

  it("have speeds that count beside that with the job's own nodes", function()
    local job = { nodes = 4, runtime = 100, sizes = { nodes = { 1, 8 }, speed = function(n) return 7 * n ^ 0.5 end } }
    expect(ran(job).jobs[1].sizes).equals("1:200,8:70.71067811865476")
  end)

  it("may be run times, of jobs that say processes, too", function()
    local function slower(n) return 90 + 10 * (3 - n) end
    local job = { processes = 3, runtime = 90, sizes = { from = 1, to = 3, runtime = slower } }
    expect(ran(job).jobs[1].sizes).equals("1:110,2:100,3:90")
  end)

  it("are those of an elastic job", function()
    local job = { nodes = 2, runtime = 100, elastic = "any",
      sizes = { from = 1, to = 8, speed = function(n) return n end } }
    local run = ran(job, { engine = { molding = "asked" }, policy = { api = 1, name = "p", version = "1",
      schedule = function(view)
        view:start_in_order()
        if view.now < 20 then return view:wake(20) end
        if view.now == 20 then view:resize(view:running()(), 8) end
      end } })
    expect(run.jobs[1].finish).equals(20 + 80 / 4)
  end)

  it("say what is wrong with them", function()
    local function fails(sizes, words, job)
      job = job or { nodes = 2, runtime = 100 }
      job.sizes = sizes
      expect(function() ran(job) end).raises(words)
    end
    local function linear(n) return n end
    fails({ from = 1, to = 4, speed = function(n) return 3 - n end },
      "workload.jobs[1].sizes: speed(3) returned 0; expected a number above 0")
    fails({ from = 1, to = 4, runtime = function() end }, "workload.jobs[1].sizes: runtime(1) returned nil")
    fails({ from = 1, to = 4, speed = function() return "fast" end }, 'speed(2) returned string "fast"')
    fails({ from = 1, to = 4, speed = function() return 1 / 0 end }, "speed(2) returned")
    fails({ from = 4, to = 1, speed = linear }, "sizes.to = 1; expected no less than .from = 4")
    fails({ from = 0, to = 1, speed = linear }, "sizes.from = 0; expected a whole number from 1 to 100000")
    fails({ from = 1, speed = linear }, "sizes.to = nil")
    fails({ speed = linear }, "sizes says no numbers of nodes")
    fails({ nodes = { 2, 2.5 }, speed = linear }, "sizes.nodes[2] = 2.5")
    fails({ nodes = { 2 }, from = 1, to = 2, speed = linear }, "sizes has both nodes and a range")
    fails({ from = 1, to = 2, speed = linear, runtime = linear }, "sizes has both speed and runtime")
    fails({ from = 1, to = 2, speed = linear, cost = 3 }, 'sizes has the key string "cost"')
    fails({ from = 1, to = 2, speed = linear }, "the job does not say its own nodes", { processes = 2, runtime = 10 })
    fails({ from = 1, to = 2, speed = function() error("no such size") end }, "no such size")
    fails({ from = 1, to = 2 }, "sizes has no function that says what numbers of nodes are good for")
    fails({ nodes = { 2, 4 } }, "sizes has no function")
    fails({ 2, 4 }, "sizes")
  end)
end)
