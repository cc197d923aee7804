package planfile

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// Every field once, in YAML.
const full = `
version: 1
name: all fields
cluster:
  policy: yarn
  map_slots: 1
  reduce_slots: 2
  slots_per_node: 3
  setup: 2s
  memory: 12GB
  queue_memory: 6000MB
  nodes:
  - {name: n1, memory: 4GB, slow: 1.5}
  - name: n2
overheads: {launch: 1s, am_start: 2s, beat: 3s, finish: 4s, wave: 5s, stagger: 6s, handoff: 7s, am_hold: 8s, copy: 9s, setup_min: 10s, setup_per: 11s, cold: 12s}
jobs:
- name: last            # jobs may come in any order
  after: [first]
  map: {tasks: null}
- name: first
  title: The first
  feature: HASH_JOIN
  alias: a,b
  input: [/in/1, /in/2]
  limits: {am_memory: 1GB, map_memory: 512MB, reduce_memory: 256MB, slow_start: 0.8, ramp_up: 0, max_maps: 4, max_reduces: 5}
  map:
    tasks: 2
    records: [10, null]
    cost: 0.37ms
    setup: [1s, 1500ms]
    out: 5
    bytes: 1e6
    extent: 3.5s
  reduce:
    tasks: 1
    copy: {records: 7, cost: 1us}
    sort: {}
    reduce: {records: [8], cost: [2ms]}
    setup: 0
    out: [6]
    bytes: 42
    extent: [1m30s]
    groups:
      origin: tap
      maps: 2
      note: a combiner
      tasks:
      - bytes: 42
        rest: 20
        sizes: [1, [2, 3], 15]
        top: [{key: "#1f", bytes: 15}, {key: k, bytes: 2}]
        done: [[1, 0.5], [2.5, 1e-9, 4]]
`

