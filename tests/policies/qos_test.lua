-- Attributes that are texts, as policies and suites see them.

describe("the quality of service of a job", function()
  it("is read by policies", function()
    local urgent = {
      api = 1, name = "urgent", version = "1",
      key = function(job) return job.qos == "high" and 0 or 1 end,
    }
    local run = simulate {
      nodes = 1, policy = urgent,
      jobs = { job{runtime=10, nodes=1}, job{runtime=10, nodes=1, submit=1},
        job{runtime=10, nodes=1, submit=2, qos="high"} },
    }
    expect(run.jobs[1].qos).equals("")
    expect(run.jobs[3].qos).equals("high")
    expect(run).starts { 0, 20, 10 }
  end)

  it("is one text beside others", function()
    local run = simulate { nodes = 1, jobs = { job{runtime=10, nodes=1, qos="high", reservation="course"} } }
    expect(run.jobs[1].qos).equals("high")
    expect(run.jobs[1].reservation).equals("course")
  end)
end)
