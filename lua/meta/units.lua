---@meta
-- GPUs or nodes that jobs share: what is free, who would be how fast beside whom, the groups that waiting jobs can form, what all jobs
-- are to have anew, and GPUs that are divided. On a machine with kinds of nodes, where a place can be said for `start`.

---@class coslice.View
local View = {}

---Returns the machine's GPUs, or its nodes, as units that jobs have alone or share. Who is on them is kept from the
---first call on: a policy that needs it asks in `begin`. Only valid during the hook. Under time slices each class has
---its own, in its own time, and each call looks anew at what is left of its jobs.
---@param of "gpus"|"nodes"
---@return coslice.Units
function View:units(of) end

---Units of the machine, GPUs or nodes. How fast jobs progress, what is left of them and when they end is what a scheduler believes:
---speeds as of `view:speed`, run times as long as estimates.
---@class coslice.Units
local Units = {}

---Returns how many units no job has.
---@return integer
function Units:free() end

---Returns how many units the waiting jobs ask for.
---@return integer
function Units:wanted() end

---Returns how many jobs are running.
---@return integer
function Units:running() end

---Returns how many units a job asks for.
---@param job coslice.Job
---@return integer
function Units:asked(job) end

---Returns whether the machine has a kind of nodes with as many units as the job asks for, on which it can run.
---@param job coslice.Job
---@return boolean
function Units:fits_one(job) end

---Returns the kind on which a waiting job is fastest, of those where it could start alone now; nil if there is none, or
---if it asks for no units. Of kinds that differ by name only the first stands for all of them: `alike` of a place says
---where it is.
---@param job coslice.Job
---@return string? kind
function Units:fastest(job) end

---Returns when a waiting job would have what it asks for to itself, where it would end soonest if no other job came: on
---units of one kind, or, if none has enough, of all on which it can run. Nil if it asks for no units, or never has
---them.
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

---Returns the groups that the first waiting jobs can form, with one another and with running jobs: jobs as wide as one
---another, narrower ones beside a wider one, which waits or runs, and a waiting one over narrower ones that run. Those
---that gain most come first.
---@param rules coslice.UnitRules
---@return coslice.UnitGroup[]
function Units:groups(rules) end

---Returns the groups of a waiting job beside a running one as wide, where it is faster on its half than alone on the
---fastest kind that is free.
---@param job coslice.Job
---@param rules coslice.UnitRules
---@return coslice.UnitGroup[]
function Units:faster_beside(job, rules) end

---Returns whether, with the i-th group of the last search, no job of it, and none of the `depth` first that waits ahead
---of its last one, ends later than `slack` times what it could expect after it came, or, where that has passed, than
---without. An error if a job has started or ended since.
---@param i integer
---@return boolean
function Units:fair(i) end

---In which order jobs are planned for.
---@class coslice.UnitPlanOrder
---@field running? "ranked"|"first" Running jobs stand among those that wait, by their ranks (default), or before them, in the order in which they came.
---@field rank? fun(job: coslice.Job, served: number): number Of a running job, lowest first; `served`: seconds of units that it has had, with those of runs that the plan has ended. Default: the key by which it waited.

---Begins a new plan of what running and waiting jobs are to have: nobody has anything. Jobs are asked about in order: of running jobs
---by rank, of waiting ones as they stand in the queue, of equals those that came first. A job that a plan stops keeps its rank
---as the key by which it waits.
---@param order? coslice.UnitPlanOrder
function Units:plan(order) end

---Returns whether since the last plan jobs have come or ended, or one that was to start found no room.
---@return boolean
function Units:changed() end

---Returns the next job of the plan, in order; nil at its end. Passed over are those that ask for no units and those for
---which no kind is large enough: they are to run wherever they fit. If one of these runs on units that others are to
---have, the plan ends there.
---@return coslice.Job?
function Units:next() end

---Gives each next job of the plan units for itself, of the kind on which it is fastest of those of which enough is
---left, until a job finds none, and returns that job; nil at the plan's end.
---@return coslice.Job?
function Units:give_fastest() end

---Returns the kind on which a job is fastest, of those of which the plan has enough left; nil if there is none.
---@param job coslice.Job
---@return string? kind
function Units:fastest_left(job) end

