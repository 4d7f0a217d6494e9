-- All jobs are of one application, and what two of them keep on a GPU depends on their users: 0.8 where one of them is
-- user 2, else 0.5.
return {
  api = 1,
  name = "by user",
  application = function() return "same" end,
  beside = function(job, other) return (job.user == 2 or other.user == 2) and 1.25 or 2 end,
}