func TestReadFull(t *testing.T) {
	got, err := read(t, full)
	if err != nil {
		t.Fatal(err)
	}
	one := dag.Uniform
	want := &dag.Plan{
		Name: "all fields",
		Cluster: dag.Cluster{
			Policy: dag.YARN, MapSlots: 1, ReduceSlots: 2, SlotsPerNode: 3, Setup: 2 * time.Second, MemoryMB: 12288,
			QueueMB: 6000,
			Nodes:   []dag.Node{{Name: "n1", MemoryMB: 4096, Slow: 1.5}, {Name: "n2"}},
		},
		Overheads: dag.Overheads{
			Launch: 1 * time.Second, AMStart: 2 * time.Second, Beat: 3 * time.Second, Finish: 4 * time.Second,
			Wave:    5 * time.Second,
			Stagger: 6 * time.Second, Handoff: 7 * time.Second, AMHold: 8 * time.Second, Copy: 9 * time.Second,
			SetupMin: 10 * time.Second, SetupPer: 11 * time.Second, Cold: 12 * time.Second,
		},
		Jobs: []dag.Job{
			{
				Node: "last", After: []int{1}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{Known: true}),
				MapReduce: dag.MapReduceLimits{SlowStart: 0.05, RampUp: 0.5},
			},
			{
				Node: "first", Name: "The first", Feature: "HASH_JOIN", Alias: "a,b", Input: []string{"/in/1", "/in/2"},
				MasterMB: 1024, MapReduce: dag.MapReduceLimits{
					MapMB: 512, ReduceMB: 256, SlowStart: 0.8, MaxMaps: 4, MaxReduces: 5,
				},
				Stages: dag.MapReduce(dag.Stage{
					Tasks: 2, Known: true, Pipelines: []dag.Pipeline{{
						Tuples: dag.Each([]float64{10, nan}),
						Alpha:  one(0.37),
					}},
					Setup: dag.Each([]float64{1000, 1500}), Out: one(5), Bytes: one(1e6), Extent: one(3500),
				},
					dag.Stage{
						Tasks: 1, Known: true, Pipelines: []dag.Pipeline{
							{Tuples: one(7), Alpha: one(0.001)},
							{},
							{Tuples: one(8), Alpha: one(2)},
						},
						Setup: one(0), Out: one(6), Bytes: one(42), Extent: one(90_000),
						Groups: &dag.Groups{
							Origin: dag.GroupsTapped, Maps: 2, Note: "a combiner",
							Reduces: []dag.ReduceGroups{{
								Bytes: 42, Implicit: 20, Explicit: []dag.GroupSize{
									{Bytes: 1, Count: 1},
									{Bytes: 2, Count: 3},
									{Bytes: 15, Count: 1},
								},
								Top: []dag.KeyGroup{{Key: "#1f", Bytes: 15}, {Key: "k", Bytes: 2}}, Attempt: -1,
								OpenBytes: nan, OpenSince: dag.NoInstant,
								Done: []dag.GroupPoint{
									{At: dag.NoInstant, Bytes: 1, Took: 500 * time.Millisecond, Count: 1},
									{At: dag.NoInstant, Bytes: 2.5, Took: 1, Count: 4},
								},
							}},
						},
					}),
			},
		},
	}
	if diff := cmp.Diff(want, got, sameSeries, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestShortReduce(t *testing.T) {
	for _, c := range []struct{ reduce, want string }{
		{"{tasks: 2, records: [3, 4], cost: 5ms}", "copy [3 4] [0 0], sort [3 4] [0 0], reduce [3 4] [5 5]"},
		{
			"{tasks: 2, copy: {records: 1, cost: 2ms}, reduce: {records: 3, cost: 4ms}}",
			"copy [1 1] [2 2], sort [1 1] [0 0], reduce [3 3] [4 4]",
		},
		{"{tasks: 2, cost: 5ms}", "copy [0 0] [0 0], sort [0 0] [0 0], reduce [NaN NaN] [5 5]"},
	} {
		p, err := read(t, "cluster: {map_slots: 1, reduce_slots: 1}\njobs: [{name: j, map: {tasks: 1}, reduce: "+
			c.reduce+"}]")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, pipe := range p.Jobs[0].Stages[dag.Reduce].Pipelines {
			got += fmt.Sprintf("%s [%v %v] [%v %v], ", []string{"copy", "sort", "reduce"}[i],
				pipe.Tuples.At(0), pipe.Tuples.At(1), pipe.Alpha.At(0), pipe.Alpha.At(1))
		}
		if got != c.want+", " {
			t.Errorf("%s\n is %s\nwant %s", c.reduce, got, c.want)
		}
	}
	for _, reduce := range []string{"", "reduce: null,", "reduce: {tasks: 0},"} {
		p, err := read(t, "cluster: {map_slots: 1}\njobs: [{name: j, "+reduce+" map: {tasks: 1}}]")
		if err != nil || !p.Jobs[0].Stages[dag.Reduce].Known || p.Jobs[0].Stages[dag.Reduce].Tasks != 0 {
			t.Errorf("%q: %v, %+v", reduce, err, p)
		}
	}
}

// Names are strings in many notations; anchors and one name in place of a list are as YAML has them.
func TestNotations(t *testing.T) {
	p, err := read(t, `%YAML 1.2
---
cluster: &c { "map_slots": 4, reduce_slots: 0x2 }   # flow
jobs:
  - name: 'j''1'
    map: &maps {tasks: 1, records: 1_000, cost: 1e0ms}
  - name: "j\u00e92"
    map: *maps
    after: j'1
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%d %d %s %s %v %v", p.Cluster.MapSlots, p.Cluster.ReduceSlots, p.Jobs[0].Node,
		p.Jobs[1].Node, p.Jobs[1].After,
		p.Jobs[1].Stages[dag.Map].Pipelines[0].Tuples.At(0)); got != "4 2 j'1 jé2 [0] 1000" {
		t.Errorf("got %s", got)
	}
}

func TestMemoryIsTheNodes(t *testing.T) {
	p, err := read(t, "cluster: {policy: yarn, nodes: [{name: a, memory: 1GB}, {name: b, memory: 2GB}]}\njobs: [{name: j, map: {tasks: 1}}]")
	if err != nil || p.Cluster.MemoryMB != 3072 {
		t.Errorf("%v, %+v", err, p)
	}
}

func TestProfileNeedsNoSlots(t *testing.T) {
	f := "testdata/bad/no-cluster.yaml"
	if _, err := ReadFile(f, Options{Profile: true}); err != nil {
		t.Error(err)
	}
	if _, err := ReadFile(f, Options{}); err == nil {
		t.Error("without slots there is no plan")
	}
}

func TestExamples(t *testing.T) {
	for f, want := range map[string]string{
		"paper-4.2GB.yaml": "fifo 3 jobs, 53 maps, 48 reduces",
		"fig3a.yaml":       "fifo 3 jobs, 9 maps, 3 reduces",
		"skew.yaml":        "fifo 1 jobs, 6 maps, 10 reduces",
		"skewed.yaml":      "fifo 3 jobs, 36 maps, 12 reduces",
		"pig-join.yaml":    "yarn 3 jobs, 37 maps, 16 reduces",
	} {
		p, err := ReadFile("../../examples/"+f, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		maps, reduces := 0, 0
		for _, j := range p.Jobs {
			maps, reduces = maps+j.Stages[dag.Map].Tasks, reduces+j.Stages[dag.Reduce].Tasks
		}
		if got := fmt.Sprintf("%v %d jobs, %d maps, %d reduces", p.Cluster.Policy, len(p.Jobs), maps, reduces); got != want {
			t.Errorf("%s: %s, want %s", f, got, want)
		}
	}
}

// The example of the paper's query is the reference program's plan.
func TestExamplesAreGolden(t *testing.T) {
	for example, name := range map[string]string{
		"paper-4.2GB.yaml": "g04_join_4.2GB", "fig3a.yaml": "g01_fig3a",
		"skew.yaml": "g08_skew",
	} {
		want := golden.Named(t, name).Plan
		got, err := ReadFile("../../examples/"+example, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got.Name, got.Cluster.SlotsPerNode = want.Name, want.Cluster.SlotsPerNode
		for i := range got.Jobs {
			got.Jobs[i].Name, want.Jobs[i].Name = "", ""
			got.Jobs[i].Node = want.Jobs[i].Node
		}
		if diff := cmp.Diff(want, got, sameSeries, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-golden +example)\n%s", example, diff)
		}
	}
}

// TestNullSeries: null is an unknown value of all tasks, as the schema states.
func TestNullSeries(t *testing.T) {
	p, err := read(t, "cluster: {map_slots: 1}\njobs: [{name: j, map: {tasks: 2, records: null, cost: null, out: 3}}]")
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Jobs[0].Stages[dag.Map]; m.Pipelines != nil || m.Out.At(1) != 3 {
		t.Errorf("%+v", m)
	}
}
