-- Why limits of Slurm's associations and qualities of service keep a job waiting, under the names that squeue has for
-- it, and whose limit it is: "AssocGrpCpuLimit of account ocean: GrpTRES=cpu=4, running jobs have 4, ...".
--
--   local of = reasons.holder("Assoc", "group", "account ocean")
--   reasons.has(of, "cpu", 4, 4, 4)
local reasons = {}

--- `scope`: "Assoc" or "QOS"; `level`: whose jobs count together, "group" (all of the holder), "user", "account", or
--- "own" (those of one user's association); `words` name the holder.
function reasons.holder(scope, level, words) return { scope = scope, level = level, words = words } end

-- As they are in names of reasons; Slurm has another word for memory where qualities of service limit it, but for all
-- their jobs together.
local resources = { cpu = "Cpu", node = "Node", mem = "Mem", billing = "Billing", energy = "Energy" }
local named = { gres = "GRES", license = "License", bb = "BB" } -- as "gres/gpu"

local function resource_word(resource)
  return named[string.match(resource, "^(%a+)/") or ""] or resources[resource] or "Unknown"
end

local function word_of(of, resource)
  if resource == "mem" and of.scope == "QOS" then return "Memory" end
  return resource_word(resource)
end

-- Older resources have "Limit" at the end.
local function ending(resource) return (resource == "cpu" or resource == "node") and "Limit" or "" end

-- Names by what is limited: of the holder's level, and the resource.
local names = {
  jobs = function(of)
    local own = { group = of.scope .. "GrpJobsLimit", user = "QOSMaxJobsPerUserLimit", account = "MaxJobsPerAccount" }
    return own[of.level] or "AssocMaxJobsLimit"
  end,
  submitted = function(of)
    local own = { group = of.scope .. "GrpSubmitJobsLimit", user = "QOSMaxSubmitJobPerUserLimit",
                  account = "MaxSubmitJobsPerAccount" }
    return own[of.level] or "AssocMaxSubmitJobLimit"
  end,
  wall = function(of) return of.scope .. "GrpWallLimit" end,
  has = function(of, resource)
    if of.level == "user" then return "QOSMax" .. word_of(of, resource) .. "PerUser" .. ending(resource) end
    if of.level == "account" then return "Max" .. word_of(of, resource) .. "PerAccount" end
    local limit = resource == "mem" and "Limit" or ending(resource)
    return of.scope .. "Grp" .. resource_word(resource) .. limit
  end,
  used_minutes = function(of, resource)
    if resource == "cpu" then return of.scope .. "GrpCPUMinutesLimit" end
    return of.scope .. "Grp" .. word_of(of, resource) .. "Minutes"
  end,
  running_minutes = function(of, resource)
    local holders = { user = "User", account = "Account" }
    if holders[of.level] then return "Max" .. word_of(of, resource) .. "RunMinsPer" .. holders[of.level] end
    if resource == "cpu" then return of.scope .. "GrpCPURunMinutesLimit" end
    return of.scope .. "Grp" .. word_of(of, resource) .. "RunMinutes"
  end,
  most = function(of, resource) return of.scope .. "Max" .. word_of(of, resource) .. "PerJob" .. ending(resource) end,
  on_node = function(of, resource) return of.scope .. "Max" .. word_of(of, resource) .. "PerNode" end,
  minutes = function(of, resource)
    return of.scope .. "Max" .. word_of(of, resource) .. "MinutesPerJob" .. (resource == "cpu" and "Limit" or "")
  end,
  least = function(of, resource)
    return resource == "cpu" and "QOSMinCpuNotSatisfied" or "QOSMin" .. word_of(of, resource)
  end,
  longest = function(of) return of.scope .. "MaxWallDurationPerJobLimit" end,
}

-- What sacctmgr calls the limit.
local settings = {
  jobs = { group = "GrpJobs", user = "MaxJobsPerUser", account = "MaxJobsPerAccount", own = "MaxJobs" },
  submitted = { group = "GrpSubmitJobs", user = "MaxSubmitJobsPerUser", account = "MaxSubmitJobsPerAccount",
                own = "MaxSubmitJobs" },
  has = { group = "GrpTRES", user = "MaxTRESPerUser", account = "MaxTRESPerAccount" },
  wall = { group = "GrpWall" },
  used_minutes = { group = "GrpTRESMins" },
  running_minutes = { group = "GrpTRESRunMins", user = "MaxTRESRunMinsPerUser", account = "MaxTRESRunMinsPerAccount" },
}

local function head(of, word, resource) return names[word](of, resource) .. " of " .. of.words end

local function number(x) return ("%.0f"):format(x) end

local function limit(of, word, resource, most)
  return settings[word][of.level] .. "=" .. (resource and resource .. "=" or "") .. number(most)
end

--- Of a number of jobs that run.
function reasons.jobs(of, most, run)
  return ("%s: %s, and %s run"):format(head(of, "jobs"), limit(of, "jobs", nil, most), number(run))
end

--- Of minutes that jobs have run, `used` of `most`.
function reasons.wall(of, most, used)
  return ("%s: %s min, of which %s are used"):format(head(of, "wall"), limit(of, "wall", nil, most), number(used))
end

--- Of what running jobs have, and the job asks for; `both` of these are the same.
function reasons.has(of, resource, most, has, asks, both)
  local text = ("%s: %s, running jobs have %s, and it asks for %s"):format(
    head(of, "has", resource), limit(of, "has", resource, most), number(has), number(asks))
  return both > 0 and ("%s, of which it would share %s"):format(text, number(both)) or text
end

--- Of what running jobs may still take, and the job may, in minutes of the resource.
function reasons.running_minutes(of, resource, most, running, wants)
  return ("%s: %s, running jobs may take %s more, and it may take %s"):format(
    head(of, "running_minutes", resource), limit(of, "running_minutes", resource, most), number(running), number(wants))
end

--- Of what has been used, and with `running` what running jobs may still take.
function reasons.used_minutes(of, resource, most, used, running, wants)
  local text = ("%s: %s, of which %s are used"):format(
    head(of, "used_minutes", resource), limit(of, "used_minutes", resource, most), number(used))
  if not running then return text end
  return ("%s; running jobs may take %s more, and it may take %s"):format(text, number(running), number(wants))
end

--- Of a share that is too low.
function reasons.threshold(qos, least, factor)
  return ("QOSUsageThreshold of quality of service %s: UsageThreshold=%g, and the fair-share factor is %.3f"):format(
    qos, least, factor)
end

--- Of what a single job asks for: more, or less, than it may, or more than all jobs of the holder may have.
function reasons.asks(of, word, resource, limited, asks)
  return ("%s: it asks for %s=%s, and %s is %s"):format(
    head(of, word, resource), resource, number(asks), word == "least" and "the least" or "the most", number(limited))
end

--- Of its time limit times what it asks for, in minutes of the resource.
function reasons.minutes(of, resource, most, asks)
  return ("%s: its time limit times its %s is %s min, and the most is %s"):format(
    head(of, "minutes", resource), resource, number(asks), number(most))
end

--- Of the job's own time limit, s.
function reasons.longest(of, most, asks)
  return ("%s: its time limit is %s min, and the longest is %s"):format(
    head(of, "longest"), number(asks / 60), number(most / 60))
end

--- Of how many jobs wait and run.
function reasons.submitted(of, most)
  return ("%s: %s, and as many wait or run"):format(head(of, "submitted"), limit(of, "submitted", nil, most))
end

return reasons
