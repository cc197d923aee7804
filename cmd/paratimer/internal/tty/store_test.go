package tty

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

const testStart dag.Instant = 1_275_814_800_000

// frameAt is a frame at a second, of some jobs with ten tasks each.
func frameAt(seconds float64, jobs int) frame.Frame {
	e, ten := frame.Seconds(seconds), 10
	f := frame.Frame{
		At: frame.TimeOf(testStart + dag.Instant(1000*seconds)), ElapsedSeconds: &e,
		Workflow: frame.Workflow{State: dag.Running}, Jobs: make([]frame.Job, jobs),
		Tasks: func(int, int) ([]frame.Task, int) { return nil, 0 },
	}
	for i := range f.Jobs {
		f.Jobs[i] = frame.Job{Node: string(rune('a' + i%26)), State: dag.Running, Maps: frame.Tasks{Total: &ten}}
	}
	return f
}

// TestStoreIsBounded plays runs of any length and size: the budget holds, the newest frame is there and whole, times
// rise, and the first frame is kept.
func TestStoreIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStore()
		s.most = rapid.IntRange(3, 60).Draw(t, "frames") * (frameBytes + 5*jobBytes)
		s.mostHeld = rapid.IntRange(1, 60).Draw(t, "whole frames") * taskBytes * 50
		n := rapid.IntRange(1, 400).Draw(t, "ticks")
		every := rapid.Float64Range(0.5, 60).Draw(t, "every")
		for i := range n {
			s.add(frameAt(every*float64(i), 5))
			newest := s.moments[len(s.moments)-1]
			if *newest.frame.ElapsedSeconds != frame.Seconds(every*float64(i)) || newest.frame.Tasks == nil {
				t.Fatalf("the newest frame is that of %v, want of %v", *newest.frame.ElapsedSeconds, every*float64(i))
			}
			if s.bytes > s.most && len(s.moments) > 2 {
				t.Fatalf("%d bytes of %d", s.bytes, s.most)
			}
			if s.held > s.mostHeld && s.moments[0].frame.Tasks != nil && len(s.moments) > 1 {
				t.Fatalf("%d bytes of snapshots of %d", s.held, s.mostHeld)
			}
		}
		for i := 1; i < len(s.moments); i++ {
			gap := s.moments[i].at - s.moments[i-1].at
			if gap <= 0 {
				t.Fatalf("frame %d is %v after the one before", i, gap)
			}
		}
		if s.moments[0].at != 0 {
			t.Fatalf("the first frame is that of %v", s.moments[0].at)
		}
	})
}

// TestStoreOfALongRun checks half a day of a large query, seen each second, in the real budget.
func TestStoreOfALongRun(t *testing.T) {
	s, f := newStore(), frameAt(0, 1000)
	for i := range 12 * 60 * 60 {
		f.At = frame.TimeOf(testStart + dag.Instant(1000*i))
		s.add(f)
	}
	if n := len(s.moments); s.bytes > budget || s.held > taskBudget || n < 100 {
		t.Errorf("%d frames, %d and %d bytes", n, s.bytes, s.held)
	}
	if got := s.end(); got != 12*time.Hour-time.Second {
		t.Errorf("the end is at %v", got)
	}
}

func TestStoreIndex(t *testing.T) {
	s := newStore()
	if got := s.index(0); got != -1 {
		t.Errorf("empty: %d", got)
	}
	for _, at := range []float64{0, 10, 20, 20} {
		s.add(frameAt(at, 1))
	}
	for at, want := range map[time.Duration]int{
		0: 0, 9 * time.Second: 0, 10 * time.Second: 1, 11 * time.Second: 1,
		20 * time.Second: 3, time.Hour: 3,
	} {
		if got := s.index(at); got != want {
			t.Errorf("at %v: frame %d, want %d", at, got, want)
		}
	}
}

// TestStoreKeepsMoves checks that the newest moves stay with the frames that are left of a run.
func TestStoreKeepsMoves(t *testing.T) {
	s := newStore()
	s.most = 10 * frameBytes
	for i := range 500 {
		f := frameAt(float64(i), 0)
		if i%50 == 49 {
			f.Moves = []frame.Move{{Cause: frame.Cause{DeltaSeconds: frame.Seconds(i)}}}
		}
		s.add(f)
	}
	var got []frame.Seconds
	for f := range s.upTo(len(s.moments) - 1) {
		for _, m := range f.Moves {
			got = append(got, m.DeltaSeconds)
		}
	}
	for i, want := range []frame.Seconds{299, 349, 399, 449, 499} {
		if n := len(got); n < 5 || got[n-5+i] != want {
			t.Fatalf("of the moves %v are left", got)
		}
	}
}
