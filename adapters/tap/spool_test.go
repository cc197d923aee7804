package tap

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/mutate"
)

// TestReadSpool: lines that are no batches keep none of the others out.
func TestReadSpool(t *testing.T) {
	good := func(seq int) string { return string(encoded(t, reduceBatch(theJob, 0, 0, seq, 5))) + "\n" }
	spool := good(0) + "\n" + "{}\n" + strings.Repeat("x", MaxBatchBytes+5) + "\n" + good(1) + good(1) +
		strings.Repeat(" ", MaxBatchBytes*3) + "\n" + good(2)[:40]
	s := NewStore(Limits{})
	err := ReadSpool(strings.NewReader(spool), s, noon)
	if err == nil || !strings.Contains(err.Error(), "line 3: tap: bad batch: v: missing") || s.Counts().Taken != 3 {
		t.Errorf("%+v, %v", s.Counts(), err)
	}
	if n := len(s.jobs[theJob].tasks[0][0].points); n != 2 {
		t.Errorf("%d points", n)
	}
	broken := errors.New("the disk is gone")
	if err := ReadSpool(iotest.ErrReader(broken), s, noon); !errors.Is(err, broken) || s.Counts().Taken != 3 {
		t.Errorf("%+v, %v", s.Counts(), err)
	}
}

// TestAtEnd: what spools told is added when the query has ended; its instants lie within the attempts.
func TestAtEnd(t *testing.T) {
	s := newStage(t, 1, Limits{})
	s.src.opt.AtEnd, s.src.opt.Now = true, func() time.Time { return noon }
	s.done(1)
	run := attemptAt(1, 0, dag.AttemptSucceeded, noon)
	run.End = cluster(after(7))
	s.reduces(run)
	last := reduceBatch(theJob, 1, 0, 0, 50, 60)
	last.Open = &Open{Name: "k", Bytes: 1, Seconds: 1} // the tap was killed
	s.take(mapBatch(theJob, 0, 0, 1, 100), last)
	if g := s.look(); g != nil {
		t.Errorf("before the end: %+v", g)
	}
	s.snap.State, s.snap.Jobs[1].State = dag.Succeeded, dag.Succeeded
	g := s.look()
	if g == nil || g.Maps != 1 || len(g.Reduces[1].Done) != 2 || g.Reduces[1].Done[1].At != run.End ||
		g.Reduces[1].OpenKey != "" {
		t.Errorf("%+v", g)
	}
}

// TestSpoolOfATape: a tape has what the collector took, a spool the rest: of each reduce the fuller one stands.
func TestSpoolOfATape(t *testing.T) {
	s := newStage(t, 3, Limits{})
	s.done(3)
	s.snap.State = dag.Succeeded
	one, two := dag.NoReduceGroups(), dag.NoReduceGroups()
	one.Bytes, one.Attempt, one.Done = 900, 0, []dag.GroupPoint{{Bytes: 100, Took: time.Second, Count: 9}}
	two.Bytes, two.Attempt, two.Done = 10, 0, []dag.GroupPoint{{Bytes: 1, Took: time.Second, Count: 1}}
	s.snap.Jobs[1].Groups = &dag.Groups{Origin: dag.GroupsTapped, Maps: 2, Reduces: []dag.ReduceGroups{one, two}}
	s.reduces(attemptAt(0, 0, dag.AttemptSucceeded, noon), attemptAt(1, 0, dag.AttemptSucceeded, noon))
	s.take(mapBatch(theJob, 0, 0, 7), reduceBatch(theJob, 0, 0, 5, 100), reduceBatch(theJob, 1, 0, 3, 6, 7))
	g := s.look()
	if g.Maps != 2 || g.Reduces[0].Bytes != 900 || len(g.Reduces[0].Done) != 1 || g.Reduces[0].Done[0].Count != 9 ||
		len(g.Reduces[1].Done) != 2 {
		t.Errorf("%+v", g)
	}
	s.take(mapBatch(theJob, 1, 0, 7), mapBatch(theJob, 2, 0, 7))
	if g := s.look(); g.Maps != 3 || g.Reduces[0].Bytes != 42 {
		t.Errorf("%+v", g)
	}
}

// TestEndlessBadLines: a spool of bad lines alone is given up soon, in the line where it is. What was taken before
// stays.
func TestEndlessBadLines(t *testing.T) {
	good := string(encoded(t, reduceBatch(theJob, 0, 0, 0, 5))) + "\n"
	for _, bad := range []string{"x\n", "\n", "{}\n"} {
		s := NewStore(Limits{})
		err := ReadSpool(mutate.Endless(good, bad), s, noon)
		if err == nil || !strings.Contains(err.Error(), "line 1002: more than 1000 lines in a row") ||
			s.Counts().Taken != 1 {
			t.Errorf("%q: %+v, %v", bad, s.Counts(), err)
		}
	}
}
