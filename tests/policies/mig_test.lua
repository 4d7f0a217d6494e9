-- Layouts of slices for a mix of jobs.
local mig = require "mig"

describe("the best layout of a GPU that is divided", function()
  it("is the whole GPU for one job", function()
    local best = mig.best { { [7] = 1, [4] = 0.9 } }
    expect(best.layout).equals({ 7 })
    expect(best.slices).equals({ 7 })
    expect(best.sum).equals(1)
  end)

  it("gives larger slices to jobs that lose more on small ones", function()
    local steady, greedy = { [4] = 0.9, [2] = 0.9, [1] = 0.8 }, { [4] = 0.8, [2] = 0.4, [1] = 0.2 }
    local best = mig.best { steady, greedy, steady }
    expect(best.layout).equals({ 4, 2, 1 })
    expect(best.slices[2]).equals(4)
    expect(math.abs(best.sum - (0.8 + 0.9 + 0.8)) < 1e-12).equals(true)
  end)

  it("leaves slices that do not hold a job to others, and says where there is no way", function()
    local large = { [7] = 1, [4] = 0.7, [3] = 0.6 }
    expect(mig.best({ large, large }).slices).equals({ 3, 3 })
    expect(mig.best { large, large, large }).equals(nil)
  end)

  it("keeps to the layouts that it is given", function()
    local any = { [7] = 1, [3] = 0.5, [2] = 0.4 }
    expect(mig.best({ any, any }, { { 7 }, { 2, 2 } }).layout).equals({ 2, 2 })
  end)

  it("knows every layout of a GPU without rules", function()
    expect(mig.any(4)).equals({ { 4 }, { 3, 1 }, { 2, 2 }, { 2, 1, 1 }, { 1, 1, 1, 1 } })
    expect(#mig.any(16)).equals(231)
  end)
end)
