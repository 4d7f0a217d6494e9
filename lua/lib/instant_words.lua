-- An instant of a run in words, for reasons that policies give: a date where the workload has one, else seconds.
---@param view coslice.View
---@param time number s
---@return string
return function(view, time)
  local date = view:clock(time)
  if date then
    return ("%d-%02d-%02d %02d:%02d:%02d"):format(date.year, date.month, date.day, date.hour, date.minute, date.second)
  end
  local whole, part = ("%.3f"):format(time):match "^(%d+)(%.%d+)$"
  local grouped = whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return grouped .. part:gsub("%.?0+$", "") .. " s"
end
