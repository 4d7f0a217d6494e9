# Draws run folders' job lists below one another, nodes over time: docs/schedules.svg.
# usage: awk -f docs/schedules.awk RUN/fcfs/jobs.csv RUN/easy/jobs.csv
# Jobs that passed one that was submitted before them stand out.
BEGIN {
  FS = ","
  left = 56; top = 52; row = 17; plot = 700; gap = 62
  title["fcfs"] = "fcfs: jobs start in order of submission"
  title["easy"] = "easy: jobs may pass others if they do not delay the first one that waits"
}
FNR == 1 {
  n = split(FILENAME, path, "/")
  policy[++runs] = path[n - 1]
  next
}
{
  jobs = FNR - 1
  start[runs, jobs] = $9; finish[runs, jobs] = $11; where[runs, jobs] = $15
  if ($11 > makespan[runs]) makespan[runs] = $11
  if ($11 > last) last = $11
  n = split($15, ranges, " ")
  split(ranges[n], ends, "-")
  highest = ends[2] == "" ? ends[1] : ends[2]
  if (highest + 1 > nodes) nodes = highest + 1
}
function x(t) { return left + t / last * plot }
function text(px, py, class, words) { printf "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", px, py, class, words }
function minutes(t) { return t == 0 ? "0" : t / 60 " min" }
function passed(r, j,   i) {
  for (i = 1; i < j; i++) if (start[r, i] > start[r, j]) return 1
  return 0
}
function rectangles(r, j, base,   k, count, parts, ends, from, to, tallest, middle) {
  count = split(where[r, j], parts, " ")
  for (k = 1; k <= count; k++) {
    split(parts[k], ends, "-")
    from = ends[1]; to = ends[2] == "" ? ends[1] : ends[2]
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2.5\" class=\"%s\"/>\n", x(start[r, j]) + 0.75,
      base + from * row + 0.75, x(finish[r, j]) - x(start[r, j]) - 1.5, (to - from + 1) * row - 1.5, passed(r, j) ? "passed" : "job"
    text((x(start[r, j]) + x(finish[r, j])) / 2, base + (from + to + 1) / 2 * row + 4, "number", j)
  }
}
function panel(r, base,   j, t) {
  text(left, base - 9, "title", title[policy[r]])
  printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"idle\"/>\n", left, base, plot, nodes * row
  for (j = 1; j <= jobs; j++) rectangles(r, j, base)
  text(left - 8, base + row * 0.5 + 4, "node", "node 0")
  text(left - 8, base + row * (nodes - 0.5) + 4, "node", nodes - 1)
  for (t = 0; t <= last; t += 1800) {
    printf "<path d=\"M%.1f %.1fv4\" class=\"tick\"/>\n", x(t), base + nodes * row
    text(x(t), base + nodes * row + 17, "time", minutes(t))
  }
  if (makespan[r] < last) {
    printf "<path d=\"M%.1f %.1fv%.1f\" class=\"end\"/>\n", x(makespan[r]), base, nodes * row
    text(x(makespan[r]) + 8, base + nodes * row / 2, "gain", (last - makespan[r]) / 60 " min earlier")
  }
}
END {
  width = left + plot + 24
  height = top + runs * (nodes * row + gap) - 8
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width, height, width, height
  print "<title>Twelve jobs on eight nodes: first come, first served leaves nodes idle that EASY backfilling fills.</title>"
  print "<style>"
  print "text { font: 12px system-ui, \"Segoe UI\", \"Liberation Sans\", Helvetica, Arial, sans-serif; fill: #24292f }"
  print ".title { font-weight: 600; font-size: 13px }"
  print ".number { text-anchor: middle; fill: #fff; font-weight: 600 }"
  print ".time, .node, .legend { fill: #57606a; font-size: 11px } .time { text-anchor: middle } .node { text-anchor: end }"
  print ".gain { fill: #57606a } .idle { fill: #eceff2 } .job { fill: #4c6f94 } .passed { fill: #c7642a }"
  print ".tick { stroke: #8c959f } .end { stroke: #57606a; stroke-dasharray: 3 3 }"
  print "</style>"
  printf "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#fff\"/>\n", width, height
  printf "<rect x=\"%d\" y=\"14\" width=\"11\" height=\"11\" rx=\"2\" class=\"job\"/>\n", left
  text(left + 17, 24, "legend", "a job; the numbers are the order of submission")
  printf "<rect x=\"%d\" y=\"14\" width=\"11\" height=\"11\" rx=\"2\" class=\"passed\"/>\n", left + 300
  text(left + 317, 24, "legend", "passed another job")
  printf "<rect x=\"%d\" y=\"14\" width=\"11\" height=\"11\" rx=\"2\" class=\"idle\"/>\n", left + 456
  text(left + 473, 24, "legend", "idle")
  for (r = 1; r <= runs; r++) panel(r, top + 10 + (r - 1) * (nodes * row + gap))
  print "</svg>"
}
