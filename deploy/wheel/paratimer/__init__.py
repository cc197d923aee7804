"""ParaTimer in a notebook.

    %load_ext paratimer
    %paratimer                      # a bar below the cell for each query that this notebook starts
    %paratimer attach driver:4040   # or any command that shows frames

The cell magic %%paratimer shows the bar while its cell runs. Without arguments both watch the executions of SQL of this
notebook's Spark session, or of the driver on this machine.
"""
import html
import json
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
import threading

NEWEST = ["--sql", "newest", "--session"]

running = []  # the watches of %paratimer: one at most


def program():
    """Returns the path of the program that this package installs."""
    name = "paratimer.exe" if os.name == "nt" else "paratimer"
    for folder in (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError("paratimer: the program is not on the PATH: pip install --force-reinstall paratimer")
    return found


def duration(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}m{seconds:02d}s" if minutes else f"{seconds}s"


def words(frame):
    """Returns the remaining time of a frame, or the state of a query that has ended."""
    headline, state = frame["headline"], frame["workflow"]["state"]
    left, low, high = (headline[k + "_seconds"] for k in ("remaining", "low", "high"))
    if state not in ("running", "submitted"):
        return state
    if left is None:
        return "too early to say" if low is None else f"at least {duration(low)} left"
    return f"~{duration(left)} left" + (f" ({duration(low)} to {duration(high)})" if high is not None else "")


def bar(frame):
    """Returns the HTML of a frame: a bar of the elapsed share of the time, and the remaining time."""
    elapsed, left = frame["elapsed_seconds"] or 0, frame["headline"]["remaining_seconds"]
    ended = frame["workflow"]["state"] not in ("running", "submitted")
    share = 1 if ended else elapsed / (elapsed + left) if left is not None and elapsed + left > 0 else None
    value = "" if share is None else f' value="{share:.3f}"'
    name = html.escape(frame["workflow"]["name"] or "")
    return f'<progress{value} style="width:24em"></progress> {name}: {words(frame)}'


class Watch:
    """A running ParaTimer whose frames are shown below the cell. join waits for its end, stop ends it."""

    def __init__(self, arguments):
        from IPython.display import HTML, display

        self._html, self._shown = HTML, display(HTML("ParaTimer: too early to say"), display_id=True)
        self._stopped = False
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen([program(), *arguments, "--output", "ndjson"], stdout=subprocess.PIPE,
                                         stderr=self._errors, text=True)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self):
        frame = None
        for line in self._process.stdout:
            frame = json.loads(line)
            self._shown.update(self._html(bar(frame)))
        self._process.wait()
        self._errors.seek(0)
        text = self._errors.read().strip()
        self._errors.close()
        if frame is None:
            self._shown.update(self._html("ParaTimer: " + html.escape(text or "no query ran")))
        elif self._stopped:
            self._shown.update(self._html(html.escape(frame["workflow"]["name"] or "") + ": the cell has ended"))

    def join(self):
        self._thread.join()

    def stop(self):
        self._stopped = self._process.poll() is None
        self._process.terminate()
        self.join()


def watch(*arguments):
    """Starts ParaTimer with these arguments, and shows its frames below the cell."""
    return Watch(arguments)


def arguments_of(line, namespace):
    """Returns the arguments of a magic. Without any, they name this notebook's Spark session."""
    given = shlex.split(line)
    if given:
        return given
    url = getattr(getattr(namespace.get("spark"), "sparkContext", None), "uiWebUrl", None)
    return ["attach", *(["--spark", url] if url else []), *NEWEST]


def load_ipython_extension(shell):
    """Registers the magics, for %load_ext paratimer."""

    def line_magic(line):
        for earlier in running:
            earlier.stop()
        running[:] = [watch(*arguments_of(line, shell.user_ns))]

    def cell_magic(line, cell):
        bar_of_cell = watch(*arguments_of(line, shell.user_ns))
        try:
            return shell.run_cell(cell).raise_error()
        finally:
            bar_of_cell.stop()

    shell.register_magic_function(line_magic, "line", "paratimer")
    shell.register_magic_function(cell_magic, "cell", "paratimer")
