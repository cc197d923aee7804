package nearestfit_test

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// A reduce has nine key groups. The eight that are done took 17 s, with the square of their size; the largest one, of
// half the bytes, is still to come. By its bytes it would take another 17 s.
func ExampleJob() {
	groups := []dag.GroupSize{{Bytes: 10_000, Count: 1}}
	job := nearestfit.New([]nearestfit.Task{{Explicit: groups, Implicit: 10_000, Bytes: 20_000}}, nearestfit.Default())
	job.Start(0, 0)
	at := 0.0
	for _, bytes := range []float64{400, 600, 800, 1000, 1200, 1400, 1600, 3000} {
		took := bytes * bytes / 1e6
		at += took
		job.Record(0, at, bytes, took, 1)
	}
	p := job.Predict()
	left := p.Remaining(0)
	fmt.Printf("%.0f s left at %.1f s\n", left.Seconds, left.At)
	for rule, s := range left.Shares {
		if s.Bytes > 0 {
			fmt.Printf("%v: %.0f bytes, %.0f s\n", nearestfit.Rule(rule), s.Bytes, s.Seconds)
		}
	}
	seconds, rule := p.Time(0, 1100)
	fmt.Printf("a group of 1100 bytes: %.1f s, by %v\n", seconds, rule)
	// Output:
	// 100 s left at 17.1 s
	// own_fit: 10000 bytes, 100 s
	// a group of 1100 bytes: 1.2 s, by own_neighbours
}
