-- Slowdowns from what jobs take of a node's memory bandwidth: as long as all processes of a node together find enough,
-- no job is slowed down; beyond that, a process that lives from memory all the more.
local function class_of(job, params)
  local number = job.executable
  if number < 0 and params.per_user then number = job.user end
  return math.max(number, 0) % params.classes
end

-- What a process takes of the bandwidth of its processor.
local function demand(job, params)
  return params.most * class_of(job, params) / (params.classes - 1)
end

return {
  api = 1,
  name = "memory bandwidth",
  version = "1",
  description = "Demand by executable: number mod classes; class 0 computes only, the highest lives from memory.",
  params = {
    classes = { default = 4, min = 2, max = 100, integer = true, doc = "Classes of applications by their demand." },
    most = { default = 0.6, min = 0, max = 2,
      doc = "Demand of a process of the highest class: its share of the bandwidth." },
    per_user = { default = true, doc = "Jobs without an executable number are told apart by user." },
  },

  application = function(job, params)
    return "class " .. class_of(job, params)
  end,

  -- Each processor has its own way to memory, so processors of a node do not disturb each other.
  over_cores = function(job, params)
    return math.max(1, 2 * demand(job, params))
  end,

  beside = function(job, other, params)
    local mine = demand(job, params)
    return 1 + math.max(0, mine + demand(other, params) - 1) * math.min(1, 2 * mine)
  end,
}
