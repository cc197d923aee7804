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

// boughtOn writes the effect of each part on an engine: the results of every run with the profile of each other run
// of its script or program, and without a profile.
func boughtOn(w io.Writer, engine string, parts []part, runs []*dagRun) error {
	fmt.Fprintf(w, `
### What each part of the model buys on %s

The same runs and profiles, one part of the model left out at a time: median and worst of the means, largest error, and how often the 80 %% range
holds.

| left out | with profile: median | worst | largest | 80 %% held | without: median | worst | ticks with a range | 80 %% held |
|---|---|---|---|---|---|---|---|---|
`, engine)
	for _, p := range parts {
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

// A dagWorth is the accuracy on DAGs without a part.
type dagWorth struct {
	means   []float64 // of the DAGs with a point estimate
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
	defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
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
