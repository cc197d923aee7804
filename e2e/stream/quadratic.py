"""Streaming reducer whose time is quadratic: n records of a key cost n * n * MICROSECONDS."""

import itertools
import sys
import time

unit = float(sys.argv[1]) / 1e6
for key, lines in itertools.groupby(sys.stdin, lambda line: line.split("\t")[0].strip()):
    n = sum(1 for _ in lines)
    time.sleep(n * n * unit)
    print(f"{key}\t{n}")
