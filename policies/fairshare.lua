---@type coslice.Policy
return {
  api = 1,
  name = "fairshare",
  version = "1",
  description = "Fair share with equal shares: jobs of the user with the lowest decayed usage go first (after Kay & "
    .. "Lauder 1988). Usage is node-seconds that lose half their weight in every half-life. Running "
    .. "jobs count from their start on.",
  params = {
    half_life = { default = 7.0, min = 0, max = 3650,
      doc = "Days in which usage loses half its weight; 0: it never does." },
    by = { default = "user", choices = { "user", "group" }, doc = "Whose usage counts." },
    backfill = { default = "easy", choices = { "none", "easy", "conservative" }, doc = "How jobs may pass others." },
  },

  share = function(params) return { by = params.by, half_life = params.half_life * 86400 } end,
  dynamic_key = function(_, _, _, share) return share end,
}
