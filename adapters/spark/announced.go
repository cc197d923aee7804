package spark

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// announce sets the cores of executors with an unknown number of cores. They get as many as the other executors
// have. If no number is known, each gets the highest number of tasks that it ran at once.
func (r *repairer) announce() {
	most, unknown := 0, map[int32][]*task{}
	for i, x := range r.all {
		if x.unannounced {
			unknown[int32(i)] = nil //nolint:gosec // G115: bounded by mostExecutors
		} else {
			most = max(most, x.cores)
		}
	}
	if len(unknown) == 0 || r.announced == r.tasks {
		return
	}
	r.announced = r.tasks
	if most > 0 {
		for i := range unknown {
			r.all[i].cores = most
		}
		return
	}
	for _, s := range r.stages {
		for _, t := range s.tries {
			for _, k := range t.list {
				if _, is := unknown[k.executor]; is && k.launch.Known() && !k.guessed {
					unknown[k.executor] = append(unknown[k.executor], k)
				}
			}
		}
	}
	for i, tasks := range unknown {
		r.all[i].cores = max(r.all[i].cores, atOnce(tasks))
	}
}

// atOnce returns the highest number of tasks that ran at the same time. It ignores the short overlap of two tasks on
// one core.
func atOnce(tasks []*task) int {
	type change struct {
		at dag.Instant
		by int
	}
	var all []change
	for _, k := range tasks {
		all = append(all, change{k.launch, 1})
		if k.state != dag.AttemptRunning {
			all = append(all, change{k.end - min(dag.Instant(handover/time.Millisecond), (k.end-k.launch)/2), -1})
		}
	}
	slices.SortFunc(all, func(x, y change) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.by, y.by)) })
	n, most := 0, 0
	for _, c := range all {
		n += c.by
		most = max(most, n)
	}
	return most
}

// warnings returns warnings about missing events.
func (r *repairer) warnings(now dag.Instant) []dag.Warning {
	var out []dag.Warning
	unannounced := 0
	for _, x := range r.all {
		if x.unannounced {
			unannounced++
		}
	}
	if unannounced > 0 {
		out = append(out, dag.Warning{Code: dag.WarnObservation, Text: fmt.Sprintf(
			"how many cores %s had is not in the event log: ParaTimer assumes as many as had a task at once",
			units.Count(unannounced, "executor"))})
	}
	n := map[string]int{}
	for _, k := range r.implied {
		// A driver that is gone may not have been polled since the task ended.
		if r.inLog && r.over || now.Sub(max(k.end, k.impliedSince)) > late {
			n["TaskEnd"]++
		}
	}
	for g := range r.missing {
		n[g.kind]++
	}
	var parts []string
	for _, w := range [][3]string{
		{"JobStart", "job", "start"},
		{"JobEnd", "job", "end"},
		{"StageSubmitted", "stage", "start"},
		{"StageCompleted", "stage", "end"},
		{"TaskStart", "task", "start"},
		{"TaskEnd", "task", "end"},
	} {
		switch what := units.Count(n[w[0]], w[1]); {
		case n[w[0]] == 0:
			continue
		case n[w[0]] == 1:
			parts = append(parts, what+" has no "+w[2])
		default:
			parts = append(parts, what+" have no "+w[2])
		}
	}
	if len(parts) > 0 {
		where := ""
		if r.inLog {
			where = " in the log"
		}
		out = append(out, dag.Warning{Code: dag.WarnObservation, Text: fmt.Sprintf(
			"%s%s: the driver dropped events, and ParaTimer takes these times from what came later",
			strings.Join(parts, ", "), where)})
	}
	return out
}
