-- Each job makes those beside it half as fast, or as slow as told.
return {
  api = 1,
  name = "half",
  params = { factor = { default = 2, min = 1, doc = "Slowdown beside another job." } },
  beside = function(_, _, params) return params.factor end,
}
