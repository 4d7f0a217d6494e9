-- GPUs of type "fast" are twice as fast as "slow" ones for jobs of application 1; for those of application 2 they are
-- alike. Two jobs on a GPU: 0.8 of their speeds where one is of application 2, else 0.5.
return {
  api = 1,
  name = "gpus",
  application = function(job) return tostring(job.executable) end,
  on_gpus = function(job, _, gpu) return gpu == "slow" and job.executable == 1 and 2 or 1 end,
  beside = function(job, other) return (job.executable == 2 or other.executable == 2) and 1.25 or 2 end,
}
