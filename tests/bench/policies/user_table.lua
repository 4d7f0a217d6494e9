-- A veto that reads a table by user: at most 1,024 nodes for a user at a time.
local held = {}
return {
  api = 1, name = "user_table", version = "1", backfill = "easy",
  started = function(_, job) held[job.user] = (held[job.user] or 0) + job.nodes end,
  ended = function(_, job) held[job.user] = held[job.user] - job.nodes end,
  may_start = function(job)
    local h = held[job.user] or 0
    return h == 0 or h + job.nodes <= 1024
  end,
}
