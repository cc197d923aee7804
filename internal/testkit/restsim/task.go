package restsim

import (
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// list returns the response to tasks.
func (j *job) list(over bool) []byte {
	suffix := strings.TrimPrefix(j.id, "job_")
	b := make([]byte, 0, 256*(j.phases[0].tasks+j.phases[1].tasks)+64)
	b = append(b, `{"tasks":{"task":[`...)
	first := true
	for k := range j.phases {
		p := &j.phases[k]
		for t := range p.tasks {
			v := p.view(t)
			if !first {
				b = append(b, ',')
			}
			first = false
			start, took := v.start, int64(0)
			if !start.Known() {
				start = j.state.Started // the time at which it was scheduled
			} else if v.state != "SCHEDULED" {
				took = elapsed(v.start, v.finish, j.now)
			}
			success := ""
			if v.success != "" {
				success = fmt.Sprintf("attempt_%s_%s_%06d_%s", suffix, letters[k], t, v.success)
			}
			b = fmt.Appendf(b,
				`{"startTime":%d,"finishTime":%d,"elapsedTime":%d,"progress":%s,"id":"task_%s_%s_%06d","state":"%s","type":"%s","successfulAttempt":"%s"`,
				ms(start), ms(v.finish), took, percent(v.progress), suffix, letters[k], t, v.state, names[k], success)
			if !over {
				b = fmt.Appendf(b, `,"status":"%s"`, v.status)
			}
			b = append(b, '}')
		}
	}
	if first {
		return []byte(`{"tasks":{}}`)
	}
	return append(b, `]}}`...)
}

var attemptNames = [...]string{"NEW", "RUNNING", "SUCCEEDED", "FAILED", "KILLED"}

// attempts returns the response to tasks/T/attempts.
func (j *job) attempts(k dag.StageIndex, t int, over bool) []byte {
	v := j.phases[k].view(t)
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
		return []byte(`{"taskAttempts":{}}`)
	}
	return []byte(`{"taskAttempts":{"taskAttempt":[` + strings.Join(all, ",") + `]}}`)
}

func (j *job) attempt(k dag.StageIndex, a *dag.Attempt, over bool) string {
	suffix := strings.TrimPrefix(j.id, "job_")
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
		ms(a.Start), ms(a.End), took, percent(progress), suffix, letters[k], a.Task, a.Number)
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
		fmt.Fprintf(&b, `,"assignedContainerId":"container_%s_01_%06d"`, suffix, 2+int(a.Task)+int(a.Number))
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
// values that a snapshot does not have, so that the response has a realistic size.
func (j *job) counters(k dag.StageIndex, t int) []byte {
	id := fmt.Sprintf("task_%s_%s_%06d", strings.TrimPrefix(j.id, "job_"), letters[k], t)
	var best *dag.Attempt
	v := j.phases[k].view(t)
	for i := range v.attempts {
		a := &v.attempts[i]
		if a.State == dag.AttemptSucceeded || a.State == dag.AttemptRunning && (best == nil || a.Ratio > best.Ratio) {
			best = a
		}
	}
	if best == nil || !best.FirstReport.Known() && best.State == dag.AttemptRunning {
		return []byte(`{"jobTaskCounters":{"id":"` + id + `"}}`)
	}
	b := []byte(`{"jobTaskCounters":{"id":"` + id + `","taskCounterGroup":[`)
	b = group(b, "org.apache.hadoop.mapreduce.FileSystemCounter", fileCounters,
		map[string]float64{"FILE_BYTES_READ": best.Bytes})
	b = append(b, ',')
	if k == dag.Map {
		b = group(b, "org.apache.hadoop.mapreduce.TaskCounter", mapCounters, map[string]float64{
			"MAP_INPUT_RECORDS": best.Done[0], "MAP_OUTPUT_RECORDS": best.Out,
		})
		b = append(b, ',')
		b = group(b, "org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter", []string{"BYTES_READ"}, nil)
	} else {
		b = group(b, "org.apache.hadoop.mapreduce.TaskCounter", reduceCounters, map[string]float64{
			"SHUFFLED_MAPS": best.Done[dag.Copy], "REDUCE_SHUFFLE_BYTES": best.Bytes,
			"REDUCE_INPUT_RECORDS": best.Done[dag.Work], "REDUCE_OUTPUT_RECORDS": best.Out,
		})
		b = append(b, ',')
		b = group(b, "Shuffle Errors", shuffleErrors, nil)
		b = append(b, ',')
		b = group(b, "org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter", []string{"BYTES_WRITTEN"}, nil)
	}
	return append(b, `]}}`...)
}

