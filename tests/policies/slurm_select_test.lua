-- Which nodes jobs get under Slurm's settings for that.
describe("under the policy slurm,", function()
  local of = require("slurm_jobs")(job, 1)
  local machine = { nodes = { { name = "a", count = 1, cores = 4 }, { name = "m", count = 3, cores = 4 } } }
  local function places(jobs, site)
    site = table.copy(site)
    site.cpus = 16
    local ran = simulate { machine = machine, jobs = jobs, policy = require("slurm_site").policy(site) }
    expect(ran).violates_nothing()
    local all = {}
    for i, j in ipairs(ran.jobs) do all[i] = j.allocated end
    return all
  end
  local four = { of { request = { cores = 3 } }, of {}, of {}, of {} }

  it("jobs go to the least loaded nodes with CR_LLN, or with LLN of their partition", function()
    expect(places(four, {})).equals { "0", "0", "1", "1" }
    expect(places(four, { CR_LLN = true })).equals { "0", "1", "2", "3" }
    local site = { partitions = { { name = "p", number = 1, LLN = "YES" }, { name = "q", number = 2, LLN = "NO" } } }
    expect(places(four, site)).equals { "0", "1", "2", "3" }
    -- Of another partition a job takes the first node on which it fits.
    expect(places({ four[1], four[2], of { partition = 2 } }, site)).equals { "0", "1", "0" }
  end)

  it("of equally loaded nodes the first ones come first, whatever switches they belong to", function()
    local four_named = { nodes = { { name = "m", names = "m[0-3]", count = 4, cores = 4 } } }
    local function second(site)
      site.cpus, site.switches = 16, { { nodes = "m[0-1]" }, { nodes = "m[2-3]" } }
      local ran = simulate { machine = four_named, jobs = { of {}, of { nodes = 2 } },
                             policy = require("slurm_site").policy(site) }
      return ran.jobs[2].allocated
    end
    expect(second {}).equals "0-1"
    expect(second { CR_LLN = true }).equals "1-2"
    expect(second { partitions = { { name = "p", number = 1, LLN = "YES" } } }).equals "1-2"
  end)

  it("jobs go to the tightest run of nodes without switches, the last node of each to the fullest one there", function()
    -- At 11 nodes 1 and 2 are idle, 4 and 5 but for a core of 4. Nodes 0 and 3 are full.
    local six = { nodes = { { name = "m", count = 6, cores = 4 } } }
    local function placed(last)
      local whole = { cores = 4 }
      local jobs = { of { runtime = 100, request = whole }, of { nodes = 2, runtime = 10, request = whole },
                     of { runtime = 100, request = whole },
                     of { runtime = 100 }, last }
      local ran = simulate { machine = six, jobs = jobs, policy = require("slurm_site").policy { cpus = 24 } }
      expect({ ran.jobs[3].allocated, ran.jobs[4].allocated }).equals { "3", "4" }
      return ran.jobs[5].allocated
    end
    expect(placed(of { submit = 12 })).equals "4"
    expect(placed(of { submit = 12, request = { cores = 4 } })).equals "5" -- a run of one node is tighter than two
    expect(placed(of { submit = 12, nodes = 2 })).equals "4-5"
    expect(placed(of { submit = 12, nodes = 3 })).equals "1-2 4"
  end)

  it("whole nodes are those of one line after the other with select/linear, unless jobs may be preempted", function()
    local site = { select_linear = true, nodes = { { kind = "a", line = 2 }, { kind = "m", line = 1 } } }
    local function place(params)
      local ran = simulate { machine = machine, jobs = { of { request = { cores = 4 } } }, params = params,
                             policy = require("slurm_site").policy(site) }
      return ran.jobs[1].allocated
    end
    expect(place {}).equals "1"
    expect(place { PreemptMode = "REQUEUE" }).equals "1"
    expect(place { PreemptType = "preempt/partition_prio", PreemptMode = "REQUEUE" }).equals "0"
    expect(place { PreemptType = "preempt/partition_prio", PreemptMode = "OFF" }).equals "1"
  end)

  it("a job that shares no nodes keeps those of one job that shares with select/linear, and does not start", function()
    local two = { nodes = { { name = "m", count = 2, cores = 4 } },
                  partitions = { { name = "p", nodes = "m", default = true, oversubscribe = 4 } } }
    local function starts(second, linear)
      local shares = { cores = 4, exclusive = true, oversubscribe = true }
      local jobs = { of { runtime = 400, limit = 400, request = shares }, second,
                     of { submit = 3, request = shares } }
      local ran = simulate { machine = two, jobs = jobs,
                             policy = require("slurm_site").policy { cpus = 8, select_linear = linear } }
      return { ran.jobs[2].start, ran.jobs[3].start }
    end
    -- The third job could pass, and be over when both nodes are free.
    local both = of { submit = 2, nodes = 2, limit = 60, request = { cores = 4, exclusive = true } }
    expect(starts(both, false)).equals { 401, 30 }
    expect(starts(both, true)).equals { 401, 451 }
  end)

  it("a job of several partitions shares cores as those of the one in which it runs", function()
    local shared = { nodes = { { name = "a", count = 1 }, { name = "c", count = 1 } },
                      partitions = { { name = "p1", nodes = "a", over = "p2" }, { name = "p2", nodes = { "a", "c" },
                                       max_time = 100 }, { name = "p3", nodes = "c" } } }
    for _, policy in ipairs { "fcfs", "easy", "conservative", "slurm" } do
      local ran = simulate { policy = policy, machine = shared,
        jobs = { job{submit=0, nodes=1, runtime=10, limit=200, request={ partition = { "p2", "p1" } }},
                 job{submit=0, nodes=1, runtime=10, limit=50, request={ partition = "p1" }} } }
      expect(ran).violates_nothing()
      expect(ran.jobs[2].start >= ran.jobs[1].finish).equals(true)
      -- In p2 itself it lends its cores.
      local lent = simulate { policy = policy, machine = shared,
        jobs = { job{submit=0, nodes=1, runtime=10, limit=90, request={ partition = { "p2", "p1" } }},
                 job{submit=0, nodes=1, runtime=10, limit=90, request={ partition = { "p3", "p2" } }},
                 job{submit=0, nodes=1, runtime=10, limit=50, request={ partition = "p1" }} } }
      expect(lent).violates_nothing()
      expect(lent.jobs[3].start < 2).equals(true)
    end
  end)

  it("a job of several partitions lets others have its cores as the one in which it runs says", function()
    local site = { nodes = { { name = "a", count = 1 }, { name = "c", count = 1 } },
                   partitions = { { name = "one", nodes = "a", max_time = 10 },
                                  { name = "yes", nodes = "c", oversubscribe = 2 },
                                  { name = "force", nodes = "a", max_time = 10, oversubscribe = 2,
                                    oversubscribe_all = true } } }
    for _, policy in ipairs { "fcfs", "easy", "conservative" } do
      local function second(first, shares)
        local function one(partition, said)
          return job{submit=0, nodes=1, runtime=50, limit=90,
                     request={ cores = 1, oversubscribe = said, partition = partition }}
        end
        local ran = simulate { policy = policy, machine = site,
          jobs = { one({ first, "yes" }, shares), one("yes", true) } }
        expect(ran).violates_nothing()
        return ran.jobs[2].start
      end
      expect(second("one", true)).equals(0)
      expect(second("one", false)).equals(50)
      expect(second("force", false)).equals(50)
    end
  end)

  it("weights come before loads", function()
    local site = { CR_LLN = true, nodes = { { kind = "a", Weight = 2 }, { kind = "m", Weight = 1 } } }
    expect(places({ of {}, of {}, of {}, of {}, of { nodes = 4 } }, site)).equals { "1", "2", "3", "1", "0-3" }
  end)

  it("serial jobs go to the last nodes with pack_serial_at_end", function()
    local jobs = { of {}, of { request = { cores = 2 } }, of {}, of { nodes = 2 } }
    expect(places(jobs, {})).equals { "0", "0", "0", "1-2" }
    -- The second one goes where it just fits.
    expect(places(jobs, { pack_serial_at_end = true })).equals { "3", "3", "3", "0-1" }
  end)

  it("jobs that have to wait are planned on nodes where jobs run, with bf_busy_nodes", function()
    -- One node is idle from 11 on, the others are taken until 201, when two of the four are for the job of two nodes.
    -- The last job would be beyond that on the idle one.
    local whole = { cores = 4 }
    local jobs = { of { runtime = 10, limit = 10, request = whole }, of { runtime = 200, limit = 200, request = whole },
                   of { runtime = 200, limit = 200, request = whole },
                   of { runtime = 200, limit = 200, request = whole },
                   of { submit = 12, nodes = 2, runtime = 10, limit = 10, request = whole },
                   of { submit = 13, runtime = 1000, limit = 1000, request = whole } }
    local function run(busy)
      return simulate { machine = machine, jobs = jobs, policy = require("slurm_site").policy { cpus = 16 },
        params = { bf_busy_nodes = busy, bf_resolution = 0.0 } }
    end
    expect(run(false)).starts { 1, 1, 1, 1, 201, 201 }
    expect(run(true)).starts { 1, 1, 1, 1, 201, 30 }
  end)
end)
