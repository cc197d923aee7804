package screen

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// tasks lists the selected job's tasks: running ones first, each group by the expected end.
func (p *pen) tasks(room int) []string {
	title := text(strong, " Tasks of "+p.foreign(p.f.Jobs[p.selected].Node)+", the last to end first")
	if p.f.Tasks == nil {
		return []string{title, text(dim, "   not known here")}
	}
	from := max(0, p.Choice.Scroll)
	list, all := p.f.Tasks(p.selected, min(from+max(0, room-2), mostTasks))
	from = min(from, len(list))
	list = list[from:]
	if len(list) > 0 && len(list) < all {
		title += text(dim, fmt.Sprintf(": rows %d to %d of %d", from+1, from+len(list), all))
	}
	rows := units.Each(list, func(t frame.Task) []string { return p.task(&t, shortened(t.Name)) })
	return append([]string{title}, p.taskTable("task", rows)...)
}

// Limits of the list of critical tasks.
const (
	mostCritical    = 15
	criticalOfTasks = 64 // how many tasks of each job are searched, the last to end first
	tallScreen      = 36 // the height from which a screen has room for it
)

// criticalTasks lists the tasks on the critical path that have begun. It is empty if tasks are unknown or the screen is
// low.
func (p *pen) criticalTasks() []string {
	if p.f.Tasks == nil || p.ended() || p.Height < tallScreen {
		return nil
	}
	var rows [][]string
	for j := range p.f.Jobs {
		if !p.f.Jobs[j].Critical || p.f.Jobs[j].State != dag.Running || len(rows) >= mostCritical {
			continue
		}
		list, _ := p.f.Tasks(j, criticalOfTasks)
		for i := range list {
			if t := &list[i]; t.Critical && t.Attempts > 0 && t.State != dag.AttemptSucceeded.String() {
				name := shortened(t.Name)
				if !p.f.IsWhole() {
					name = p.f.Jobs[j].Node + " " + name
				}
				rows = append(rows, p.task(t, name))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return p.taskTable("critical task", rows[:min(len(rows), mostCritical)])
}

// valueOr returns what v points to, or a default.
func valueOr(v *frame.Seconds, other frame.Seconds) frame.Seconds {
	if v == nil {
		return other
	}
	return *v
}

// taskTable returns the table of rows that task has made.
func (p *pen) taskTable(title string, rows [][]string) []string {
	return table(p.Width, []column{
		{" ", 2, false, false},
		{title, p.taskName(), false, false},
		{"state", 13, false, false},
		{"ends", 11, true, true},
		{"runs", 8, true, true},
		{"tries", 6, true, true},
		{"node", p.Width, false, false},
	}, rows)
}

// taskName is the greatest width of a task's name.
func (p *pen) taskName() int { return max(p.Width/3, 12) }

// task returns the cells of a task's row.
func (p *pen) task(t *frame.Task, name string) []string {
	sign, ends, runs, node, tries := "  ", "?", "", "", ""
	if t.Critical {
		sign = " " + signCritical
	}
	if t.EndSeconds != nil {
		switch left := *t.EndSeconds - p.elapsed(); {
		case left < 0 || t.State == dag.AttemptSucceeded.String():
			ends = units.Ago((-left).Duration())
		case !p.unsure():
			ends = "in " + units.Short(left.Duration())
		}
	}
	if t.StartSeconds != nil && *t.StartSeconds <= p.elapsed() {
		to := min(p.elapsed(), valueOr(t.EndSeconds, p.elapsed()))
		runs = units.Short((to - *t.StartSeconds).Duration())
	}
	if t.Node != nil {
		node = p.foreign(*t.Node)
	}
	if t.Attempts > 0 {
		tries = strconv.Itoa(t.Attempts)
	}
	state := p.foreign(t.State)
	if t.Ratio != nil && t.State == dag.AttemptRunning.String() {
		state += " " + units.Percent(*t.Ratio)
	}
	return []string{
		text(path, sign), cutName(p.foreign(name), p.taskName()), text(cmp.Or(attemptLooks[t.State], dim), state),
		text(strong, ends), runs, tries, node,
	}
}

// attemptLooks are the roles of attempts' states; others are dim.
var attemptLooks = map[string]role{
	dag.AttemptRunning.String(): lane, dag.AttemptSucceeded.String(): good,
	dag.AttemptFailed.String(): bad, dag.AttemptKilled.String(): bad,
}

// selectedJob describes the selected job in a line.
func (p *pen) selectedJob() []string {
	if p.selected < 0 {
		return nil
	}
	j := &p.f.Jobs[p.selected]
	parts := []string{strings.NewReplacer("_", " ", "blocked", "to come").Replace(j.State.String())}
	if known, _ := j.Known(); known.Running > 0 {
		parts[0] += " with " + units.Count(known.Running, "task")
	}
	for _, s := range j.Stretches {
		if r := s.ProgressRatio; r != nil && *r > 0 && *r < 1 && !j.State.Ended() {
			parts = append(parts, p.foreign(s.Phase.String())+" "+units.Percent(float64(*r)))
		}
	}
	if t, ok := p.at(valueOr(j.EndSeconds, 0)); ok && j.EndSeconds != nil && j.State.Ended() {
		parts = append(parts, "ended "+p.zoned(t, time.Second))
	} else if ok && j.EndSeconds != nil && !p.unsure() {
		parts = append(parts, "ends ~"+p.zoned(t, time.Second))
	}
	if s := j.SlackSeconds; s != nil && *s >= 1 && !j.State.Ended() && !p.unsure() {
		parts = append(parts, "slack "+units.Short(s.Duration()))
	}
	if len(j.After) > 0 {
		parts = append(parts, "after "+p.foreign(strings.Join(j.After, ", ")))
	}
	if j.ID != nil {
		parts = append(parts, p.foreign(*j.ID))
	}
	return []string{text(strong, " "+signPicked) + text(pick, p.foreign(j.Node)) + " " + strings.Join(parts, ", ")}
}
