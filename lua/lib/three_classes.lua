-- Time slices for short, medium and long jobs (Scojo-PECT: Esbaugh & Sodan 2007; Esbaugh 2010, Chapter 3; Zeng 2009,
-- Section 4.8), for policies: local three_classes = require "three_classes"
local three_classes = {}

--- What a site would want to set.
three_classes.params = {
  interval = { default = 3600, min = 60, doc = "Length of an interval, s." },
  short = { default = 600, min = 0, doc = "Estimates up to this make a job short, s." },
  medium = { default = 10800, min = 1, doc = "Estimates up to this make a job medium, s." },
  medium_share = {
    default = 0.3,
    min = 0,
    max = 1,
    doc = "Part of the interval for medium jobs; the rest is for long ones.",
  },
  short_slice = { default = 600, min = 1, doc = "Productive time of a short slice at most, s." },
  overhead = { default = 60, min = 0, doc = "Time lost at each slice's end, s; not with a memory model." },
  charge_continuing = { default = true, doc = "Whether that is also lost for jobs whose class has the next slice." },
  foreign = {
    default = "safe",
    choices = { "safe", "none" },
    doc = "Whether jobs of other classes may use what a slice leaves.",
  },
}

--- Adds these parameters to a policy's own.
function three_classes.with_params(params)
  for name, param in pairs(three_classes.params) do
    params[name] = params[name] or param
  end
  return params
end

--- The field `slices` of a policy, as the parameters say.
function three_classes.slices(params)
  return {
    interval = params.interval,
    classes = {
      { name = "short", up_to = params.short, on_demand = true, longest = params.short_slice },
      { name = "medium", up_to = params.medium, share = params.medium_share },
      { name = "long", share = 1 - params.medium_share },
    },
    overhead = params.overhead,
    charge_continuing = params.charge_continuing,
    foreign = params.foreign,
  }
end

return three_classes
