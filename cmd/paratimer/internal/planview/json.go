package planview

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// JSON writes the view: name, schedule, rounds, fragments, critical_path, critical_path_ms, worst_task,
// worst_single_task_ms, estimates, warnings, skew (as in frames). Instants are milliseconds from now. A task is
// j1.m1: job, kind, index from 1; in rounds and fragments one prime follows for each earlier attempt. Pauses are
// rounds and fragments without tasks. Elements of lists are written one by one: a plan may have a million tasks.
func (v *View) JSON(w io.Writer) error {
	j := jsonWriter{View: v, Writer: bufio.NewWriter(w)}
	for i := range v.Plan.Jobs {
		node := marshal(v.Plan.Jobs[i].Node)
		j.nodes = append(j.nodes, string(node[1:len(node)-1]))
		var letters []string
		for k := range v.Plan.Jobs[i].NumStages() {
			whole := marshal(strings.TrimSuffix(schedule.TaskName(v.Plan, i, k, 0, 0), "1"))
			letters = append(letters, string(whole[len(node)-1:len(whole)-1]))
		}
		j.letters = append(j.letters, letters)
	}
	j.raw("{\n\"name\": ").raw(string(marshal(v.Plan.Name)))
	j.schedule()
	j.rounds()
	j.fragments()
	j.criticalPath()
	j.worst()
	j.list("estimates", len(v.Estimates), func(i int) { j.raw(string(marshal(v.estimate(i)))) })
	warnings := v.warnings()
	j.list("warnings", len(warnings), func(i int) { j.raw(string(marshal(warnings[i]))) })
	j.raw(",\n\"skew\": ").raw(string(marshal(v.Skew)))
	j.raw("\n}\n")
	return j.Flush()
}

// marshal leaves <, > and & as they are. It panics if JSON cannot encode v; callers never pass such a value.
func marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("planview: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// A jsonWriter keeps errors in its bufio.Writer until Flush.
type jsonWriter struct {
	*View
	*bufio.Writer
	nodes []string // names of jobs, escaped as inside a JSON string
	// letters stand between a job's name and a task's number, by job and stage: .m, .r, ".scan."
	letters [][]string
	buf     []byte
}

func (j *jsonWriter) raw(s string) *jsonWriter {
	_, _ = j.WriteString(s)
	return j
}

func (j *jsonWriter) int(key string, n int64) *jsonWriter {
	j.buf = strconv.AppendInt(append(append(append(j.buf[:0], '"'), key...), `": `...), n, 10)
	_, _ = j.Write(j.buf)
	return j
}

func (j *jsonWriter) list(key string, n int, element func(i int)) {
	j.raw(",\n\"" + key + "\": [")
	for i := range n {
		if i > 0 {
			j.raw(",")
		}
		j.raw("\n  ")
		element(i)
	}
	if n > 0 {
		j.raw("\n")
	}
	j.raw("]")
}

func (j *jsonWriter) task(job int32, k dag.StageIndex, index, attempt int32) {
	j.buf = strconv.AppendInt(append(append(append(j.buf[:0], '"'), j.nodes[job]...), j.letters[job][k]...),
		int64(index)+1, 10)
	_, _ = j.Write(j.buf)
	j.raw(strings.Repeat("'", int(max(0, attempt)))).raw(`"`)
}

// schedule lists every attempt, sorted by start, stage, slot and attempt.
func (j *jsonWriter) schedule() {
	spans := j.Path.Schedule.Spans
	type one struct{ span, at int32 }
	var all []one
	for i := range spans {
		for at := range spans[i].Count {
			all = append(all, one{int32(i), at})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int {
		x, y := &spans[a.span], &spans[b.span]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Stage, y.Stage),
			cmp.Compare(slot(x, a.at), slot(y, b.at)), cmp.Compare(x.Attempt, y.Attempt))
	})
	j.list("schedule", len(all), func(i int) {
		s := &spans[all[i].span]
		j.raw(`{"task": `).task(s.Job, s.Stage, s.First+all[i].at, 0)
		j.raw(", ").int("attempt", int64(s.Attempt)).raw(", ").int("slot", int64(slot(s, all[i].at)))
		j.times(s.Start, s.End)
		outcome := "ok"
		if s.Outcome == schedule.Fails {
			outcome = "fails"
		}
		j.raw(`, "outcome": "` + outcome + `"}`)
	})
}

// slot returns the slot of task number at of a span, -1 if unknown.
func slot(s *schedule.Span, at int32) int32 {
	if int(at) < len(s.Slots) {
		return s.Slots[at]
	}
	return -1
}

