"""Streaming reducer whose time is a power of a group's size: power.py EXPONENT MICROSECONDS.

n records of a key take n^EXPONENT * MICROSECONDS, at their end and asleep: a long task costs no cores.
"""

import itertools
import sys
import time

exponent, unit = float(sys.argv[1]), float(sys.argv[2]) / 1e6
records = 0
# Bytes: a key may be anything.
for key, lines in itertools.groupby(sys.stdin.buffer, lambda line: line.rstrip(b"\n").split(b"\t")[0]):
    n = sum(1 for _ in lines)
    time.sleep(n**exponent * unit)
    sys.stdout.buffer.write(b"%s\t%d\n" % (key, n))
    records += n
print(f"reporter:counter:power,records,{records}", file=sys.stderr)
