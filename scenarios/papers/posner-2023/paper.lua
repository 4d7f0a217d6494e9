-- Posner, Hupfeld & Finnerty 2023: strategies for malleable jobs, by the share of these, in eight figures. Sets of
-- jobs and published tables are data that is not part of coslice (`--data`).
local figures = require "figures"
local published = require "published"

local strategies = {
  "rigid_backfill", "rigid_easy_backfill", "min_agreement", "min_steal_agreement", "min_common_pool", "pref_agreement",
  "pref_steal_agreement", "pref_common_pool", "average_agreement", "average_steal_agreement", "average_common_pool",
}

--- Shares of malleable jobs, %.
local function shares(lab)
  if lab.quick then return { 0, 50, 100 } end
  local all = {}
  for share = 0, 100, 10 do all[#all + 1] = share end
  return all
end

--- Sets of jobs that are there: { name, path }.
local function sets(lab)
  local found = {}
  for _, file in ipairs(lab.files ".") do
    local name = file:match "^jobs_(S%d+)%.csv"
    if name and #found < #lab.seeds then found[#found + 1] = { name = name, path = lab.data(file) } end
  end
  return found
end

--- The published figures of rigid strategies are those without malleable jobs, for all shares.
local function ask(lab, set, share, strategy)
  local params = { rule = strategy }
  if strategy:match "^rigid" then share = 0
  else params.rule, params.promise = strategy:match "^(%a+)_(.*)$"
  end
  return lab.run("run.toml", {
    workload = { params = { set = { csv = set.path }, share = share } }, policy = { params = params },
  }, { jobs = true })
end

local told         -- by figure, see published.of
local made = {}    -- figures of runs
local found        -- what there is of each set, share and strategy

--- The published tables; nil, and said, where one is not there.
local function read(lab)
  if told then return told end
  local all = {}
  for _, figure in ipairs(figures.all) do
    all[figure.name] = published.of(lab, figure)
    if not all[figure.name] then
      lab.row { quantity = figure.name, skipped = ("published/%s.csv: --data DIR"):format(figure.name) }
      return nil
    end
  end
  told = all
  return told
end

--- The published figures of such a run, by name; nil if there are none.
local function told_of(set, share, strategy)
  local all = {}
  for name, of in pairs(told) do
    all[name] = ((of[set] or {})[share] or {})[strategy]
    if not all[name] then return nil end
  end
  return all
end

--- All runs of which figures are published: { set, share, strategy, run, told }; nil if something is not there.
local function all_runs(lab)
  if found then return found end
  if not read(lab) then return nil end
  local list = {}
  for _, set in ipairs(sets(lab)) do
    for _, share in ipairs(shares(lab)) do
      for _, strategy in ipairs(strategies) do
        local theirs = told_of(set.name, share, strategy)
        if theirs then
          list[#list + 1] = { set = set.name, share = share, strategy = strategy, told = theirs,
            run = ask(lab, set, share, strategy) }
        end
      end
    end
  end
  if #list == 0 then
    lab.row { quantity = "jobs", skipped = "jobs_S0.csv.gz and others: --data DIR" }
    return nil
  end
  found = list
  return found
end

local function figures_of(run)
  if not made[run.number] then made[run.number] = figures.of(run) end
  return made[run.number]
end

--- Names of the figures that are not as printed.
local function unequal(one)
  local names, own = {}, figures_of(one.run)
  for _, figure in ipairs(figures.all) do
    if own[figure.name].text ~= one.told[figure.name].text then names[#names + 1] = figure.name end
  end
  return names
end

--- Means over the sets: of what was obtained and of what was published.
local function means(runs, share, strategy, name)
  local own, theirs, count = 0, 0, 0
  for _, one in ipairs(runs) do
    if one.share == share and one.strategy == strategy then
      own, theirs, count = own + figures_of(one.run)[name].value, theirs + one.told[name].value, count + 1
    end
  end
  return own / count, theirs / count, count
end

-- How many runs are equal as printed, in all figures and in each, and which are not.

local function equal(lab)
  local runs = all_runs(lab)
  if not runs then return end
  local differing, of_figure = {}, {}
  for _, one in ipairs(runs) do
    local names = unequal(one)
    if #names > 0 then differing[#differing + 1] = { one = one, names = names } end
    for _, name in ipairs(names) do of_figure[name] = (of_figure[name] or 0) + 1 end
  end
  local function part(count) return 100 * (#runs - count) / #runs end
  lab.row {
    quantity = "all-figures", unit = "%", published = 100, obtained = part(#differing), seeds = 1, at_least = 94,
    note = ("%d of %d runs in every printed digit of eight figures"):format(#runs - #differing, #runs),
  }
  for _, figure in ipairs(figures.all) do
    local count = of_figure[figure.name] or 0
    lab.row {
      quantity = figure.name, unit = "%", published = 100, obtained = part(count), seeds = 1, at_least = 94,
      note = ("%d of %d runs"):format(#runs - count, #runs),
    }
  end
  for _, d in ipairs(differing) do
    local one = d.one
    lab.row {
      quantity = ("%s.%d.%s"):format(one.set, one.share, one.strategy), unit = "s",
      published = one.told.average_wait_time.value, obtained = figures_of(one.run).average_wait_time.value, seeds = 1,
      indicative = "one set of jobs", note = "mean wait; not equal: " .. table.concat(d.names, ", "),
    }
  end
end

-- A figure of each share and strategy, in the mean over the sets.

local within = 0.005

local function mean_rows(figure)
  return function(lab)
    local runs, largest = all_runs(lab), 0
    if not runs then return end
    for _, share in ipairs(shares(lab)) do
      for _, strategy in ipairs(strategies) do
        local own, theirs, count = means(runs, share, strategy, figure.name)
        if count > 0 then
          if own ~= theirs then largest = math.max(largest, math.abs(own - theirs) / math.max(theirs, own)) end
          lab.row {
            quantity = ("%s.%d"):format(strategy, share), unit = figure.unit, published = theirs, obtained = own,
            seeds = count, band = { theirs * (1 - within), theirs * (1 + within) },
            chart = { title = figure.title, axis = "malleable jobs, %" }, at = share, series = strategy,
          }
        end
      end
    end
    lab.row {
      quantity = "largest-error", unit = "%", published = 0, obtained = 100 * largest, seeds = 1,
      at_most = 100 * within, note = "of a mean over the sets of jobs",
    }
  end
end

local experiments = { { label = "equal", title = "Runs that are equal as printed", run = equal } }
for _, figure in ipairs(figures.all) do
  experiments[#experiments + 1] = { label = figure.name, title = figure.title, run = mean_rows(figure) }
end

return {
  api = 1,
  title = "Posner, Hupfeld & Finnerty 2023: strategies for malleable jobs",
  data = "elastic",
  seeds = 10,
  quick_seeds = 1,
  experiments = experiments,
}
