package restsim

import (
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// list returns the response to tasks.
func (j *job) list(over bool) string {
	var b strings.Builder
	separator := `{"tasks":{"task":[`
	for k := range j.phases {
		for t, v := range j.phases[k].views {
			start, took := v.start, int64(0)
			if !start.Known() {
				start = j.state.Started // the time at which it was scheduled
			} else if v.state != "SCHEDULED" {
				took = elapsed(v.start, v.finish, j.now)
			}
			success := ""
			if v.success != "" {
				success = fmt.Sprintf("attempt_%s_%s_%06d_%s", j.number, letters[k], t, v.success)
			}
			fmt.Fprintf(&b, `%s{"startTime":%d,"finishTime":%d,"elapsedTime":%d,"progress":%s,"id":"task_%s_%s_%06d","state":"%s","type":"%s","successfulAttempt":"%s"`,
				separator, ms(start), ms(v.finish), took, percent(v.progress), j.number, letters[k], t, v.state,
				names[k], success)
			if !over {
				fmt.Fprintf(&b, `,"status":"%s"`, v.status)
			}
			b.WriteString("}")
			separator = ","
		}
	}
	if b.Len() == 0 {
		return `{"tasks":{}}`
	}
	return b.String() + `]}}`
}

var attemptNames = [...]string{"NEW", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"}

// attempts returns the response to tasks/T/attempts.
func (j *job) attempts(k dag.StageIndex, t int, over bool) string {
	v := &j.phases[k].views[t]
	var all []string
	for i := range v.attempts {
		all = append(all, j.attempt(k, &v.attempts[i], over))
	}
	if n := len(v.attempts); n > 0 && v.success == "" && !over && v.attempts[n-1].State >= dag.AttemptFailed {
		all = append(all, j.attempt(k, &dag.Attempt{
			Task: int32(t), Number: v.attempts[n-1].Number + 1, Node: -1,
			Start: dag.NoInstant, End: dag.NoInstant, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
		}, over))
	}
	if len(all) == 0 {
		return `{"taskAttempts":{}}`
	}
	return `{"taskAttempts":{"taskAttempt":[` + strings.Join(all, ",") + `]}}`
}

func (j *job) attempt(k dag.StageIndex, a *dag.Attempt, over bool) string {
	var b strings.Builder
	state, progress, text := attemptNames[a.State], 100*clean(a.Ratio), status(k, a)
	if a.State == dag.AttemptWaiting {
		state, text = "STARTING", "NEW"
	}
	if over || a.State >= dag.AttemptSucceeded {
		progress = 100 // also for failed attempts (docs/facts/hadoop.md A5, E0)
	}
	took := elapsed(a.Start, a.End, j.now)
	if k == dag.Reduce && a.State == dag.AttemptRunning {
		took = 0 // docs/facts/hadoop.md A4
	}
	fmt.Fprintf(&b, `{"startTime":%d,"finishTime":%d,"elapsedTime":%d,"progress":%s,"id":"attempt_%s_%s_%06d_%d",`,
		ms(a.Start), ms(a.End), took, percent(progress), j.number, letters[k], a.Task, a.Number)
	placed := a.Start.Known()
	if placed {
		b.WriteString(`"rack":"/default-rack",`)
	}
	fmt.Fprintf(&b, `"state":"%s","status":"%s",`, state, text)
	if placed {
		fmt.Fprintf(&b, `"nodeHttpAddress":%s,`, quote(j.node(a.Node)))
	}
	fmt.Fprintf(&b, `"diagnostics":%s,"type":"%s"`, quote(a.Diagnosis), names[k])
	if placed {
		fmt.Fprintf(&b, `,"assignedContainerId":"container_%s_01_%06d"`, j.number, 2+int(a.Task)+int(a.Number))
	}
	if k == dag.Reduce {
		fmt.Fprintf(&b, `,"shuffleFinishTime":%d,"mergeFinishTime":%d,"elapsedShuffleTime":%d,"elapsedMergeTime":%d,"elapsedReduceTime":%d`,
			ms(a.CopyEnd), ms(a.SortEnd), span(a.Start, a.CopyEnd), span(a.CopyEnd, a.SortEnd), span(a.SortEnd, a.End))
	}
	b.WriteString("}")
	return b.String()
}

// span returns the milliseconds of a finished phase, else 0.
func span(from, to dag.Instant) int64 {
	if !from.Known() || !to.Known() {
		return 0
	}
	return max(0, to.Sub(from).Milliseconds())
}

// node returns a node's name as in attempts.
func (j *job) node(i int32) string {
	if i >= 0 && int(i) < len(j.snap.Nodes) {
		return j.snap.Nodes[i].Name
	}
	return fmt.Sprintf("node-%d:8042", max(0, i))
}

// counters returns the response to tasks/T/counters: those of the attempt with the most progress. Filler replaces
// counters that a snapshot does not have, so that the response has a realistic size.
func (j *job) counters(k dag.StageIndex, t int) string {
	id := fmt.Sprintf("task_%s_%s_%06d", j.number, letters[k], t)
	var best *dag.Attempt
	v := &j.phases[k].views[t]
	for i := range v.attempts {
		a := &v.attempts[i]
		if a.State == dag.AttemptSucceeded || a.State == dag.AttemptRunning && (best == nil || a.Ratio > best.Ratio) {
			best = a
		}
	}
	if best == nil || !best.FirstReport.Known() && best.State == dag.AttemptRunning {
		return `{"jobTaskCounters":{"id":"` + id + `"}}`
	}
	known, filler := []counter{
		{"MAP_INPUT_RECORDS", best.Done[0]}, {"MAP_OUTPUT_RECORDS", best.Out}, {"FILE_BYTES_READ", best.Bytes},
	}, 1060
	if k == dag.Reduce {
		known, filler = []counter{
			{"SHUFFLED_MAPS", best.Done[dag.Copy]},
			{"REDUCE_SHUFFLE_BYTES", best.Bytes},
			{"REDUCE_INPUT_RECORDS", best.Done[dag.Work]},
			{"REDUCE_OUTPUT_RECORDS", best.Out},
			{"FILE_BYTES_READ", best.Bytes},
		}, 1230
	}
	return fmt.Sprintf(`{"jobTaskCounters":{"id":"%s","taskCounterGroup":[%s,%s],"filler":"%s"}}`, id,
		group("org.apache.hadoop.mapreduce.FileSystemCounter", known[len(known)-1:]),
		group("org.apache.hadoop.mapreduce.TaskCounter", known[:len(known)-1]), strings.Repeat("x", filler))
}

type counter struct {
	name  string
	value float64
}

// group returns a group of the counters that are known.
func group(name string, counters []counter) string {
	var all []string
	for _, c := range counters {
		if !math.IsNaN(c.value) {
			all = append(all, fmt.Sprintf(`{"name":"%s","value":%d}`, c.name, int64(c.value)))
		}
	}
	return `{"counterGroupName":"` + name + `","counter":[` + strings.Join(all, ",") + `]}`
}
