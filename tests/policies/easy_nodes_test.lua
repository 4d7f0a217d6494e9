-- EASY and conservative backfilling that name nodes: where that differs from counting them.
describe("policies that name nodes", function()
  local function run(policy, nodes, jobs, params)
    return simulate { policy = policy, nodes = nodes, jobs = jobs, params = params }
  end

  local function nodes(ran)
    local of = {}
    for i, j in ipairs(ran.jobs) do of[i] = j.allocated end
    return of
  end

  -- When job 3 comes, nodes 0 and 1 are free; it is to have them and node 2 at 10, where node 3 is left over.
  local function two_left()
    return {
      job{submit=0, nodes=2, runtime=1},
      job{submit=0, nodes=2, runtime=10},
      job{submit=2, nodes=3, runtime=10},
      job{submit=3, nodes=1, runtime=100},
    }
  end

  it("let no job run on nodes that another one is to have", function()
    expect(run("easy", 4, two_left())).starts { 0, 0, 10, 3 }
    expect(run("conservative", 4, two_left())).starts { 0, 0, 10, 3 }
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local ran = run(policy, 4, two_left())
      expect(ran).starts { 0, 0, 10, 10 }
      expect(nodes(ran)).equals { "0-1", "2-3", "0-2", "3" }
    end
  end)

  it("let a job run there that ends in time", function()
    local jobs = two_left()
    jobs[4] = job{submit=3, nodes=1, runtime=7}
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local ran = run(policy, 4, jobs)
      expect(ran).starts { 0, 0, 10, 3 }
      expect(nodes(ran)).equals { "0-1", "2-3", "0-2", "0" }
    end
  end)

  it("may believe that each job has its nodes for longer", function()
    local jobs = {
      job{submit=0, nodes=2, runtime=10},
      job{submit=1, nodes=2, runtime=10},
      job{submit=2, nodes=3, runtime=10}, -- planned at 20, with a delay of 5 at 30
      job{submit=3, nodes=1, runtime=17},
    }
    expect(run("conservative_nodes", 3, jobs)).starts { 0, 10, 20, 3 }
    jobs[4] = job{submit=3, nodes=1, runtime=18}
    expect(run("conservative_nodes", 3, jobs)).starts { 0, 10, 20, 30 }
    expect(run("conservative_nodes", 3, jobs, { delay = 5 })).starts { 0, 10, 21, 3 }
  end)

  it("give jobs the lowest nodes, also those that stand behind one that waits", function()
    local ran = run("easy_nodes", 4, {
      job{submit=0, nodes=2, runtime=10},
      job{submit=0, nodes=3, runtime=10},  -- is to have 0 to 2
      job{submit=0, nodes=1, runtime=100}, -- node 3
      job{submit=0, nodes=1, runtime=10},  -- node 2, until 10
    })
    expect(ran).starts { 0, 10, 0, 0 }
    expect(nodes(ran)).equals { "0-1", "0-2", "3", "2" }
  end)

  it("plan all jobs anew when one ends early, in order of the queue", function()
    local ran = run("conservative_nodes", 2, {
      job{submit=0, nodes=2, runtime=5, limit=10},
      job{submit=1, nodes=1, runtime=10},
      job{submit=2, nodes=2, runtime=10},
      job{submit=3, nodes=1, runtime=10},
    })
    expect(ran).starts { 0, 5, 15, 5 }
    expect(nodes(ran)).equals { "0-1", "0", "0-1", "1" }
  end)

  it("start every job of random workloads, and keep each node to one job", function()
    for _, policy in ipairs { "easy_nodes", "conservative_nodes" } do
      local ran = simulate { policy = policy, nodes = 16, seed = 3,
        workload = { generator = "lublin", lublin = { jobs = 60, load = 0.9 } } }
      expect(#ran.jobs).equals(60)
    end
  end)
end)

describe("a place by numbers of nodes", function()
  local function by(place)
    return { api = 1, name = "by", version = "1", placement = function() return 0 end,
      schedule = function(view)
        for j in view:waiting() do
          if view:fits(j, place) then view:start(j, place) end
        end
      end }
  end
  local function on(place, n)
    local jobs = { job{submit=0, nodes=n or 2, runtime=10} }
    return simulate { policy = by(place), nodes = 4, jobs = jobs }.jobs[1].allocated
  end

  it("is on these nodes, or where the placement chooses among more of them", function()
    expect(on { nodes = { 3, 1 } }).equals "1 3"
    expect(on { nodes = { 3, 2, 1 } }).equals "1-2"
  end)

  it("fits no job that needs more nodes", function()
    expect(function() on { nodes = { 3 } } end).raises "waiting for ever"
  end)

  it("is a list of numbers that the machine has", function()
    expect(function() on { nodes = { 4, 1 } } end).raises "numbers of nodes, from 0 to 3"
    expect(function() on { nodes = { "a" } } end).raises "numbers of nodes, from 0 to 3"
    expect(function() on { nodes = 3 } end).raises "a list of numbers of nodes"
  end)
end)
