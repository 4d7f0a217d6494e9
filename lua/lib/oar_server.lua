-- OAR's server: one automaton that does one thing at a time. Messages that come meanwhile are noted and read when it is
-- back; most of them call for a round of the scheduler (docs/oar.md, section 2). A round decides for the whole second
-- that follows its beginning (section 3).
--
-- Passes are at whole seconds, and the server lives in between. So its clock runs behind: what begins later than the
-- pass that is under way waits for the next one. With times in whole seconds it never needs to know what has not
-- happened yet: it hears of a job that ends a second from now after now, and decides for a second when all that the
-- decision looks at is known. With fractions, an end may be heard of up to a second late.
local Server = {}
Server.__index = Server

local longest_read, longest_pause, between_checks = 10, 60, 10 -- s; the server's own constants
local quarter_of_day = 21600 -- s
local length_deviation = 0.47 -- s; standard deviation of a job's time from launch to end beside what is recorded
local calls_round = { Qsub = true, Term = true, BipBip = true, Scheduling = true }

--- With `delays` as the policy's parameters have them, and the library `random` if what is below a second is to be
--- drawn.
function Server.new(delays, draw)
  return setmetatable({
    delays = delays, draw = draw, messages = {}, ended = {}, coming = {}, waiting = {}, current = {}, commands = {},
    last_now = -math.huge,
  }, Server)
end

--- Puts an entry behind those that are not later.
local function enter(list, entry)
  local i = #list
  while i > 0 and list[i].at > entry.at do i = i - 1 end
  table.insert(list, i + 1, entry)
end

local function take(list, entry)
  for i, other in ipairs(list) do
    if other == entry then return table.remove(list, i) end
  end
end

function Server:post(at, what) enter(self.messages, { at = at, what = what }) end

function Server:queue(command)
  for _, other in ipairs(self.commands) do
    if other == command then return end -- one of a kind
  end
  table.insert(self.commands, command)
end

--- What a submission in whole seconds has lost of its second.
function Server:cut_off(at)
  if at % 1 > 0 then return 0 end
  return self.draw and self.draw.uniform() or self.delays.part_of_second
end

--- By how much the time from launch to end differs from its mean: both ends of the recorded time are cut off.
function Server:scatter()
  return self.draw and self.draw.normal(0, length_deviation) or 0
end

--- A job comes. It has `count`, `limit`; what else it gets here is the server's.
function Server:submit(job, at)
  job.at = at + self:cut_off(at) + self.delays.submission
  enter(self.coming, job)
  self:post(job.at, "Qsub")
  if not self.clock then -- the day begins a second earlier
    self.clock = job.at - 1
    self.last_round = math.floor(self.clock)
    self.last_check = self.last_round
  end
end

--- Something has come, ended or gone: plans may start other jobs than before.
function Server:look_anew() self.nothing_until, self.refused_until = nil, nil end

--- A round is to decide for that second: nodes that are closed until then are open for long enough, and may not be so
--- a little later.
function Server:round_for(second)
  local delays = self.delays
  self.round_at = second - 0.5 - delays.ended - delays.round
end

--- Whether a round has planned the job, which waits.
function Server:has_seen(job)
  for _, waiting in ipairs(self.waiting) do
    if waiting == job then return true end
  end
  return false
end

function Server:withdraw(job)
  self:look_anew()
  if not take(self.waiting, job) then take(self.coming, job) end
end

--- A job's program has ended after so long. That is dated, written down, and said.
function Server:finish(job, runtime)
  local delays = self.delays
  local dated = job.launched + runtime + delays.ending + self:scatter()
  job.at = dated + delays.written
  enter(self.ended, job)
  self:post(dated + delays.said, "ChState")
  self:post(dated + delays.said + 0.001, "Term")
  self:post(dated + delays.said + 0.002, "BipBip")
end

--- Looks for ended jobs: from here on their nodes are free (section 5).
function Server:look_at_ended()
  local delays = self.delays
  local looked, found = self.clock + delays.look, 0
  while self.ended[1] and self.ended[1].at <= looked do
    take(self.current, table.remove(self.ended, 1))
    self:look_anew()
    found = found + 1
    self:post(looked + delays.each_ended * found, "ChState")
  end
  self.clock = self.clock + delays.ended + found * delays.each_ended
end

--- The first part of a round: for which second it decides. No two decide for the same one.
function Server:begin_round()
  local delays = self.delays
  self:look_at_ended()
  self.clock = self.clock + delays.round
  local second = math.floor(self.clock)
  if second < self.last_now then
    if self.last_now - second > 1 then self.clock = self.clock + self.last_now - second end -- it sleeps
    second = self.last_now
  end
  self.last_now = second + 1
  self.round = self.last_now
end

function Server:read_waiting()
  while self.coming[1] and self.coming[1].at <= self.clock do
    table.insert(self.waiting, table.remove(self.coming, 1))
    self:look_anew()
  end
end

--- Until when plans with the same jobs start the same ones: as long as each is believed to end when it is now. Those
--- past their limits are believed to end a margin from now, at any time: no place of a job that waits is as short.
function Server:first_limit(now)
  local first = math.huge
  for _, job in ipairs(self.current) do
    local limit = job.start + job.limit
    if limit >= now then first = math.min(first, limit) end
  end
  return first
end

--- The same where the last plan has met nodes that are closed: no later than it starts the first job.
function Server:same_until(now)
  return math.min(self:first_limit(now), self.first_planned and self.first_planned - 1 or math.huge)
