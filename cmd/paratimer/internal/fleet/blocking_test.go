package fleet

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestJams: of three workflows one has nearly all containers. The watch reports it once it has lasted, the frames of
// all three show it, and it ends when containers are free again.
func TestJams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{total: 10 * 1024, free: 0}
		c.add(t, 3)
		c.apps[0].HeldMB, c.apps[0].Containers = 8*1024, 8
		for i := 1; i < 3; i++ {
			c.apps[i].HeldMB, c.apps[i].Containers, c.apps[i].PendingMB = 1024, 1, 4096
		}
		var s frameLog
		type reported struct {
			after     time.Duration
			blockings []Blocking
		}
		var reports []reported
		o := options(c, &s)
		o.Listed = func(at dag.Instant, blockings []Blocking) {
			reports = append(reports, reported{at.Time().Sub(begin), blockings})
		}
		ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
		defer cancel()
		go func() {
			time.Sleep(50 * time.Second)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.free = 5 * 1024
		}()
		if err := New(o, ruleset(t, "rules: [{name: all, within: 1h}]")).Run(ctx); err != context.DeadlineExceeded {
			t.Fatal(err)
		}
		var with []reported
		for _, h := range reports {
			if len(h.blockings) > 0 {
				with = append(with, h)
			}
		}
		if len(with) == 0 {
			t.Fatal("no blocking was reported")
		}
		first, last := with[0], with[len(with)-1]
		if first.after < settle || first.after > settle+2*o.Every || last.after > 50*time.Second+o.Every {
			t.Errorf("reported from %v to %v, want from %v to 50s", first.after, last.after, settle)
		}
		j := first.blockings[0]
		if len(first.blockings) != 1 || j.Holder.Name != "w0" || len(j.Waiting) != 2 || j.Waiting[0].Name != "w1" ||
			j.Of != 10 || j.Scope != OfCluster || !j.Holder.End.Known() {
			t.Errorf("blockings %+v", first.blockings)
		}
		shows := func(name string, so func(frame.Frame) bool) bool { return slices.ContainsFunc(s.frames[name], so) }
		up := func(f frame.Frame) bool {
			return f.HeldUpBy != nil && *f.HeldUpBy.Name == "w0" && f.HeldUpBy.Containers == 8 &&
				f.HeldUpBy.OfContainers == 10 && f.HeldUpBy.EndAt != nil &&
				f.HeldUpBy.ForSeconds >= 20 && *f.HoldsUp == 0
		}
		blocks := func(f frame.Frame) bool { return f.HoldsUp != nil && *f.HoldsUp == 2 && f.HeldUpBy == nil }
		if !shows("w0", blocks) || shows("w0", up) || !shows("w1", up) || !shows("w2", up) || shows("w1", blocks) {
			t.Error("the frames lack which query blocks which")
		}
		for _, name := range []string{"w0", "w1"} {
			all := s.frames[name]
			if f := all[len(all)-1]; f.HeldUpBy != nil || f.HoldsUp == nil || *f.HoldsUp != 0 {
				t.Errorf("%s: when there is room again: %+v, %v", name, f.HeldUpBy, f.HoldsUp)
			}
		}
	})
}
