-- Readings of Frachtenberg et al. 2005 side by side: what each of them moves in Tables 3 to 8.

local published = require("published")
local what_moves = require("what_moves")

local readings = {
  { name = "the default", params = {} },
  { name = "CS processes fill no gaps (the text)", params = { gaps = false } },
  { name = "cs_thresh of 5 ms", params = { cs_thresh = 5e-3 } },
  { name = "F processes take their own slot at once", params = { own_preempts = true } },
  { name = "gaps are given back at once", params = { gaps_yield = true } },
}

local tables = {
  { "T3", "balanced.toml" }, { "T4", "imbalanced.toml" }, { "T5", "complementing.toml" }, { "T6", "mixed.toml" },
  { "T7", "sweep3d.toml", 0.2 }, { "T8", "sage.toml", 0.2 },
}

--- `tools`: what paper.lua makes its rows with.
return function(tools)
  local function cells_of(lab)
    local cells = {}
    for _, of in ipairs(tables) do
      local label = of[1]
      local numbers = published[label].fcs
      local function add(name, number, figure)
        cells[#cells + 1] = {
          name = name, of = "seconds with FCS, " .. label, unit = "s", published = number,
          figure = function(runs) return lab.estimate(function(x) return x end, lab.each(runs[label], figure)) end,
        }
      end
      for job, seconds in ipairs(numbers) do add("job " .. job, seconds, tools.completion(job)) end
      add("mean response", tools.average(numbers), tools.mean_response)
    end
    return cells
  end

  return function(lab)
    local asked = {}
    for r, reading in ipairs(readings) do
      local by = {}
      for _, of in ipairs(tables) do
        local params = table.copy(reading.params)
        params.slice = of[3]
        by[of[1]] = lab.runs(of[2], { policy = { name = "fcs", params = params } })
      end
      asked[r] = { name = reading.name, runs = by }
    end
    what_moves.rows(lab, asked, cells_of(lab))
  end
end
