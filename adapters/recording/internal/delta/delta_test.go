package delta

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/drawn"
)

const most = 1 << 24

// Whatever changes between two snapshots, the change turns the first one into the second, bit by bit, and leaves the
// first one as it was.
func TestChangeOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, v := drawn.Snapshot(t, "old"), drawn.Snapshot(t, "new")
		text := Append(nil, old, v)
		before := string(Append(nil, &dag.Snapshot{}, old))
		got := *old
		if len(text) > 0 {
			left := most
			r := NewReader(text, &left)
			if r.Read(&got); r.Err() != nil {
				t.Fatalf("%v in %s", r.Err(), text)
			}
		}
		if d := drawn.Difference(*v, got); d != "" {
			t.Fatalf("%s, after %s", d, text)
		}
		if after := string(Append(nil, &dag.Snapshot{}, old)); after != before {
			t.Fatalf("the older snapshot was %s, is %s", before, after)
		}
		if again := Append(nil, v, &got); len(again) > 0 {
			t.Fatalf("equal snapshots differ by %s", again)
		}
	})
}
