---@meta
-- GPUs or nodes that jobs share: what is free, who would be how fast beside whom, and the groups that waiting jobs can form. On a
-- machine with kinds of nodes, where a place can be said for `start`.

---@class coslice.View
local View = {}

---The machine's GPUs, or its nodes, as units that jobs have alone or share. Who is on them is kept from the first call on: a
---policy that needs it asks in `begin`. Only valid during the hook. Under time slices each class has its own, in its own time, and
---each call looks anew at what is left of its jobs.
---@param of "gpus"|"nodes"
---@return coslice.Units
function View:units(of) end

---Units of the machine, GPUs or nodes. How fast jobs get on, what is left of them and when they end is what a scheduler believes:
---speeds as of `view:speed`, run times as long as estimates.
---@class coslice.Units
local Units = {}

---Units that no job has.
---@return integer
function Units:free() end

---Units that the waiting jobs ask for.
---@return integer
function Units:wanted() end

---Jobs that run.
---@return integer
function Units:running() end

---Units that a job asks for.
---@param job coslice.Job
---@return integer
function Units:asked(job) end

---Whether the machine has a kind of nodes with as many units as the job asks for, on which it can run.
---@param job coslice.Job
---@return boolean
function Units:fits_one(job) end

---The kind on which a waiting job is fastest, of those where it could start alone now; nil if there is none, or if it asks for no
---units.
---@param job coslice.Job
---@return string? kind
function Units:fastest(job) end

---When a waiting job would have what it asks for to itself, where it would end soonest if no other job came: on units of one kind,
---or, if none has enough, of all on which it can run. Nil if it asks for no units, or never has them.
---@param job coslice.Job
---@return number? start seconds
---@return integer? spare Units that are left over then.
---@return string? kind Nil: of several.
function Units:earliest(job) end

---Notes what waiting jobs can expect of which that was not noted yet: when they would end if each of the queue, in order, had what
---it asks for to itself. Groups are fair by that.
function Units:expect() end

---Which groups are looked for.
---@class coslice.UnitRules
---@field depth? integer So many waiting jobs are looked at, the first ones (default: all).
---@field max_slowdown number Slowdown by its partner that each job bears.
---@field min_gain? number A group gains more (default 0).
---@field slack? number For `fair`: response time that jobs may have, over what they could expect; 0: any (default).
---@field most? integer So many groups are returned (default: all).

---Jobs that share units: a primary one, and guests, each on units of the primary job's that no other guest has.
---@class coslice.UnitGroup
---@field primary coslice.Job
---@field guests coslice.Job[]
---@field coming coslice.Job[] Those of all that wait, the primary job first if it does.
---@field kept number[] By guest, what part of its speed it keeps beside the primary job.
---@field of_primary number[] By guest, what part of its speed the primary job keeps beside it.
---@field kind string Of the nodes.
---@field idle integer Units that no job has and that the group takes.
---@field gain number What its jobs get done, in the time that their units take alone, over the time that the primary job's are in use, less 1 (Zeng 2009, Equation 6); of a primary job that has guests already, what is added to that.

---The groups that the first waiting jobs can form, with one another and with running jobs: jobs as wide as one another, narrower
---ones beside a wider one, which waits or runs, and a waiting one over narrower ones that run. Those that gain most come first.
---@param rules coslice.UnitRules
---@return coslice.UnitGroup[]
function Units:groups(rules) end

---Of those the ones of a waiting job beside a running one as wide, where it is faster on its half than alone on the fastest kind
---that is free.
---@param job coslice.Job
---@param rules coslice.UnitRules
---@return coslice.UnitGroup[]
function Units:faster_beside(job, rules) end

---Whether, with the i-th group of the last search, no job of it, and none of the `depth` first that waits ahead of its last one,
---ends later than `slack` times what it could expect after it came, or, where that has passed, than without. An error if a job has
---started or ended since.
---@param i integer
---@return boolean
function Units:fair(i) end
