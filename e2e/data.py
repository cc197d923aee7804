"""Writes a folder of input data: data.py SPEC FOLDER.

SPEC is FILESxRECORDSxKEYS, for example 20x600x300; zS after it draws the keys by
Zipf's law with exponent S instead of evenly. A record is a user, a tab and an action.
wN at the end makes records of N bytes, and names that say nothing of how frequent they are.
The spec is also the seed: the same spec always gives the same bytes.
"""

import bisect
import itertools
import os
import random
import re
import sys

ACTIONS = ("view", "buy", "click")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: data.py SPEC FOLDER")
    spec, folder = sys.argv[1:]
    match = re.fullmatch(r"(\d+)x(\d+)x(\d+)(?:z([0-9.]+))?(?:w(\d+))?", spec)
    if not match:
        sys.exit(f"data.py: {spec!r} is no FILESxRECORDSxKEYS[zEXPONENT][wBYTES]")
    files, records, keys = (int(n) for n in match.group(1, 2, 3))
    exponent = float(match.group(4) or 0)
    bounds = list(itertools.accumulate((k + 1) ** -exponent for k in range(keys)))
    # Only random() is promised to stay the same between versions of Python.
    draw = random.Random(spec).random
    width = int(match.group(5) or 0)
    names = list(range(keys))
    if width:
        for i in range(keys - 1, 0, -1):
            j = int(draw() * (i + 1))
            names[i], names[j] = names[j], names[i]
    os.makedirs(folder)
    for f in range(files):
        with open(os.path.join(folder, f"part-{f:05d}"), "w", encoding="ascii") as out:
            for _ in range(records):
                key = min(bisect.bisect(bounds, draw() * bounds[-1]), keys - 1)
                record = f"user{names[key]:05d}\t{ACTIONS[int(draw() * 3)]}"
                out.write(f"{record:.<{max(width - 1, 0)}}\n")


main()
