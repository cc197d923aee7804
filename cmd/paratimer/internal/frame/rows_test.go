package frame

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// TestJobsNameWhatTheyComeAfter checks that a job's dependencies are reported by node, and that none is an empty list.
func TestJobsNameWhatTheyComeAfter(t *testing.T) {
	got, none := [][]string{}, &pathfrag.Path{Schedule: &schedule.Schedule{}}
	for _, j := range jobs(chain(), none, futureOf(none)) {
		got = append(got, j.After)
	}
	if diff := cmp.Diff([][]string{{}, {"a"}}, got); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}
