---@meta
-- What a policy is and what it may call. Times are seconds; instants count from the trace's second 0.

---A waiting or started job, as a policy sees it. The true run time is not in it: no scheduler knows it.
---Fields of your own may be added, and live as long as the job does. Until they are set, they are nil; reading a name that
---looks like a misspelt field of the list is an error. Those of the list cannot be set.
---@class coslice.Job: coslice.KnownAttributes
---@field submit number When it entered the queue, s.
---@field nodes integer Nodes that it needs.
---@field estimate number How long it is believed to run, s: its limit, or what the policy's `estimate` says.
---@field class string Class by limit, as the scenario's metrics name them: "short", "medium", "long".
---@field slowdown_processors number Its slowdown with a process on each processor of its nodes, instead of one process a node (SL_nos); 1 without `[slowdown]`.
---@field slowdown_cores number The further factor with a process on each core (SL_crs); 1 without `[slowdown]`.
---@field application string What it runs, as `[slowdown]` knows it or the job says; else "".
---@field interruptions integer How often a failing node or its policy has interrupted it so far.
---@field tier integer The highest tier of the partitions that it may use; 1 without partitions.
---@field gpus number GPUs that it asks for on all of its nodes; 0 where nodes are equal.
---@field gpu_type string The type of GPU that it asks for by name; "": it asks for none, or for any of several.
---@field total_memory integer Memory that it asks for on all of its nodes, MiB; 0: it says none, or nodes are equal.
---@field component_count integer Of how many requests it is, which get their nodes together (`components`); 1 for most jobs.
---@field view coslice.View The view that schedules it, as hooks get it: one for each class of jobs under time slices. Good as a key where a policy keeps something for each of them.
---@field start? number When it started, s; nil while it waits.
---@field finish? number When it ended, s; only in the `ended` hook.

---An instant at which a job can start. It is exact to the nanosecond and only good for being handed back.
---@class coslice.Slot
---@field time number The instant in seconds, for reading; math.huge if it never comes.
---@field is_now boolean The slot is this very instant.

---A parameter of a policy, settable in a scenario's `[policy.params]` or by `--set policy.params.NAME=VALUE`.
---@class coslice.Param
---@field default boolean|number|string Its type is the parameter's type.
---@field min? number Smallest value allowed.
---@field max? number Largest value allowed.
---@field integer? boolean Only whole numbers.
---@field choices? string[] The only strings allowed.
---@field check? fun(value: boolean|number|string, params: coslice.Params): string? What else a value must be, asked before the run, by `validate`, too. Nil: it is good. Else what was expected, in words: the message has them with the file and the line of the value. The values of all parameters are there, so that it may speak of several.
---@field doc string What it does, in a sentence.

---The parameters' values in this run, by name. Reading one that is not declared is an error.
---@alias coslice.Params table<string, any>

---A setting that depends on the parameters: a function that is asked once, before the run begins.
---@alias coslice.FromParams fun(params: coslice.Params): any

---Claims of a policy: a list of names, and numbers for those that have one: `{ "in-order", ["fairness-bound"] = 1.5 }`. Under
---time slices only "promises-kept" has a meaning, with coscheduling none.
---
---| claim | |
---| --- | --- |
---| never-idle | nodes are in use whenever a job waits |
---| work-conserving | no job waits for which enough nodes are idle |
---| in-order | no job starts before one that is in front of it in the queue |
---| head-never-delayed | as long as a job is the first of the queue, the earliest start that started jobs leave it never moves later |
---| promises-kept | no reservation moves later, and each is kept |
---| no-starvation | a job that found k jobs waiting starts within (k + 1) times the longest time that any job may take; with a number T, jobs that come within T s may go first: they count among the k, and the bound is twice that |
---| fairness-bound | a response time is at most this many times (default: 1) what the job could expect when it came: the queue in front of it played forward by the estimates, every job as early as possible |
---@alias coslice.Claims (string|number)[]

