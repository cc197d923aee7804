package queueing

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// The paper's fork/join column of Table 4, which the calibrated reading is to meet within 7%.
func TestTable4(t *testing.T) {
	for i, printed := range []float64{732.56, 659.13, 365.51, 356.20} {
		s, _ := measuredJob(configurations[i][0], configurations[i][1])
		r, err := Solve(s, ViannaTable4, Options{})
		if err != nil {
			t.Fatal(err)
		}
		off := r.Response()/printed - 1
		t.Logf("%v: %.1f s, printed %.2f s, %+.1f%% off", configurations[i], r.Response(), printed, 100*off)
		if !(off > -.07 && off < .07) {
			t.Errorf("%v: %+.1f%% off", configurations[i], 100*off)
		}
	}
}

// The prototype's evaluation of its precedence trees, with an unpublished shape: 0.7% is how near this one
// comes.
func TestPrototypeTripathi(t *testing.T) {
	for name, want := range prototypes(t) {
		d, _ := want.solve(t, name)
		j := d.jobs[0]
		tree := d.tree(j, &j.line)
		tree.evaluate()
		off := float64(tree.Mean)/want.Tripathi - 1
		t.Logf("%s: %.3f, prototype %.3f, %+.2f%% off", name, tree.Mean, want.Tripathi, 100*off)
		if !(off > -.007 && off < .007) {
			t.Errorf("%s: %+.2f%% off", name, 100*off)
		}
	}
}

// The demands are those that Table 2 prints, digit by digit: CPU, fibre, disk and network of a map, a shuffle and a
// merge.
func TestTable2(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		measured, simulated int // p_s of the real setup and of the simulation
		mapSlots            int
		want                [3]Demand
	}{
		{1, 1, 1, [3]Demand{{5.0764, .0677, 3.1844, 0}, {.5217, .0087, .4082, .1850}, {37.4983, 1.2583, 59.2157, 0}}},
		{5, 4, 1, [3]Demand{{5.1360, .0677, 3.1847, 0}, {2.9440, .0425, 2.0000, .9067}, {20.4000, 1.2580, 59.2160, 0}}},
		{1, 1, 4, [3]Demand{{5.1057, .0677, 3.1844, 0}, {.6608, .0087, .4082, .1850}, {47.2580, 1.2580, 59.2157, 0}}},
		{5, 4, 4, [3]Demand{{5.0764, .0677, 3.1844, 0}, {2.5563, .0425, 2.0000, .9067}, {38.4020, 1.2580, 59.2160, 0}}},
	} {
		real, ok := measuredJob(c.mapSlots, c.measured)
		if !ok {
			t.Fatalf("(%d,%d) is not there", c.mapSlots, c.measured)
		}
		for _, s := range []*Spec{real, simulatedJob(4, 64, c.mapSlots, c.simulated)} {
			j := s.Jobs[0]
			group := j.Shuffle.Times(float64(s.ShuffleThreads))
			for i, got := range []Demand{j.Map, group, j.Merge} {
				for k, x := range got.vector() {
					if math.Abs(x-c.want[i].vector()[k]) > 1e-12 {
						t.Errorf("p_m %d, p_s %d: %v is %v, printed %v", s.MapSlots, s.ShuffleThreads, Kind(i), got,
							c.want[i])
						break
					}
				}
			}
		}
	}
}

// Between and beyond what was measured a factor of four has the same effect each time, and no demand falls below
// nothing.
func TestExtrapolatedDemands(t *testing.T) {
	t.Parallel()
	cpu := func(mapSlots, threads int) float64 {
		return simulatedJob(4, 128, mapSlots, threads).Jobs[0].Merge.CPU
	}
	for _, r := range [][2]float64{
		{cpu(4, 4) / cpu(1, 4), cpu(16, 4) / cpu(4, 4)},
		{cpu(4, 4) / cpu(4, 1), cpu(4, 16) / cpu(4, 4)},
		{cpu(2, 4) / cpu(1, 4), cpu(4, 4) / cpu(2, 4)},
	} {
		if !(r[0] > 0) || math.Abs(r[0]-r[1]) > 1e-12 {
			t.Errorf("factors of %v and %v", r[0], r[1])
		}
	}
	for _, c := range [][2]int{{0, 1}, {1, 0}, {-1, 4}} {
		if err := simulatedJob(4, 128, c[0], c[1]).Validate(); err == nil {
			t.Errorf("p_m %d and p_s %d are taken", c[0], c[1])
		}
	}
}

// Each answer has its warnings.
func TestWarnings(t *testing.T) {
	one, _ := measuredJob(4, 1)
	two, _ := measuredJob(4, 1)
	two.Jobs[0].Copies = 2
	both, _ := measuredJob(4, 1)
	both.Jobs = append(both.Jobs, both.Jobs[0])
	for _, c := range []struct {
		s    *Spec
		m    Model
		want string
	}{
		{one, Product, ""},
		{two, Product, "several_jobs"},
		{both, Product, "several_jobs"},
		{one, ViannaForkJoin, ""},
		{one, ViannaTable4, "calibrated"},
		{one, Tripathi, ""},
	} {
		r, err := Solve(c.s, c.m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, w := range r.Warnings {
			codes = append(codes, w.Code)
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%v of %d jobs, %d copies: %q, want %q", c.m, len(c.s.Jobs), c.s.Jobs[0].Copies, got, c.want)
		}
	}
}

// The errors in the warning are those of docs/evidence/models.md.
func TestSeveralJobsError(t *testing.T) {
	page, err := os.ReadFile("../../docs/evidence/models.md")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(page)) {
		if !strings.HasPrefix(l, "| several at once |") {
			continue
		}
		cells := strings.Split(l, " | ")
		if !slices.Equal([]string{cells[2], cells[4]}, []string{severalMedian, severalNinetieth}) {
			t.Errorf("the warning has %s and %s, the page %s", severalMedian, severalNinetieth, l)
		}
		return
	}
	t.Error("the page has no row of several jobs at once")
}

// What many jobs cost is bounded by what all of them cost together.
func TestManyJobsAreBounded(t *testing.T) {
	s, _ := measuredJob(4, 1)
	for len(s.Jobs) < MaxJobs {
		s.Jobs = append(s.Jobs, s.Jobs[0])
	}
	if _, err := Solve(s, ViannaForkJoin, Options{MaxIterations: 1}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a hundred jobs: %v", err)
	}
	s.Jobs = s.Jobs[:30]
	if _, err := Solve(s, ViannaForkJoin, Options{MaxIterations: 1}); err != nil {
		t.Errorf("thirty of them: %v", err)
	}
}
