package live

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// TestJamText checks that a blocking workflow is reported when it begins to block, when it blocks twice as many, and
// when it ends.
func TestJamText(t *testing.T) {
	t.Parallel()
	at := dag.InstantOf(time.Date(2026, 11, 21, 4, 2, 10, 0, time.UTC))
	tenant := func(name string, containers int, end dag.Instant) fleet.Tenant {
		return fleet.Tenant{
			ID: "pig_" + name, Name: name, User: "etl", Queue: "root.prod", Containers: containers,
			Masters: 1, End: end,
		}
	}
	load := tenant("etl_load\x1b[31m", 8, at.Add(8*time.Minute))
	waiting := func(n int) (all []fleet.Tenant) {
		for i := range n {
			all = append(all, tenant(fmt.Sprintf("nightly_%d", i), 1, dag.NoInstant))
		}
		return all
	}
	var out bytes.Buffer
	text := &fleetText{out: &out, reported: map[string]alertStates{}}
	text.blockings(at, nil)
	for _, n := range []int{1, 1, 2, 3, 5, 1} {
		text.blockings(at, []fleet.Blocking{{
			Holder: load, Scope: fleet.OfCluster, Of: 10,
			Waiting: waiting(n),
		}})
	}
	text.blockings(at, nil)
	text.blockings(at, nil)
	for _, scope := range []fleet.Scope{fleet.OfQueue, fleet.OfUser, fleet.OfMasters} {
		text.blockings(at, []fleet.Blocking{{
			Holder: tenant("x", 2, dag.NoInstant), Scope: scope, Of: 3,
			Waiting: waiting(1),
		}})
		text.held = nil
	}
	want := `04:02:10 UTC  nightly_0  waits for containers: HOLDER uses 8 of 10, until about 04:10
04:02:10 UTC  HOLDER  blocks 2 others, which wait for containers: it uses 8 of 10, until about 04:10 (nightly_0, nightly_1)
04:02:10 UTC  HOLDER  blocks 5 others, which wait for containers: it uses 8 of 10, until about 04:10 (nightly_0, nightly_1, nightly_2, 2 more)
04:02:10 UTC  HOLDER  no longer blocks others
04:02:10 UTC  nightly_0  waits for containers; its queue may have no more: x uses 2 of 3 of queue root.prod, no end is predicted
04:02:10 UTC  nightly_0  waits for containers; its user may have no more: x uses 2 of 3 of etl in root.prod, no end is predicted
04:02:10 UTC  nightly_0  waits for its application master: x uses 1 of 3 masters of queue root.prod, no end is predicted
`
	want = strings.ReplaceAll(want, "HOLDER", view.Escape(load.Name))
	if got := out.String(); got != want || strings.Contains(got, "\x1b") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
