describe("workflows", function()
  it("jobs come when what they depend on has happened", function()
    local run = simulate {
      policy = "easy", nodes = 4,
      jobs = {
        { nodes = 1, runtime = 20, limit = 5 }, { nodes = 1, runtime = 10 },
        { nodes = 1, runtime = 1, depends = "afternotok:1,afterok:2" },
        { nodes = 1, runtime = 1, depends = "afterok:1" },
      },
    }
    expect(run.jobs[3].start).equals(10)
    expect(run.jobs[4].state).equals("unfulfilled")
    expect(run.summary.nb_jobs_finished).equals(3)
  end)

  it("a policy sees what a job says, and chooses its size", function()
    local run = simulate {
      policy = {
        api = 1, name = "last_size", version = "1",
        schedule = function(view)
          for job in view:waiting() do
            local sizes = view:sizes(job)
            if sizes then view:set_nodes(job, sizes[#sizes].nodes) end
            if view:fits(job) then view:start(job) end
          end
        end,
      },
      nodes = 4, engine = { molding = "asked" },
      jobs = { { nodes = 4, runtime = 10, sizes = "2:20" }, { nodes = 2, runtime = 10, array = "1-2" } },
    }
    expect(run.jobs[1].finish).equals(20)
    expect(run.jobs[2].start).equals(0)
    expect(run.jobs[3].start).equals(10)
    expect(run.jobs[3].array).equals("2_2")
  end)
end)
