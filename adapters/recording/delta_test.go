package recording

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/recording/internal/delta"
	"github.com/paratimer/paratimer/dag"
)

// Whatever changes between two snapshots, the change turns the first one into the second, bit by bit, and leaves the
// first one as it was.
func TestChangeOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, v := drawSnapshot(t, "old"), drawSnapshot(t, "new")
		text := func(old, now *dag.Snapshot) []byte {
			b, err := json.Marshal(delta.Of(old, now))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		var c delta.Change
		before := text(&dag.Snapshot{}, old)
		if err := json.Unmarshal(text(old, v), &c); err != nil {
			t.Fatal(err)
		}
		got, err := c.Apply(old, 1<<24)
		if err != nil {
			t.Fatalf("%v in %s", err, text(old, v))
		}
		if d := difference(*v, *got); d != "" {
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
