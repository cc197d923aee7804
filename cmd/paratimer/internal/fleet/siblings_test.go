package fleet

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// A learner has the id of its job until a sibling's conf, which comes some seconds later, has the workflow's.
type learner struct {
	watch.Source
	at time.Time
}

func (l *learner) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := l.Source.Next(ctx)
	if err == nil && time.Now().After(l.at) {
		s.ID = "pig_1"
	}
	return s, err
}

// TestSiblings: the conf of the second job of a wave is read before that of the first, by which the workflow is
// watched. No other session may watch it, or its alerts would be sent twice.
func TestSiblings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{}
		c.add(t, 2)
		first := &c.apps[0]
		first.Readable = false
		c.apps[1].Name, c.apps[1].Workflow = first.Name, "pig_1"
		for app, source := range c.runs {
			c.runs[app] = func() watch.Source { return &learner{source(), begin.Add(10 * time.Second)} }
		}
		var mu sync.Mutex
		watched := map[string]bool{}
		o := options(c, &frameLog{})
		open := o.Open
		o.Open = func(app string) Hooks {
			mu.Lock()
			defer mu.Unlock()
			watched[app] = true
			return open(app)
		}
		run(t, o, ruleset(t, twoRules), 30*time.Second)
		if got := slices.Collect(maps.Keys(watched)); len(got) != 1 || !watched[first.App] {
			t.Errorf("the script is watched by %v, want by its first job alone", got)
		}
	})
}
