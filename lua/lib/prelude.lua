-- The Lua half of the sandbox: small functions that policies and scripts keep writing for themselves.
-- Runs once per state, while the library tables can still be added to.

--- The keys of a table in the order of `pairs`.
function table.keys(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  return keys
end

--- A copy of a table, one level deep.
function table.copy(t)
  local copy = {}
  for k, v in pairs(t) do copy[k] = v end
  return copy
end

--- x, but at least `low` and at most `high`.
function math.clamp(x, low, high)
  if x < low then return low end
  if x > high then return high end
  return x
end

--- The nearest whole number; halves go away from zero.
function math.round(x)
  if x < 0 then return math.ceil(x - 0.5) end
  return math.floor(x + 0.5)
end