---A policy is a file that returns this table. All data: the ready-made scheduler with these settings. With `key`,
---`dynamic_key`, `may_start`: the same, in your order. With `schedule`: every pass is yours.
---Each run loads a policy once: under time slices its variables are the same for all classes of jobs.
---
---A parameter that is named like a setting is that setting: `order`, `descending`, `backfill`, `reservations`, `depth`,
---`queues`, `compress`, `passes`, `suspends`, `units`. It is the policy's own instead where the policy sets the setting itself, or where the setting would
---have no effect: `depth` beside `schedule`. Hooks do not see a parameter that is a setting. A setting may also be a function of the
---parameters: `slices = function(params) return { interval = params.interval, ... } end`.
---
---Without `schedule`, `may_start`, slices, shared nodes and coscheduling, the ready-made scheduler brings claims: with a `placement`
---"no-idle-gpus" (not conservative, one queue), else "never-idle" and, unless there is an `estimate`, "head-never-delayed" (EASY with
---reservations, none) or "promises-kept" (conservative); first come, first served "no-starvation", EASY "promises-kept", none "in-order".
---
---A `dynamic_key` or `may_start` that is nothing but arithmetic is computed without Lua, for all waiting jobs at once and
---with the same bits: operators and comparisons, `and`, `or`, `not`, conditions, `max`, `min`, `abs`, `floor`, `ceil`,
---`sqrt`, `exp`, `log` (of one number), `pow` of `math`, the job's numbers, `now`, parameters, variables and such functions of
---the file. Loops, lists, strings and fields of your own make it a call for each job in each pass, some fifty times as slow where
---queues are long; what depends on a job's owner alone is for `share`. Passes in which no job fits do not ask `may_start`.
---@class coslice.Policy
---@field api integer Version of this interface: 1.
---@field name string Its name in tables and files.
---@field version string Changes whenever the policy decides differently.
---@field description? string What it does and where it comes from, in a few sentences.
---@field params? table<string, coslice.Param>
---@field order? "submit"|"duration"|"nodes"|"area"|coslice.FromParams Order of the queue, lowest first (default "submit").
---@field descending? boolean|coslice.FromParams Highest first instead, of `order` or of the keys.
---@field backfill? "none"|"easy"|"conservative"|coslice.FromParams How jobs pass those that must wait (default "none").
---@field reservations? integer|coslice.FromParams EASY: how many blocked jobs hold a reservation (default 1).
---@field depth? integer|coslice.FromParams EASY: how many jobs behind them are looked at in a pass (default: all).
---@field queues? "one"|"partition"|coslice.FromParams On a machine with partitions: one queue for all jobs, or one for each partition. Then a job that has to wait stops only those of its own partition, which is the first one that it may use, and `reservations` and `depth` count in each by itself (default "one"). Not with conservative backfilling, where no job stops another one.
---@field compress? "queue"|"start"|coslice.FromParams Conservative: the order in which jobs move up when nodes become free early (default "queue").
---@field passes? "all"|"room"|coslice.FromParams Which passes `schedule` is asked for: all, or those in which `view.room` holds or some job is reserved; what happened in the others is told in the next one (default "all"). For policies that do nothing but start jobs that fit; runs that explain their decisions ask in all, and passes that `view:wake` asked for are left out, too. Not with slices and shared nodes.
---@field suspends? boolean|coslice.FromParams It may suspend jobs in place, by `view:preempt` with `how = "suspend"`: what that cannot be combined with is refused before the run. Without it, when a job is first suspended (default false).
---@field units? "gpus"|"nodes"|coslice.FromParams It counts GPUs, or nodes, by kind, by `view:units`: what that cannot be combined with is refused before the run. Without it, when it first does.
---@field placement? coslice.Placement Which nodes a job gets, of those on which it fits (default: those of the lowest numbers). Not with shared nodes and coscheduling; with slices instead of their `nodes`.
---@field slices? coslice.Slices|coslice.FromParams Time slices for classes of jobs; the other fields then say how each slice is scheduled.
---@field sharing? coslice.Sharing|coslice.FromParams Lets jobs share nodes.
---@field coscheduling? coslice.Coscheduling|coslice.FromParams Time sharing of processors by processes: gang scheduling and its kin. Of the other fields, `backfill`, `estimate` and `checkpoint` go with it, and hooks that are told of jobs (`submitted`, `started`, `ended`, `withdrawn`); what their view says of free nodes is not that of the matrix, and `view:wake` does nothing there, where there are no passes.
---@field claims? coslice.Claims|coslice.FromParams What holds in all its runs, beside what the ready-made scheduler brings; `coslice check` looks for a workload where it does not.
---@field checkpoint? fun(job: coslice.Job, params: coslice.Params): number?, number? How the job writes checkpoints, instead of as the scenario says: the work between two of them, s, 0 for none; and what one costs, s (default: the scenario's `outages.checkpoint_cost`). Nil: as the scenario says. Asked once, when the job first enters the queue, before everything else. `require "checkpoints".daly` computes an interval.
---@field estimate? fun(job: coslice.Job, params: coslice.Params): number? How long the job is believed to run, s; nil: as long as its limit allows. Asked once, at submission, before everything else; `job.estimate` is the limit then. Answers above the limit count as the limit. See below.
---@field key? fun(job: coslice.Job, params: coslice.Params): number Place in the queue, asked once at submission; lowest first.
---@field dynamic_key? fun(job: coslice.Job, now: number, params: coslice.Params, share: number): number Place in the queue at each pass in which it can matter. Arithmetic alone is computed without Lua.
---@field share? coslice.Share A number for each owner of jobs, handed to `dynamic_key`.
---@field may_start? fun(job: coslice.Job, now: number, params: coslice.Params): boolean False passes the job over for now. Not with conservative backfilling.
---@field begin? fun(view: coslice.View, params: coslice.Params) The run begins.
---@field submitted? fun(view: coslice.View, job: coslice.Job, params: coslice.Params) A job entered the queue.
---@field started? fun(view: coslice.View, job: coslice.Job, params: coslice.Params) A job's start was decided, just now: later questions of the same pass see it.
---@field resized? fun(view: coslice.View, job: coslice.Job, before: integer, params: coslice.Params) A change of a running job's nodes came into force: `job.nodes` are those that it has now, `before` how many it had.
---@field asks? fun(view: coslice.View, job: coslice.Job, nodes: integer, params: coslice.Params) A running job asks for that number of nodes (`elastic`); the pass that follows may grant them.
---@field ended? fun(view: coslice.View, job: coslice.Job, params: coslice.Params) A job ended.
---@field withdrawn? fun(view: coslice.View, job: coslice.Job, params: coslice.Params) A waiting job is no longer in the queue, and not by the policy's decision: its user cancelled it (`withdrawn_at`), the reservation of nodes in which it was to run is over, or it did not start at once (`engine.unstarted = "drop"`).
---@field schedule? fun(view: coslice.View, params: coslice.Params) A scheduling pass, instead of the ready-made one.
---@field factors? fun(view: coslice.View, job: coslice.Job, params: coslice.Params, share: number): { [1]: string, [2]: number }[] What a waiting job's place in the queue is made of, for `coslice explain --priorities`: names and numbers that add up, `{ { "age", 120 }, { "size", 4.5 } }`. Asked only then; `share` as for `dynamic_key`. Not with coscheduling.
---@field reason? fun(view: coslice.View, job: coslice.Job, params: coslice.Params): string?, string? Why a job that waits did not start in the pass that is just over, for `coslice explain`, which shows the words. The first result is a reason that holds whatever is free: a limit, a rule of `may_start`. The second one is said only where enough is free and no start that is kept free would be delayed. Nil: what `explain` finds by itself. Asked only for jobs that are explained; it changes nothing, not even variables that decisions depend on. Not with coscheduling.

---Estimates by the policy (system-generated predictions; Tsafrir, Etsion & Feitelson 2007). With the hook `estimate`, all
---decisions, reservations and forecasts use what it says instead of the limit; a job is killed at its limit only, and
---results keep the limit as the requested time. A job that outruns its estimate is believed to need a minute more, the next
---times 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50, 100 hours more, until its limit; `job.estimate` grows with that, and
---`view.corrected` is true in the pass that follows. Reservations for which a longer estimate leaves no room move later, to
---their earliest in order of (reserved start, queue); the others stay. Under time slices, in groups, and where jobs slow one
---another down and none is killed at its limit, an estimate is one of work, as limits are there: of the time that the job
---would take by itself; it is reached when that much is done. The hook `ended` sees the run times to learn from:
---`job.finish - job.start`. `policies/predicted.lua` is an example.
---@alias coslice.Estimates fun(job: coslice.Job, params: coslice.Params): number?

---What `dynamic_key` gets as its fourth argument, computed once for each owner of waiting jobs in place of once a job.
---@class coslice.Share
---@field by? "user"|"group"|"queue"|"partition"|"executable" Whose jobs have the same share (default "user").
---@field half_life? number Decayed usage is kept for each owner, without Lua: node-seconds whose weight halves every this many seconds (0: nothing is forgotten). Running jobs count from their start on.
---@field of? fun(owner: integer, now: number, params: coslice.Params, view: coslice.View): number Asked before the keys of a pass, for owners of jobs that wait. With `half_life` it is `fun(used: number, total: number, owners: integer, params: coslice.Params): number`, of what the owner has used and what all have, and of the number of owners who have submitted jobs; asked once an instant, and computed without Lua if it is arithmetic. Without it the share is what the owner has used.

---The part of the machine and of the jobs that the policy schedules. Only valid during the hook that it is handed to.
---Decisions (`start`, `reserve`, ... ) are for `schedule`; the other hooks may ask and `wake`.
---@class coslice.View
---@field now number The present instant, s.
---@field machine_now number The present instant on the machine's clock, s. Under time slices `now` is the class's own time, which stands still outside of its slices; without them both are the same.
---@field capacity integer Nodes in all.
---@field free integer Nodes that are free now, by the availability profile.
---@field nodes_off integer Nodes that are powered down. Jobs can have them all the same, and wait until they are up.
---@field waiting_count integer Jobs in the queue.
---@field room boolean Whether some waiting job needs no more nodes than are free. Where it does not hold, no job can start.
---@field submitted boolean Jobs entered the queue since the last pass.
---@field ended boolean Jobs ended since the last pass.
---@field corrected boolean Jobs outran their estimates just now.
---@field due boolean Reservations for now must be started in this pass (`start_due`).
local View = {}

---Iterates over the waiting jobs in order of the queue; with `after`, those behind that job. Jobs that the loop starts
---are skipped.
---@param after? coslice.Job
---@return fun(): coslice.Job?
function View:waiting(after) end

---Iterates over the waiting jobs, or those behind `after`, that fit now (`fits`, asked anew at each step), in order of
---the queue. It costs what it finds: a loop over `waiting` that asks each job costs many times as much.
---@param after? coslice.Job
---@return fun(): coslice.Job?
function View:fitting(after) end

---Iterates over the waiting jobs without a reservation, in order of the queue.
---@return fun(): coslice.Job?
function View:unreserved() end

---Iterates over the waiting jobs that could move before their own reservations, each with the first slot for it
---(`earlier`), in order of the queue; none while that cannot be, because nothing has become free before it was expected
---to since the last such loop, and no job moved in it.
---@return fun(): coslice.Job?, coslice.Slot?
function View:moving_up() end

---Iterates over the started jobs in order of their starts. `job.start` is set.
---@return fun(): coslice.Job?
function View:running() end

---Returns the first waiting job, or nil.
---@return coslice.Job?
function View:head() end

---Where a job is to start, instead of where the placement would put it. What is not said does not matter; of several such
---nodes it gets the first.
---@class coslice.StartPlace
---@field kind? string On nodes of that kind.
---@field alike? boolean With `kind`: also on nodes of kinds that differ from it by name only.
---@field alone? boolean On GPUs of which no job has a share; a job that asks for none, on nodes without jobs. With `beside`: on GPUs, or nodes, that one of those has for itself.
---@field beside? coslice.Job|coslice.Job[] On the nodes of that running job, or of these, and on GPUs of theirs.
---@field idle? boolean With `beside`: where those have too few, also on GPUs, or nodes, that no job has.
---@field partition? string In that one of the partitions that it may use.
---@field outside? coslice.Job|string|(coslice.Job|string)[] On no node of the partitions of these waiting jobs (of each the first one that it may use), or of the partitions of these names. Where nothing else is said, the placement chooses among the others.
---@field nodes? integer[] On these nodes only, by their numbers from 0.
---@field with? coslice.Job|coslice.Job[] There must be room for these waiting jobs, too, one after the other: each with GPUs, or nodes, of the job that starts, as by `{ beside = job, alone = true }`; or with `beside` and without `idle`, of the same jobs.

---Whether enough nodes are free now, and for as long as the job is believed to run.
---@param job coslice.Job
---@param place? coslice.StartPlace Asks about such nodes only. On machines with kinds of nodes; where jobs have whole nodes, for policies with a field `placement`. Under time slices jobs of other classes make way.
---@return boolean
function View:fits(job, place) end

---How many nodes of the job's partition (the first one that it may use, or the one that is named) are not `outside`, and `nodes` if these are said, and how many of these could serve
---it if no other job was there.
---@param job coslice.Job
---@param place? coslice.StartPlace As for `fits`; only `outside`, `partition` and `nodes` count.
---@return integer open
---@return integer able
function View:eligible(job, place) end

---Which of the nodes that could serve the waiting job are closed to it before it would end if it started at `from`, whatever
---runs there: by reservations of nodes or planned maintenance, or because they are down and not believed to be back by then.
---Nothing where none is. Where `fits` takes a place.
---@param job coslice.Job
---@param from number s; now where that is later.
---@param seconds? number How long it is believed to run (default: as it is now).
---@return integer[]? nodes Their numbers, from 0.
---@return number? opens When the first of them is open again, s.
function View:closed(job, from, seconds) end

---Which nodes are not free, because jobs have them or a part of them, or because they are down: by their numbers, from 0, until
---when that is believed to be so, s. Where `fits` takes a place.
---@return table<integer, number>
function View:taken() end

---Whether the licences that the job asks for are left by those that run now.
---@param job coslice.Job
---@return boolean
function View:licensed(job) end

---Starts a waiting job now. Raises an error if it does not fit, or is reserved for later.
---@param job coslice.Job
---@param place? coslice.StartPlace As for `fits`; the job has no reservation.
function View:start(job, place) end

---Returns the kinds of nodes of the machine, in its order: their names, how many nodes there are, and what each has. An
---error on a machine of equal nodes, unless the policy has a field `placement`.
---@return { name: string, nodes: integer, cores: number, gpus: integer, gpu_type: string?, slices: integer, speed: number }[]
function View:kinds() end

---Returns how fast a job runs on nodes of that kind alone, or beside one other job there, as far as a scheduler can
---know: seconds of its run time per second; 0 where it cannot run.
---@param job coslice.Job
---@param kind string
---@param beside? coslice.Job A waiting or a started one.
---@return number
function View:speed(job, kind, beside) end

---Returns how fast a job runs on a slice of so many parts of a GPU of that kind (`machine.nodes.slices`), as `speed`; 0
---where it cannot have one: it runs on one GPU, and a slice is no smaller than the share that it asks for.
---@param job coslice.Job A waiting or a started one.
---@param kind string
---@param parts integer
---@return number
function View:slice_speed(job, kind, parts) end

---Returns `slice_speed` for each slice of a GPU of that kind, by its parts; empty where GPUs cannot be divided.
---@param job coslice.Job
---@param kind string
---@return number[]
function View:slice_speeds(job, kind) end

---Lets a waiting job ask for a slice of so many parts of a GPU of that kind, instead of what it asked for, from now on: also when
---it is stopped and waits again. `fits`, `start` and `request` are of the slice then, `speed` of the job there. Without `kind` and
---`parts` it asks for what it asked for at first. Which slices go beside one another on a GPU the policy has to know. An error
---where `slice_speed` is 0. Not under time slices, with shared nodes and coscheduling.
---@param job coslice.Job
---@param kind? string
---@param parts? integer
function View:set_slice(job, kind, parts) end

---Returns what a started job has of its nodes: the number of each, its kind, and which GPUs (from 1). A machine of
---equal nodes as for `kinds`.
---@param job coslice.Job
---@return { node: integer, kind: string, gpus: integer[] }[]
function View:parts(job) end

---Returns the partition in which a started job runs: its name and its tier; nothing on a machine without partitions.
---@param job coslice.Job
---@return string? name
---@return integer? tier
function View:partition(job) end

---The partitions in which a waiting job may start, the preferred one first. A machine of equal nodes as for `kinds`.
---@param job coslice.Job
---@return string[]
function View:partitions(job) end

---Returns what is left to do of a started job, as far as it is believed to take: seconds at a speed of 1.
---@param job coslice.Job
---@return number
function View:left(job) end

---Returns what a job asks for on each of its nodes. A machine of equal nodes as for `kinds`.
---@param job coslice.Job
---@return coslice.PlacedRequest
function View:request(job) end

---Returns what a started job has: for each kind of node, in the machine's order, how many nodes, and how many GPUs on
---them all. A machine of equal nodes as for `kinds`.
---@param job coslice.Job
---@return { nodes: integer, gpus: integer }[]
function View:placed(job) end

---Starts jobs from the head of the queue while they fit. A job that holds a reservation for later stops it, too: no job
---starts before one that is in front of it.
---@return coslice.Job? blocked The head of the queue now, which did not start; nil if the queue is empty.
function View:start_in_order() end

---Returns the first slot with enough nodes for as long as the job is believed to run. What is reserved counts as taken.
---@param job coslice.Job
---@param after? coslice.Slot Not before this one (default: now).
---@return coslice.Slot
function View:earliest(job, after) end

---Returns how long from now until a waiting job ends, if all waiting jobs are placed in order of the queue, each as
---early as possible, and no job comes: the queue ahead played forward, started jobs ending as they are believed to.
---Under time slices this is on the wall clock: slices to come are taken to be as long as their shares make them,
---on-demand ones as long as they were in the mean.
---@param job coslice.Job
---@return number seconds
function View:forecast(job) end

---Returns the first slot before the job's own reservation into which it could move; nil if there is none.
---@param job coslice.Job
---@return coslice.Slot?
function View:earlier(job) end

---Holds nodes for a waiting job from this slot on, instead of an earlier reservation of its own. It stays until the
---job is started or `unreserve`d. Raises an error if there is no room.
---@param job coslice.Job
---@param slot coslice.Slot
---@param options? { whole_nodes?: boolean } With `whole_nodes`, no other job is to be on its nodes then, though it asks for parts of them, as Slurm's backfill scheduler plans.
function View:reserve(job, slot, options) end

---Makes a plan and starts what can start now: the waiting jobs in order of the queue, each at its earliest beside those
---before it. The plan is forgotten at once; so it costs little where nothing can start. Not with reservations. The options:
--- - `depth`: how many jobs are looked at, not counting those that `may_start` or a limit leaves out (default: all);
--- - `limits`: how many of the jobs that are alike in some fields have places, `{ { "user", most = 5 }, { "user",
---   "partition", most = 2 } }`; a job counts for them if it is within all. Fields are numbers of names;
--- - `starts`: the plan ends when this many jobs have started;
--- - `reservations`: how many of the jobs that cannot start now hold a place; those behind them start now or not at all;
--- - `instants`: it ends at the first place behind those that begin and end at this many instants;
--- - `window`: jobs that would start later than so long from now have no place (s);
--- - `whole_nodes`: no other job is on the nodes of a place; `busy_nodes`: those with jobs now come first;
--- - `tries_shared`: a job that shares no nodes is tried where one job that shares has them, and keeps those nodes from
---   the others, but does not start (Slurm's select/linear); with `whole_nodes`;
--- - `resolution`: places begin and end at the multiples of it on the clock before (s);
--- - `end_window`: places begin when all running jobs that end within so long of one another have ended (s), and each time
---   it is `end_step` longer, else twice as long; with `ends_aligned` reckoned from the next multiple of it on the clock behind
---   the first end, else from the first end of each group. With `whole_nodes`, `resolution` and `ends_aligned`, a place is
---   looked for on the nodes that no other place has from now, or from the end of one, on for as long as the job may run, as
---   Slurm 22.05 does;
--- - `may_start`: a function of a job that says whether it is looked at; others do not count for limits;
--- - `refusals_stay`: a job that `may_start` refuses is refused for all of the plan, as by a limit on what runs. Then the plan
---   ends at the last job that has room and is not refused, which may cost far less, and starts the same;
--- - `may_hold`: a function of a job that cannot start now that says whether it holds a place;
--- - `counts_as`: a function of a job that holds a place that says for how many jobs it counts, for `depth` and `limits`;
--- - `preempts`: a function of a job that cannot start now that returns how others make way for it, a list of options as those
---   of `preempt` but for `how = "suspend"`, of which the first one counts that leaves it enough nodes of no place; nil: none
---   does. They are stopped, and the job has a place there from now on: it starts in a later pass, as Slurm has to clear its
---   nodes first, but at once where others write checkpoints. Otherwise its place is one as if they were gone. With
---   `whole_nodes`, `resolution` and `ends_aligned`; where no job has parts of nodes, none makes way.
--- - `partitions`: a function of a job that returns in which partitions it has a place each, `{ { name = "a" }, { name = "b",
---   behind = 100 } }`: in the first one where it stands in the queue, in the others by their tiers and as if its key was so
---   much larger. It starts in the first in which it can, and counts for `depth` and `limits` in each. Nil: it has one place,
---   in any of its partitions. With `whole_nodes`, `resolution` and `ends_aligned`. The functions above have the name of the
---   partition as a second argument then, nil for jobs with one place;
--- - `largest_sizes`: a moldable job starts with the largest of its sizes that fits and that `may_start` lets it have, also
---   later; else it waits with the smallest one.
---The functions decide nothing themselves. Returns how many jobs were started.
---@param options? { depth?: integer, limits?: table[], starts?: integer, reservations?: integer, instants?: integer, window?: number, whole_nodes?: boolean, busy_nodes?: boolean, tries_shared?: boolean, resolution?: number, end_window?: number, end_step?: number, ends_aligned?: boolean, largest_sizes?: boolean, may_start?: (fun(job: coslice.Job, partition: string?): boolean), refusals_stay?: boolean, may_hold?: (fun(job: coslice.Job, partition: string?): boolean), counts_as?: (fun(job: coslice.Job): integer), preempts?: (fun(job: coslice.Job, partition: string?): coslice.Preemption[]?), partitions?: (fun(job: coslice.Job): { name: string, behind: number? }[]?) }
---@return integer
function View:plan(options) end

---Returns the sizes of a moldable job that waits, or of an elastic one that runs, the one that it says by its nodes first;
---nil for other jobs. `limit` is that of the job with so many nodes (s): the limits of two sizes are to one another as the
---times that its work takes with them.
---@param job coslice.Job
---@return { nodes: integer, limit: number }[]?
function View:sizes(job) end

---Returns the largest size of such a job that has at most so many nodes, and its limit with them (s); its smallest where all
---have more, its largest without `nodes`. Nil for other jobs. It makes no list.
---@param job coslice.Job
---@param nodes? integer
---@return integer? nodes, number? limit
function View:size(job, nodes) end

---Gives a moldable job that waits another of its sizes, from now on: what `fits`, `earliest`, backfilling and `start` say
---of it is of that size. A reservation of its own is made anew, at its earliest. With `engine.molding = "asked"` the choice
---stays; otherwise the engine chooses anew before the next pass. `job.nodes` stays what it was. Raises an error if the job
---has no such size.
---@param job coslice.Job
---@param nodes integer
function View:set_nodes(job, nodes) end

---Lets an elastic job that runs have another number of nodes from its next point on (`elastic`), in place of what was
---ordered before. Nodes that it gains are kept for it from now on; nodes that it gives up stay with it until then. An order
---for as many nodes as it has takes the former one back, and what is not in force when the job ends is void. Returns whether
---the job has that number now: it may change at any time, or is at a point. What it has for longer than it was believed to
---may move reservations later; `can_resize` tells. Raises an error if the job has no such size, or not so many nodes are
---free; where nodes differ, free beside all reservations. In time slices it changes in slices of its class: an order waits
---for one. Where jobs have parts of nodes it gains the same part of others, beside the jobs there. Not in groups and
---`[slowdown]`, not where jobs share cores, and not in time slices that model memory or where jobs distinguish nodes.
---@param job coslice.Job
---@param nodes integer
---@return boolean
function View:resize(job, nodes) end

---Returns whether a running elastic job could be ordered to have that number of nodes without moving a reservation: enough
---nodes are free, and stay so until its expected end.
---@param job coslice.Job
---@param nodes integer
---@return boolean
function View:can_resize(job, nodes) end

---Returns how many nodes a running elastic job has, and how many it was ordered to have: the same where no order waits for
---a point. Nil for a job that keeps those that it has: it is not elastic, is suspended or has borrowed nodes, or does not
---run. One that is preempted between the slices of its class is said to run.
---@param job coslice.Job
---@return integer? has, integer? ordered
function View:nodes(job) end

---Iterates over the running elastic jobs that `view:nodes` tells of, in the order of their starts: with the nodes that each
---was ordered to have (those that it has where no order waits), and those of its smallest and its largest size.
---@return fun(): coslice.Job?, integer, integer, integer job, nodes, least, most
function View:elastic() end

---Returns what these jobs together could give up and have: the nodes that they have, or were ordered to have, beyond the
---least of each; those that are missing there to the most of each; and the nodes that they give up at their next points. The
---engine keeps these sums.
---@return integer spare, integer more, integer leaving
function View:elastic_room() end

---Returns the first instant from now on at which a running elastic job may change its nodes (s): now where it may at any
---time. Under time slices that is in the time of its class. Without a job: the earliest instant after now at which one of
---those that run is at a point of its work. Nil: there is none. With `view:wake` a policy asks for a pass then.
---@param job? coslice.Job
---@return number?
function View:next_point(job) end

---Lets priorities grow with waiting: each waiting job's place in the queue becomes the `key` that it came with, less 1
---for each full `step` that it has waited on the machine's clock, but not less than `least`. To be called first in each
---pass. (Sodan & Lan 2005, Section 6.2.)
---@param step number seconds, above 0
---@param least? number Default: none.
function View:age(step, least) end

---Gives each waiting job a new key, lowest first (whatever `descending` says), and sorts the queue by them: for priorities
---that change now and then. A `dynamic_key` is for those that change all the time. Goes with the hook `key`, which says the
---keys of jobs that come, or `order`. Where thousands wait, a table of keys by `job.id` costs less than a function that is called for each.
---@param key (fun(job: coslice.Job): number)|table<integer, number>
function View:rekey(key) end

---Iterates over the jobs behind a waiting one that may start now without delaying it (EASY backfilling): they end
---before nodes for it come free, or leave enough of them. What the loop starts counts. Not with reservations.
--- The order is the queue's, or shortest estimate first (ties by submission, then id).
---@param head coslice.Job
---@param order? "queue"|"shortest"
---@return fun(): coslice.Job?
function View:passing(head, order) end

---Notes a number down: the run's summary tells how many there were under each name, and their mean.
---@param name string
---@param value number
function View:note(name, value) end

---Says in words why the policy does what it does next about the job: start it, or not in this pass. `coslice explain` shows them. A
---hook `reason` says it of all that wait, and costs nothing where nobody asks.
---@param job coslice.Job
---@param text string
function View:because(job, text) end

---Says of a waiting job that nothing will ever let it start: a limit of 0, an allocation that is used up. It goes on to
---wait, and the run ends with its results when nothing but such jobs is left; `coslice run` names them, and
---`coslice explain` shows the reason. For a job that Slurm or the like would take; one that it would refuse is for
---`refuse`.
---@param job coslice.Job A waiting one.
---@param reason string
function View:blocked(job, reason) end

---Gives the job's reservation back.
---@param job coslice.Job
function View:unreserve(job) end

---Returns the job's reservation, or nil.
---@param job coslice.Job
---@return coslice.Slot?
function View:reservation(job) end

---Returns when the blocked job could start at the earliest, and how many nodes would be left over then (EASY's shadow
---time and extra nodes). Where requests tell nodes apart, none are left over: no count says which longer jobs may run
---beside it.
---@param job coslice.Job
---@return coslice.Slot shadow
---@return integer extra
function View:shadow(job) end

---Returns whether the job, started now, is believed to end by that slot.
---@param job coslice.Job
---@param slot coslice.Slot
---@return boolean
function View:ends_by(job, slot) end

---Returns the slot this many seconds after another one. It says nothing about free nodes.
---@param slot coslice.Slot
---@param seconds number At least 0.
---@return coslice.Slot
function View:later(slot, seconds) end

---Starts the jobs whose reservations are for now, in the order in which they were made. Does nothing unless `due`.
function View:start_due() end

---Makes reservations for the jobs that have none, and moves others up where nodes became free early: conservative
---backfilling without starting anything.
---@param compress? "queue"|"start" In which order jobs move up (default "start").
function View:keep_reservations(compress) end

---Runs one pass of EASY backfilling: starts in order, then backfills. Jobs that hold reservations for later keep these
---and are passed.
---@param options? { reservations?: integer, depth?: integer, queues?: "one"|"partition" }
function View:easy(options) end

---Runs one pass of conservative backfilling: compresses, reserves for new jobs, starts what is due.
---@param options? { compress?: "queue"|"start" }
function View:conservative(options) end

---How jobs are stopped that make way for a waiting one.
---@class coslice.Preemption
---@field among? fun(running: coslice.Job): boolean Which running jobs may be stopped (default: all).
---@field rank? "least-lost"|"newest"|"fewest-nodes"|fun(running: coslice.Job): number Which are stopped first: lowest first, with equal ranks the one that started last. "least-lost" (default): nodes times the time that it has run, in slices what it has done.
---@field how? "requeue"|"checkpoint"|"kill"|"suspend" They wait again and have lost what they did since their last checkpoints (default); they write a checkpoint and wait again; they are over; they are suspended, keep their nodes and lend them: each goes on where it stopped when all jobs that it lent to have ended. Suspended jobs that have nodes left to lend come first, whatever their rank. Only where each job has whole nodes, without `placement`.
---@field grace? number Time for which they keep running, s (default 0). A job that ends by then has ended.
---@field cost? number With "checkpoint": the last so much of their run is spent on writing it, s; the grace is not shorter.
---@field restart? number With "checkpoint": going on from it takes so long, s.
---@field leaving? boolean Jobs that are to stop already, for whichever job, count as well: they stop when they would have (default false).

---Stops as few running jobs as it takes so that the waiting job can start on their nodes: the first ones by rank with
---which it fits, without those of them that are not needed. Reservations of waiting jobs do not count: they move later.
---Starts the job, if it can start now. Where there is a grace, it waits until that is over, and asking again stops no
---others; it should stand first in the queue by then, as another job may take its nodes. Under time slices it stops jobs of
---the view's class, in a slice of that class. Where jobs share nodes in groups the others of a job's group go on when it stops,
---and none of them is suspended. Not with coscheduling.
---@param job coslice.Job A waiting one.
---@param options? coslice.Preemption
---@return boolean started
---@return boolean coming It has not started, and jobs are stopping to make room for it. If both are false, all that may be stopped are not enough, and none is.
function View:preempt(job, options) end

---Stops a running job; it waits again, from the end of this pass on, and another pass follows. For the policy it ends and
---is submitted anew, with a new table. Under time slices it is one of the view's class; a grace passes on the machine's clock.
---@param job coslice.Job A running one.
---@param options? { grace?: number, checkpoint?: boolean, cost?: number, restart?: number } As for `preempt`.
function View:requeue(job, options) end

---Sets a waiting job aside: it is in no queue and holds no reservation until it is released.
---@param job coslice.Job A waiting one.
function View:hold(job) end

---Puts a job that was set aside back into the queue, from the end of this pass on; another pass follows. Its key is
---asked anew; the hook `submitted` is not called.
---@param job coslice.Job One that was held.
function View:release(job) end

---Stops a running job for good.
---@param job coslice.Job A running one.
---@param options? { grace?: number } So long does it run on, s.
function View:kill(job, options) end

---Suspends a started job on its nodes until `resume`: it makes no progress, and keeps its nodes, its memory and what else it
---has. That time does not count towards its limit. One that lends nodes, too (`how = "suspend"` of `preempt`), goes on when
---these are back. A job that is suspended already stays so. Not under time slices, in groups and with coscheduling.
---@param job coslice.Job A running one.
function View:suspend(job) end

---Lets a job go on that `suspend` stopped, where it stopped. Nothing happens if it was not.
---@param job coslice.Job A started one.
function View:resume(job) end

---Returns of each of these started jobs, one after the other, whether it may run beside those before it of which that is
---true, because it has none of their cores; the first `sure` of them may in any case. For jobs that take turns on cores
---(`oversubscribe` and `over` of partitions). A job with whole nodes has all of their cores.
---@param jobs coslice.Job[]
---@param sure? integer (default: 0)
---@return boolean[]
function View:side_by_side(jobs, sure) end

---Rejects a waiting job: it never runs. `coslice explain` shows the reason.
---@param job coslice.Job A waiting one.
---@param reason string
function View:refuse(job, reason) end

---A date and a time of day, in the local time of the trace's beginning.
---@class coslice.Clock
---@field year integer
---@field month integer 1 to 12.
---@field day integer 1 to 31.
---@field weekday integer 1 is Monday, 7 Sunday.
---@field hour integer
---@field minute integer
---@field second integer Whole seconds.
---@field second_of_day integer Whole seconds since midnight.

---Returns the date and the time of day now, or at another time, on the machine's clock also under time slices. Nil if
---the workload has no date: it needs UnixStartTime in its header, or `workload.date` in the scenario.
---@param time? number seconds
---@return coslice.Clock?
function View:clock(time) end

---Returns an instant of the view's time on the machine's clock. Under time slices: slices to come are taken to be as
---long as their shares make them, on-demand ones as long as they were in the mean. Without them both are the same.
---@param time number seconds
---@return number
function View:machine_time(time) end

---Asks for a pass at that time even if nothing else happens then. `coslice explain` tells what for, of jobs not started by then.
---@param when coslice.Slot|number
---@param what? string What the policy does then, as the beginning of "the backfill scheduler has its next cycle at 60 s".
function View:wake(when, what) end
