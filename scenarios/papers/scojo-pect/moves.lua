-- Readings of Esbaugh 2010 side by side: what each of them moves under the five memory models.

local published = require("published")
local choices = require("choices")
local what_moves = require("what_moves")

local function overhead(s) return s.slices.overhead end
-- "Only when jobs preempt" (Chapter 7).
local function without_first_loads(s) return s.slices.overhead_without_first_loads end

-- `share` is of the run times, in plain sums.
local function plain(s) return 100 * s.slices.overhead_share end
local function plain_without_first_loads(s) return 100 * s.slices.overhead_share_without_first_loads end

--- `tools`: what paper.lua makes its rows with.
return function(tools)
  local fits = published.synthetic[1] -- Table 4

  local function cells_of(lab)
    local cells = {}
    for _, name in ipairs { "FF", "AL" } do
      for i, memory in ipairs(tools.models) do
        cells[#cells + 1] = {
          name = memory, of = "less overhead with TS than with " .. name .. " (Table 4)", unit = "%",
          published = fits[memory][name].overhead,
          figure = function(asked)
            return lab.estimate(function(new, old) return 100 * (1 - new / old) end,
              lab.each(asked.runs.TS[i], asked.overhead), lab.each(asked.runs[name][i], asked.overhead))
          end,
        }
      end
    end
    for i, memory in ipairs(tools.models) do
      cells[#cells + 1] = {
        name = memory, of = "loading and swapping with TS, of the run times", unit = "%", published = 1.5,
        figure = function(asked)
          return lab.estimate(function(x) return x end, lab.each(asked.runs.TS[i], asked.share))
        end,
      }
    end
    return cells
  end

  return function(lab)
    local asked = {}
    local function add(name, runs, first_loads)
      asked[#asked + 1] = { name = name, runs = {
        runs = runs, overhead = first_loads and overhead or without_first_loads,
        share = first_loads and plain or plain_without_first_loads,
      } }
    end
    local by = {}
    for r, reading in ipairs(choices.readings) do by[r] = tools.runs_of(lab, fits, reading) end
    for r, reading in ipairs(choices.readings) do
      add(r == 1 and "the default: whole jobs" or reading.name, by[r], true)
    end
    for r, reading in ipairs(choices.readings) do add(reading.name .. ", first loads apart", by[r], false) end
    what_moves.rows(lab, asked, cells_of(lab))
  end
end
