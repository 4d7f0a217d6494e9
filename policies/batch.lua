-- Batch scheduling of processes: each job has its processors for itself, and a process that waits for a message polls.
return {
  api = 1,
  name = "batch",
  version = "1",
  description = "Batch scheduling of processes: a job has its processors for itself until it ends; EASY backfilling.",
  backfill = "easy",
  coscheduling = { modes = { alone = { run = "own" } } },
}
