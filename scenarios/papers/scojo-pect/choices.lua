-- Esbaugh 2010: the choices of nodes that are compared, and what a displaced job loses and pays.
local M = {}

M.FF, M.AL = { nodes = "first-free" }, { nodes = "fewest-foreign" }

function M.TS(first, second) return { nodes = "memory-fit", fit_enough = first, fit_rest = second } end

-- What is swapped, the thesis says in two ways, and in two what is paid for it. The first reading is that of the
-- scenarios: swapped as in Appendix A, charged for the longest writing. The second is the thesis' program, Figure 16
-- included; the third swaps as Section 5.3 says.
M.readings = {
  { name = "whole jobs", params = {} },
  { name = "each load charged", label = "each-load", params = { swap_charge = "each-load" } },
  { name = "parts", label = "parts", params = { swapping = "parts" } },
}
--- Why rows in the first reading are fitted: it was chosen after it was seen to be nearer to the published signs.
M.chosen = "the reading of swapping and of what is paid for it"
M.another_reading = "another reading of what a displaced job loses and pays"

function M.readings_of(lab) return lab.quick and { M.readings[1] } or M.readings end

--- What follows the names of quantities that are not of the first reading.
function M.suffix(reading) return reading.label and "." .. reading.label or "" end

--- The parameters of a choice of nodes, in a reading.
function M.parameters(choice, reading)
  local params = table.copy(choice)
  for _, name in ipairs(table.keys(reading.params)) do params[name] = reading.params[name] end
  return params
end

function M.number_of_jobs(lab) return lab.quick and 3000 or 10000 end

function M.overhead(summary) return summary.slices.overhead end

--- By how many percent the first of two runs on the same jobs has less of it.
function M.less_overhead(new, old) return 100 * (1 - M.overhead(new) / M.overhead(old)) end

return M
