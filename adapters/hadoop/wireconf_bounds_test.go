package hadoop

import (
	"fmt"
	"strings"
	"testing"
)

// TestConfBounds: what is kept of a configuration is bounded, however long the lists in it are.
func TestConfBounds(t *testing.T) {
	t.Parallel()
	var b confBody
	set := func(name, value string) {
		b.Conf.v.Properties = append(b.Conf.v.Properties, wireProperty{anyText(name), anyText(value)})
	}
	var dirs strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&dirs, "d%d,", i)
	}
	set("pig.input.dirs", dirs.String())
	set(adjacency+"a", "b,c")
	for i := range 200 {
		set(fmt.Sprintf("%sn%d", adjacency, i), dirs.String()[:1000])
	}
	c := b.conf()
	edges := 0
	for _, to := range c.after {
		edges += 1 + len(to)
	}
	if len(c.input) != mostNames || edges > mostNames || len(c.after["a"]) != 2 {
		t.Errorf("%d inputs, %d nodes and edges, %v after a", len(c.input), edges, c.after["a"])
	}
	if got := fields(strings.Repeat("é", mostText)+",a", mostNames); len(got) != 0 {
		t.Errorf("%d elements of a list whose first is too long", len(got))
	}
	if got := fields("b, a,,b", mostNames); strings.Join(got, " ") != "a b" {
		t.Error(got)
	}
	long := strings.Repeat("x", mostText-1) + ",y,z"
	if got := fields(long, mostNames); len(got) != 1 || len(got[0]) > 4096 {
		t.Errorf("%d elements", len(got))
	}
}
