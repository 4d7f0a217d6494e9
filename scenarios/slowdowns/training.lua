-- Made up: jobs that train two kinds of models, which GPUs of two types suit differently, alone and beside one another.
local names = { "vision", "language" }
local old = { vision = 5, language = 1.5 } -- run time on the old GPUs, over that on new ones
local beside = { -- the part of its speed that a job keeps beside another one
  vision = { vision = 0.55, language = 0.8 },
  language = { vision = 0.9, language = 0.6 },
}

return {
  api = 1,
  name = "training",
  application = function(job) return names[job.executable] end,
  on_gpus = function(job, _, gpu) return gpu == "old" and old[names[job.executable]] or 1 end,
  beside = function(job, other) return 1 / beside[names[job.executable]][names[other.executable]] end,
}
