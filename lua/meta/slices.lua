---@meta
-- Time slices: the field `slices` of a policy. Times are seconds.

---Each interval is divided into one slice per class of jobs, in the order of the classes. In a slice the jobs of its
---class run; at its end every job is preempted and later resumes on its own nodes. Each class has a queue and a view of
---its own, whose clock runs only while its slices are productive; the policy's hooks serve all of them and need to know
---nothing of slices. Its variables are the same for all classes: what belongs to one of them is kept by its view.
---@class coslice.Slices
---@field interval? number Length of an interval, s, at least 1 (default 3600). Intervals begin at its multiples.
---@field classes coslice.SliceClass[] From short jobs to long ones; the last one has no bound.
---@field shares? table<string, table<string, number>>|fun(now: number, params: coslice.Params, classes: table<string, coslice.ClassDemand>): table<string, number> Shares by class name instead of those of the classes, 0 for classes that are not named: a function that is asked at the beginning of each interval, or a table by time of day, `{ ["08:00"] = { medium = 0.7, long = 0.3 }, ["20:00"] = ... }`: an interval gets what holds when it begins. The clock is that of the trace's header (StartTime, or UnixStartTime and TimeZone); without them second 0 is midnight.
---@field overhead? number At the end of each slice nothing makes progress for this time, s (default 60).
---@field charge_continuing? boolean Also for jobs whose class has the next slice (default true).
---@field foreign? "safe"|"none" Whether jobs of other classes may run in a slice: preempted ones, then waiting ones, shortest class first, if they delay no reservation of the slice's class nor, unless they finish in the slice, of their own (default "safe").
---@field evict? boolean Whether a job of the slice's class may stop such jobs, except those that finish in the slice (default true).
---@field nodes? "first-free"|"fewest-foreign"|"memory-fit" Which nodes a job gets: the lowest numbers, those with the fewest jobs of other classes, or by memory (default "fewest-foreign").
---@field fit? coslice.MemoryFit For nodes = "memory-fit".
---@field node_rank? fun(job: coslice.Job, node: coslice.SliceNode, params: coslice.Params): number Rank of a node for a job, lowest first, ties by number; instead of `nodes`.
---@field memory? coslice.MemoryModel Loading and swapping; absent: not modelled.
---@field scheduler? string The policy that schedules inside each slice, by name or path (default: this one, by its other fields).

---What the jobs of a class want when shares are asked for.
---@class coslice.ClassDemand
---@field waiting integer Jobs that wait.
---@field started integer Jobs that run or are preempted.
---@field waiting_nodes integer Nodes of all that wait.
---@field started_nodes integer Nodes of all that have started.
---@field waiting_work number Nodes times estimates of those that wait, node-seconds.
---@field started_work number What the others are believed to need still, node-seconds.

---Jobs belong to the first class whose bound their estimate does not exceed.
---@class coslice.SliceClass
---@field name string
---@field up_to? number Longest estimate, s.
---@field share? number Part of the interval, relative to the others' shares (default 1); 0: no slice of its own.
---@field on_demand? boolean Instead of a share: a slice only when jobs of the class wait or are preempted; it ends as soon as none of them runs.
---@field longest? number Productive time of an on-demand slice at most, s (default 600).

---Two stages: nodes that hold the job beside all allocated jobs, if there are enough; else nodes that do not, those
---first where a job is expected to end soonest, and then what is still missing from the former.
---@class coslice.MemoryFit
---@field enough? "best"|"worst"|"first" Order in the first case (default "best").
---@field rest? "best"|"worst"|"first" Order of what is still missing (default "worst").

---A job runs only when its memory is loaded on all its nodes. What is in the way is written out, oldest load first, and
---that time is added to the work of the job that was displaced.
---@class coslice.MemoryModel
---@field capacity number Memory of a node, in units of your own.
---@field rate number Units that a node transfers per second.
---@field swapping? "parts"|"whole-jobs" A displaced job keeps what others leave it, or jobs leave whole, oldest first, as in the program of Esbaugh 2010, Appendix A, where only the last is charged and what has left is remembered as what is still there (default "parts").
---@field swap_charge? "longest"|"each-load" What a displaced job is charged: the longest of what its nodes write out while it is away, for they write at the same time; or the same for each job that displaces it, added up (default "longest").
---@field of fun(job: coslice.Job, params: coslice.Params): number Units that a job needs on each of its nodes: above 0, at most `capacity`. Asked once, at submission.

---A node, when it is ranked.
---@class coslice.SliceNode
---@field number integer
---@field foreign integer Jobs of other classes that are allocated to it, running or preempted.
---@field allocated number Memory that all jobs allocated to it need together, units.
---@field capacity number Memory of the node, units; 0 where it is not modelled.
