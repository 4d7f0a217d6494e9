-- Decayed usage per user, group or whatever else jobs are counted under: node-seconds that lose half their weight in
-- every half-life. Running jobs count from their start on, second by second.
--
--   local usage = require("usage").new(7 * 86400)
--   usage:start(job.user, job.nodes, view.now)     -- in the hook `started`
--   usage:stop(job.user, job.nodes, view.now)      -- in the hook `ended`
--   usage:of(job.user, now)                        -- decayed node-seconds
local Usage = {}
Usage.__index = Usage

--- Empty accounts. With a half-life of 0 nothing is forgotten.
---@param half_life number s
function Usage.new(half_life)
  local usage = { accounts = {}, all = { used = 0, nodes = 0, at = 0 } }
  usage.rate = half_life > 0 and math.log(2) / half_life or 0
  return setmetatable(usage, Usage)
end

-- What is used fades, what runs adds to it: used' = nodes - rate * used, solved for the time since the last look.
local function settle(account, rate, now)
  local passed = now - account.at
  if passed > 0 then
    if rate > 0 then
      local kept = math.exp(-rate * passed)
      account.used = account.used * kept + account.nodes * (1 - kept) / rate
    else
      account.used = account.used + account.nodes * passed
    end
    account.at = now
  end
  return account
end

local function account_of(self, owner, now)
  local account = self.accounts[owner]
  if not account then
    account = { used = 0, nodes = 0, at = now }
    self.accounts[owner] = account
  end
  return settle(account, self.rate, now)
end

local function add_nodes(self, owner, nodes, now)
  for _, account in ipairs { account_of(self, owner, now), settle(self.all, self.rate, now) } do
    account.nodes = account.nodes + nodes
  end
end

--- From now on the owner holds this many more nodes.
function Usage:start(owner, nodes, now) add_nodes(self, owner, nodes, now) end

--- From now on the owner holds this many fewer nodes.
function Usage:stop(owner, nodes, now) add_nodes(self, owner, -nodes, now) end

--- Decayed usage of an owner, node-seconds.
function Usage:of(owner, now) return account_of(self, owner, now).used end

--- Decayed usage of all owners together, node-seconds.
function Usage:total(now) return settle(self.all, self.rate, now).used end

return Usage
