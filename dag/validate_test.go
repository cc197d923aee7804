package dag

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// sound is a plan with nothing wrong.
func sound() *Plan {
	return &Plan{
		Cluster: Cluster{MapSlots: 4, ReduceSlots: 2, SlotsPerNode: 2, Setup: time.Second},
		Jobs: []Job{
			{
				Node: "a",
				Stages: MapReduce(Stage{
					Known: true, Tasks: 3,
					Pipelines: []Pipeline{{Tuples: Each([]float64{1, 2, 3}), Alpha: Uniform(4)}},
				},
					Stage{Known: true, Tasks: 2, Pipelines: []Pipeline{
						{Tuples: Uniform(1), Alpha: Uniform(0)},
						{Tuples: Uniform(1), Alpha: Uniform(0)},
						{Tuples: Uniform(1), Alpha: Uniform(2)},
					}}),
			},
			{Node: "b", After: []int{0}, Stages: MapReduce(Stage{Known: true, Tasks: 1}, Stage{Known: true})},
		},
	}
}

// soundGroups are key groups of two reduces. Those of one are unknown.
func soundGroups() *Groups {
	return oneReduce(ReduceGroups{
		Bytes: 10, Implicit: 3, Explicit: []GroupSize{{1, 5}, {2, 1}}, Top: []KeyGroup{{"#1", 2}},
		Done: []GroupPoint{{At: NoInstant, Bytes: 1, Took: time.Second, Count: 2.5}},
	})
}

func oneReduce(r ReduceGroups) *Groups {
	return &Groups{Origin: GroupsTapped, Maps: 3, Reduces: []ReduceGroups{r, NoReduceGroups()}}
}

func TestValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name    string
		corrupt func(*Plan)
		want    string
	}{
		{"nothing", func(p *Plan) {}, ""},
		{"unknown counts and costs", func(p *Plan) { p.Jobs[0].Stages = Bare(p.Jobs[0].Stages) }, ""},
		{
			"unknown values", func(p *Plan) { p.Jobs[0].Stages[Map].Pipelines[0].Tuples = Each([]float64{1, nan, 3}) },
			"",
		},
		{"no jobs", func(p *Plan) { p.Jobs = nil }, `dag: the plan has no jobs: there is nothing to estimate`},
		{
			"cycle", func(p *Plan) { p.Jobs[0].After = []int{1} },
			`dag: a cycle: jobs "a", "b" depend on each other, none of them can ever start: remove one of these dependencies`,
		},
		{
			"self", func(p *Plan) { p.Jobs[0].After = []int{0} },
			`dag: job "a" depends on itself and can never start: remove it from its own dependencies`,
		},
		{
			"unknown dependency", func(p *Plan) { p.Jobs[1].After = []int{0, 5} },
			`dag: job "b": after[1] is job number 5, which the plan does not have`,
		},
		{
			"duplicate", func(p *Plan) { p.Jobs[1].Node = "a" },
			`dag: job "a": name: the name "a" is taken by number 1 already: names must be unique`,
		},
		{"no name", func(p *Plan) { p.Jobs[1].Node = "" }, `dag: job "": name: job number 2 has no name`},
		{"policy", func(p *Plan) { p.Cluster.Policy = 9 }, `dag: cluster.policy: there is no policy unknown(9)`},
		{
			"negative slots", func(p *Plan) { p.Cluster.MapSlots = -1 },
			`dag: cluster.map_slots is -1: it must lie between 0 and 1e+07`,
		},
		{
			"negative setup", func(p *Plan) { p.Cluster.Setup = -time.Second },
			`dag: cluster.setup is -1s: it must lie between 0 and 3.1536e+09s`,
		},
		{
			"negative cost", func(p *Plan) { p.Jobs[0].Stages[Map].Pipelines[0].Alpha = Uniform(-4) },
			`dag: job "a": map.cost is -4ms: it must lie between 0 and 3.1536e+12ms`,
		},
		{
			"infinite cost", func(p *Plan) { p.Jobs[0].Stages[Reduce].Pipelines[Work].Alpha = Uniform(inf) },
			`dag: job "a": reduce.reduce.cost is +Infms: it must lie between 0 and 3.1536e+12ms`,
		},
		{
			"huge records", func(p *Plan) { p.Jobs[0].Stages[Map].Pipelines[0].Tuples = Each([]float64{1, 1e300, -1}) },
			`dag: job "a": map.records[1] is 1e+300: it must lie between 0 and 1e+15`,
		},
		{
			"negative out", func(p *Plan) { p.Jobs[0].Stages[Reduce].Out = Uniform(-1) },
			`dag: job "a": reduce.out is -1: it must lie between 0 and 1e+15`,
		},
		{
			"values for other tasks", func(p *Plan) { p.Jobs[0].Stages[Map].Tasks = 4 },
			`dag: job "a": map.records: 3 values for 4 tasks: give one for each task, or one for all`,
		},
		{
			"negative tasks", func(p *Plan) { p.Jobs[1].Stages[Map].Tasks = -2 },
			`dag: job "b": map.tasks is -2: it must lie between 0 and 1e+07`,
		},
		{
			"too many tasks of a phase", func(p *Plan) { p.Jobs[1].Stages[Map].Tasks = math.MaxInt },
			"dag: job \"b\": map.tasks is 9.223372036854776e+18: it must lie between 0 and 1e+07\n" +
				"dag: jobs: 10000006 tasks are more than the supported 10000000",
		},
		{
			"too many tasks", func(p *Plan) { p.Jobs[1].Stages[Map].Tasks = MaxTasks },
			`dag: jobs: 10000005 tasks are more than the supported 10000000`,
		},
		{
			"reduce without copy",
			func(p *Plan) { p.Jobs[0].Stages[Reduce].Pipelines = p.Jobs[0].Stages[Reduce].Pipelines[2:] },
			`dag: job "a": reduce: a reduce task has three pipelines, copy, sort and reduce; this one has 1`,
		},
		{
			"two map pipelines", func(p *Plan) { p.Jobs[0].Stages[Map].Pipelines = make([]Pipeline, 2) },
			`dag: job "a": map: a map task has one pipeline, this one has 2`,
		},
		{
			"no map slots", func(p *Plan) { p.Cluster.MapSlots = 0 },
			`dag: the map tasks of job "a" can never run: cluster.map_slots is 0, and there are 3 of them: give the cluster slots`,
		},
		{
			"no reduce slots", func(p *Plan) { p.Cluster.ReduceSlots = 0 },
			`dag: the reduce tasks of job "a" can never run: cluster.reduce_slots is 0, and there are 2 of them: give the cluster slots`,
		},
		{
			"too long", func(p *Plan) { p.Jobs[0].Stages[Map].Pipelines[0].Alpha = Uniform(3e12) },
			`dag: jobs: 104167 days of running time are more than the supported 36500`,
		},
		{"groups", func(p *Plan) { p.Jobs[0].Stages[Reduce].Groups = soundGroups() }, ""},
		{
			"groups of maps", func(p *Plan) { p.Jobs[0].Stages[Map].Groups = soundGroups() },
			`dag: job "a": map.groups: only reduce tasks have key groups`,
		},
		{
			"groups of other tasks", func(p *Plan) { p.Jobs[0].Stages[Reduce].Groups = &Groups{Origin: 7, Maps: -1} },
			"dag: job \"a\": reduce.groups: there is no origin unknown(7)\n" +
				"dag: job \"a\": reduce.groups.maps is -1: it must lie between 0 and 1e+07\n" +
				"dag: job \"a\": reduce.groups: they are of 0 tasks, and the job has 2",
		},
		{
			"groups of many tasks",
			func(p *Plan) { p.Jobs[0].Stages[Reduce].Groups = &Groups{Reduces: make([]ReduceGroups, 100_001)} },
			`dag: job "a": reduce.groups: 100001 tasks with key groups are more than the supported 100000`,
		},
		{
			"many groups", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = soundGroups()
				p.Jobs[0].Stages[Reduce].Groups.Reduces[0].Done = make([]GroupPoint, maxGroupsSize)
			},
			`dag: job "a": reduce.groups: 1000005 tasks, sizes, names and points are more than the supported 1000000`,
		},
		{
			"bytes of groups",
			func(p *Plan) { p.Jobs[0].Stages[Reduce].Groups = oneReduce(ReduceGroups{Bytes: -1, Implicit: inf}) },
			"dag: job \"a\": reduce.groups.tasks[0].bytes is -1: it must lie between 0 and 1e+18\n" +
				"dag: job \"a\": reduce.groups.tasks[0].rest is +Inf: it must lie between 0 and 1e+18",
		},
		{
			"half known", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = oneReduce(ReduceGroups{Bytes: 1, Implicit: nan})
			},
			`dag: job "a": reduce.groups.tasks[0].rest: the bytes of all groups and of those without a size of their own are both known, or none is`,
		},
		{
			"sizes that do not ascend", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = oneReduce(ReduceGroups{Explicit: []GroupSize{
					{1, 1},
					{1, 1},
					{-1, 1},
				}})
			},
			`dag: job "a": reduce.groups.tasks[0].sizes[1]: 1 bytes come after 1: sizes ascend, and equal ones are counted`,
		},
		{
			"a count that is not a number", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = oneReduce(ReduceGroups{Explicit: []GroupSize{{1, nan}}})
			},
			`dag: job "a": reduce.groups.tasks[0].sizes[0] is NaN groups: it must lie between 0 and 1e+15 groups`,
		},
		{
			"names", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = oneReduce(ReduceGroups{Top: []KeyGroup{{"a", 1}, {"b", 2}}})
				p.Jobs[0].Stages[Reduce].Groups.Reduces[1].Top = make([]KeyGroup, 11)
			},
			"dag: job \"a\": reduce.groups.tasks[0].top[1]: 2 bytes come after 1: the largest group comes first\n" +
				"dag: job \"a\": reduce.groups.tasks[1].top: 11 groups with a name are more than the supported 10",
		},
		{
			"a long name", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = oneReduce(
					ReduceGroups{Top: []KeyGroup{{strings.Repeat("k", 300), 1}}})
			},
			`dag: job "a": reduce.groups.tasks[0].top[0]: 300 bytes of a key's name are more than the supported 256`,
		},
		{
			"points", func(p *Plan) {
				p.Jobs[0].Stages[Reduce].Groups = oneReduce(ReduceGroups{Done: []GroupPoint{
					{Took: time.Second},
					{Took: -time.Second},
				}})
			},
			`dag: job "a": reduce.groups.tasks[0].done[1] is -1s: it must lie between 0 and 3.1536e+09s`,
		},
		{
			"ratio", func(p *Plan) { p.Jobs[0].MapReduce.SlowStart = nan },
			`dag: job "a": limits.slow_start is NaN: it must lie between 0 and 1`,
		},
		{
			"nodes", func(p *Plan) { p.Cluster.Nodes = []Node{{Name: "n"}, {Name: "n", Slow: inf}} },
			"dag: cluster.nodes[1].name: the name \"n\" is taken by number 1 already: names must be unique\n" +
				"dag: cluster.nodes[1].slow is +Inf: it must lie between 0 and 1e+06",
		},
		{
			"pools", func(p *Plan) {
				p.Cluster.Pools = []Pool{{Name: "x", Weight: -1}, {Name: "x", MinShare: 1e9}}
			},
			"dag: cluster.pools[0].weight is -1: it must lie between 0 and 1e+07\n" +
				"dag: cluster.pools[1].name: the name \"x\" is taken by number 1 already: names must be unique\n" +
				"dag: cluster.pools[1].min_share is 1e+09: it must lie between 0 and 1e+07",
		},
		{
			"no memory", func(p *Plan) { p.Cluster.Policy = YARN },
			`dag: the map tasks of job "a" can never run: cluster.memory is 0: give the cluster memory`,
		},
		{"too little memory", func(p *Plan) {
			p.Cluster = Cluster{Policy: YARN, MemoryMB: 3072, QueueMB: 1024}
			p.Jobs[0].MasterMB, p.Jobs[0].MapReduce = 512, MapReduceLimits{MapMB: 256, ReduceMB: 1024}
		}, `dag: the reduce tasks of job "a" can never run: cluster.queue_memory is 1024MB, and one of them with the job's AM needs 1536MB`},
		{"small nodes", func(p *Plan) {
			p.Cluster = Cluster{Policy: YARN, MemoryMB: 3072, Nodes: []Node{
				{Name: "m", MemoryMB: 768},
				{Name: "n", MemoryMB: 512},
			}}
			p.Jobs[1].MapReduce = MapReduceLimits{MapMB: 1024}
		}, `dag: the map tasks of job "b" can never run: cluster.nodes have at most 768MB each: a container of 1024MB fits on none`},
		{"order", func(p *Plan) {
			p.Jobs[1].Node, p.Cluster.MapSlots, p.Jobs[0].After = "a", -1, []int{1}
		}, "dag: cluster.map_slots is -1: it must lie between 0 and 1e+07\n" +
			"dag: job \"a\": name: the name \"a\" is taken by number 1 already: names must be unique\n" +
			"dag: a cycle: jobs \"a\", \"a\" depend on each other, none of them can ever start: remove one of these dependencies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := sound()
			c.corrupt(p)
			got := ""
			if err := Validate(p); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestValidateEvidence(t *testing.T) {
	p := sound()
	p.Jobs[0].Stages[Map].Pipelines[0].Tuples = Each([]float64{1, -2, 3})
	var n *PlanError
	if err := Validate(p); !errors.As(err, &n) || n.Job != 0 || n.Node != "a" || n.Field != "map.records" ||
		n.Item != 1 || !strings.Contains(n.Text, " is -2:") {
		t.Errorf("got %#v", n)
	}
	var at interface{ Locate() Place }
	if err := Validate(p); !errors.As(err, &at) || at.Locate().Field != "map.records" {
		t.Errorf("no place in %v", err)
	}
	p = sound()
	p.Jobs = nil
	if err := Validate(p); !errors.Is(err, errNoJobs) {
		t.Errorf("got %v", err)
	}
}

func TestValidateBoundsItsAnswer(t *testing.T) {
	p := sound()
	for range 1000 {
		p.Jobs = append(p.Jobs, Job{Stages: MapReduce(Stage{}, Stage{})})
	}
	lines := strings.Split(Validate(p).Error(), "\n")
	if len(lines) != maxFaults+1 || lines[maxFaults] != "dag: and 950 more faults" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// A new overhead must be checked too.
func TestValidateEveryOverhead(t *testing.T) {
	for i := range reflect.TypeFor[Overheads]().NumField() {
		p := sound()
		reflect.ValueOf(&p.Overheads).Elem().Field(i).SetInt(-1)
		var n *PlanError
		if err := Validate(p); !errors.As(err, &n) || !strings.HasPrefix(n.Field, "overheads.") {
			t.Errorf("negative %s: %v", reflect.TypeFor[Overheads]().Field(i).Name, err)
		}
	}
}

func TestValidateProfile(t *testing.T) {
	p := sound()
	p.Cluster = Cluster{}
	if err := ValidateProfile(p); err != nil {
		t.Errorf("a profile needs no slots: %v", err)
	}
	p.Jobs[0].Stages[Map].Pipelines[0].Alpha = Uniform(-1)
	if err := ValidateProfile(p); err == nil {
		t.Error("a negative cost passes")
	}
}

func ExampleValidate() {
	p := &Plan{Cluster: Cluster{MapSlots: 2}, Jobs: []Job{
		{Node: "load", Stages: MapReduce(Stage{Known: true, Tasks: 4}, Stage{Known: true}), After: []int{1}},
		{Node: "join", Stages: MapReduce(Stage{Known: true, Tasks: 2}, Stage{Known: true}), After: []int{0}},
	}}
	fmt.Println(Validate(p))
	// Output: dag: a cycle: jobs "load", "join" depend on each other, none of them can ever start: remove one of these dependencies
}
