-- The published tables: a file for each figure, a row for each set of jobs and share, a column for each strategy.
local published = {}

--- "30D[90|0|10]#S0{1,128|5E12,4E17}": the share of malleable jobs in %, and the set.
local function place(input)
  local share, set = input:match "%[%d+|%d+|(%d+)%]#(S%d+)"
  return tonumber(share), set
end

local function cell_of(figure, cell)
  if figure.digits then return { value = cell, text = figure.digits:format(cell) } end
  cell = tostring(cell)
  return { value = tonumber(cell:match "^%d+"), text = cell }
end

--- What a figure's table says: by set, share and strategy { value = number, text = as printed }.
function published.of(lab, figure)
  local path, told = lab.data(("published/%s.csv"):format(figure.name)), {}
  if not path then return nil end
  for _, row in ipairs(lab.csv(path)) do
    local share, set = place(row.input_data)
    told[set] = told[set] or {}
    told[set][share] = {}
    for column, cell in pairs(row) do
      local strategy = column:match "^(.*)%.py$"
      if strategy then told[set][share][strategy] = cell_of(figure, cell) end
    end
  end
  return told
end

return published
