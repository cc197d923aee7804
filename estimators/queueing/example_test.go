package queueing_test

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A job alone, and two of it at once: they contend for CPUs and disks, and the second costs less than the first.
func ExampleSolve() {
	spec := &queueing.Spec{
		Nodes: 4, CPUs: 2, MapSlots: 2, ShuffleThreads: 2, ReduceSlots: 1,
		Jobs: []queueing.Job{{
			Name: "nightly", Copies: 1, Maps: 16, Reduces: 4,
			Map: queueing.Demand{CPU: 4, Disk: 1}, Shuffle: queueing.Demand{Network: 0.05},
			Merge: queueing.Demand{CPU: 2, Disk: 1},
		}},
	}
	for _, copies := range []int{1, 2} {
		spec.Jobs[0].Copies = copies
		r, err := queueing.Solve(spec, queueing.Product, queueing.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		busiest := r.Centres[0]
		fmt.Printf("%d at once: %.1f s, the %v is busy for %.0f%% of the time\n", copies, r.Response(), busiest.Kind,
			100*busiest.Utilisation)
	}
	// Output:
	// 1 at once: 23.3 s, the cpu is busy for 39% of the time
	// 2 at once: 27.6 s, the cpu is busy for 65% of the time
}
