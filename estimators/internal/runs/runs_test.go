package runs

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type mark struct{ key, run, at int }

func byKey(a, b mark) int { return cmp.Compare(a.key, b.key) }

// TestMerge holds it against a stable sort of all runs one after the other.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in [][]mark
		var all []mark
		for r := range rapid.IntRange(0, 9).Draw(t, "runs") {
			keys := rapid.SliceOfN(rapid.IntRange(0, 6), 0, 12).Draw(t, "keys")
			if rapid.Bool().Draw(t, "sorted") {
				slices.Sort(keys)
			}
			var run []mark
			for i, k := range keys {
				run = append(run, mark{k, r, i})
			}
			in, all = append(in, run), append(all, run...)
		}
		before := slices.Clone(all)
		slices.SortStableFunc(all, byKey)
		if got := Merge(in, byKey); !slices.Equal(got, all) {
			t.Fatalf("%v instead of %v", got, all)
		}
		if !slices.Equal(slices.Concat(in...), before) {
			t.Fatal("the runs have changed")
		}
	})
}