func (j *jsonWriter) times(start, end dag.Instant) {
	j.raw(", ").int("start_ms", j.since(start)).raw(", ").int("end_ms", j.since(end))
}

// roundName and fragmentName return the stage of the tasks, or the pause.
func (j *jsonWriter) roundName(r *pathfrag.Round) string {
	return j.Path.Schedule.Spans[r.Spans[0]].What(j.Plan)
}

func (j *jsonWriter) fragmentName(f *pathfrag.Fragment) string {
	return schedule.What(j.Plan, j.Path.JobOf(f), f.Stage, f.Pause)
}

func (j *jsonWriter) rounds() {
	j.list("rounds", len(j.Path.Rounds), func(i int) {
		r := &j.Path.Rounds[i]
		j.raw("{").int("id", int64(r.ID)).raw(`, "type": ` + string(marshal(j.roundName(r))))
		j.times(r.Start, r.End)
		j.raw(", ").int("width", int64(r.Width)).raw(`, "tasks": [`)
		j.tasks(i, false)
		j.raw("]}")
	})
}

// tasks lists the tasks of a round. behind means that the list already has elements; it returns whether it has now.
func (j *jsonWriter) tasks(round int, behind bool) (any bool) {
	for _, i := range j.Path.Rounds[round].Spans {
		s := &j.Path.Schedule.Spans[i]
		for at := range s.Count {
			if behind {
				j.raw(", ")
			}
			behind = true
			j.task(s.Job, s.Stage, s.First+at, s.Attempt)
		}
	}
	return behind
}

func (j *jsonWriter) fragments() {
	j.list("fragments", len(j.Path.Fragments), func(i int) {
		f := &j.Path.Fragments[i]
		j.raw("{").int("id", int64(f.ID)).raw(`, "type": `+string(marshal(j.fragmentName(f)))+`, `).int("width",
			int64(f.Width)).raw(`, "rounds": [`)
		for n, r := range f.Rounds {
			if n > 0 {
				j.raw(", ")
			}
			j.raw(strconv.Itoa(r))
		}
		j.raw("]")
		j.times(f.Start, f.End)
		j.raw(", ").int("sum_of_round_durations_ms", j.Path.RoundTime(i).Milliseconds()).raw(`, "tasks": [`)
		behind := false
		for _, r := range f.Rounds {
			behind = j.tasks(r, behind)
		}
		j.raw("]}")
	})
}

func (j *jsonWriter) criticalPath() {
	j.list("critical_path", len(j.Path.Critical), func(i int) {
		s := &j.Path.Critical[i]
		kind := "full"
		if s.Extra {
			kind = "extra"
		}
		j.raw("{").int("fragment", int64(s.Fragment)).raw(`, "kind": "` + kind + `"`)
		j.times(s.Start, s.End)
		j.raw("}")
	})
	j.raw(",\n").int("critical_path_ms", j.Path.Length().Milliseconds())
}

func (j *jsonWriter) worst() {
	job, k, task, ms := j.View.worst()
	if job < 0 {
		j.raw(",\n\"worst_task\": null,\n\"worst_single_task_ms\": null")
		return
	}
	j.raw(",\n\"worst_task\": ").task(int32(job), k, int32(task), 0)
	j.raw(",\n\"worst_single_task_ms\": ").raw(string(marshal(ms)))
}

// An estimate is an estimate as JSON. Unknown is null.
type estimate struct {
	Scenario         string          `json:"scenario"`
	RemainingSeconds *float64        `json:"remaining_seconds"`
	TotalSeconds     *float64        `json:"total_seconds"`
	LowSeconds       *float64        `json:"low_seconds"`
	HighSeconds      *float64        `json:"high_seconds"`
	Origin           schedule.Origin `json:"origin"`
	Meaning          string          `json:"meaning"`
	Probability      *frame.Ratio    `json:"probability"`
}

func (v *View) estimate(i int) estimate {
	e := &v.Estimates[i]
	out := estimate{
		Scenario: e.Scenario, Origin: e.Origin, Meaning: e.Meaning,
		RemainingSeconds: seconds(e.Remaining), LowSeconds: seconds(e.Low), HighSeconds: seconds(e.High),
	}
	if e.Probability != nil {
		out.Probability = frame.RatioOf(*e.Probability)
	}
	if e.Remaining != nil {
		total := *out.RemainingSeconds + float64(v.elapsed().Milliseconds())/1000
		out.TotalSeconds = &total
	}
	return out
}
