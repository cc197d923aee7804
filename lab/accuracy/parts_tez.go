package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/paratimer/paratimer/lab/replaytest"
)

const (
	startupFile = "estimators/staged/startup.go"
	ratesFile   = "estimators/staged/rates.go"
	stagedFile  = "estimators/staged/sizes.go"
)

// tezParts are those that the estimate of a DAG of Tez is made of.
var tezParts = []part{
	{"nothing", nil},
	{"edges: all vertices at once", []replaytest.Edit{{
		File: "estimators/staged/complete.go", Old: "stage := &job.Stages[k]\n",
		New: "stage := &job.Stages[k]\nstage.After, bare = nil, false\n",
	}}},
	{"containers that are reused: a launch for each task", []replaytest.Edit{{
		File: "schedule/rules.go", Old: "idle := y.jobs[j].idle\n\tif len(idle) == 0 {",
		New: "idle := y.jobs[j].idle\n\tif true {",
	}}},
	{"launches as long as this run shows: as in the profile", []replaytest.Edit{{
		File: startupFile, Old: "st.launch, st.late = taskcost.MS(o.SetupMin), launchWait",
		New: "st.launch, st.late = 0*taskcost.MS(o.SetupMin)+expected, launchWait",
	}}},
	{"the master's start-up tells how busy the machine is: nothing does before the first launch", []replaytest.Edit{{
		File: startupFile, Old: "bootPower = 0.7", New: "bootPower = 0.",
	}}},
	{"what a task does beyond its records goes by launches: by its records", []replaytest.Edit{{
		File: ratesFile, Old: "taskOverhead = 0.07", New: "taskOverhead = 0.",
	}}},
	{"a launch by itself is faster: as one among many", []replaytest.Edit{{
		File: startupFile, Old: "alonePower = 0.4", New: "alonePower = 0.",
	}}},
	{"the first task of a container takes longer: as others", []replaytest.Edit{{
		File: startupFile, Old: "m.start.extra = max(0, (sum+coldTasks*expected)/(n+coldTasks))",
		New: "m.start.extra = 0 * (sum + coldTasks*expected)",
	}}},
	{"this run's pace: the profile's", []replaytest.Edit{{
		File: ratesFile, Old: "m.pace = min(max(math.Exp(before+shrunk*mean), 1/paceMax), paceMax)",
		New: "m.pace = math.Exp(0 * (before + shrunk*mean))",
	}}},
	{"input by what the sources wrote: as in the profile", []replaytest.Edit{{
		File: stagedFile, Old: "case in > 0 && rest > 0:", New: "case in < 0 && rest > 0:",
	}}},
	{"running tasks by their own records: by their vertex", []replaytest.Edit{{
		File: "estimators/staged/left.go", Old: "rate := ownRate(l.rate, took, units)",
		New: "rate := ownRate(l.rate, 0*took, units)",
	}}},
	{"running tasks by Tez' progress: by their records", []replaytest.Edit{{
		File: "estimators/staged/left.go", Old: "if !(share > 0.02) || share > 1 {", New: "if share > -1 {",
	}}},
}

// tezBought says what each part buys: every DAG with the profile of each other run of its script, and without any.
func tezBought(w io.Writer, runs []*dagRun) error {
	fmt.Fprint(w, `
### What each part of the model buys on Tez

The DAGs and profiles of the table above, one part of the model left out at a time: median and worst of the means, the largest error, and how
often the 80 % range holds. A part that one run needs does not show in a median.

| left out | with profile: median | worst | largest | 80 % held | without: median | worst | ticks with a range | 80 % held |
|---|---|---|---|---|---|---|---|---|
`)
	for _, p := range tezParts {
		with, without, err := p.dags(runs)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", p.name, number(median(with.means)),
			number(most(with.means)), number(with.largest), with.held(), number(median(without.means)),
			number(most(without.means)), without.on(), without.held())
	}
	return nil
}

// A dagWorth is what the estimates of DAGs are without a part.
type dagWorth struct {
	means   []float64 // of the DAGs that were given a point
	largest float64
	ranges  ranges
	ticks   int
}

func (d *dagWorth) add(r *result) {
	d.ranges.sum(&r.ranges)
	d.ticks += r.ticks
	if m := mean(r.head.points); !math.IsNaN(m) {
		d.means = append(d.means, m)
		d.largest = max(d.largest, most(r.head.points))
	}
}

func (d *dagWorth) held() string {
	return fmt.Sprintf("%.0f %%", 100*float64(d.ranges.held[1])/float64(max(d.ranges.ticks, 1)))
}

func (d *dagWorth) on() string {
	return fmt.Sprintf("%.0f %%", 100*float64(d.ranges.ticks)/float64(max(d.ticks, 1)))
}

// dags measures the program without a part.
func (p *part) dags(runs []*dagRun) (with, without *dagWorth, err error) {
	command, err := replaytest.BuildEdited(context.Background(), p.edits)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer func() { _ = command.Remove() }() // what is left is in a temporary folder
	t := tool{command}
	with, without = &dagWorth{}, &dagWorth{}
	var mu sync.Mutex
	all := make([]*recording, len(runs))
	for i, r := range runs {
		all[i] = &r.recording
	}
	err = each(all, func(rec *recording) error {
		r := runs[slices.Index(all, rec)]
		bare, err := t.dag(r, "")
		if err != nil {
			return err
		}
		var others []*result
		for _, o := range runs {
			if o == r || o.key != r.key {
				continue
			}
			got, err := t.dag(r, o.profile)
			if err != nil {
				return err
			}
			others = append(others, got)
		}
		mu.Lock()
		defer mu.Unlock()
		without.add(bare)
		for _, got := range others {
			with.add(got)
		}
		return nil
	})
	return with, without, err
}
