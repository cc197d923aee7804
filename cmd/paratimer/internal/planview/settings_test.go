package planview

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/estimators/queueing"
)

func TestSettings(t *testing.T) {
	was := spec()
	s := *was
	s.Jobs = slices.Clone(was.Jobs)
	for i, setting := range ModelSettings {
		setting.Set(&s, 0, 10+i)
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
	if diff := cmp.Diff(spec(), was); diff != "" {
		t.Errorf("settings changed the original: %s", diff)
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
	v := modelViewOf(answer())
	v.Advise(s, disks)
	got := ""
	for _, l := range v.Improvements {
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
		{nil, "The busiest resource, disk, is busy 50% of the time."},
		{
			[]Improvement{{"nodes", "twice the nodes", 0, .5}, {"map_slots", "twice the map slots", 0, .3}},
			"Bound by map slots (the busiest resource, disk, is busy 50% of the time): twice the map slots would save 30%.",
		},
		{
			[]Improvement{{"disk_speed", "disks twice as fast", 0, .01}},
			"The busiest resource, disk, is busy 50% of the time, but no change other than more nodes would help much.",
		},
	} {
		if got := bound("", answer().Centres, c.improvements); *got != c.want {
			t.Errorf("got  %s\nwant %s", *got, c.want)
		}
	}
}
