package frame

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

func failureText(f Failure) string {
	at, node, why := "?", "-", "-"
	if f.AtSeconds != nil {
		at = fmt.Sprint(*f.AtSeconds)
	}
	if f.Node != nil {
		node = *f.Node
	}
	if f.Why != nil {
		why = *f.Why
	}
	return fmt.Sprintf("%s %s %s on %s: %s", at, f.Job, f.Attempt, node, why)
}

// TestFailures checks which attempts are failures: attempts that failed, and killed ones whose work is lost.
func TestFailures(t *testing.T) {
	const first = "6 a attempt_1_0001_m_000001_0 on n1: no room"
	lose := func(s *dag.Snapshot) { s.Nodes[0].Lost, s.Nodes[0].LostAt = true, 1_009_000 }
	kill := func(a *dag.Attempt) { a.State = dag.AttemptKilled }
	for _, c := range []struct {
		name   string
		change func(*dag.Snapshot, []dag.Attempt)
		want   []string
	}{
		{"one failed", func(*dag.Snapshot, []dag.Attempt) {}, []string{first}},
		{
			"unknown end", func(_ *dag.Snapshot, a []dag.Attempt) { a[1].End = dag.NoInstant },
			[]string{"? a attempt_1_0001_m_000001_0 on n1: no room"},
		},
		{
			"unknown node and reason", func(_ *dag.Snapshot, a []dag.Attempt) { a[1].Node, a[1].Diagnosis = -1, "" },
			[]string{"6 a attempt_1_0001_m_000001_0 on -: -"},
		},
		{"a node is lost with a result", func(s *dag.Snapshot, a []dag.Attempt) { lose(s); kill(&a[0]) }, []string{
			"9 a attempt_1_0001_m_000000_0 on n0: its node is lost", first,
		}},
		{"a node is lost, its result not missed", func(s *dag.Snapshot, _ []dag.Attempt) { lose(s) }, []string{first}},
		{"killed, its node works", func(_ *dag.Snapshot, a []dag.Attempt) { kill(&a[0]) }, []string{first}},
		{"killed for its twin, its node is lost later", func(s *dag.Snapshot, a []dag.Attempt) {
			s.Nodes[1].Lost, s.Nodes[1].LostAt = true, 1_009_500
			kill(&a[1])
			a[2].State, a[2].End = dag.AttemptSucceeded, a[1].End
		}, nil},
		{"killed with its job, its node is lost later", func(s *dag.Snapshot, a []dag.Attempt) {
			lose(s)
			kill(&a[0])
			s.Jobs[0].State, s.Jobs[0].Finished = dag.Killed, 1_008_500
		}, []string{first}},
		{"the master came again", func(s *dag.Snapshot, a []dag.Attempt) {
			kill(&a[0])
			s.Jobs[0].Attempt, s.Jobs[0].Started = 2, 1_009_000
		}, []string{"9 a attempt_1_0001_m_000000_0 on n0: its application master came again", first}},
		{"preempted, and then the master came again", func(s *dag.Snapshot, a []dag.Attempt) {
			kill(&a[0])
			a[0].Diagnosis = "Container preempted by scheduler"
			s.Jobs[0].Attempt, s.Jobs[0].Started = 2, 1_009_000
		}, []string{first}},
		{"killed before its first master was seen to begin", func(s *dag.Snapshot, a []dag.Attempt) {
			kill(&a[0])
			s.Jobs[0].Started = 1_009_000
		}, []string{first}},
		{"the master came again, and killed one to make room", func(s *dag.Snapshot, a []dag.Attempt) {
			kill(&a[0])
			s.Jobs[0].Attempt, s.Jobs[0].Started = 2, 1_007_000
		}, []string{first}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := chain()
			c.change(s, s.Jobs[0].Stages[dag.Map].Attempts)
			f := Of(s, Answers{}, nil)
			var got []string
			for i := range f.Failures {
				got = append(got, failureText(f.Failures[i]))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) || f.FailedAttempts != len(c.want) {
				t.Errorf("%d failures %q, want %q", f.FailedAttempts, got, c.want)
			}
		})
	}
}

// TestFailuresAreBounded checks that the newest are reported and all are counted.
func TestFailuresAreBounded(t *testing.T) {
	s := chain()
	s.Jobs[0].Stages[dag.Map].Attempts = nil
	for i := range int32(1000) {
		s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts,
			dag.Attempt{Task: i / 4, Number: i % 4, State: dag.AttemptFailed, End: 1_000_000 + dag.Instant(i)})
	}
	f := Of(s, Answers{}, nil)
	if len(f.Failures) != MostFailures || f.FailedAttempts != 1000 || *f.Failures[0].AtSeconds != 0.999 ||
		*f.Failures[1].AtSeconds != 0.998 {
		t.Errorf("%d of %d, first %s", len(f.Failures), f.FailedAttempts, failureText(f.Failures[0]))
	}
}
