-- Fair share: the user who has used least goes first.
describe("fairshare", function()
  local function fairshare(jobs, params)
    return simulate { policy = "fairshare", nodes = 4, jobs = jobs, params = params }
  end
  local seconds = 1 / 86400  -- of half_life, which is in days

  it("starts the jobs of the user who has used less first", function()
    expect(fairshare {
      job{submit=0, nodes=4, runtime=100, user=1},
      job{submit=1, nodes=4, runtime=10, user=1},
      job{submit=2, nodes=4, runtime=10, user=2},
    }).starts { 0, 110, 100 }
  end)

  it("forgets with time", function()
    local jobs = {
      job{submit=0, nodes=4, runtime=100, user=1},  -- 400 node-seconds until 100
      job{submit=0, nodes=4, runtime=60, user=2},   -- 240 until 160
      job{submit=110, nodes=4, runtime=10, user=2},
      job{submit=111, nodes=4, runtime=10, user=1},
    }
    expect(fairshare(jobs, { half_life = 0 })).starts { 0, 100, 160, 170 }
    expect(fairshare(jobs, { half_life = 10 * seconds })).starts { 0, 100, 170, 160 }
  end)

  it("halves usage in a half-life", function()
    -- The first user's 10 nodes x 10 s, a half-life ago, count as much as 5 nodes x 10 s just now.
    local function first_at_110(nodes)
      local run = simulate { policy = "fairshare", nodes = 10, params = { half_life = 100 * seconds }, jobs = {
        job{submit=0, nodes=10, runtime=10, user=1},
        job{submit=0, nodes=10, runtime=90, user=3},
        job{submit=20, nodes=nodes, runtime=10, user=2},  -- from 100 to 110
        job{submit=20, nodes=10 - nodes, runtime=10, user=3},
        job{submit=50, nodes=10, runtime=1, user=1},
        job{submit=51, nodes=10, runtime=1, user=2},
      } }
      return run.jobs[5].start == 110 and 1 or run.jobs[6].start == 110 and 2
    end
    expect(first_at_110(4)).equals(2)
    expect(first_at_110(6)).equals(1)
  end)

  it("counts what still runs", function()
    expect(fairshare({
      job{submit=0, nodes=1, runtime=100, user=1},  -- at 40: 40 node-seconds, and still running
      job{submit=0, nodes=3, runtime=10, user=2},   -- 30
      job{submit=0, nodes=3, runtime=30, user=3},
      job{submit=15, nodes=3, runtime=5, user=1},
      job{submit=16, nodes=3, runtime=5, user=2},
    }, { half_life = 0 })).starts { 0, 0, 10, 45, 40 }
  end)

  it("can go by groups", function()
    local jobs = {
      job{submit=0, nodes=4, runtime=100, user=1, group=7},
      job{submit=1, nodes=4, runtime=10, user=2, group=7},
      job{submit=2, nodes=4, runtime=10, user=3, group=8},
    }
    expect(fairshare(jobs, { by = "group" })).starts { 0, 110, 100 }
    expect(fairshare(jobs)).starts { 0, 100, 110 }
  end)
end)
