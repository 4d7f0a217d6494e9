-- What each reading of a paper moves, for papers: local what_moves = require "what_moves"
--
-- A reading is a choice where a text can be understood in two ways. Its cells stand beside those of the default, on the
-- same jobs, as a table of readings and cells for each unit; and another table says in how many cells it differs from
-- the default by more than the noise, and whether it is nearer to what is published there.
local what_moves = {}

-- Whether the difference of two estimates of the same seeds is more than noise.
local function differs(lab, one, other)
  local differences = {}
  for i, x in ipairs(one.values) do differences[i] = x - other.values[i] end
  local low, high = lab.interval(differences)
  return low ~= nil and (low > 0 or high < 0)
end

local function cell_rows(lab, reading, estimates, cells)
  for c, cell in ipairs(cells) do
    lab.row {
      quantity = ("%s: %s, %s"):format(reading.name, cell.of, cell.name), unit = cell.unit, published = cell.published,
      estimate = estimates[c],
      chart = { title = "What each reading moves: " .. cell.of, axis = "reading", drawn = false }, at = reading.name,
      series = cell.name,
    }
  end
end

-- How many cells of a reading are nearer to what is published than those of the default, or farther, or only others.
local function count(lab, estimates, defaults, cells)
  local n = { nearer = 0, farther = 0, other = 0 }
  for c, cell in ipairs(cells) do
    if differs(lab, estimates[c], defaults[c]) then
      local how = "other"
      if cell.published then
        local now = math.abs(estimates[c].obtained - cell.published)
        how = now < math.abs(defaults[c].obtained - cell.published) and "nearer" or "farther"
      end
      n[how] = n[how] + 1
    end
  end
  return n
end

--- States the rows. `readings`: `{ name, runs }`, the first is the default; `runs` is what a cell's figure is made of,
--- asked for already. `cells`: `{ name, of, unit, published, figure }`: the cells of one title `of` have one unit, and
--- `figure(runs)` is an estimate (`lab.estimate`).
function what_moves.rows(lab, readings, cells)
  local by = {}
  for r, reading in ipairs(readings) do
    by[r] = {}
    for c, cell in ipairs(cells) do by[r][c] = cell.figure(reading.runs) end
    cell_rows(lab, reading, by[r], cells)
  end
  for r = 2, #readings do
    local n = count(lab, by[r], by[1], cells)
    for _, how in ipairs { "nearer", "farther", "other" } do
      lab.row {
        quantity = ("%s: cells, %s"):format(readings[r].name, how), unit = "of " .. #cells, obtained = n[how],
        seeds = #lab.seeds,
        chart = {
          title = "Cells that differ from the default by more than the noise", axis = "reading", drawn = false,
        },
        at = readings[r].name, series = how == "other" and "without a published number" or how,
      }
    end
  end
end

return what_moves
