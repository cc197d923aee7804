"""Print a line for each frame: paratimer attach --output ndjson | python3 read_frames.py"""
import json
import sys

for line in sys.stdin:
    frame = json.loads(line)
    headline, state = frame["headline"], frame["workflow"]["state"]
    left = headline["remaining_seconds"]
    low, high = headline["low_seconds"], headline["high_seconds"]
    text = "too early to say" if left is None and low is None else f"{left or low:.0f} s left"
    if left is not None and high is not None:
        text += f" ({low:.0f} to {high:.0f} s)"
    print(frame["at"], text if state == "running" else state, flush=True)
