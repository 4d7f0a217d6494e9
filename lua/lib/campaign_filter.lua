-- Which points of a campaign are run: makes a function of the text `where`, an expression or a body that
-- returns a value or a function of the point. Axes are globals by their full names in `point`, and by their last parts.
local load, error, type, tostring = load, error, type, tostring

return function(where, axes)
  local short = {}
  for _, axis in ipairs(axes) do
    local name = axis:match("[^.]+$")
    short[name] = short[name] == nil and axis or false
    short[axis] = axis
  end
  -- "policy" is policy.name, and "name" alone would say little.
  for _, axis in ipairs(axes) do
    if axis == "policy" or axis == "policy.name" then short.policy = axis end
  end

  local current = {}
  local function value_of(name)
    local axis = short[name]
    if axis then return current[axis] end
    if axis == false then error(("several axes end in '%s': say point[\"...%s\"]"):format(name, name), 3) end
    error(("there is no axis '%s'"):format(name), 3)
  end
  local point = setmetatable({}, { __index = function(_, name) return value_of(name) end })
  setmetatable(_G, { __index = function(_, name)
    if name == "point" then return point end
    return value_of(name)
  end })

  local holds, problem = load("return " .. where, "=where")
  if not holds then
    local body = load(where, "=where")
    if not body then error(problem, 0) end
    holds = body
  end
  return function(values)
    current = values
    for name, axis in pairs(short) do
      if axis then _G[name] = values[axis] end  -- an axis called `load` hides the library's function
    end
    local answer = holds()
    if type(answer) == "function" then answer = answer(point) end
    if type(answer) ~= "boolean" and answer ~= nil then
      local shown = type(answer) == "string" and "'" .. answer .. "'" or tostring(answer)
      error(("the answer is %s, not true or false"):format(shown), 0)
    end
    return answer or false
  end
end
