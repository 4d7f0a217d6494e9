-- What holds for G-LOMARC-TS and its variants on any workload.
local shared = require("sharing")(simulate, expect, job).run

describe("G-LOMARC-TS on random workloads", function()
  local variants = { "ssp", "ts", "cst", "cstws", "fbo", "ns", "nh", "exhaustive" }

  local function random_jobs(count, seed)
    local draw, list, time = seed, {}, 0
    local function below(n)
      draw = (draw * 1103515245 + 12345) % 2147483648
      return draw // 65536 % n
    end
    for i = 1, count do
      time = time + below(1200)
      local size = below(4) == 0 and 1 or 1 + below(16)
      list[i] = job{submit=time, processes=size, runtime=700 + below(20000)}
    end
    return list
  end

  it("all jobs end under every variant, in time slices and without", function()
    for _, name in ipairs(variants) do
      for _, sliced in ipairs { false, true } do
        local run = shared {
          policy = "glomarc_" .. name, params = { sliced = sliced, block_size = 8 }, slowdown = { model = "drawn" },
          machine = { nodes = 16, processors = 2, cores = 2 }, jobs = random_jobs(60, 7),
        }
        expect(run.summary.nb_jobs_finished).equals(60)
      end
    end
  end)

  it("and where nodes fail and are drained", function()
    local interruptions, groups = 0, 0
    for _, name in ipairs(variants) do
      for _, sliced in ipairs { false, true } do
        local run = shared {
          policy = "glomarc_" .. name, params = { sliced = sliced, block_size = 8 }, slowdown = { model = "drawn" },
          machine = { nodes = 16, processors = 2, cores = 2 }, jobs = random_jobs(60, 7),
          outages = {
            failures = { { mtbf = 200000, repair = 3000, rack = 4, rack_share = 0.3 } },
            planned = { { nodes = "8-11", kind = "drain", from = 20000, length = 10000 } },
          },
        }
        expect(run.summary.nb_jobs_finished).equals(60)
        interruptions = interruptions + run.summary.outages.interruptions
        groups = groups + run.summary.sharing.groups
      end
    end
    expect(interruptions > 50).equals(true)
    expect(groups > 100).equals(true)
  end)

  it("nodes of any shape, however processes lie on them", function()
    local formed = 0
    for _, shape in ipairs { { 1, 1 }, { 1, 4 }, { 3, 1 }, { 2, 3 }, { 4, 2 } } do
      for _, layout in ipairs { "across", "within" } do
        local run = shared {
          params = { layout = layout, slack = 3 }, slowdown = { model = "drawn" }, jobs = random_jobs(40, 3),
          machine = { nodes = 8, processors = shape[1], cores = shape[2] },
        }
        expect(run.summary.nb_jobs_finished + run.summary.nb_jobs_rejected).equals(40)
        -- No partner without a core, or, within, without a processor.
        local alone = shape[1] * shape[2] == 1 or layout == "within" and shape[1] == 1
        if alone then expect(run.summary.sharing.groups).equals(0) end
        formed = formed + run.summary.sharing.groups
      end
    end
    expect(formed > 20).equals(true)
  end)

  -- One group is formed, at the beginning, and no job comes later: what was expected holds for all.
  it("a group that is fair keeps every job's bound", function()
    local groups = require "groups"
    local formed, bounds, slack = 0, {}, 1.2
    local function ppn(job) return job.processes > 1 and job.slowdown_processors <= 1.12 and 2 or 1 end
    local defaults = {
      max_slowdown = 1.25, max_slowdown_on = "total", matched_exceed = 0.125, matched_longer = 3000, block_size = 16,
      sort = true,
      other_blocks = true, min_gain = 0.3, slack = slack, expected = 1, predicted = 1, fair_to_members = true,
    }
    local once = {
      api = 1, name = "one_group", version = "1", sharing = { alone = ppn, shared = ppn },
      submitted = function(view, job) bounds[job.id] = slack * view:expect(job) end,
      schedule = function(view)
        view:keep_reservations()
        if view.now == 0 then
          for job in view:waiting() do
            local group = groups.form(view, job, view:waiting_candidates(), defaults)
            if group then
              formed = formed + 1
              view:start_group(group)
              break
            end
          end
        end
        view:start_due()
      end,
    }
    for seed = 1, 40 do
      local jobs = random_jobs(25, seed)
      for _, j in ipairs(jobs) do j.submit = 0 end
      local run = shared {
        policy = once, jobs = jobs, slowdown = { model = "drawn" }, seed = seed,
        machine = { nodes = 16, processors = 2, cores = 2 },
      }
      for _, j in ipairs(run.jobs) do
        expect(j.response <= bounds[j.id] + 1.001).equals(true)
      end
    end
    expect(formed > 10).equals(true)
  end)

  it("slices change nothing for one class, when a switch costs nothing", function()
    for seed = 1, 5 do
      local jobs = random_jobs(60, seed)
      for _, j in ipairs(jobs) do j.runtime = j.runtime + 10800 end
      local options = {
        slowdown = { model = "drawn" }, machine = { nodes = 16, processors = 2, cores = 2 }, jobs = jobs,
        params = { sliced = false },
      }
      local alone = shared(options)
      options.params = { sliced = true, medium_share = 0, overhead = 0 }
      local sliced = shared(options)
      for i in ipairs(jobs) do
        expect(sliced.jobs[i].start).equals(alone.jobs[i].start)
        expect(sliced.jobs[i].finish).equals(alone.jobs[i].finish)
        expect(sliced.jobs[i].allocated).equals(alone.jobs[i].allocated)
      end
    end
  end)
end)
