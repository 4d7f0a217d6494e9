-- Sodan & Lan 2005: what they measured and simulated. Percent by which an approach is better than space sharing (PSS),
-- under the workloads W1 to W3 and the mix M1 unless said otherwise.
return {
  response = {
    ["L-R"] = { W1 = 48, W3 = 56 },
    ["L-FM"] = { W1 = 40, W2 = 41, W3 = 48 },
    ["L-N"] = { W1 = 23, W2 = 27, W3 = 31 },
  },
  relative_response = { -- bounded at 60 s
    ["L-R"] = { W1 = 50, W3 = 66 },
    ["L-FM"] = { W1 = 47, W2 = 42, W3 = 52 },
    ["L-N"] = { W1 = 7, W2 = 17, W3 = 40 },
  },
  makespan = { W1 = 5, W2 = 20, W3 = 33 }, -- L-R
  efficiency = {
    ["L-U1"] = { W1 = 8.5, W2 = 19, W3 = 38 },
    ["L-U2"] = { W1 = 8.5, W2 = 19, W3 = 38 },
    ["L-R"] = { W1 = 8.5, W2 = 19, W3 = 38 },
    ["L-FM"] = { W1 = 6, W2 = 15, W3 = 31 },
    ["L-N"] = { W1 = 2, W2 = 9, W3 = 18 },
  },
  better_than_u1 = { W1 = 19, W2 = 16, W3 = 8 }, -- L-R than L-U1, bounded relative response times
  response_M2 = { ["L-N"] = 34 },
  relative_response_M2 = { ["L-N"] = 38 },

  -- Table 5: mean queue; candidates left by each rule; which one was chosen.
  counts = {
    ["L-U1"] = { W1 = { 36, 24, 10, 8, 6, 5, 3 }, W2 = { 81, 45, 21, 12, 10, 8, 4 },
      W3 = { 213, 86, 40, 20, 16, 14, 6 } },
    ["L-U2"] = { W1 = { 40, 25, 11, 8, 6, 5, 3 }, W2 = { 77, 49, 25, 16, 12, 11, 5 },
      W3 = { 233, 85, 39, 21, 16, 14, 7 } },
    ["L-R"] = { W1 = { 36, 24, 13, 11, 8, 7, 3 }, W2 = { 80, 51, 31, 21, 15, 14, 4 },
      W3 = { 222, 87, 48, 25, 20, 17, 4 } },
  },

  -- Table 1: slowdown of two equal applications on a hyperthreaded CPU, by type of their operations and KB in the
  -- cache; and of a floating-point one with an integer one.
  cpu = {
    { "float+ 0", 2.1 }, { "int+ 0", 1.07 }, { "float+ 40k", 1 }, { "int+ 40k", 1.3 }, { "float+ 400k", 1.5 },
    { "int+ 400k", 1.3 }, { "float* 0", 1.6 }, { "int* 0", 1.4 }, { "float* 80k", 1.1 }, { "int* 80k", 1.1 },
    { "float* 400k", 1.7 }, { "int* 400k", 1.2 },
    { "float+ 0 with int", 1.1, 1 }, { "float* 0 with int", 1.8, 1.4 }, { "float* 80k with int", 1.2, 1.1 },
    { "float* 400k with int", 1.7, 1.4 },
  },

  -- Table 2: two applications of 60 s on 4 nodes that communicate for a fraction of their time, in messages of so many
  -- bytes: run times, measured slowdowns, the authors' estimates (the second one if the CPU does not slow down).
  communication = {
    { { .4, 200 }, { .4, 200 }, { 68, 68 }, { 1.1, 1.1 }, 2, 1.4 },
    { { .4, 200 }, { .4, 18000 }, { 70.5, 62 }, { 1.2, 1 }, 2, 1.4 },
    { { .4, 200 }, { .6, 200 }, { 68, 69 }, { 1.1, 1.1 }, 1.8, 1.4 },
    { { .4, 200 }, { .6, 18000 }, { 75, 64 }, { 1.3, 1.1 }, 1.8, 1.4 },
    { { .4, 18000 }, { .4, 18000 }, { 65, 65 }, { 1.1, 1.1 }, 2, 1.4 },
    { { .4, 18000 }, { .6, 200 }, { 62, 73 }, { 1, 1.3 }, 1.8, 1.4 },
    { { .4, 18000 }, { .6, 18000 }, { 64, 64 }, { 1.1, 1.1 }, 1.8, 1.4 },
    { { .6, 200 }, { .6, 200 }, { 72, 72 }, { 1.2, 1.2 }, 2, 1.6 },
    { { .6, 200 }, { .6, 18000 }, { 79, 64 }, { 1.4, 1.1 }, 2, 1.6 },
    { { .6, 18000 }, { .6, 18000 }, { 67, 67 }, { 1.1, 1.1 }, 2, 1.6 },
  },

  -- Table 3: applications that do one thing only: fractions of CPU, network and disk, and measured slowdowns. Of two
  -- that read their disks, from 1.2 up to 2.3.
  classes = {
    { "comm 200", "comm 200", 1.4, 1.4 }, { "comm 200", "comm 18k", 1.7, 1.1 }, { "comm 200", "comp", 1, 1 },
    { "comm 200", "io", 1, 1.3 }, { "comm 18k", "comm 18k", 1.3, 1.3 }, { "comm 18k", "comp", 1, 1 },
    { "comm 18k", "io", 1.1, 1.2 }, { "comp", "comp", 1.1, 1.1 }, { "comp", "io", 1, 1.2 }, { "io", "io", 2.3, 2.3 },
  },
  fractions = { ["comm 200"] = { 0, 1, 0 }, ["comm 18k"] = { 0, 1, 0 }, comp = { 1, 0, 0 }, io = { 0, 0, 1 } },
}