end

--- What a plan starts. One that started nothing does not either with the same jobs at a later time, as long as all are
--- believed to end when they were: until the first of them is past its limit.
function Server:plan_starts(now, starts)
  if self.nothing_until and now <= self.nothing_until then return {} end
  -- Of a round before this pass: what could not be launched then could not be in between, or there had been a pass.
  if self.refused_until and now < self.pass and now <= self.refused_until then return {} end
  local found
  found, self.first_planned = starts(now, self.current, self.waiting)
  local first = self.first_planned or math.huge
  if first > now and first < math.huge then self:round_for(math.ceil(first)) else self.round_at = nil end
  self.nothing_until = not found[1] and self:same_until(now) or nil
  return found
end

--- The second part: the plan, and starts. `starts(now, current, waiting)` makes the plan (Plan.starts);
--- `launch(job, nodes)` says whether it could; if not, when it could at the earliest if nothing happens before.
function Server:end_round(starts, launch)
  local delays, now = self.delays, self.round
  self.round = nil
  self.clock = self.clock + delays.current + delays.each_current * #self.current
  self:read_waiting()
  if not self.waiting[1] then
    self.clock = self.clock + delays.no_plan
  else
    self.clock = self.clock + delays.read
    self:read_waiting()
    local found = self:plan_starts(now, starts)
    self.clock = self.clock + delays.plan + delays.each_waiting * #self.waiting + delays.after_plan
    local launched, could = false, math.huge
    for _, start in ipairs(found) do
      local started, earliest = launch(start.job, start.nodes)
      if not started then
        could = math.min(could, earliest)
      else
        launched = true
        self.clock = self.clock + delays.launch
        start.job.launched, start.job.start, start.job.nodes = self.clock, now, start.nodes
        take(self.waiting, start.job)
        table.insert(self.current, start.job)
      end
    end
    if launched then self.refused_until = nil
    elseif found[1] then
      self.refused_until, self.refused_at = math.min(self:same_until(now), could), self.pass
    end
    self.clock = self.clock + delays.tail
  end
  self.last_round = math.floor(self.clock)
  self:look_at_clocks()
end

function Server:look_at_clocks()
  self.clock = self.clock + self.delays.command
  local second = math.floor(self.clock)
  if second >= self.last_round + longest_pause then
    self.last_round = second + longest_pause
    self:queue("Scheduling")
  end
  if second >= self.last_check + between_checks then
    self.last_check = second + between_checks
    self:queue("Villains")
  end
end

--- When it does something next, if nothing else comes.
function Server:next_action()
  if self.commands[1] then return self.clock end
  local first = math.min(self.messages[1] and self.messages[1].at or math.huge, self.round_at or math.huge)
  return math.max(self.clock, math.min(first, self.clock + longest_read))
end

function Server:read_command()
  while self.messages[1] and self.messages[1].at <= self.clock do self:queue(table.remove(self.messages, 1).what) end
  if self.round_at and self.round_at <= self.clock then
    self.round_at = nil
    self:queue("Scheduling")
  end
  self:queue("Time")
  return table.remove(self.commands, 1)
end

--- While nothing comes or ends, and what waits cannot start, the server only looks at its clocks. All but the last six
--- hours of such a time are passed over in whole seconds: what stands behind the point of its clock stays.
function Server:sleep(now)
  if self.round or self.commands[1] then return end
  local until_then = now
  for _, list in ipairs { self.messages, self.ended } do
    if list[1] then until_then = math.min(until_then, list[1].at) end
  end
  if self.waiting[1] then until_then = math.min(until_then, self.nothing_until or self.refused_until or -math.huge) end
  local idle = math.floor(math.max(until_then - self.clock, 0)) - quarter_of_day
  if idle <= 0 then return end
  for _, clock in ipairs { "clock", "last_round", "last_check", "last_now" } do self[clock] = self[clock] + idle end
end

--- Lets the server do what it has begun until now, and tells when it is to be asked again; nil: not before something
--- happens.
function Server:run(now, starts, launch)
  local look = self.delays.look
  self.pass = now
  while self.clock do
    if now - self.clock > quarter_of_day then self:sleep(now) end
    if self.round then
      if self.round > now then break end
      self:end_round(starts, launch)
    elseif self:next_action() + look > now then
      break
    else
      self.clock = self:next_action()
      local command = self:read_command()
      if calls_round[command] then
        self:begin_round()
      else
        if command == "ChState" then
          self:look_at_ended()
        elseif command == "Villains" then
          self.clock = self.clock + self.delays.check
          self.last_check = math.floor(self.clock)
        end
        self:look_at_clocks()
      end
    end
  end
  if self.refused_at ~= now then self.refused_until = nil end -- this pass may be for what could not be launched
  if self.round then return self.round end
  if not self.coming[1] and not self.waiting[1] then return nil end
  local next_pass = math.ceil(self:next_action() + look)
  if self.commands[1] or self.messages[1] then return next_pass end
  local quiet = self.last_round + longest_pause -- until then it only looks at its clocks
  local same_until = self.nothing_until or self.refused_until
  if same_until == math.huge then return nil end
  local looks = math.max(next_pass, quiet, same_until and math.floor(same_until) or quiet)
  return self.round_at and math.max(next_pass, math.min(looks, math.ceil(self.round_at + look))) or looks
end

return Server
