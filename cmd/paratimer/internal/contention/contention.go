// Package contention finds the workflows that delay others: those that use the containers that others wait for.
//
// It uses the lists of a ResourceManager, not a replay: a thousand applications cost one pass over them.
package contention

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A Tenant is a workflow on the cluster, or an application that belongs to none.
type Tenant struct {
	ID         string // of the workflow, or the application
	Name, User string
	Queue      string
	Submitted  dag.Instant
	HeldMB     int // memory of its containers, including its masters'
	Containers int
	Masters    int // applications that have a master
	// Pending container requests set Wants. Locked is true if one of its applications waits for its master.
	Wants, Locked bool
	// UserMB and QueueMB are the limits of its user and of its queue; 0 if there is none, or if it is unknown.
	UserMB, QueueMB int
	End             dag.Instant // its predicted end; NoInstant if unknown
}

// Room is the memory of the cluster for containers; zero if unknown.
type Room struct{ TotalMB, FreeMB int }

// A Scope is the resource limit that the blocking and the waiting tenants share.
type Scope uint8

// The scopes, the narrowest first.
const (
	User    Scope = iota // the limit of one user in a queue
	Queue                // the limit of a queue
	Cluster              // the whole cluster
	Masters              // the limit of masters in a queue
)

var scopes = [...]string{"user", "queue", "cluster", "masters"}

func (s Scope) String() string { return scopes[s] }

// A Blocking is a workflow that delays others: it uses the most of the resource that they share.
type Blocking struct {
	Holder Tenant
	Scope  Scope
	// containers used within the scope, of all tenants (Holder.Containers are the holder's); masters in scope
	// Masters
	Of      int
	Waiting []Tenant // in the order of submission
}

// Find returns the blockings, the one with the most waiting tenants first. A tenant that uses more than the holder
// does not count as delayed.
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
		if !h.exceeds(p, scope) {
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

// Has returns the holder's part of Of.
func (j *Blocking) Has() int {
	if j.Scope == Masters {
		return j.Holder.Masters
	}
	return j.Holder.Containers
}

// exceeds reports whether a tenant uses more than another.
func (h *Tenant) exceeds(p *Tenant, scope Scope) bool {
	if scope == Masters {
		return h.Masters > p.Masters
	}
	return h.HeldMB > p.HeldMB
}

// lacks reports whether a tenant waits, and in which scope there is no room.
func (p *Tenant) lacks(sums usage, room Room) (Scope, bool) {
	if !p.Wants && !p.Locked || room.TotalMB <= 0 {
		return 0, false
	}
	next := p.container(sums)
	switch {
	case p.UserMB > 0 && sums[p.within(User)].mb+next > p.UserMB:
		return User, true
	case p.QueueMB > 0 && sums[p.within(Queue)].mb+next > p.QueueMB:
		return Queue, true
	case room.FreeMB < next:
		return Cluster, true
	case p.Locked:
		return Masters, true
	}
	return 0, false // it waits for another reason than room
}

// container estimates the memory of its next container from the containers in use.
func (p *Tenant) container(sums usage) int {
	if p.Containers > 0 {
		return p.HeldMB / p.Containers
	}
	if all := sums[p.within(Cluster)]; all.containers > 0 {
		return all.mb / all.containers
	}
	return 1
}

// A place is a scope with the queue and the user that it is about, if any.
type place struct {
	scope       Scope
	queue, user string
}

// within returns the place of a scope for a tenant. Masters are limited by queue.
func (p *Tenant) within(scope Scope) place {
	switch scope {
	case User:
		return place{scope, p.Queue, p.User}
	case Queue, Masters:
		return place{scope: Queue, queue: p.Queue}
	}
	return place{scope: Cluster}
}

// A share is the usage of several tenants together. first is the tenant with the most memory, masters the one with
// the most masters; among equals, the first in the list.
type share struct {
	mb, containers, heads int
	first, masters        *Tenant
}

// usage is the usage in each place.
type usage map[place]*share

func sum(tenants []Tenant) usage {
	all := usage{}
	for i := range tenants {
		p := &tenants[i]
		for _, scope := range []Scope{User, Queue, Cluster} {
			s := all[p.within(scope)]
			if s == nil {
				s = &share{first: p, masters: p}
				all[p.within(scope)] = s
			}
			s.mb += p.HeldMB
			s.containers += p.Containers
			s.heads += p.Masters
			if p.HeldMB > s.first.HeldMB {
				s.first = p
			}
			if p.Masters > s.masters.Masters {
				s.masters = p
			}
		}
	}
	return all
}

// most returns the tenant with the largest usage within p's scope, and the number of containers (or masters) in use
// there. If the cluster is full, it first considers p's queue: other queues have a right to their share.
func (u usage) most(p *Tenant, scope Scope) (*Tenant, int) {
	if scope == Cluster && u[p.within(Queue)].first.HeldMB > p.HeldMB {
		scope = Queue
	}
	s := u[p.within(scope)]
	if scope == Masters {
		return s.masters, s.heads
	}
	return s.first, s.containers
}