---Plans units of that kind for the job alone. Raises an error if the plan has not enough of them left.
---@param job coslice.Job
---@param kind string
function Units:give(job, kind) end

---Returns the best host for a job: of the jobs that are to have one unit for themselves, the one with which the sum of
---the speeds that both keep is largest. All ask for at most half of one unit and say what they run (`application`); of
---those that run the same on the same kind it is the first one that no other job joins. Nil if there is none, or the
---job asks for more.
---@param job coslice.Job
---@return coslice.Job? host
---@return number? sum Of what both keep of their speeds.
---@return number? taken The sum beside a job with which it would be more, but which another one joins.
function Units:best_host(job) end

---Plans that the job shares the units of a host, which was to have them for itself.
---@param job coslice.Job
---@param host coslice.Job
---@param reason? string|fun(...): string Why, for `coslice explain`, when it starts; a function is called only if someone listens.
---@param ... any Handed to that function.
function Units:give_beside(job, host, reason, ...) end

---Stops the running jobs that are to have something else, with all that they have done; if there are none, it starts those that
---are to have something and wait, in the plan's order. Behind one that does not fit, only those start that had to stop.
---@param restart number What a job loses that is stopped, s.
---@return boolean moving Jobs were stopped: they wait in the next pass, which is to call `resume`.
function Units:carry_out(restart) end

---Starts the waiting jobs of the plan, after `carry_out` has stopped some.
function Units:resume() end

---Stops jobs of pairs of which the other one has ended since the last plan.
---@param restart number What a job loses that is stopped, s.
function Units:stop_widowed(restart) end

---Divides a GPU of a kind among jobs: `mix[i][parts]` is the speed of the i-th job on a slice of so many parts, nil
---where it cannot run. That of the slice in which a job runs is a little higher, or the only one. Returns the parts for
---each job, nil if there is no room for all. Called once for each mix.
---@alias coslice.DivideGpu fun(mix: table<integer, number>[], kind: string): integer[]?

---Plans GPUs for waiting jobs, in order of the queue: each is to have what it asks for to itself, the fastest GPUs of one kind that no
---job has or is to have; of a GPU that can be divided that is all of it. Jobs that ask for none are to run wherever they fit, and so are
---those for which no kind is large enough. Returns the first job that finds none; nil: all have some.
---@param after? coslice.Job Begin behind that one.
---@return coslice.Job?
function Units:give_free(after) end

---Returns the divided GPU on which the sum of the jobs' speeds grows most with a waiting job, of equals the one with
---the fewest jobs; nil if there is room on none. A GPU where it found no room does not count until a job ends.
---@param job coslice.Job
---@param divide coslice.DivideGpu
---@param keep? boolean Running jobs keep their slices.
---@return integer? gpu Its number, as long as a job is on it.
---@return number? gain By how much the sum grows.
function Units:best_gpu(job, divide, keep) end

---Plans for the jobs on a GPU the slices that are best for them, and for a waiting job, if one is given.
---@param gpu integer
---@param divide coslice.DivideGpu
---@param job? coslice.Job
---@param keep? boolean Running jobs keep their slices.
---@param reason? string|fun(slices: integer[], sum: number, before: number): string Why, for `coslice explain`, when the job starts; a function is called only if someone listens, with the sums of speeds with and without it.
function Units:divide(gpu, divide, job, keep, reason) end

---Returns the next GPU on which a job has ended and others go on, and which has not been decided on since; it counts as
---decided on now.
---@return integer? gpu
function Units:next_left_over() end

---Returns how many seconds earlier the jobs on a GPU would be done with the slices that are best for them, less
---`restart` for each that would have to stop for that; 0 if there is no better division.
---@param gpu integer
---@param divide coslice.DivideGpu
---@param restart number
---@return number
function Units:saved(gpu, divide, restart) end

---Stops the running jobs that are to have other slices; if there are none, it starts those that are to have GPUs and wait.
---@param restart number What a job loses that is stopped, s.
---@return boolean again Some found no room on the nodes of their GPUs: they are to be planned for anew.
function Units:carry_out_slices(restart) end

---Starts the jobs that `carry_out_slices` stopped in the last pass, and those that were to start with them.
function Units:resume_slices() end
