-- Readings of Sodan & Lan 2005 side by side: what each of them moves.

local published = require("published")
local what_moves = require("what_moves")

--- Of what the paper does not say about EASY backfilling, and about T_age.
local readings = {
  { name = "the default", params = {} },
  { name = "short jobs are never backfilled", params = { backfill = "not-short" } },
  { name = "one job is backfilled in a pass", params = { backfill = "one" } },
  { name = "only the ten next are looked at", params = { backfill_depth = 10 } },
  { name = "nothing is backfilled", params = { backfill = "none" } },
  { name = "T_age of 20,000 s", params = { age = 20000 } },
  { name = "T_age of 36,000 s", params = { age = 36000 } },
  { name = "T_age of 54,000 s", params = { age = 54000 } },
}

local names = { "PSS", "L-R", "L-FM", "L-U1" }

--- `tools`: what paper.lua makes its rows with.
return function(tools)
  local note = tools.note

  local function better(lab, name, w, figure)
    return function(runs) return tools.reduction(lab, runs[w][name], runs[w].PSS, figure) end
  end

  --- A cell, if there is a published number for it.
  local function add(cells, cell)
    if cell.published then cells[#cells + 1] = cell end
  end

  local function gains(lab, cells, w)
    for _, name in ipairs { "L-R", "L-FM" } do
      add(cells, { name = ("%s, %s"):format(name, w), of = "shorter response times than without sharing", unit = "%",
        published = tools.at(published.response, name, w), figure = better(lab, name, w, tools.response) })
    end
    for _, name in ipairs { "L-R", "L-FM" } do
      add(cells, { name = ("%s, %s"):format(name, w), unit = "%",
        of = "shorter relative response times than without sharing",
        published = tools.at(published.relative_response, name, w),
        figure = better(lab, name, w, tools.relative_response) })
    end
    add(cells, { name = "L-U1, " .. w, of = "higher efficiency than without sharing", unit = "%",
      published = published.efficiency["L-U1"][w],
      figure = function(runs) return tools.efficiency_gain(lab, runs[w]["L-U1"], runs[w].PSS) end })
  end

  --- Table 5, of L-U1.
  local function searches(lab, cells, w)
    local numbers = published.counts["L-U1"][w]
    local function mean(column)
      return function(runs) return lab.estimate(function(x) return x end, lab.each(runs[w]["L-U1"], note(column))) end
    end
    for _, column in ipairs { { "queue", 1 }, { "medium_or_long", 2 }, { "chosen", 7 } } do
      add(cells, { name = ("%s, %s"):format(column[1]:gsub("_", " "), w), of = "Table 5, jobs at the searches of L-U1",
        unit = "", published = numbers[column[2]], figure = mean(column[1]) })
    end
    add(cells, { name = w, of = "short jobs in the queue at the searches of L-U1", unit = "%",
      published = 100 * (1 - numbers[2] / numbers[1]),
      figure = function(runs)
        local list = runs[w]["L-U1"]
        return lab.estimate(function(long, all) return 100 * (1 - long / all) end,
          lab.each(list, note("medium_or_long")), lab.each(list, note("queue")))
      end })
  end

  return function(lab)
    local asked = {}
    for r, reading in ipairs(readings) do
      local by = {}
      for _, w in ipairs(tools.workloads) do
        by[w] = {}
        for _, name in ipairs(names) do by[w][name] = tools.runs(lab, name, w, "M1", nil, reading.params) end
      end
      asked[r] = { name = reading.name, runs = by }
    end
    local cells = {}
    for _, w in ipairs(tools.workloads) do gains(lab, cells, w) end
    for _, w in ipairs(tools.workloads) do searches(lab, cells, w) end
    what_moves.rows(lab, asked, cells)
  end
end
