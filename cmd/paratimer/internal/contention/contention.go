// Package contention tells which workflow holds others up: who has the containers that they wait for.
//
// It judges by what a ResourceManager lists, not by a replay: a thousand applications cost one pass over them.
package contention

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A Tenant is a workflow on the cluster, or an application that is of none.
type Tenant struct {
	ID         string // of the workflow, or the application
	Name, User string
	Queue      string
	Submitted  dag.Instant
	HeldMB     int // memory of its containers, its masters' included
	Containers int
	Masters    int // applications that have a master
	// Wants says that it has asked for containers that it has not got, Locked that an application of it waits for its
	// master.
	Wants, Locked bool
	// UserMB and QueueMB are what its user and all users may hold in its queue; 0 where nothing limits it, or nobody
	// knows.
	UserMB, QueueMB int
	End             dag.Instant // its predicted end; NoInstant where nobody has told
}

// Room is the memory of the cluster that containers may have; zero where it is not known.
type Room struct{ TotalMB, FreeMB int }

// A Scope is what those share of whom one holds up the others.
type Scope uint8

// The scopes, the narrowest first.
const (
	User    Scope = iota // what one user may hold in a queue
	Queue                // what a queue may hold
	Cluster              // all there is
	Masters              // what masters of a queue may hold
)

var scopes = [...]string{"user", "queue", "cluster", "masters"}

func (s Scope) String() string { return scopes[s] }

// A Blocking is a workflow that holds others up: of all with whom they share, it holds the most.
type Blocking struct {
	Holder Tenant
	Scope  Scope
	// containers that are held within the scope, of which Holder.Containers are its; masters in scope Masters
	Of      int
	Waiting []Tenant // in the order of their submission
}

// Find returns the blockings, the one with the most who wait first. Who holds more than who holds it up is not held up.
func Find(tenants []Tenant, room Room) []Blocking {
	sums := sum(tenants)
	type key struct {
		holder *Tenant
		scope  Scope
	}
	index := map[key]int{}
	var blockings []Blocking
	for i := range tenants {
		p := &tenants[i]
		scope, waits := p.lacks(sums, room)
		if !waits {
			continue
		}
		h, of := sums.most(p, scope)
		if h == nil || !h.exceeds(p, scope) {
			continue
		}
		k := key{h, scope}
		at, known := index[k]
		if !known {
			at = len(blockings)
			index[k] = at
			blockings = append(blockings, Blocking{Holder: *h, Scope: scope, Of: of})
		}
		blockings[at].Waiting = append(blockings[at].Waiting, *p)
	}
	for i := range blockings {
		slices.SortFunc(blockings[i].Waiting, func(a, b Tenant) int {
			return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.ID, b.ID))
		})
	}
	slices.SortFunc(blockings, func(a, b Blocking) int {
		return cmp.Or(cmp.Compare(len(b.Waiting), len(a.Waiting)), cmp.Compare(a.Holder.ID, b.Holder.ID),
			cmp.Compare(a.Scope, b.Scope))
	})
	return blockings
}

// Has is how many of Of are the holder's.
func (j *Blocking) Has() int {
	if j.Scope == Masters {
		return j.Holder.Masters
	}
	return j.Holder.Containers
}

// exceeds says whether a tenant holds so much more than another that it is worth telling.
func (h *Tenant) exceeds(p *Tenant, scope Scope) bool {
	if scope == Masters {
		return h.Masters > p.Masters
	}
	return h.HeldMB > p.HeldMB
}

// lacks says whether a tenant waits, and for a part of what.
func (p *Tenant) lacks(sums shares, room Room) (Scope, bool) {
	if !p.Wants && !p.Locked || room.TotalMB <= 0 {
		return 0, false
	}
	next := p.container(sums)
	switch {
	case p.UserMB > 0 && sums.user[inQueue{p.Queue, p.User}].mb+next > p.UserMB:
		return User, true
	case p.QueueMB > 0 && sums.queue[p.Queue].mb+next > p.QueueMB:
		return Queue, true
	case room.FreeMB < next:
		return Cluster, true
	case p.Locked:
		return Masters, true
	}
	return 0, false // what it lacks is no room
}

// container is how much its next container takes, by those that are held.
func (p *Tenant) container(sums shares) int {
	if p.Containers > 0 {
		return p.HeldMB / p.Containers
	}
	if all := sums.all; all.containers > 0 {
		return all.mb / all.containers
	}
	return 1
}
