---@type coslice.Policy
return {
  api = 1,
  name = "fcfs",
  version = "1",
  description = "First come, first served: jobs start in order of submission, and none passes a job that has to wait.",
  params = {
    queues = {
      default = "one",
      choices = { "one", "partition" },
      doc = "One queue, or one for each partition of the machine.",
    },
  },
}
