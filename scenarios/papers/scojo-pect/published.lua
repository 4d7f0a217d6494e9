-- Esbaugh 2010, Tables 4 to 9: percent by which the two-stage allocation (first stage / second stage) does better than
-- first-free (FF) and than intelligent node selection (AL). `rrt` is for long, medium, short and all jobs. A number
-- that was lost from the text is missing here (false); the reduction under MM5 against AL in Table 4 is the maximum
-- that the conclusion states.

local function cells(overhead_FF, rrt_FF, overhead_AL, rrt_AL)
  return { FF = { overhead = overhead_FF, rrt = rrt_FF }, AL = { overhead = overhead_AL, rrt = rrt_AL } }
end

local synthetic = {
  {
    label = "T4", first = "best", second = "worst", largest = "MM5",
    MM1 = cells(6.04, { 2.31, 0.01, 0.01, 1.01 }, 2.91, { 3.9, 0.1, 0.01, 1.42 }),
    MM2 = cells(3.95, { 2.21, 0.02, 0.04, 1.07 }, 2.62, { 1.9, 0.1, 0.3, 0.09 }),
    MM3 = cells(2.31, { 1.31, 0.01, 0.21, 1.91 }, 0.23, { 0.92, 0, 0.11, 0.72 }),
    MM4 = cells(2.75, { 2.01, 0.61, 0.01, 1.0 }, 0.81, { 0.94, 0.1, 0.01, 0.56 }),
    MM5 = cells(13.84, { 3.31, 0.01, 0.01, 1.01 }, 7.13, { 2.9, 0.01, 0.01, 0.98 }),
  },
  {
    label = "T5", first = "best", second = "best", largest = "MM5",
    MM1 = cells(6.02, { 2.37, 0.42, 0.01, 1.01 }, 2.89, { 0.54, 0.13, 0.01, 0.45 }),
    MM2 = cells(1.73, { 1.91, 0.41, 0.14, 1.01 }, 0.42, { 0.85, 0.18, 0.14, 0.45 }),
    MM3 = cells(3.74, { 1.32, 0.72, 0.41, 1.81 }, 1.41, { 3.9, 0.63, 0.435, 1.42 }),
    MM4 = cells(2.71, { 2.31, 1.51, 0.71, 1.04 }, 0.77, { 2.01, 0.31, 0.31, 0.92 }),
    MM5 = cells(8.02, { false, 2.01, 1.41, 1.71 }, 1.65, { 3.01, 1.17, 1.21, 1.42 }),
  },
  {
    label = "T6", first = "worst", second = "worst", largest = "MM4",
    MM1 = cells(2.84, { 1.41, 0.01, 0.01, 1.11 }, 0.79, { 0.09, 0.01, 0.01, 1.01 }),
    MM2 = cells(1.24, { 1.21, 0.02, 0.7, 1.17 }, 0.31, { 0.08, 0.01, 0.7, 0.64 }),
    MM3 = cells(2.22, { 1.33, 0.01, 0.23, 1.93 }, 1.18, { 0.95, 0, 0.14, 0.75 }),
    MM4 = cells(5.96, { 1.91, 0.58, 0.01, 1.01 }, 3.96, { 0.9, 0.11, 0.01, 0.54 }),
    MM5 = cells(4.82, { 1.3, 0.98, 0.01, 1.01 }, 0.11, { 0.9, 0.01, 0.01, 0.98 }),
  },
  {
    label = "T7", first = "worst", second = "best", largest = "MM5",
    MM1 = cells(2.37, { 2.12, 0.42, 1.61, 1.01 }, 0.32, { 1.54, 0.13, 0.01, 0.45 }),
    MM2 = cells(0.68, { 1.78, 0.71, 0.14, 1.02 }, 0.11, { 0.85, 0.48, 0.14, 0.46 }),
    MM3 = cells(5.45, { 2.32, 0.72, 0.41, 1.81 }, 3.08, { 1.91, 0.63, 0.29, 1.42 }),
    MM4 = cells(2.59, { 1.31, 1.51, 0.71, 1.04 }, 0.66, { 1.01, 0.31, 0.31, 0.92 }),
    MM5 = cells(8.94, { 1.31, 1.41, 1.21, 1.61 }, 2.52, { 0.81, 1.17, 1.11, 1.4 }),
  },
}

-- Overhead reduction on real logs.
local logs = {
  T8 = {
    { first = "best", second = "worst", FF = 5.50, AL = 0.25 },
    { first = "best", second = "best", FF = 4.45, AL = 0.80 },
    { first = "worst", second = "worst", FF = 7.70, AL = 2.58 },
    { first = "worst", second = "best", FF = 6.16, AL = 0.95 },
  },
  T9 = {
    { first = "best", second = "worst", FF = 5.45, AL = 1.99 },
    { first = "best", second = "best", FF = 8.62, AL = 5.27 },
    { first = "worst", second = "worst", FF = 6.59, AL = 3.17 },
    { first = "worst", second = "best", FF = 3.99, AL = 0.47 },
  },
}

-- Table 2: percent of the jobs of the synthetic workloads, and of their work.
local shares = {
  jobs = { short = 64, medium = 19.5, long = 16.5 },
  work = { short = 0.5, medium = 26.0, long = 73.5 },
}

return { synthetic = synthetic, logs = logs, shares = shares }
