package fleet

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
	// Wants: it has pending container requests. Locked: one of its applications waits for its master's container.
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
	OfUser    Scope = iota // the limit of one user in a queue
	OfQueue                // the limit of a queue
	OfCluster              // the whole cluster
	OfMasters              // the limit of masters in a queue
)

var scopes = [...]string{"user", "queue", "cluster", "masters"}

func (s Scope) String() string { return scopes[s] }

// A Blocking is a workflow that delays others: it uses the most of the resource that they share.
type Blocking struct {
	Holder Tenant
	Scope  Scope
	// containers of all tenants within the scope (Holder.Containers are the holder's); under the scope OfMasters,
	// their masters
	Of      int
	Waiting []Tenant // in the order of submission
}

// Contention returns the blockings, the one with the most waiting tenants first. A tenant that uses more than the
// holder does not count as delayed. It uses the lists of a ResourceManager, not a replay: a thousand applications cost
// one pass over them.
func Contention(tenants []Tenant, room Room) []Blocking {
	all := groups{}
	for i := range tenants {
		for _, scope := range []Scope{OfUser, OfQueue, OfCluster} {
			at := tenants[i].within(scope)
			all[at] = append(all[at], &tenants[i])
		}
	}
	type key struct {
		holder *Tenant
		scope  Scope
	}
	found := map[key]*Blocking{}
	for i := range tenants {
		p := &tenants[i]
		scope, waits := p.lacks(all, room)
		if !waits {
			continue
		}
		h, of := all.most(p, scope)
		if h.uses(scope) <= p.uses(scope) {
			continue
		}
		k := key{h, scope}
		if found[k] == nil {
			found[k] = &Blocking{Holder: *h, Scope: scope, Of: of}
		}
		found[k].Waiting = append(found[k].Waiting, *p)
	}
	blockings := make([]Blocking, 0, len(found))
	for _, b := range found {
		slices.SortFunc(b.Waiting, func(a, b Tenant) int {
			return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.ID, b.ID))
		})
		blockings = append(blockings, *b)
	}
	slices.SortFunc(blockings, func(a, b Blocking) int {
		return cmp.Or(cmp.Compare(len(b.Waiting), len(a.Waiting)), cmp.Compare(a.Holder.ID, b.Holder.ID),
			cmp.Compare(a.Scope, b.Scope))
	})
	return blockings
}

// Has returns the holder's part of Of.
func (j *Blocking) Has() int { return j.Holder.has(j.Scope) }

// has returns how many containers a tenant has, or masters in the scope OfMasters.
func (p *Tenant) has(scope Scope) int {
	if scope == OfMasters {
		return p.Masters
	}
	return p.Containers
}

// uses returns how much a tenant uses of what a scope limits: masters, or memory.
func (p *Tenant) uses(scope Scope) int {
	if scope == OfMasters {
		return p.Masters
	}
	return p.HeldMB
}

// lacks reports whether a tenant waits, and in which scope there is no room.
func (p *Tenant) lacks(all groups, room Room) (Scope, bool) {
	if !p.Wants && !p.Locked || room.TotalMB <= 0 {
		return 0, false
	}
	next := p.container(all)
	switch {
	case p.UserMB > 0 && all.usage(p.within(OfUser), OfUser)+next > p.UserMB:
		return OfUser, true
	case p.QueueMB > 0 && all.usage(p.within(OfQueue), OfQueue)+next > p.QueueMB:
		return OfQueue, true
	case room.FreeMB < next:
		return OfCluster, true
	case p.Locked:
		return OfMasters, true
	}
	return 0, false // it waits for another reason than room
}

// container estimates the memory of its next container from its own containers, or from all.
func (p *Tenant) container(all groups) int {
	if p.Containers > 0 {
		return p.HeldMB / p.Containers
	}
	at := p.within(OfCluster)
	if containers := all.sum(at, OfCluster, (*Tenant).has); containers > 0 {
		return all.usage(at, OfCluster) / containers
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
	case OfUser:
		return place{scope, p.Queue, p.User}
	case OfQueue, OfMasters:
		return place{scope: OfQueue, queue: p.Queue}
	}
	return place{scope: OfCluster}
}

// groups are the tenants in each place, in their order.
type groups map[place][]*Tenant

// usage returns what the tenants in a place use of a scope.
func (g groups) usage(at place, scope Scope) int { return g.sum(at, scope, (*Tenant).uses) }

// sum returns the sum of a function of the tenants in a place.
func (g groups) sum(at place, scope Scope, of func(*Tenant, Scope) int) (n int) {
	for _, p := range g[at] {
		n += of(p, scope)
	}
	return n
}

// most returns the tenant with the largest usage within p's scope, among equals the first, and the number of containers
// (or masters) in use there. If the cluster is full, it first considers p's queue: other queues have a right to their
// share.
func (g groups) most(p *Tenant, scope Scope) (h *Tenant, of int) {
	places := []place{p.within(scope)}
	if scope == OfCluster {
		places = []place{p.within(OfQueue), p.within(OfCluster)}
	}
	for _, at := range places {
		h = slices.MaxFunc(g[at], func(a, b *Tenant) int { return cmp.Compare(a.uses(scope), b.uses(scope)) })
		of = g.sum(at, scope, (*Tenant).has)
		if h.uses(scope) > p.uses(scope) {
			break
		}
	}
	return h, of
}
