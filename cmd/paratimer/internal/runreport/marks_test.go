package runreport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

func at(s float64) dag.Instant { return dag.Instant(1_000_000 + int64(1000*s)) }

// TestMarks has attempts that fail, disappear and fail again, a lost node and a master that restarts: each is reported
// once.
func TestMarks(t *testing.T) {
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "a\x1b[31m", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}}
	snap := func(now float64, master int, lost bool, attempts ...dag.Attempt) *dag.Snapshot {
		s := &dag.Snapshot{
			Plan: plan, At: at(now), State: dag.Running,
			Jobs: []dag.JobState{{
				Submitted: at(0), Finished: dag.NoInstant, State: dag.Running, Attempt: master,
				Stages: []dag.StageState{{Attempts: attempts}, {}},
			}},
			Nodes: []dag.NodeState{{Name: "n1", Lost: lost, LostAt: dag.NoInstant}},
		}
		if lost {
			s.Nodes[0].LostAt = at(now - 1)
		}
		return s
	}
	failed := dag.Attempt{
		Task: 3, State: dag.AttemptFailed, Node: 0, Start: at(1), End: at(4),
		Diagnosis: "killed </script>",
	}
	var m marks
	m.see(snap(5, 1, false, failed))
	m.see(snap(6, 1, false, failed))
	m.see(snap(7, 2, false))
	m.see(snap(8, 2, true))
	m.see(snap(9, 2, true, failed))
	want := `{4 failure map 3 of a\x1b[31m failed on n1: killed </script>} ` +
		`{7 failure the master of job a\x1b[31m was started again, as attempt 2} {7 node node n1 was lost}`
	if got := strings.Trim(fmt.Sprint(m.sorted()), "[]"); got != want {
		t.Errorf("marks: %s\nwant   %s", got, want)
	}
}

// TestMarksAreBounded checks that floods of failures, nodes and alerts are cut.
func TestMarksAreBounded(t *testing.T) {
	s := &dag.Snapshot{
		Plan: &dag.Plan{Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}}},
		At:   at(9), Jobs: []dag.JobState{{
			Submitted: at(0), Finished: dag.NoInstant,
			Stages: make([]dag.StageState, dag.MapReduceStages),
		}},
	}
	for i := range int32(10_000) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			dag.Attempt{Task: i, State: dag.AttemptFailed, Node: -1, End: at(5)})
	}
	for i := range 1000 {
		s.Nodes = append(s.Nodes, dag.NodeState{Name: fmt.Sprint(i), Lost: true, LostAt: at(1)})
	}
	var m marks
	m.see(s)
	for i := range 1000 {
		f := predicted(float64(i), 1, 1, 1)
		f.Alerts = []frame.Alert{{Bound: "b", State: []frame.AlertState{frame.AtRisk, frame.OnTrack}[i%2], Text: "x"}}
		m.addAlerts(f)
	}
	if len(m.all) != 3*MostMarks || len(m.known) > 3*MostMarks {
		t.Errorf("%d marks and %d known ones are kept", len(m.all), len(m.known))
	}
}

// TestAlertsAreMarked checks that each change of an alert's state is marked.
func TestAlertsAreMarked(t *testing.T) {
	missed := frame.Missed
	for _, c := range []struct {
		states []frame.AlertState
		want   string
		first  float64
	}{
		{
			[]frame.AlertState{frame.OnTrack, frame.AtRisk, frame.Blind, frame.AtRisk, frame.Late, frame.Ended},
			"1 at_risk, 4 late, 5 ended", 1,
		},
		{[]frame.AlertState{frame.OnTrack, frame.Ended}, "1 ended", -1},
	} {
		var m marks
		for i, state := range c.states {
			f := predicted(float64(i), 1, 1, 1)
			f.Alerts = []frame.Alert{{Bound: "b", State: state, Text: string(state) + "; waits for x"}}
			if state == frame.Ended {
				f.Alerts[0].Outcome = &missed
			}
			m.addAlerts(f)
		}
		var got []string
		for _, k := range m.sorted() {
			got = append(got, fmt.Sprintf("%v %s", k.AtSeconds, strings.TrimPrefix(k.Text, "b: ")))
		}
		first := -1.0
		if m.firing != nil {
			first = float64(*m.firing)
		}
		if s := strings.Join(got, ", "); s != c.want || first != c.first {
			t.Errorf("%v: %s, first %v; want %s, %v", c.states, s, first, c.want, c.first)
		}
	}
}
