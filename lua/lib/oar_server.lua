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

function Server:withdraw(job)
  self.nothing_until = nil
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
    self.nothing_until = nil
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
    self.nothing_until = nil
  end
end

--- What a plan starts. One that started nothing does not either with the same jobs at a later time, as long as all are
--- believed to end when they were: until the first of them is past its limit.
function Server:plan_starts(now, starts)
  if self.nothing_until and now <= self.nothing_until then return {} end
  local found = starts(now, self.current, self.waiting)
  self.nothing_until = nil
  if not found[1] then
    local first = math.huge
    for _, job in ipairs(self.current) do first = math.min(first, job.start + job.limit) end
    if first >= now then self.nothing_until = first end
  end
  return found
end

--- The second part: the plan, and starts. `starts(now, current, waiting)` makes the plan; `launch(job, nodes)` says
--- whether it could.
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
    for _, start in ipairs(found) do
      if launch(start.job, start.nodes) then
        self.clock = self.clock + delays.launch
        start.job.launched, start.job.start, start.job.nodes = self.clock, now, start.nodes
        take(self.waiting, start.job)
        table.insert(self.current, start.job)
      end
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
  local first = self.messages[1] and self.messages[1].at or math.huge
  return math.max(self.clock, math.min(first, self.clock + longest_read))
end

function Server:read_command()
  while self.messages[1] and self.messages[1].at <= self.clock do self:queue(table.remove(self.messages, 1).what) end
  self:queue("Time")
  return table.remove(self.commands, 1)
end

--- Lets the server do what it has begun until now, and tells when it is to be asked again; nil: not before something
--- happens.
function Server:run(now, starts, launch)
  local look = self.delays.look
  while self.clock do
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
  if self.round then return self.round end
  if not self.coming[1] and not self.waiting[1] then return nil end
  local next_pass = math.ceil(self:next_action() + look)
  if self.commands[1] or self.messages[1] then return next_pass end
  local quiet = self.last_round + longest_pause -- until then it only looks at its clocks
  if self.nothing_until == math.huge then return nil end
  return math.max(next_pass, quiet, self.nothing_until and math.floor(self.nothing_until) or quiet)
end

return Server
