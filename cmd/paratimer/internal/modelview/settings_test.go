package modelview

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/estimators/queueing"
)

func TestParseAxis(t *testing.T) {
	for text, want := range map[string]string{
		"map-slots=1..4": "{map-slots [1 2 3 4]}", "nodes=2..9:3": "{nodes [2 5 8]}", "maps=7": "{maps [7]}",
		"reduces=0, 4,2": "{reduces [0 4 2]}",
		"cpus=3..3":      "{cpus [3]}", "copies=1..1000": "",
	} {
		a, err := ParseAxis(text)
		if got := fmt.Sprint(a); err != nil || want != "" && got != want {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"map-slots": "it is NAME=FROM..TO", "slots=1..2": `"slots" is not a setting: it is one of nodes, cpus`,
		"nodes=": "it is NAME=", "nodes=2..1": "it is NAME=",
		"nodes=1..x": "it is NAME=", "nodes=1..9:0": "it is NAME=", "nodes=-1..2": "it is NAME=",
		"nodes=1,-2":          "it is NAME=",
		"nodes=1..1000000000": "has 1000000000 values: a grid has at most 1000 points; take a larger step, as in nodes=1..1000000000:19999999",
		"nodes=1" + strings.Repeat(",1", MaxPoints): "has 1001 values",
	} {
		if a, err := ParseAxis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s is %v, %v", text, a.Name, err)
		}
	}
}

func TestPoints(t *testing.T) {
	p, err := Points([]Axis{{Values: []int{1, 2}}, {Values: []int{3, 4, 5}}})
	if want := [][]int{{1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}}; err != nil || !cmp.Equal(p, want) {
		t.Errorf("%v, %v", p, err)
	}
	long := Axis{Values: make([]int, 999)}
	if _, err := Points([]Axis{long, long, long, long, long, long, long, long}); err == nil {
		t.Error("a grid of 10²⁴ points")
	}
}

func TestSet(t *testing.T) {
	s := Copied(spec())
	for i, name := range Settings() {
		Set(&s, name, 0, 10+i)
	}
	j := &s.Jobs[0]
	if got := fmt.Sprint(s.Nodes, s.CPUs, s.Disks, s.MapSlots, s.ReduceSlots, s.ShuffleThreads, j.Copies, j.Maps,
		j.Reduces); got != "10 11 12 13 14 15 16 17 18" {
		t.Errorf("settings are %s", got)
	}
	// 17/4 times the maps are as many times the data of a reduce; 18 reduces share it.
	if want := 4 * 17. / 4 / 18; math.Abs(j.Merge.CPU-want) > 1e-12 || math.Abs(j.Shuffle.Disk-0.5/18) > 1e-12 ||
		j.Map.CPU != 6 {
		t.Errorf("demands are %+v", j)
	}
	if diff := cmp.Diff(spec().Jobs, spec().Jobs); diff != "" || s.Jobs[0].Maps == spec().Jobs[0].Maps {
		t.Error("the copy shares its jobs")
	}
}

func TestOnly(t *testing.T) {
	jobs := []queueing.Job{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	if got, err := Only(jobs, []string{"c", "a"}); err != nil || len(got) != 2 || got[0].Name != "a" ||
		got[1].Name != "c" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Only(jobs, []string{"d"}); err == nil {
		t.Error("job d is there")
	}
	if got, err := Only(jobs, nil); err != nil || len(got) != 3 {
		t.Errorf("%v, %v", got, err)
	}
}

// A model in which a map's disk time is all that counts.
func disks(s *queueing.Spec) (*queueing.Result, error) {
	j := &s.Jobs[0]
	r := float64(j.Maps)*j.Map.Disk/float64(s.Nodes) + j.Map.CPU/100
	return &queueing.Result{
		Jobs:     []queueing.JobResult{{Name: "j", Response: r}},
		Fixpoint: queueing.Fixpoint{Converged: s.ShuffleThreads == 1},
	}, nil
}

func TestImprovements(t *testing.T) {
	s := spec()
	before, _ := disks(s)
	got := ""
	for _, l := range Improvements(s, before, disks) {
		got += fmt.Sprintf("%s %.3f, ", l.Code, l.Saved)
	}
	// Shuffle threads do not converge, fibre is not used.
	if want := "disk_speed 0.493, nodes 0.493, cpu_speed 0.007, network_speed 0.000, map_slots 0.000, reduces 0.000, "; got != want {
		t.Errorf("improvements are %s\nwant %s", got, want)
	}
	if diff := cmp.Diff(spec(), s); diff != "" {
		t.Errorf("trying improvements changed the question: %s", diff)
	}
}

func TestBound(t *testing.T) {
	for _, c := range []struct {
		improvements []Improvement
		want         string
	}{
		{nil, "The busiest resource: the disks are busy 50 % of the time."},
		{
			[]Improvement{{"nodes", "twice the nodes", 0, .5}, {"map_slots", "twice the map slots", 0, .3}},
			"Bound by map slots (the disks are busy 50 % of the time): twice the map slots would save 30 %, twice the nodes 50 %.",
		},
		{
			[]Improvement{{"disk_speed", "disks twice as fast", 0, .01}},
			"The disks are busy 50 % of the time, but no single change would help much: the best, disks twice as fast, would save 1 %.",
		},
		{
			[]Improvement{{"disk_speed", "disks twice as fast", 0, .1}, {"map_slots", "twice the map slots", 0, 0}},
			"Bound by its disks (the disks are busy 50 % of the time): disks twice as fast would save 10 %; twice the map slots would change little.",
		},
	} {
		v := &View{Spec: spec(), Answers: []Answer{answer()}, Improvements: c.improvements}
		if got := v.Bound(); got != c.want {
			t.Errorf("it says %s\nwant %s", got, c.want)
		}
	}
}
