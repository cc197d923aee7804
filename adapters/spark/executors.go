package spark

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// An executor is an executor of the application.
type executor struct {
	id, host       string
	cores          int // tasks at once
	total          int // cores, by the log; 0 unknown
	running        int // tasks, by the log
	active         bool
	excluded       bool
	added, removed dag.Instant
	reason         string
}

// killed reports whether the driver released the executor.
func (e *executor) killed() bool { return strings.Contains(e.reason, "killed by driver") }

// lost reports whether the executor has ended without a release by the driver.
func (e *executor) lost() bool { return !e.active && e.removed.Known() && !e.killed() }

// executors are the executors of an application.
type executors struct {
	all     []*executor // in the order in which they started
	byID    map[string]int
	changes int // how often a fact has changed that decides whether the output of tasks is lost
}

// executorAt returns the index of an executor, or -1 if there are too many.
func (x *executors) executorAt(id string) int {
	if i, ok := x.byID[id]; ok {
		return i
	}
	if id == "" || len(x.all) >= mostExecutors {
		return -1
	}
	x.byID[id] = len(x.all)
	x.all = append(x.all, &executor{
		id: dag.Clean(id), active: true, added: dag.NoInstant, removed: dag.NoInstant,
	})
	return len(x.all) - 1
}

// set records whether an executor is active, and else when and why it ended.
func (x *executors) set(e *executor, active bool, removed dag.Instant, reason string) {
	if e.active != active || e.removed != removed || e.reason != reason {
		x.changes++
	}
	e.active, e.removed, e.reason = active, removed, reason
}

// cores returns how many tasks the active executors can run at once.
func (x *executors) cores() int {
	n := 0
	for _, e := range x.all {
		if e.active && !e.excluded {
			n += e.cores
		}
	}
	return n
}

// activeAt returns how many executors were active at an instant.
func (x *executors) activeAt(t dag.Instant) int {
	return count(x.all, func(e *executor) bool { return e.added <= t && (e.active || e.removed > t) })
}

// firstAfter returns when the first executor after an instant was added, or NoInstant.
func (x *executors) firstAfter(t dag.Instant) dag.Instant {
	first := dag.NoInstant
	for _, e := range x.all {
		if e.id != "driver" && e.added > t && (!first.Known() || e.added < first) {
			first = e.added
		}
	}
	return first
}

// peak returns the highest number of executors at any time.
func (x *executors) peak() int {
	added, removed, most := []dag.Instant{}, []dag.Instant{}, 0
	for _, e := range x.all {
		if added = append(added, e.added); !e.active {
			removed = append(removed, e.removed)
		}
	}
	slices.Sort(added)
	slices.Sort(removed)
	for n, at := range added {
		ended, _ := slices.BinarySearch(removed, at+1)
		most = max(most, n+1-ended)
	}
	return most
}

// nodes returns the executors as nodes of a snapshot.
func (x *executors) nodes(now dag.Instant) []dag.NodeState {
	out := make([]dag.NodeState, len(x.all))
	for i, e := range x.all {
		n := &out[i]
		*n = dag.NodeState{Name: "executor " + e.id, Cores: e.cores, LostAt: dag.NoInstant, Draining: e.excluded}
		if e.host != "" {
			n.Name += " on " + e.host
		}
		if e.active {
			continue
		}
		if n.Lost, n.LostAt = true, now; e.removed.Known() {
			n.LostAt = min(e.removed, now)
		}
		if e.killed() {
			n.Cause = dag.NodeDecommissioned
		}
	}
	return out
}
