package contention

// inQueue is a user in a queue.
type inQueue struct{ queue, user string }

// A share is the usage of several tenants together. first is the tenant with the most memory, masters the one with
// the most masters; among equals, the first in the list.
type share struct {
	mb, containers, heads int
	first, masters        *Tenant
}

func (s *share) add(p *Tenant) {
	s.mb += p.HeldMB
	s.containers += p.Containers
	s.heads += p.Masters
	if s.first == nil || p.HeldMB > s.first.HeldMB {
		s.first = p
	}
	if s.masters == nil || p.Masters > s.masters.Masters {
		s.masters = p
	}
}

// shares is the usage by queue and user, by queue, and in total.
type shares struct {
	user  map[inQueue]share
	queue map[string]share
	all   share
}

func sum(tenants []Tenant) shares {
	s := shares{user: map[inQueue]share{}, queue: map[string]share{}}
	for i := range tenants {
		p := &tenants[i]
		u := s.user[inQueue{p.Queue, p.User}]
		u.add(p)
		s.user[inQueue{p.Queue, p.User}] = u
		q := s.queue[p.Queue]
		q.add(p)
		s.queue[p.Queue] = q
		s.all.add(p)
	}
	return s
}

// most returns the tenant with the largest usage within p's scope, and the number of containers (or masters) in use
// there. If the cluster is full, it first considers p's queue: other queues have a right to their share.
func (s shares) most(p *Tenant, scope Scope) (*Tenant, int) {
	switch q := s.queue[p.Queue]; {
	case scope == User:
		u := s.user[inQueue{p.Queue, p.User}]
		return u.first, u.containers
	case scope == Masters:
		return q.masters, q.heads
	case scope == Queue || q.first.HeldMB > p.HeldMB:
		return q.first, q.containers
	}
	return s.all.first, s.all.containers
}
