package events_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/dag"
)

// TestTable changes tasks at random and checks that the attempts are those of a table that is built at once, that they
// are shared if nothing has changed, and that no later change affects them.
func TestTable(t *testing.T) {
	t.Parallel()
	type task struct{ attempts []dag.Attempt }
	const most = 40
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var table events.Table[task]
		again := int32(-1) // the task that is to be shown again
		show := func(to []dag.Attempt, index int32, k *task) []dag.Attempt {
			if index == again {
				table.Change(index)
			}
			return append(to, k.attempts...)
		}
		var before []dag.Attempt
		text := "[]"
		for range 100 {
			switch index := r.Int32N(most); r.IntN(8) {
			case 0, 1, 2:
				if table.Find(index) == nil {
					table.Add(index, &task{make([]dag.Attempt, r.IntN(2))})
				}
				fallthrough
			case 3, 4:
				if k := table.Find(index); k != nil {
					k.attempts = append(k.attempts, dag.Attempt{})
					for n := range k.attempts {
						k.attempts[n] = dag.Attempt{Task: index, Number: int32(n), Slot: r.Int32()}
					}
				}
				table.Change(index)
			case 5:
				for _, k := range table.All() {
					k.attempts = nil
				}
				table.ChangeAll()
			case 6:
				again = index
			case 7:
				again = -1
			}
			got := table.Attempts(show)
			var want []dag.Attempt
			for index, k := range table.All() {
				want = show(want, index, k)
			}
			if !slices.Equal(got, want) || table.Shown() != len(want) {
				t.Fatalf("attempts %v, want %v", got, want)
			}
			if second := table.Attempts(show); again < 0 && len(got) > 0 && &second[0] != &got[0] {
				t.Fatal("nothing has changed, and the attempts are not shared")
			}
			if fmt.Sprint(before) != text {
				t.Fatal("a change affects earlier attempts")
			}
			before, text = got, fmt.Sprint(got)
		}
	}
}

// BenchmarkAttempts takes the attempts of a stage after one task has changed.
func BenchmarkAttempts(b *testing.B) {
	for _, n := range []int32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var table events.Table[dag.Attempt]
			for i := range n {
				table.Add(i, &dag.Attempt{Task: i})
			}
			b.ReportAllocs()
			for b.Loop() {
				table.Change(n / 2)
				table.Attempts(func(to []dag.Attempt, _ int32, a *dag.Attempt) []dag.Attempt { return append(to, *a) })
			}
		})
	}
}
