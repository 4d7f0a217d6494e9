-- Checks of those parameters of the policy slurm that are texts: as slurm.conf has them. For the field `check`.
local words = {}

--- Nil where each word of the list, however it is written, is one of these, or a number; else what was expected.
---@param known string With commas.
function words.of(known)
  local all = "," .. string.lower(known) .. ","
  return function(text)
    for word in string.gmatch(text, "[^,%s]+") do
      if not tonumber(word) and not string.find(all, "," .. string.lower(word) .. ",", 1, true) then
        return ("words of %s, with commas; '%s' is none"):format(string.gsub(known, ",", ", "), word)
      end
    end
  end
end

--- The same of a text that is one of these words.
function words.one_of(known)
  local all = "," .. string.lower(known) .. ","
  return function(text)
    if string.find(text, ",", 1, true) or not string.find(all, "," .. string.lower(text) .. ",", 1, true) then
      return "one of " .. string.gsub(known, ",", ", ")
    end
  end
end

--- The same of a list of resources and their weights.
function words.weights(text)
  for entry in string.gmatch(text, "[^,]+") do
    if string.find(entry, "%S") and not string.find(entry, "^%s*[%w/:._%-]+=%d*%.?%d*[kKmMgGtT]?%s*$") then
      return ("resources and their weights, as CPU=10,Mem=1,GRES/gpu=100; '%s' is none"):format(entry)
    end
  end
end

return words
