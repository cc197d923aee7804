package delta

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/drawn"
)

// Whatever changes between two snapshots, the change turns the first one into the second, bit by bit, and leaves the
// first one as it was.
func TestChangeOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, v := drawn.Snapshot(t, "old"), drawn.Snapshot(t, "new")
		text := func(old, now *dag.Snapshot) []byte {
			b, err := json.Marshal(Of(old, now))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		var c Change
		before := text(&dag.Snapshot{}, old)
		if err := json.Unmarshal(text(old, v), &c); err != nil {
			t.Fatal(err)
		}
		got, err := c.Apply(old, 1<<24)
		if err != nil {
			t.Fatalf("%v in %s", err, text(old, v))
		}
		if d := drawn.Difference(*v, *got); d != "" {
			t.Fatalf("%s, after %s", d, text(old, v))
		}
		if after := text(&dag.Snapshot{}, old); string(after) != string(before) {
			t.Fatalf("the older snapshot was %s, is %s", before, after)
		}
		if again := text(v, got); string(again) != "{}" {
			t.Fatalf("equal snapshots differ by %s", again)
		}
	})
}
