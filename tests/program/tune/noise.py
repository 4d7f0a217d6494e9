"""Does `coslice tune` say "no difference" of parameters that do nothing?

usage: noise.py PROGRAM [--tries N]

Half of the tries have a parameter that the policy declares and never looks at. The others have one that chooses among
orders of the waiting jobs that are drawn: schedules differ, but none is better than others but by chance. Loads, jobs,
seeds of the search and the number of runs vary. 95 of 100 answers must be that there is no difference.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import grid
import workloads

POLICY = """---@type coslice.Policy
return {
  api = 1, name = "drawn", version = "1",
  params = {
    nothing = { default = 0.5, min = 0, max = 1, doc = "Means nothing." },
    order = { default = 1, min = 1, max = 1000, integer = true, doc = "Which order is drawn." },
  },
  key = function(job, params)
    local x = (job.id * 7919 + params.order * 104729) % 1000003
    return (x * x + 12345 * x) % 1000003
  end,
  backfill = "easy",
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--tries", type=int, default=100)
    flags = parser.parse_args()
    program = grid.Program(flags.program)
    said = {"nothing": [0, 0], "order": [0, 0]}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "drawn.lua").write_text(POLICY)
        for i in range(flags.tries):
            text = workloads.lublin((32, 64, 128)[i % 3], (80, 160)[i // 9 % 2], (0.7, 0.9, 1.1)[i // 3 % 3], "drawn.lua")
            (folder / "s.toml").write_text("seed = %d\n%s" % (1000 * i + 1, text))
            name, values = (("nothing", "0:1"), ("order", "1:1000"))[i % 2]
            answer = json.loads(program("tune", "s.toml", "--params", "%s=%s" % (name, values), "--runs",
                                        (40, 60, 100)[i // 4 % 3], "--seed", i + 1, "--jobs", 1, "--json",
                                        "--minimize", ("wait", "slowdown")[i // 2 % 2], folder=folder))
            said[name][0] += not answer["recommended"] and answer["sentence"].startswith("No difference")
            said[name][1] += 1
    for name, (none, count) in said.items():
        print("%-8s no difference in %d of %d" % (name, none, count))
    none, count = (sum(x[i] for x in said.values()) for i in (0, 1))
    print("together no difference in %d of %d" % (none, count))
    return 0 if none >= 0.95 * count else 1


if __name__ == "__main__":
    sys.exit(main())
