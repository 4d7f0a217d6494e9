-- Values and jobs as failures of tests show them.
local show = {}

local kMostRows = 25

function show.number(x)
  if x ~= x then return "nan" end
  if math.type(x) == "float" and x == math.floor(x) and math.abs(x) < 1e15 then return ("%d"):format(x) end
  return math.type(x) == "integer" and ("%d"):format(x) or ("%.14g"):format(x)
end

local function quoted(s)
  if s:find("\n", 1, true) then return '"' .. s .. '"' end
  return '"' .. s:gsub('[\\"]', "\\%0") .. '"'
end

local function show_table(t, depth)
  if depth > 3 then return "{...}" end
  local parts = {}
  for k, v in pairs(t) do
    if #parts == 20 then parts[#parts + 1] = "..." break end
    local item = show.value(v, depth + 1)
    local positional = math.type(k) == "integer" and k == #parts + 1
    local name = type(k) == "string" and k:match("^[%a_][%w_]*$") or "[" .. show.value(k, depth + 1) .. "]"
    parts[#parts + 1] = positional and item or name .. " = " .. item
  end
  return #parts == 0 and "{}" or "{ " .. table.concat(parts, ", ") .. " }"
end

--- A value on one line (texts with line ends keep them).
function show.value(v, depth)
  local kind = type(v)
  if kind == "number" then return show.number(v) end
  if kind == "string" then return quoted(v) end
  if kind == "table" and tostring(v) == "table" then return show_table(v, depth or 1) end
  if kind == "nil" or kind == "boolean" then return tostring(v) end
  local name = tostring(v)
  return name == kind and "a " .. kind or name
end

--- Rows of texts as aligned lines: the first row is the head.
local function aligned(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for c, cell in ipairs(row) do widths[c] = math.max(widths[c] or 0, utf8.len(cell) or #cell) end
  end
  local lines = {}
  for i, row in ipairs(rows) do
    local cells = {}
    for c, cell in ipairs(row) do cells[c] = (" "):rep(widths[c] - (utf8.len(cell) or #cell)) .. cell end
    lines[i] = table.concat(cells, "  "):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

local function instant(x) return x and show.number(x) or "-" end

--- The title and a table of jobs: what was expected of a field, what came, `<--` where they differ.
--- Of many jobs only those that differ are shown.
function show.differing_jobs(title, jobs, field, wanted, wanted_name, got_name)
  local rows = { { "job", "submit", "nodes", "runtime", wanted_name or "expected", got_name or "got", "" } }
  local count, left_out = math.max(#jobs, #wanted), 0
  for i = 1, count do
    local job = jobs[i]
    local got, want = job and job[field] or false, wanted[i]
    local differs = not job or got ~= want
    if not differs and count > kMostRows then
      goto continue
    elseif #rows > kMostRows then
      left_out = left_out + 1
    elseif job then
      local expected = want == nil and "nothing" or instant(want)
      rows[#rows + 1] = { show.number(job.id), show.number(job.submit), show.number(job.nodes),
                          show.number(job.runtime),
                          expected, instant(got), differs and "<--" or "" }
    else
      rows[#rows + 1] = { "none", "", "", "", instant(want), "-", "<--" }
    end
    ::continue::
  end
  local rest = left_out > 0 and ("\nand %d more"):format(left_out) or ""
  return title .. "\n" .. aligned(rows) .. rest
end

--- A job as it stands in a suite.
function show.job(job)
  local parts = {}
  for _, name in ipairs { "submit", "nodes", "processes", "runtime", "limit" } do
    if job[name] then parts[#parts + 1] = name .. "=" .. show.number(job[name]) end
  end
  for name, value in pairs(job) do
    if not ({ submit = 1, nodes = 1, processes = 1, runtime = 1, limit = 1 })[name] then
      parts[#parts + 1] = name .. "=" .. show.value(value)
    end
  end
  return "job{" .. table.concat(parts, ", ") .. "}"
end

--- A workload, ready to be pasted into a call of simulate.
function show.workload(workload)
  local lines = {}
  if workload.machine then lines[1] = "machine = " .. show.value(workload.machine) .. "," end
  lines[#lines + 1] = "jobs = {"
  for _, job in ipairs(workload.jobs) do lines[#lines + 1] = "  " .. show.job(job) .. "," end
  lines[#lines + 1] = "},"
  return table.concat(lines, "\n")
end

return show
