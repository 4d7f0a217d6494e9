-- A stand-in for the papers that come with the program, whose runs take minutes.
return {
  api = 1,
  title = "A small paper",
  seeds = 2,
  quick_seeds = 1,
  experiments = {
    {
      label = "T4",
      title = "Waits of twenty jobs",
      run = function(lab)
        local runs = lab.runs("small.toml")
        lab.row { quantity = "wait", unit = "s", values = lab.each(runs, function(s) return s.all.wait.mean end) }
      end,
    },
  },
}
