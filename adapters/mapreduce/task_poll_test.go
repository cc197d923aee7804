package mapreduce

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A heapCluster measures the heap that is in use at each so many questions about attempts.
type heapCluster struct {
	*lab
	each, asked atomic.Int64
	most        atomic.Uint64
}

func (c *heapCluster) AM(ctx context.Context, app, path string) ([]byte, error) {
	if strings.HasSuffix(path, "/attempts") && c.asked.Add(1)%c.each.Load() == 0 {
		if n := heapInUse(); n > c.most.Load() {
			c.most.Store(n)
		}
	}
	return c.lab.AM(ctx, app, path)
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// attemptsOf is an answer with so many attempts of a map, each on a node of a long name, and with so long a
// diagnosis.
func attemptsOf(index, many, node, diagnosis int) string {
	var list []string
	for i := range many {
		list = append(list, fmt.Sprintf(
			`{"id":"attempt_1_0001_m_%06d_%d","state":"FAILED","startTime":%d,"finishTime":%d,"progress":30,"nodeHttpAddress":"%s","diagnostics":"no disk%s"}`,
			index, i, labStart+5000, labStart+6000, strings.Repeat("n", node), strings.Repeat(" ", diagnosis)))
	}
	return `{"taskAttempts":{"taskAttempt":[` + strings.Join(list, ",") + `]}}`
}

// TestAnswersOfATickAreNotKept: of hundreds of long answers about attempts only a few are in memory at once, and what
// is kept of them does not hold the rest.
func TestAnswersOfATickAreNotKept(t *testing.T) {
	const maps, long = 200, 64_000
	for name, answer := range map[string]func(index int) string{
		"a long diagnosis": func(index int) string { return attemptsOf(index, 1, 2, long) },
		"long names":       func(index int) string { return attemptsOf(index, long/4000, 3800, 0) },
	} {
		l := newLab()
		l.apps("1 RUNNING UNDEFINED 512")
		l.conf("0001", "a", "")
		states := make([]string, maps)
		for i := range states {
			states[i] = "RUNNING"
		}
		l.runs("0001", 0, states...)
		for i := range maps {
			l.am[fmt.Sprintf("0001/tasks/task_1_0001_m_%06d/attempts", i)] = answer(i)
		}
		c := &heapCluster{lab: l}
		c.each.Store(maps / 4)
		before := heapInUse()
		src := NewSource(c, yarn.Target{})
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after := heapInUse()
		runtime.KeepAlive(src)
		if most := float64(c.most.Load()) - float64(before); c.asked.Load() != maps || most > maps*long/2 ||
			float64(after)-float64(before) > maps*long/4 {
			t.Errorf("%s: %d answers of %d bytes: the heap grows by %.0f bytes, and by %d at the end", name,
				c.asked.Load(), long, most, int64(after)-int64(before))
		}
		if a := s.Jobs[0].Stages[dag.Map].Attempts; len(a) < maps || a[0].Diagnosis != "no disk" {
			t.Errorf("%s: %d attempts", name, len(a))
		}
	}
}

// TestManyAttempts: of a task with more attempts than any has the newest are taken.
func TestManyAttempts(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING", "RUNNING")
	for i := range 2 {
		l.am[fmt.Sprintf("0001/tasks/task_1_0001_m_%06d/attempts", i)] = attemptsOf(i, mostAttempts+5, 2, 0)
	}
	s := l.tick(t, NewSource(l, yarn.Target{}), time.Second)
	first, n := int32(-1), 0
	for _, a := range s.Jobs[0].Stages[dag.Map].Attempts {
		if a.Task == 0 {
			if n++; first < 0 {
				first = a.Number
			}
		}
	}
	if n != mostAttempts || first != 5 {
		t.Errorf("%d attempts from %d on", n, first)
	}
}

// TestAttemptsOfATick: a tick asks for no more attempts once the workflow has too many to be estimated, and the next
// one drops them.
func TestAttemptsOfATick(t *testing.T) {
	const maps = mostTasks/mostAttempts + 2*requestsAtOnce
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "")
	states := make([]string, maps)
	for i := range states {
		states[i] = "RUNNING"
	}
	l.runs("0001", 0, states...)
	for i := range maps {
		l.am[fmt.Sprintf("0001/tasks/task_1_0001_m_%06d/attempts", i)] = attemptsOf(i, mostAttempts, 2, 0)
	}
	src := NewSource(l, yarn.Target{})
	s := l.tick(t, src, time.Second)
	if n := len(s.Jobs[0].Stages[dag.Map].Attempts); n < mostTasks || n > mostTasks+requestsAtOnce*mostAttempts {
		t.Errorf("%d attempts are kept", n)
	}
	if s = l.tick(t, src, time.Second); !warned(s, dag.WarnTooLarge) || len(s.Jobs[0].Stages[dag.Map].Attempts) != 0 {
		t.Errorf("%d attempts: %v", len(s.Jobs[0].Stages[dag.Map].Attempts), s.Warnings)
	}
}
