package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// brief returns the part of an attempt's or task's name that differs within a job: m_000017_0.
func brief(name string) string {
	for _, kind := range []string{"_m_", "_r_"} {
		if i := strings.LastIndex(name, kind); i >= 0 {
			return name[i+1:]
		}
	}
	return name
}

// failedTask names the task of a failed attempt: "map 6 of scope-30", or "task 7 of a stage". If the attempt's name
// has another form, it returns that name.
func failedTask(f *frame.Failure) string {
	parts := strings.Split(f.Attempt, "_")
	if n := len(parts); n >= 3 {
		stage := strings.Join(parts[:n-2], "_")
		if task, err := strconv.Atoi(parts[n-2]); err == nil && task >= 0 {
			switch {
			case strings.HasSuffix(stage, "_m"):
				return fmt.Sprintf("map %d of %s", task, f.Job)
			case strings.HasSuffix(stage, "_r"):
				return fmt.Sprintf("reduce %d of %s", task, f.Job)
			}
			return fmt.Sprintf("task %d of %s", task, stage)
		}
	}
	return f.Attempt + " of " + f.Job
}

// tasks lists the selected job's tasks by their expected end.
func (p *pen) tasks(rows int) []line {
	j := &p.f.Jobs[p.job]
	title := "Tasks of " + p.foreign(j.Node)
	if p.f.Tasks == nil {
		return []line{text(strong, " "+title), text(dim, "   not known here")}
	}
	from := max(0, p.s.Choice.Scroll)
	list, all := p.f.Tasks(p.job, min(from+max(0, rows-2), mostTasks))
	from = min(from, len(list))
	list = list[from:]
	where := fmt.Sprintf(": %d, the last to end first", all)
	if len(list) > 0 && len(list) < all {
		where += fmt.Sprintf("; %d to %d", from+1, from+len(list))
	}
	out := []line{text(strong, " "+title).and(text(dim, where)).cut(p.s.Width, p.tail)}
	name := 12
	for i := range list {
		name = min(max(name, cells(p.foreign(brief(list[i].Name)))), p.s.Width/3)
	}
	out = append(out, p.taskRow(name, text(dim, "task"), text(dim, "state"), text(dim, "ends"), text(dim, "runs"),
		text(dim, "tries"), text(dim, "node")))
	for i := range list {
		out = append(out, p.task(&list[i], name))
	}
	return out
}

// Limits of the list of critical tasks.
const (
	mostCritical    = 15
	criticalJobs    = 4  // how many jobs it covers
	criticalOfTasks = 64 // how many tasks of each are searched, the last to end first
)

// criticalTasks lists the unfinished tasks on the critical path, of all jobs, the last to end first. It is empty if
// tasks are unknown or the screen is low.
func (p *pen) criticalTasks() []line {
	if p.f.Tasks == nil || p.f.Workflow.State.Ended() || p.s.Height < tallScreen {
		return nil
	}
	type owned struct {
		frame.Task
		job string
	}
	var all []owned
	jobs := 0
	for j := range p.f.Jobs {
		if !p.f.Jobs[j].Critical || p.f.Jobs[j].State != dag.Running || jobs == criticalJobs {
			continue
		}
		jobs++
		list, _ := p.f.Tasks(j, criticalOfTasks)
		for i := range list {
			if list[i].Critical && list[i].State != dag.AttemptSucceeded.String() {
				all = append(all, owned{list[i], p.f.Jobs[j].Node})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	end := func(t *owned) frame.Seconds {
		if t.EndSeconds == nil {
			return 0
		}
		return *t.EndSeconds
	}
	slices.SortStableFunc(all, func(a, b owned) int { return cmp.Compare(end(&b), end(&a)) })
	all = all[:min(len(all), mostCritical)]
	name := 12
	for i := range all {
		name = min(max(name, cells(p.foreign(all[i].job+" "+brief(all[i].Name)))), p.s.Width/3)
	}
	out := []line{p.taskRow(name, text(dim, "critical task"), text(dim, "state"), text(dim, "ends"), text(dim, "runs"),
		text(dim, "tries"), text(dim, "node"))}
	for i := range all {
		t := all[i].Task
		t.Name = all[i].job + " " + brief(t.Name)
		out = append(out, p.task(&t, name))
	}
	return out
}

// tallScreen is the height from which a screen has room for tasks of all jobs.
const tallScreen = 36

func (p *pen) task(t *frame.Task, name int) line {
	ends, runs, node, tries := "?", "", "", ""
	if t.EndSeconds != nil {
		if left := *t.EndSeconds - p.elapsed(); left >= 0 && t.State != dag.AttemptSucceeded.String() {
			ends = "in " + units.Short(left.Duration())
		} else {
			ends = units.Ago((-left).Duration())
		}
	}
	if t.StartSeconds != nil && *t.StartSeconds <= p.elapsed() {
		to := p.elapsed()
		if t.EndSeconds != nil {
			to = min(to, *t.EndSeconds)
		}
		runs = units.Short((to - *t.StartSeconds).Duration())
	}
	if t.Node != nil {
		node = p.foreign(*t.Node)
	}
	if t.Attempts > 0 {
		tries = fmt.Sprint(t.Attempts)
	}
	state := p.foreign(t.State)
	if t.Ratio != nil && t.State == dag.AttemptRunning.String() {
		state += " " + units.Percent(*t.Ratio)
	}
	l := p.taskRow(name, text(plain, p.foreign(brief(t.Name))), text(stateRole(t.State), state), text(strong, ends),
		text(plain, runs), text(plain, tries), text(plain, node))
	if t.Critical { // its sign is in the indent
		l = text(plain, " ").and(text(path, string(p.g.critical)), text(plain, " "), l[1:])
	}
	return l.cut(p.s.Width, p.tail)
}

func stateRole(s string) role {
	switch s {
	case dag.AttemptRunning.String():
		return lane
	case dag.AttemptFailed.String(), dag.AttemptKilled.String():
		return bad
	case dag.AttemptSucceeded.String():
		return good
	}
	return dim
}

// taskRow puts a row's columns side by side, and cuts the last ones if there is no room.
func (p *pen) taskRow(name int, task, state, ends, runs, tries, node line) line {
	l := text(plain, "   ").and(task.cut(name, p.tail).pad(name+1), state.cut(13, p.tail).pad(14), right(ends, 11),
		right(runs, 8), right(tries, 6), text(plain, "  "), node)
	return l.cut(p.s.Width, p.tail)
}
