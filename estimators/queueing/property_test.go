package queueing

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func drawDemand(t *rapid.T, label string) Demand {
	f := func(kind string) float64 {
		if rapid.Bool().Draw(t, label+" has "+kind) {
			return rapid.Float64Range(0, 100).Draw(t, label+" "+kind)
		}
		return 0
	}
	return Demand{f("CPU"), f("fibre"), f("disk"), f("network")}
}

func drawSpec(t *rapid.T) *Spec {
	s := &Spec{
		Nodes:          rapid.IntRange(1, 40).Draw(t, "nodes"),
		CPUs:           rapid.IntRange(1, 9).Draw(t, "CPUs"),
		Disks:          rapid.IntRange(0, 3).Draw(t, "disks"),
		MapSlots:       rapid.IntRange(1, 9).Draw(t, "map slots"),
		ReduceSlots:    rapid.IntRange(0, 3).Draw(t, "reduce slots"),
		ShuffleThreads: rapid.IntRange(1, 9).Draw(t, "shuffle threads"),
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "jobs") {
		s.Jobs = append(s.Jobs, Job{
			Name: fmt.Sprint(i), Copies: rapid.IntRange(1, 4).Draw(t, "copies"),
			Maps:    rapid.IntRange(1, 400).Draw(t, "maps"),
			Reduces: rapid.IntRange(0, 50).Draw(t, "reduces"),
			Map:     drawDemand(t, "map"), Shuffle: drawDemand(t, "shuffle"), Merge: drawDemand(t, "merge"),
		})
	}
	return s
}

// Whatever the Spec, figures are numbers, no centre is busier than it can be, and no job is faster than its tasks
// alone.
func TestSane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		m := Model(rapid.IntRange(0, 3).Draw(t, "model"))
		r, err := Solve(s, m, Options{MaxIterations: 60})
		var bad *FieldError
		if errors.As(err, &bad) || errors.Is(err, ErrTooLarge) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, s, r)
	})
}

func checkResult(t interface{ Errorf(string, ...any) }, s *Spec, r *Result) {
	for i, j := range r.Jobs {
		want := &s.Jobs[i]
		least := want.Map.Total()
		if want.Reduces > 0 {
			least += want.Merge.Total()
		}
		if r.Model == Product && !(j.Response >= least*(1-1e-9)-1e-9) {
			t.Errorf("job %d responds in %v s, its tasks alone take %v s", i, j.Response, least)
		}
		if math.IsNaN(j.Response) || math.IsInf(j.Response, 0) || j.Response < 0 || j.Span < 0 {
			t.Errorf("job %d: response %v, span %v", i, j.Response, j.Span)
		}
		for _, c := range j.Classes {
			if !(c.Takes >= c.Demand.Total()*(1-1e-9)) {
				t.Errorf("job %d: a %s takes %v s, less than its demand of %v s", i, c.Kind, c.Takes, c.Demand.Total())
			}
		}
		at := 0.0
		for _, p := range j.Phases {
			if math.Abs(p.Start-at) > 1e-6*(1+at) || p.End < p.Start || p.Count < 1 {
				t.Errorf("job %d: phases %+v", i, j.Phases)
				break
			}
			at = p.End
		}
	}
	for _, c := range r.Centres {
		if !(c.Utilisation >= 0 && c.Utilisation <= 1+1e-9) {
			t.Errorf("%+v", c)
		}
	}
}
