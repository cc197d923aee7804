package fleet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// tenant is one of "id queue user containers", each of 1 GB, that wants more or not.
func tenant(at int, s string, wants bool) Tenant {
	p := Tenant{Submitted: dag.Instant(at), Masters: 1, Wants: wants, End: dag.NoInstant}
	fmt.Sscan(s, &p.ID, &p.Queue, &p.User, &p.Containers)
	p.Name, p.HeldMB = p.ID, 1024*p.Containers
	return p
}

func words(blockings []Blocking) string {
	var out []string
	for _, j := range blockings {
		var waiting []string
		for _, w := range j.Waiting {
			waiting = append(waiting, w.ID)
		}
		out = append(out, fmt.Sprintf("%s has %d of %d of the %s: %s", j.Holder.ID, j.Has(), j.Of, j.Scope,
			strings.Join(waiting, ",")))
	}
	return strings.Join(out, "; ")
}

func TestFind(t *testing.T) {
	full := Room{TotalMB: 10 << 10}
	load, sales, mails := tenant(1, "load q etl 8", true), tenant(3, "sales q etl 1", true),
		tenant(2, "mails q etl 1", true)
	capped := func(p Tenant, user, queue int) Tenant { p.UserMB, p.QueueMB = user, queue; return p }
	accepted := Tenant{ID: "new", Queue: "q", User: "etl", Locked: true, Submitted: 9, End: dag.NoInstant}
	for _, c := range []struct {
		name    string
		tenants []Tenant
		room    Room
		want    string
	}{
		{"no tenant", nil, full, ""},
		{
			"one holds most, in the order of submission",
			[]Tenant{load, sales, mails},
			full,
			"load has 8 of 10 of the cluster: mails,sales",
		},
		{
			"submission counts, not the name",
			[]Tenant{load, tenant(3, "a q etl 1", true), tenant(2, "b q etl 1", true)},
			full, "load has 8 of 10 of the cluster: b,a",
		},
		{"there is room", []Tenant{load, sales, mails}, Room{10 << 10, 2 << 10}, ""},
		{"unknown room", []Tenant{load, sales}, Room{}, ""},
		{"no tenant waits", []Tenant{load, tenant(3, "sales q etl 1", false)}, full, ""},
		{
			"a tenant with as much memory blocks no other",
			[]Tenant{tenant(1, "a q etl 5", true), tenant(2, "b q etl 5", true)},
			full, "",
		},
		{"alone", []Tenant{tenant(1, "a q etl 10", true)}, full, ""},
		{
			"a tenant in the same queue comes first",
			[]Tenant{tenant(1, "big p bob 6", false), tenant(2, "a q etl 3", false), tenant(3, "b q etl 1", true)},
			full,
			"a has 3 of 4 of the cluster: b",
		},
		{
			"else it is another queue's",
			[]Tenant{tenant(1, "big p bob 8", false), tenant(2, "a q etl 1", true), tenant(3, "b q etl 1", true)},
			full,
			"big has 8 of 10 of the cluster: a,b",
		},
		{
			"a user's limit is between his own",
			[]Tenant{
				tenant(1, "big q bob 6", false), capped(tenant(2, "a q etl 2", false), 3<<10, 0),
				capped(tenant(3, "b q etl 1", true), 3<<10, 0),
			},
			Room{20 << 10, 11 << 10},
			"a has 2 of 3 of the user: b",
		},
		{
			"a queue's limit is within it",
			[]Tenant{
				tenant(1, "big p bob 6", false), capped(tenant(2, "a q eve 2", false), 0, 3<<10),
				capped(tenant(3, "b q etl 1", true), 0, 3<<10),
			},
			Room{20 << 10, 11 << 10},
			"a has 2 of 3 of the queue: b",
		},
		{
			"not let in, though there is room",
			[]Tenant{tenant(1, "a q etl 2", false), accepted},
			Room{20 << 10, 18 << 10},
			"a has 1 of 1 of the masters: new",
		},
		{
			"not let in, and no room",
			[]Tenant{load, accepted},
			Room{TotalMB: 8 << 10},
			"load has 8 of 8 of the cluster: new",
		},
		{
			"the one that most wait for comes first",
			[]Tenant{
				tenant(1, "a p bob 3", false), tenant(2, "b p bob 1", true), tenant(3, "c q etl 4", false),
				tenant(4, "d q etl 1", true), tenant(5, "e q etl 1", true),
			},
			full, "c has 4 of 6 of the cluster: d,e; a has 3 of 4 of the cluster: b",
		},
	} {
		if got := words(Contention(c.tenants, c.room)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// BenchmarkFind is a thousand workflows, all of which wait.
func BenchmarkFind(b *testing.B) {
	var all []Tenant
	for i := range 1000 {
		all = append(all, tenant(i, fmt.Sprintf("w%d q%d u%d %d", i, i%7, i%50, 1+i%13), true))
	}
	for b.Loop() {
		Contention(all, Room{TotalMB: 1 << 20})
	}
}
