-- G-LOMARC-TS on queues made by hand. Four nodes of two processors with two cores each; jobs are long, alone in one queue,
-- unless a case says otherwise; slowdowns come from the table below.
local function shared(options)
  options.machine = options.machine or { nodes = 4, processors = 2, cores = 2 }
  options.policy = options.policy or "glomarc_ts"
  options.params = options.params or {}
  if options.params.sliced == nil then options.params.sliced = false end
  local run = simulate(options)
  expect(run).violates_nothing()
  return run
end

describe("G-LOMARC-TS", function()
  it("without slowdowns starts a job on all cores of its nodes (Case 5)", function()
    -- 8 processes on two nodes of four cores.
    local run = shared { jobs = { job{submit=0, size=8, runtime=20000} } }
    expect(run.jobs[1].allocated).equals("0-1")
    expect(run.jobs[1].finish).equals(20000)
  end)

  it("starts everybody for himself when the load is low", function()
    local run = shared { jobs = { job{submit=0, size=1, runtime=20000}, job{submit=0, size=1, runtime=20000} } }
    expect(run).starts { 0, 0 }
    expect(run.jobs[1].allocated).equals("0")
    expect(run.jobs[2].allocated).equals("1")
  end)

  it("gives every variant the same jobs to run, and all of them end", function()
    local jobs = {}
    for i = 1, 60 do jobs[i] = job{submit=i * 50, size=1 + i * 7 % 16, runtime=700 + i * 997 % 20000} end
    for _, name in ipairs { "ssp", "ts", "cst", "cstws", "fbo", "ns", "nh", "exhaustive" } do
      for _, sliced in ipairs { false, true } do
        local run = shared { policy = "glomarc_" .. name, params = { sliced = sliced }, slowdown = { model = "drawn" }, jobs = jobs }
        expect(run.summary.jobs).equals(60)
      end
    end
  end)
end)
