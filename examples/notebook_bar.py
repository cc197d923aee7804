"""A progress bar in a notebook: a cell that starts a query first says

    import notebook_bar
    notebook_bar.watch("attach", "--spark", "http://localhost:4040", "--sql", "newest")
"""
import html
import json
import subprocess
import tempfile
import threading

from IPython.display import HTML, display


def duration(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}m{seconds:02d}s" if minutes else f"{seconds}s"


def words(frame):
    headline, state = frame["headline"], frame["workflow"]["state"]
    left, low, high = (headline[k + "_seconds"] for k in ("remaining", "low", "high"))
    if state not in ("running", "submitted"):
        return state
    if left is None:
        return "too early to say" if low is None else f"at least {duration(low)} left"
    return f"~{duration(left)} left" + (f" ({duration(low)} to {duration(high)})" if high is not None else "")


def bar(frame):
    """The share of the time that has passed, and what is left in words; no bar while nobody can say."""
    elapsed, left = frame["elapsed_seconds"] or 0, frame["headline"]["remaining_seconds"]
    over = frame["workflow"]["state"] not in ("running", "submitted")
    share = 1 if over else elapsed / (elapsed + left) if left is not None and elapsed + left > 0 else None
    value = "" if share is None else f' value="{share:.3f}"'
    return f'<progress{value} style="width:24em"></progress> {html.escape(frame["workflow"]["name"])}: {words(frame)}'


def watch(*arguments, program="paratimer"):
    """Starts ParaTimer with these arguments, and shows its frames below the cell. Returns the thread: join waits."""
    shown = display(HTML("ParaTimer: too early to say"), display_id=True)

    def follow():
        command = [program, *arguments, "--output", "ndjson"]
        frame = None
        with tempfile.TemporaryFile("w+") as said, subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=said, text=True) as paratimer:
            for line in paratimer.stdout:
                frame = json.loads(line)
                shown.update(HTML(bar(frame)))
            paratimer.wait()
            said.seek(0)
            if frame is None:
                shown.update(HTML("ParaTimer: " + html.escape(said.read().strip())))

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    return thread
