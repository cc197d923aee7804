package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// A run of a plan in which the first map fails, seen each ten seconds: what estimators are tried on.
func ExampleNew() {
	plan, err := planfile.Read(strings.NewReader(`version: 1
cluster: {map_slots: 2, reduce_slots: 1}
jobs:
  - name: rank
    map: {tasks: 4, records: 1000, cost: 10ms}
    reduce: {tasks: 1, records: 1000, cost: 5ms}
`), planfile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := simulate.New(plan, simulate.Options{
		Every: 10 * time.Second, Know: simulate.Profile,
		Fail: []simulate.Failure{{Job: "rank", Task: 0, At: 4 * time.Second}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		s, err := run.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		done := 0
		for _, a := range s.Jobs[0].Stages[dag.Map].Attempts {
			if a.State == dag.AttemptSucceeded {
				done++
			}
		}
		fmt.Printf("%2d s: %v, %d of 4 maps done\n", s.At/1000, s.State, done)
	}
	// Output:
	// 0 s: running, 0 of 4 maps done
	// 10 s: running, 1 of 4 maps done
	// 20 s: running, 3 of 4 maps done
	// 29 s: succeeded, 4 of 4 maps done
}
