package contention

// inQueue is a user in a queue.
type inQueue struct{ queue, user string }

// A share is what some tenants hold together, and who of them holds the most. first has the most memory, and masters
// the most of these; among equals it is the one that came first in the list.
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

// shares are what is held by queue and user, by queue, and in all.
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

// most is who holds the most within p's scope, and how many containers are held there. Where the cluster is full that
// is looked for in p's queue first: others' queues have a right to theirs.
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
