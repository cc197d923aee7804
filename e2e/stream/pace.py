"""Streaming mapper or reducer: copies its input and sleeps MILLISECONDS for each line.

A short task's whole split is in the pipe at once: Hadoop's counters say that all input
has been read while this has hardly begun. That is how Streaming jobs look.
"""

import sys
import time

pause = float(sys.argv[1]) / 1000
for line in sys.stdin:
    time.sleep(pause)
    sys.stdout.write(line)
