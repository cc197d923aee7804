package frame

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJobsNameWhatTheyComeAfter checks that a job's dependencies are reported by node, and that none is an empty list.
func TestJobsNameWhatTheyComeAfter(t *testing.T) {
	got := [][]string{}
	for _, j := range jobs(chain(), nil, futureOf(nil)) {
		got = append(got, j.After)
	}
	if diff := cmp.Diff([][]string{{}, {"a"}}, got); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}
