package queueing

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// A prototype is the result of an independent program for one configuration.
type prototype struct {
	Options struct {
		FirstMin string `json:"firstmin"`
		Alpha    string `json:"alpha"`
		Shuffle  string `json:"ssmode"`
	} `json:"options"`
	Map       float64 `json:"R_map"`
	Shuffle   float64 `json:"R_shuffle_sort"`
	Merge     float64 `json:"R_merge"`
	Timeline  float64 `json:"timeline_T"`
	Phases    float64 `json:"phases"`
	Disk      float64 `json:"U_disk"`
	CPU       float64 `json:"U_cpu"`
	ForkJoin  float64 `json:"FJ_H2maps"`
	LastJoin  float64 `json:"T_plus_Hr_merge"`
	Tripathi  float64 `json:"tripathi_all"`
	Converged bool    `json:"converged"`
}

// prototypes are all of the file, by name.
func prototypes(t *testing.T) map[string]prototype {
	t.Helper()
	body, err := os.ReadFile(fixtures.Golden("numerics/vianna_regression.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]prototype
	if err := json.Unmarshal(body, &all); err != nil || len(all) == 0 {
		t.Fatalf("%d prototypes, %v", len(all), err)
	}
	return all
}

func (p *prototype) solve(t *testing.T, name string) (*detail, Fixpoint) {
	t.Helper()
	var mapSlots, threads int
	_, at, _ := strings.Cut(name, "pm=")
	if _, err := fmt.Sscanf(at, "%d ps=%d", &mapSlots, &threads); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, ok := measuredJob(mapSlots, threads)
	if !ok {
		t.Fatalf("%s is not published", name)
	}
	r := reading{
		exponential: p.Options.Alpha == "exp", firstEarly: p.Options.FirstMin == "cut",
		grouped: p.Options.Shuffle == "group1",
	}
	d := newDetail(s, r)
	return d, iterate(Options{Tolerance: 1e-9, MaxIterations: 500}, d.step)
}

// The two readings of an independent prototype (facts/queueing.md e.2 and e.4): residences, timeline, phases,
// utilisations.
func TestPrototype(t *testing.T) {
	figures, worst := 0, 0.0
	for name, want := range prototypes(t) {
		d, f := want.solve(t, name)
		j := d.jobs[0]
		disk, cpu := d.demands(j)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"map", j.stay[Map], want.Map},
			{"shuffle", j.stay[Shuffle], want.Shuffle},
			{"merge", j.stay[Merge], want.Merge},
			{"timeline", j.line.end, want.Timeline},
			{"phases", float64(len(j.line.wakes) + 1), want.Phases},
			{"disk utilisation", disk / 3 / j.line.end, want.Disk},
			{"CPU utilisation", cpu / 12 / j.line.end, want.CPU},
			{"fork/join", d.forkJoin(j, j.line), want.ForkJoin},
			{"H_3 on the merges", j.line.end + 5./6*j.stay[Merge], want.LastJoin},
		} {
			figures++
			off := math.Abs(c.got/c.want - 1)
			worst = math.Max(worst, off)
			if !(off <= 1e-3) {
				t.Errorf("%s: %s %.6f, want %.6f: %.1e off", name, c.what, c.got, c.want, off)
			}
		}
		if f.Converged != want.Converged {
			t.Errorf("%s: %+v", name, f)
		}
	}
	t.Logf("%d figures, at most %.1e off", figures, worst)
}

func (d *detail) demands(j *detailJob) (disk, cpu float64) {
	for n := range j.tasks {
		for _, t := range j.tasks[n] {
			disk += t.demand[Disk]
			cpu += t.demand[CPU]
		}
	}
	return disk, cpu
}
