-- When usage is forgotten: PriorityUsageResetPeriod, by the calendar of the trace.
local resets = { known = "NONE,NOW,DAILY,WEEKLY,MONTHLY,QUARTERLY,YEARLY" }

local DAY <const> = 86400

--- Days since the first one of the period, by what a calendar says.
local days_into = {
  DAILY = function() return 0 end,
  WEEKLY = function(date) return date.weekday % 7 end, -- weeks begin on Sunday
  MONTHLY = function(date) return date.day - 1 end,
}

--- The same of periods of several months, which are gone back one by one.
local function months_into(first)
  return function(date, midnight, clock)
    local days = date.day - 1
    while not first(date.month) do
      date = clock(midnight - (days + 1) * DAY)
      days = days + date.day
    end
    return days
  end
end
days_into.QUARTERLY = months_into(function(month) return month % 3 == 1 end)
days_into.YEARLY = months_into(function(month) return month == 1 end)

--- A function of an instant: since when usage counts that was not forgotten. Nil where it never is: NONE, NOW (which
--- forgets what was used before the daemon came up), or where the trace has no date.
---@param period string
---@param clock fun(time: number): coslice.Clock? As `view:clock`.
---@return (fun(now: number): number)?
function resets.new(period, clock)
  local into = days_into[string.upper(period)]
  if not into or not clock(0) then return nil end
  local since, midnight = 0, -math.huge
  return function(now)
    if now >= midnight + DAY or now < midnight then
      local date = clock(math.max(now, 0))
      midnight = math.floor(math.max(now, 0)) - date.second_of_day
      since = midnight - into(date, midnight, clock) * DAY
    end
    return since
  end
end

return resets
