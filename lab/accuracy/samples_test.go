package main

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

const examples = "../../examples"

// TestSampleProfiles: on slots the profile of a run of a hundredth, or of ten times, is as good as the ParaTimer
// paper's debug run (section 4.2: at most 4.6 points), on YARN better than none.
func TestSampleProfiles(t *testing.T) {
	t.Parallel()
	for _, q := range sampledQueries {
		for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
			plan, err := q.plan(examples, policy)
			if err != nil {
				t.Fatal(err)
			}
			without, _, err := estimated(plan, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, ratio := range ratios {
				profiles, err := sampleProfile(plan, ratio, 0)
				if err != nil {
					t.Fatal(err)
				}
				got, total, err := estimated(plan, 1, profiles)
				if err != nil {
					t.Fatal(err)
				}
				e := &errorsOf{}
				e.addRun(got, total)
				with, none := both(got, without, total, 0)
				switch {
				case e.share() < 0.9:
					t.Errorf("%s, %s, %g: a point on %.0f %% of the ticks", q.file, policy, ratio, 100*e.share())
				case policy == dag.FIFO && !(mean(e.points) <= 2 && most(e.points) <= 4.6):
					t.Errorf("%s, %s, %g: %s points, want at most 2.0 / 4.6", q.file, policy, ratio, e)
				case policy == dag.YARN && len(none.points) > 0 && !(mean(with.points) <= mean(none.points)+1):
					t.Errorf("%s, %s, %g: %s points, and %s without a profile", q.file, policy, ratio, with, none)
				}
			}
		}
	}
}

// both are the errors of two estimates of one run on the ticks on which both have one, from a share of the tasks on.
func both(a, b []progress, total, from float64) (ea, eb *errorsOf) {
	ea, eb = &errorsOf{}, &errorsOf{}
	for i, x := range a {
		if x.left == nil || b[i].left == nil || x.done < from || x.at <= 0 || x.at >= total {
			continue
		}
		ea.add(x.at, total, x.left, nil)
		eb.add(x.at, total, b[i].left, nil)
	}
	return ea, eb
}

// wrongMost is by how many points a profile of other sizes may make the mean error worse, once a tenth of the tasks has
// ended.
const wrongMost = 0.5

// TestWrongProfiles: sizes in a profile that are all off by any factor do next to no harm once a tenth of the tasks has
// ended, on the ticks that have a point without the profile as well.
func TestWrongProfiles(t *testing.T) {
	t.Parallel()
	type query struct {
		plan, profile *dag.Plan
		none          []progress
	}
	var all []query
	for _, q := range sampledQueries[:2] {
		for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
			plan, err := q.plan(examples, policy)
			if err != nil {
				t.Fatal(err)
			}
			run, err := simulated(plan, simulate.Options{Seed: 101, Every: time.Second}, nil)
			if err != nil {
				t.Fatal(err)
			}
			none, _, err := estimated(plan, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, query{plan, cost.Learn(run), none})
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		q := &all[rapid.IntRange(0, len(all)-1).Draw(t, "query")]
		by := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "power of ten"))
		wrong := *q.profile
		wrong.Jobs = dag.CloneJobs(wrong.Jobs)
		for j := range wrong.Jobs {
			grow(&wrong.Jobs[j], by)
		}
		got, total, err := estimated(q.plan, 1, []*dag.Plan{&wrong})
		if err != nil {
			t.Fatal(err)
		}
		with, none := both(got, q.none, total, 0.1)
		if len(with.points) < 5 || mean(with.points) > mean(none.points)+wrongMost {
			t.Errorf("%s, sizes × %.3g: %s with the profile, %s without", q.plan.Name, by, with, none)
		}
	})
}
