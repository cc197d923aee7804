package yarn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestCrowd: a sum of many is nobody's, and nobody's need.
func TestCrowd(t *testing.T) {
	var all []dag.Load
	for i := range FewTenants + 1 {
		all = append(all, dag.Load{
			ID: fmt.Sprint(i), Name: "theirs", User: "bob", Queue: "q", HeldMB: 100,
			Progress: 0.5, Need: &dag.Need{},
		})
	}
	sums := SumLoads(all)
	if len(sums) != 1 || sums[0].HeldMB != 2100 || sums[0].Name != "" || sums[0].User != "" || sums[0].Need != nil ||
		!strings.HasPrefix(sums[0].ID, "others") {
		t.Errorf("%+v", sums)
	}
}
