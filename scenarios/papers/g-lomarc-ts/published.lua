-- Zeng 2009, Chapter 5. The bars of Figures 13 to 16 are lost; these are the numbers in the text. Improvements are
-- percent, of relative response time and of core utilization in phases of high load.
return {
  -- Table 5, percent.
  shares = {
    jobs = { short = 64, medium = 19.5, long = 16.5 },
    work = { short = 0.5, medium = 26, long = 73.5 },
    serial = 24,
    powers_of_two = 75, -- of the parallel jobs
  },

  -- Section 5.2: GLTS against each of the others, W1.
  improvement = {
    ssp = { medium = 34.9, long = 53.2, all = 35.5, cores = 26.8 },
    cst = { medium = 19.4, long = 16.1, all = 13.9, cores = 6.0 },
    cstws = { medium = 28.6, long = 31.5, all = 23.2, cores = 10.1 },
  },

  groups = { W1 = 1500, W2 = 2000 },
  jobs_per_group = { W1 = 2.5, W2 = 2.6 },
  few_candidates = 85, -- percent of the cases with fewer than four
  grouped_share = 41.7, -- of the medium and long jobs

  -- Section 5.3: relative response times of SSP under W2, which it cannot handle.
  saturated = { medium = 17.5, long = 36.74, all = 10.65 },
  best_block = 12,

  -- Section 5.4: from here on more slack gains nothing.
  enough_slack = 1.5,
}
