package mapreduce

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// TestConfBounds: the part of a configuration that is kept is bounded, whatever the length of its lists.
func TestConfBounds(t *testing.T) {
	t.Parallel()
	var all []Property
	set := func(name, value string) { all = append(all, Property{input.Raw(name), input.Raw(value)}) }
	var dirs strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&dirs, "d%d,", i)
	}
	set("pig.input.dirs", dirs.String())
	set(adjacency+"a", "b,c")
	for i := range 200 {
		set(fmt.Sprintf("%sn%d", adjacency, i), dirs.String()[:1000])
	}
	c := ReadSettings(all)
	edges := 0
	for _, to := range c.After {
		edges += 1 + len(to)
	}
	if len(c.Input) != mostNames || edges > mostNames || len(c.After["a"]) != 2 {
		t.Errorf("%d inputs, %d nodes and edges, %v after a", len(c.Input), edges, c.After["a"])
	}
	if got := fields(strings.Repeat("é", mostText)+",a", mostNames); len(got) != 0 {
		t.Errorf("got %d elements of a list with a first element that is too long, want 0", len(got))
	}
	if got := fields("b, a,,b", mostNames); strings.Join(got, " ") != "a b" {
		t.Error(got)
	}
	long := strings.Repeat("x", mostText-1) + ",y,z"
	if got := fields(long, mostNames); len(got) != 1 || len(got[0]) > 4096 {
		t.Errorf("%d elements", len(got))
	}
}

func TestConf(t *testing.T) {
	want := Settings{
		Workflow: "pig_e302f31d-2da2-469b-9944-0e14677057fb", WorkflowName: "join.pig", Node: "scope-39",
		Launch:  "1795222627405",
		Feature: "DISTINCT", Alias: "b0,b1", Input: []string{"/lab/data/j1/b"},
		MasterMB: 512, Limits: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5},
		Overheads: dag.Overheads{Beat: time.Second, Report: 6 * time.Second, Wave: 2200 * time.Millisecond},
		After:     map[string][]string{"scope-30": {"scope-48"}, "scope-39": {"scope-48"}},
		RerunsAll: true,
	}
	if got := settingsIn(t, "conf-pig.json"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// The history server of 3.5.0 gives numbers and booleans where others give strings.
	jhs := settingsIn(t, "conf-3.5.0-jhs.json")
	if l := jhs.Limits; jhs.MasterMB != 512 ||
		l != (dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, SlowStart: 0.05, RampUp: 0.5}) {
		t.Errorf("%+v", l)
	}
}

func TestContainerSize(t *testing.T) {
	none := input.Optional{}
	for _, c := range []struct {
		requested input.Optional
		opts      string
		step      float64
		want      int
	}{
		{input.Some(256), "-Xmx160m", 256, 256},
		{input.Some(300), "", 256, 512},
		{none, "", 1024, 1024},
		{input.Some(-1), "-server -Xmx1600m -Dx=y", 512, 2048}, // 1600/0.8
		{none, "-Xmx2g", 1024, 3072},                           // 2560 rounded up
		{input.Some(1e18), "", 1, yarn.MaxMB},
	} {
		if got := container(c.requested, c.opts, 0.8, 1024, c.step); got != c.want {
			t.Errorf("%+v: %d MB", c, got)
		}
	}
}
