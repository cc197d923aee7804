package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// Splits come largest first. In a run of another number of maps, those that have not told their size are as large as
// the profile's maps of the same rank, in proportion to what was told, and never larger than one that was told before
// them (recordings cpu-1 and wc-1).
func TestMapsToComeHaveTheSizesOfTheirRank(t *testing.T) {
	p := prior{sizes: []float64{80, 70, 60, 50, 40, 30, 20, 10}, total: 360}
	reported := []known{{0, 800}, {1, 640}, {2, 480}}
	sizes, mean := scaledSizes(&p, dag.Map, 5, reported, 1)
	// Ranks 0.5/5, 1.5/5, … of 8 are 0.3, 1.9, 3.5, 5.1 and 6.7 of the profile; told are 1920 of 77+61+45.
	for i, want := range []float64{800, 640, 480, 304, 136} {
		near(t, "size", sizes[i], want, 2)
	}
	near(t, "mean", mean, 472, 2)

	sizes, _ = scaledSizes(&p, dag.Map, 5, []known{{0, 800}, {1, 640}, {2, 200}}, 1)
	near(t, "a map after a told one of 200", sizes[3], 200, 0)

	if sizes, mean = scaledSizes(&p, dag.Reduce, 5, []known{{0, 90}}, 1); sizes != nil {
		t.Errorf("reduces of another number have sizes %v; nothing tells how keys are partitioned among them", sizes)
	}
	near(t, "a reduce of another number of reduces", mean, 90, 0)
}
