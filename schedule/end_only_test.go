package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// TestEndOnlyEndsTheSame replays any world twice, lean and in full: the ends are the same, also with memory that
// another world has used.
func TestEndOnlyEndsTheSame(t *testing.T) {
	var used EndOnly
	different := 0
	rapid.Check(t, func(t *rapid.T) {
		s := drawYARN(t)
		seed := rapid.Uint64().Draw(t, "costs")
		left := func(task Task) Cost {
			h := (seed ^ uint64(task.Index)<<8 ^ uint64(task.Job)<<40 ^ uint64(task.Stage)) * 0x9e3779b97f4a7c15
			return Cost{
				Setup: time.Duration(h>>60*uint64(max(task.Together, 1))) * 100 * time.Millisecond,
				Work:  time.Duration(h>>48%30_000) * time.Millisecond, Same: 1,
			}
		}
		opt := Options{}
		if rapid.Bool().Draw(t, "failures") {
			opt.Fault = func(task Task, start, end dag.Instant) (dag.Instant, bool) {
				return (start + end) / 2, task.Attempt == 0 && (uint64(task.Index)+seed)%3 == 0
			}
		}
		full, err := Replay(s, left, opt)
		opt.EndOnly = &used
		lean, leanErr := Replay(s, left, opt)
		if (err == nil) != (leanErr == nil) {
			t.Fatalf("full: %v; lean: %v", err, leanErr)
		}
		if err != nil {
			return
		}
		if full.End != lean.End || full.Now != lean.Now {
			t.Fatalf("full ends at %d, lean at %d", full.End, lean.End)
		}
		if full.End > full.Now {
			different++
		}
	})
	if different == 0 {
		t.Fatal("nothing was left in any world: nothing was compared")
	}
}