func group(b []byte, name string, counters []string, known map[string]float64) []byte {
	b = fmt.Appendf(b, `{"counterGroupName":"%s","counter":[`, name)
	first := true
	for _, c := range counters {
		v, ok := known[c]
		if ok && math.IsNaN(v) {
			continue
		}
		if !ok {
			v = filler[c]
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = fmt.Appendf(b, `{"name":"%s","value":%d}`, c, int64(v))
	}
	return append(b, `]}`...)
}

var (
	fileCounters = []string{
		"FILE_BYTES_READ", "FILE_BYTES_WRITTEN", "FILE_READ_OPS", "FILE_LARGE_READ_OPS",
		"FILE_WRITE_OPS",
	}
	mapCounters = []string{
		"MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES", "MAP_OUTPUT_MATERIALIZED_BYTES",
		"SPLIT_RAW_BYTES",
		"COMBINE_INPUT_RECORDS", "COMBINE_OUTPUT_RECORDS", "SPILLED_RECORDS", "FAILED_SHUFFLE", "MERGED_MAP_OUTPUTS",
		"GC_TIME_MILLIS", "CPU_MILLISECONDS",
		"PHYSICAL_MEMORY_BYTES", "VIRTUAL_MEMORY_BYTES", "COMMITTED_HEAP_BYTES", "MAP_PHYSICAL_MEMORY_BYTES_MAX",
		"MAP_VIRTUAL_MEMORY_BYTES_MAX",
	}
	reduceCounters = []string{
		"COMBINE_INPUT_RECORDS", "COMBINE_OUTPUT_RECORDS", "REDUCE_INPUT_GROUPS", "REDUCE_SHUFFLE_BYTES",
		"REDUCE_INPUT_RECORDS",
		"REDUCE_OUTPUT_RECORDS", "SPILLED_RECORDS", "SHUFFLED_MAPS", "FAILED_SHUFFLE", "MERGED_MAP_OUTPUTS",
		"GC_TIME_MILLIS", "CPU_MILLISECONDS",
		"PHYSICAL_MEMORY_BYTES", "VIRTUAL_MEMORY_BYTES", "COMMITTED_HEAP_BYTES", "REDUCE_PHYSICAL_MEMORY_BYTES_MAX",
		"REDUCE_VIRTUAL_MEMORY_BYTES_MAX",
	}
	shuffleErrors = []string{"BAD_ID", "CONNECTION", "IO_ERROR", "WRONG_LENGTH", "WRONG_MAP", "WRONG_REDUCE"}
	filler        = map[string]float64{
		"FILE_BYTES_WRITTEN": 368034, "MAP_OUTPUT_BYTES": 10800, "MAP_OUTPUT_MATERIALIZED_BYTES": 5156,
		"SPLIT_RAW_BYTES": 361,
		"GC_TIME_MILLIS":  36, "CPU_MILLISECONDS": 1800, "PHYSICAL_MEMORY_BYTES": 160067584,
		"VIRTUAL_MEMORY_BYTES": 2622349312, "COMMITTED_HEAP_BYTES": 94371840,
		"MAP_PHYSICAL_MEMORY_BYTES_MAX": 160067584, "MAP_VIRTUAL_MEMORY_BYTES_MAX": 2622349312,
		"REDUCE_PHYSICAL_MEMORY_BYTES_MAX": 160067584, "REDUCE_VIRTUAL_MEMORY_BYTES_MAX": 2622349312,
	}
)
