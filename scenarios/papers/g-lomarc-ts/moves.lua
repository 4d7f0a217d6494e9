-- Readings of Zeng 2009 side by side: what each of them moves under W1.

local published = require("published")
local what_moves = require("what_moves")

-- `space_sharing`: whether it changes what space sharing does.
local readings = {
  { name = "the default", params = {} },
  { name = "in groups one process on each processor", params = { ppn_in_groups = "first-step" } },
  { name = "MAX_SL for what the partner does", params = { max_slowdown_on = "partner" } },
  { name = "both of these", params = { ppn_in_groups = "first-step", max_slowdown_on = "partner" } },
  { name = "a denser layout instead of waiting, within MAX_SL", space_sharing = true,
    params = { denser = "tolerated" } },
  { name = "a denser layout instead of waiting, however slow", space_sharing = true,
    params = { denser = "whatever" } },
}

--- `tools`: what paper.lua makes its rows with.
return function(tools)
  local function gains(lab, cells)
    for _, name in ipairs { "ssp", "cst", "cstws" } do
      for _, class in ipairs(tools.classes) do
        cells[#cells + 1] = {
          name = class, of = "shorter relative response times with GLTS than with " .. name:upper(), unit = "%",
          published = published.improvement[name][class],
          figure = function(runs) return tools.less(lab, runs.ts, runs[name], tools.relative_response(class)) end,
        }
      end
    end
    for _, name in ipairs { "ssp", "cst", "cstws" } do
      cells[#cells + 1] = {
        name = "than " .. name:upper(), of = "more cores in use with GLTS", unit = "%",
        published = published.improvement[name].cores,
        figure = function(runs) return tools.more(lab, runs.ts, runs[name], tools.busy_cores) end,
      }
    end
  end

  local function of_groups(lab, cells)
    local function mean(figure)
      return function(runs) return lab.estimate(function(x) return x end, lab.each(runs.ts, figure)) end
    end
    local function add(name, unit, number, figure)
      local of = unit == "%" and "groups, in percent" or "groups"
      cells[#cells + 1] = { name = name, of = of, unit = unit, published = number, figure = mean(figure) }
    end
    add("number", "", nil, tools.group_count)
    add("jobs in each", "", published.jobs_per_group.W1, function(s) return s.sharing.jobs_per_group end)
    add("medium and long jobs in groups", "%", published.grouped_share,
      function(s) return 100 * s.sharing.grouped_share end)
    add("searches with few candidates", "%", published.few_candidates,
      function(s) return 100 * s.sharing.few_candidates_share end)
  end

  return function(lab)
    local asked = {}
    for r, reading in ipairs(readings) do
      local by = {}
      for _, name in ipairs { "ts", "ssp", "cst", "cstws" } do
        local params = (name ~= "ssp" or reading.space_sharing) and reading.params or {}
        by[name] = tools.runs(lab, "w1", name, params)
      end
      asked[r] = { name = reading.name, runs = by }
    end
    local cells = {}
    gains(lab, cells)
    of_groups(lab, cells)
    what_moves.rows(lab, asked, cells)
  end
end
