//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"time"
)

// A jobState is a job of a frame.
type jobState struct {
	Node          string
	ID            *string
	State         string
	Diagnosis     *string
	Maps, Reduces struct {
		Total         *int
		Done, Running int
	}
	Stages []struct {
		Name, URL     string
		After, Edges  []string
		Total         *int
		Done, Running int
	}
}

// A frame has the fields of docs/frames.md that the tests read.
type frame struct {
	At       *time.Time
	Workflow struct {
		ID, Name *string
		Engine   string
		State    string
	}
	Elapsed  *float64 `json:"elapsed_seconds"`
	Stale    float64  `json:"stale_seconds"`
	Headline struct {
		Remaining *float64   `json:"remaining_seconds"`
		Low       *float64   `json:"low_seconds"`
		EndAt     *time.Time `json:"end_at"`
	}
	Estimates []struct {
		Scenario  string
		Remaining *float64   `json:"remaining_seconds"`
		Total     *float64   `json:"total_seconds"`
		EndAt     *time.Time `json:"end_at"`
		Origin    string
	}
	Jobs []jobState
	Path []struct {
		Jobs  []string
		Phase string
		End   float64 `json:"end_seconds"`
	} `json:"critical_path"`
	WaitingOn *string `json:"waiting_on"`
	Quantiles []struct{ Q float64 }
	Alerts    []alert
	Changes   []struct {
		Delta   float64 `json:"delta_seconds"`
		Reason  string
		Subject *string
	}
	Warnings []struct{ Code, Text string }
	Nodes    []struct {
		Name, State string
		Times       *float64
		AvoidedBy   []string `json:"avoided_by"`
	}
	Failures []failure
	Skew     []struct {
		Delay float64 `json:"delay_seconds"`
		From  string  `json:"keys_from"`
		Worst []struct {
			Task int
			Keys []struct{ Key *string }
		}
	}
}

// An alert is how the run stands to a bound.
type alert struct {
	Bound, State string
	Outcome      *string
}

// alert is the state of a bound, "" where the frame has none of that name.
func (f frame) alert(bound string) string {
	for _, a := range f.Alerts {
		if a.Bound == bound {
			return a.State
		}
	}
	return ""
}

// readFrames reads NDJSON.
func (l *lab) readFrames(file string) (raw []byte, frames []frame) {
	l.t.Helper()
	raw, err := os.ReadFile(file)
	l.must(err)
	for i, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var f frame
		if err := json.Unmarshal(line, &f); err != nil {
			l.t.Fatalf("%s, line %d: %v", file, i+1, err)
		}
		frames = append(frames, f)
	}
	return raw, frames
}

// awaitSucceeded waits for a last frame among those that the process writes.
func (p *process) awaitSucceeded() {
	p.lab.t.Helper()
	p.awaitFrame("a last frame", func(f *frame) bool { return f.Workflow.State == "succeeded" })
}

// awaitFrame waits for such a frame among those that the process writes.
func (p *process) awaitFrame(what string, so func(f *frame) bool) {
	p.lab.t.Helper()
	p.lab.await(what+" of "+p.name, func() bool {
		over := false
		select {
		case <-p.done:
			over = true
		default:
		}
		raw, err := os.ReadFile(p.stdout)
		p.lab.must(err)
		for line := range bytes.Lines(raw) { // the last may be half a line
			var f frame
			if json.Unmarshal(line, &f) == nil && so(&f) {
				return true
			}
		}
		if over {
			p.lab.t.Fatalf("%s has ended without %s\n%s", p.name, what, tail(p.stderr))
		}
		return false
	})
}

// nodesIn counts the nodes of a state.
func (f frame) nodesIn(state string) (n int) {
	for _, node := range f.Nodes {
		if node.State == state {
			n++
		}
	}
	return n
}

// total is a scenario's predicted total, nil if it has none.
func (f frame) total(scenario string) *float64 {
	for _, e := range f.Estimates {
		if e.Scenario == scenario {
			return e.Total
		}
	}
	return nil
}

// end is a scenario's predicted end, nil if it has none.
func (f frame) end(scenario string) *time.Time {
	for _, e := range f.Estimates {
		if e.Scenario == scenario {
			return e.EndAt
		}
	}
	return nil
}

// warned reports whether the frame has a warning of this code.
func (f frame) warned(code string) bool {
	for _, w := range f.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// jobs are the ids of the jobs that have one.
func (f frame) jobs() []string {
	var ids []string
	for _, j := range f.Jobs {
		if j.ID != nil {
			ids = append(ids, *j.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// early is by how much less than predicted the run has come to the end of the tasks of the critical path's jobs between
// two frames: what has passed since its first submission in the second frame, less the predicted end of the last job
// whose tasks have all ended in it and not in the first. It is 0 where there is no such job.
func (f frame) early(after frame) time.Duration {
	for _, p := range slices.Backward(f.Path) {
		for _, node := range p.Jobs {
			if after.Elapsed != nil && after.tasksEnded(node) && !f.succeeded(node) {
				return time.Duration((*after.Elapsed - p.End) * float64(time.Second))
			}
		}
	}
	return 0
}

// succeeded reports whether a job has succeeded.
func (f frame) succeeded(node string) bool {
	return slices.ContainsFunc(f.Jobs, func(j jobState) bool { return j.Node == node && j.State == "succeeded" })
}

// tasksEnded reports whether all tasks of a job have ended.
func (f frame) tasksEnded(node string) bool {
	return slices.ContainsFunc(f.Jobs, func(j jobState) bool {
		ended := func(total *int, done int) bool { return total != nil && done == *total }
		return j.Node == node && ended(j.Maps.Total, j.Maps.Done) && ended(j.Reduces.Total, j.Reduces.Done)
	})
}

// tickOf is the index of the frame during whose tick t was: the last that is not later. -1 is before all.
func tickOf(frames []frame, t time.Time) int {
	found := -1
	for i, f := range frames {
		if f.At != nil && !f.At.After(t) {
			found = i
		}
	}
	return found
}

// A failure is an attempt that failed, or whose work was lost.
type failure struct {
	Attempt string
	Why     *string
}
