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

// A part of the model is left out by edits of its source, so that the program itself needs no switch for it.
type part struct {
	name  string
	edits []replaytest.Edit
}

const (
	sampleFile   = "estimators/observed/sample.go"
	slowdownFile = "estimators/observed/slowdown.go"
	priorFile    = "estimators/observed/sizes.go"
	stageFile    = "schedule/load.go"
)

// parts are those that the estimate of a run beside other load is made of.
var parts = []part{
	{"nothing", nil},
	{"reduces that hold containers count as asked for", []replaytest.Edit{{
		File: stageFile, Old: "max(0, j.rules.want(c.containers, st)-st.granted)",
		New: "j.rules.want(c.containers, st)",
	}}},
	{"preemption for all of a job's hanging maps: for one", []replaytest.Edit{{
		File: "schedule/master.go", Old: "number(memoryOf(max(maps.requested(), 1), maps.size))",
		New: "number(maps.size)",
	}}},
	{"sizes by rank: mean sizes", []replaytest.Edit{{
		File: priorFile, Old: "if k == dag.Reduce {\n\t\treturn p.total",
		New: "if k >= dag.Map {\n\t\treturn p.total",
	}}},
	{"launches and gaps at this run's pace: at the profile's", []replaytest.Edit{{
		File: "estimators/observed/overheads.go", Old: "return clip(math.Exp(sum / (seen + pausePrior))), seen",
		New: "return 1, seen",
	}}},
	{
		"rates by samples and whole tasks: by samples alone",
		[]replaytest.Edit{{
			File: "estimators/observed/seen.go", Old: "const fewSamples = 2",
			New: "const fewSamples = 1e12",
		}},
	},
	{"slowdown by evidence: in full", []replaytest.Edit{
		{File: slowdownFile, Old: "sameKind  = 0.1", New: "sameKind  = 0."},
		{File: slowdownFile, Old: "otherKind = 0.5", New: "otherKind = 1e-9"},
		{File: slowdownFile, Old: "const pausePower = 0.3", New: "const pausePower = 0."},
	}},
	{"sizes of maps that have read a fiftieth: of all that have begun", []replaytest.Edit{{
		File: "adapters/hadoop/counters.go", Old: "const leastRead = 0.02", New: "const leastRead = 0",
	}}},
	{"ranges as wide as runs differ under other load: as on an idle cluster", []replaytest.Edit{
		{File: sampleFile, Old: "busySigma        = 0.7", New: "busySigma = 0"},
		{File: sampleFile, Old: "driftSigma       = 0.12", New: "driftSigma = speedSigma"},
		{File: sampleFile, Old: "busyWatchedSigma = 0.25", New: "busyWatchedSigma = watchedSigma"},
		{File: sampleFile, Old: "busyProfileSigma = 0.4", New: "busyProfileSigma = profileSigma"},
	}},
	{"sizes that no map has told, drawn down to a quarter: as predicted", []replaytest.Edit{{
		File: "estimators/observed/sample_draw.go", Old: "const leastRest = 0.25", New: "const leastRest = 1",
	}}},
	{"silent attempts drawn as widely as unseen stages: as their stage", []replaytest.Edit{{
		File: sampleFile, Old: "unseen := c.own == 0 && (p.unseen || c.origin >= schedule.Unknown)",
		New: "unseen := c.own == 0 && p.unseen",
	}}},
}

// A worth is what the estimate is without a part.
type worth struct {
	means  []float64
	ranges ranges
	steps  int
}

func (w *worth) add(r *result) {
	w.means = append(w.means, mean(r.head.points))
	w.ranges.sum(&r.ranges)
	w.steps += r.steps.large
}

func (w *worth) String() string {
	return fmt.Sprintf("%s | %s | %.0f %% | %d", number(median(w.means)),
		number(most(slices.DeleteFunc(w.means, math.IsNaN))),
		100*float64(w.ranges.held[1])/float64(max(w.ranges.ticks, 1)), w.steps)
}

// bought says what each part buys: all recordings, each without a profile and with the one of median mean, with the
// part left out.
func bought(out io.Writer, recs []*recording) error {
	fmt.Fprint(out, `
## What each part of the model buys

The same recordings, with the profiles shown above and without any, and one part of the model left out at a time: median and worst of the runs' means, how often the
80 % range holds over all ticks together, and the steps above 5 % of all runs. A part that one run needs does not show in a median.

| left out | with profile: median | worst | 80 % held | steps | without: median | worst | 80 % held | steps |
|---|---|---|---|---|---|---|---|---|
`)
	for _, p := range parts {
		with, without, err := p.measure(recs)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", p.name, with, without)
	}
	return nil
}

func (p *part) measure(recs []*recording) (with, without *worth, err error) {
	command, err := replaytest.BuildEdited(context.Background(), p.edits)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer func() { _ = command.Remove() }() // what is left is in a temporary folder
	t := tool{command}
	with, without = &worth{}, &worth{}
	got, alone := map[*recording]*result{}, map[*recording]*result{}
	var mu sync.Mutex
	err = each(recs, func(r *recording) error {
		var a *result
		if len(r.with) > 0 {
			var err error
			if a, err = t.replay(r, r.middle().other, "own"); err != nil {
				return err
			}
		}
		b, err := t.replay(r, nil, "own")
		mu.Lock()
		defer mu.Unlock()
		got[r], alone[r] = a, b
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, r := range recs {
		if got[r] != nil {
			with.add(got[r])
		}
		without.add(alone[r])
	}
	return with, without, nil
}
