-- Groups on shared nodes (Zeng 2009) in the slices of Scojo-PECT, where memory is loaded and swapped (Esbaugh 2010).
describe("G-LOMARC-TS where memory is loaded", function()
  local function run(memory)
    return simulate {
      policy = "glomarc_ts", params = { memory = memory }, seed = 1,
      machine = { nodes = 128, processors = 2, cores = 2 },
      workload = { generator = "lublin", sizes = "adjusted", adjust_rounding = "formula",
        lublin = { jobs = 400, alpha = 10.33, arar = false } },
      slowdown = { model = "drawn" },
    }
  end

  -- No bound on ends: loading is in nothing that is expected or predicted, which short jobs feel most
  -- (docs/shared-nodes.md).
  it("makes jobs later than the slack allows, short ones most of all", function()
    local without, with = run("none"), run("MM5")
    expect(with).violates_nothing()
    expect(with.summary.slices.loads).greater_than(0)
    expect(without.summary.sharing.late).at_most(4)
    local late = with.summary.sharing
    expect(late.late).at_most(40)
    expect(late.by_class.short.late).greater_than(late.late / 2)
  end)
end)
