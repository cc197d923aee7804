package screen

import (
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// page is how many lines PageDown and PageUp move.
const page = 10

// Press returns the choice after an action. Other actions leave it as it is.
func Press(c Choice, a Action, f *frame.Frame) Choice {
	if c.Help {
		return c.help(a)
	}
	switch a {
	case Help:
		c.Help, c.HelpScroll = true, 0
	case Pause:
		c.Paused = !c.Paused
	case Down:
		c = c.move(f, 1)
	case Up:
		c = c.move(f, -1)
	case PageDown:
		c = c.move(f, page)
	case PageUp:
		c = c.move(f, -page)
	case Next:
		c = c.next(f)
	case Tasks:
		if f != nil && len(f.Jobs) > 0 {
			if selected(c, f) < 0 {
				c = c.next(f)
			}
			c.Tasks, c.Scroll = !c.Tasks, 0
		}
	case Close:
		if c.Tasks {
			c.Tasks, c.Scroll = false, 0
		} else {
			c.Selected = ""
		}
	}
	return c
}

// help scrolls the help, or closes it.
func (c Choice) help(a Action) Choice {
	by := map[Action]int{Down: 1, Up: -1, PageDown: page, PageUp: -page}[a]
	c.HelpScroll = min(max(0, c.HelpScroll+by), len(Keys()))
	c.Help = a != Help && a != Close
	return c
}

// selected returns the index of the selected job, -1 for none.
func selected(c Choice, f *frame.Frame) int {
	if c.Selected == "" || f == nil {
		return -1
	}
	return slices.IndexFunc(f.Jobs, func(j frame.Job) bool { return j.Node == c.Selected })
}

func (c Choice) sel(f *frame.Frame, job int) Choice {
	if c.Selected != f.Jobs[job].Node {
		c.Selected, c.Scroll = f.Jobs[job].Node, 0
	}
	return c
}

// move moves by some lines: through the tasks if they are listed, else through the jobs.
func (c Choice) move(f *frame.Frame, by int) Choice {
	if f == nil || len(f.Jobs) == 0 {
		return c
	}
	at := selected(c, f)
	switch {
	case c.Tasks && at >= 0:
		c.Scroll = min(max(0, c.Scroll+by), max(0, tasksOf(f, at)-1))
		return c
	case at < 0 && by > 0:
		return c.next(f)
	case at < 0:
		at = len(f.Jobs)
	}
	return c.sel(f, min(max(0, at+by), len(f.Jobs)-1))
}

// tasksOf returns how many tasks of a job can be listed.
func tasksOf(f *frame.Frame, job int) int {
	if f.Tasks == nil {
		return 0
	}
	_, all := f.Tasks(job, 1)
	return min(all, mostTasks)
}

// mostTasks bounds the list.
const mostTasks = 10_000

// next selects the next job on the critical path. If there is none it selects the next job that has not ended, else
// the first one.
func (c Choice) next(f *frame.Frame) Choice {
	if f == nil || len(f.Jobs) == 0 {
		return c
	}
	at := selected(c, f)
	for _, wanted := range []func(*frame.Job) bool{
		func(j *frame.Job) bool { return j.Critical },
		func(j *frame.Job) bool { return !j.State.Ended() },
	} {
		for i := 1; i <= len(f.Jobs); i++ {
			if k := (at + i) % len(f.Jobs); wanted(&f.Jobs[k]) {
				return c.sel(f, k)
			}
		}
	}
	return c.sel(f, 0)
}
