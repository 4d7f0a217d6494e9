-- Each job makes those beside it half as fast.
return {
  api = 1,
  name = "half",
  beside = function() return 2 end,
}
