-- Tasks of a dump of sacct that go where there is room (workload.spread_tasks), and whole processors.
describe("cores that nodes of a job do not have alike:", function()
  local kinds = { { name = "n", count = 8, cores = 8, memory = 16000, features = { "std" } },
                  { name = "f", count = 2, cores = 12, memory = 32000, features = { "fast" } } }
  local partitions = { { name = "batch", default = true }, { name = "short", nodes = { "n" } } }
  local function loose(policy, spread)
    local jobs = { trace = "../slurm/records/loose/jobs.sacct", exclusive = false, spread_tasks = spread }
    return simulate { machine = { nodes = kinds, partitions = partitions }, policy = policy, workload = jobs }
  end

  for _, policy in ipairs { "fcfs", "easy", "conservative", "best_fit", "preemptive", "node_gain" } do
    it("no job has more of a node than is left, nor other cores in all than it asked for, under " .. policy, function()
      expect(loose(policy, true)).violates_nothing()
    end)
  end

  it("a job has as many nodes as hold its tasks where there is room", function()
    -- Jobs 1 and 2 leave 1 core of the first node; job 3 has 18 tasks.
    expect(loose("fcfs", true).jobs[3].allocated).equals "0-3"
    expect(loose("fcfs", false).jobs[3].allocated).equals "1-4"
  end)

  it("policies with time slices count nodes, which have cores alike", function()
    local ran, other = loose("scojo_pect", true), loose("scojo_pect", false)
    for i, job in ipairs(ran.jobs) do
      expect({ job.allocated, job.start }).equals { other.jobs[i].allocated, other.jobs[i].start }
    end
  end)

  it("under whole_processors, a job takes one for each core that it asked for, where these are free", function()
    local thick = { { name = "n", count = 8, processors = 2, cores = 4, memory = 16000, features = { "std" } },
                    { name = "f", count = 2, processors = 2, cores = 4, memory = 32000, features = { "fast" } } }
    local function sockets(whole)
      local ran = simulate { machine = { nodes = thick, partitions = partitions }, policy = "easy",
                             workload = { trace = "../slurm/records/sockets/jobs.sacct", exclusive = false,
                                          whole_processors = whole } }
      expect(ran).violates_nothing()
      local first
      for _, job in ipairs(ran.jobs) do
        if job.id == 36 then first = job.start end -- two tasks a node; on record it had both processors of each
      end
      return first
    end
    expect(sockets(true) < sockets(false)).equals(true)
  end)

  it("under whole_processors, a job is as large as what it asked for, and nodes may have unlike numbers", function()
    local unlike = { { name = "n", count = 8, processors = 2, cores = 4, memory = 16000, features = { "std" } },
                     { name = "f", count = 2, processors = 4, cores = 4, memory = 32000, features = { "fast" } } }
    local own = { { name = "batch", default = true }, { name = "short", nodes = { "n[1-4]" } },
                  { name = "wide", nodes = { "n[5-8]", "f" } } }
    unlike[1].names = "n[1-8]"
    local ran = simulate { machine = { nodes = unlike, partitions = own }, policy = "easy",
                           workload = { trace = "../slurm/records/halves/jobs.sacct", exclusive = false,
                                        whole_processors = true } }
    expect(ran).violates_nothing()
    expect(#ran.jobs).equals(150) -- one had 40 CPUs of four nodes, of which six have 8
    expect(ran.jobs[5].processes).equals(16)
  end)
end)
