package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// A shared is a way in which other users share our cluster.
type shared struct {
	name   string
	other  string // the others' queue; "": ours
	queues []dag.QueueState
	hidden bool // the other masters cannot be read
	nobody bool
}

// halves are two queues with half of the 3 GB guaranteed to each and all of it as the maximum.
var halves = []dag.QueueState{{Name: "a", ShareMB: 1536, MaxMB: 3072}, {Name: "b", ShareMB: 1536, MaxMB: 3072}}

var sharings = []shared{
	{name: "no other users", nobody: true},
	{name: "one queue, first come first served"},
	{name: "one queue, first come first served, masters tell nothing", hidden: true},
	{name: "one queue, fair", queues: []dag.QueueState{{Name: "a", Order: dag.OrderFair}}},
	{name: "two queues of half the cluster each", other: "b", queues: halves},
	{name: "two queues of half the cluster each, masters tell nothing", other: "b", queues: halves, hidden: true},
}

// usersTick is the interval of snapshots of a simulated run.
const usersTick = 3 * time.Second

// othersOf draws the other applications: one to three within the time that the query takes alone.
func (c *shared) othersOf(seed uint64) []other {
	r := rand.New(rand.NewPCG(seed, 77))
	out := make([]other, 1+r.IntN(3))
	for i := range out {
		out[i] = other{
			name: fmt.Sprintf("job %d", i+1), user: fmt.Sprintf("user-%d", i+1), queue: c.other, hidden: c.hidden,
			at: time.Duration(r.IntN(110_000)) * time.Millisecond, maps: 2 + r.IntN(30), reduces: r.IntN(9),
			mapTime:    time.Duration(3000+r.IntN(20_000)) * time.Millisecond,
			reduceTime: time.Duration(1000+r.IntN(40_000)) * time.Millisecond,
			amMB:       512, mapMB: 256, redMB: 256,
		}
	}
	return out
}

// A usersScore is the errors of all runs with one way of sharing.
type usersScore struct {
	// of each run: over all ticks, and from the arrival of the last other application on
	means, after          []float64
	scenario              map[string][]float64 // mean over all ticks, of each scenario
	held, ticks           int                  // ticks with an 80 % range, and those at which it contained the truth
	heldAfter, ticksAfter int                  // the same once all others had arrived
	length                []float64            // length of each run, in seconds
}

// users measures the model of other users' applications on simulated runs of examples/pig-join.yaml.
func users(w io.Writer, seeds int) error {
	plan, err := planfile.ReadFile("examples/pig-join.yaml", planfile.Options{})
	if err != nil {
		return err
	}
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	p("\n## Beside other users\n")
	p("Simulated runs of examples/pig-join.yaml, %d of each kind, with the profile of that plan: noise of a quarter on every task, 0.15 on the run's speed;", seeds)
	p("one to three applications of others come while it runs, of 2 to 31 maps of 3 to 23 s and up to 8 reduces of 1 to 41 s. The simulator plays them task by")
	p("task; the estimator knows of one only once it is there. *points* are the mean absolute error of a run, averaged over the runs; *once all")
	p("had come* counts the ticks after which no other user came. *worse tenth* is exceeded by a tenth of the runs.\n")
	p("| how the cluster is shared | length | points | worse tenth | once all had come | worse tenth | 80 %% range held | once all had come | slots_as_now | slots_fair_share | alone |")
	p("|---|---|---|---|---|---|---|---|---|---|---|")
	alone := math.NaN()
	for i := range sharings {
		c := &sharings[i]
		s := usersScore{scenario: map[string][]float64{}}
		for seed := range uint64(seeds) {
			if err := c.measure(plan, seed+1, &s); err != nil {
				return fmt.Errorf("%s, seed %d: %w", c.name, seed+1, err)
			}
		}
		if c.nobody {
			alone = mean(s.length)
		}
		p("| %s | %.2f | %.1f | %.1f | %.1f | %.1f | %.0f %% | %.0f %% | %.1f | %.1f | %.1f |", c.name,
			mean(s.length)/alone, mean(s.means), tenth(s.means), mean(s.after), tenth(s.after),
			100*float64(s.held)/float64(max(s.ticks, 1)), 100*float64(s.heldAfter)/float64(max(s.ticksAfter, 1)),
			mean(s.scenario["slots_as_now"]), mean(s.scenario["slots_fair_share"]), mean(s.scenario["alone"]))
	}
	return nil
}

func tenth(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return v[len(v)*9/10]
}

// measure simulates one run and adds its errors.
func (c *shared) measure(plan *dag.Plan, seed uint64, s *usersScore) error {
	opt := simulate.Options{
		Seed: seed, Know: simulate.Profile, Every: usersTick, Noise: 0.25, Speed: 0.15,
		SetupNoise: 0.15, User: "ann", Queue: "a", Queues: c.queues,
	}
	var others []other
	if !c.nobody {
		others = c.othersOf(seed)
	}
	source, err := simulateBeside(plan, others, opt)
	if err != nil {
		return err
	}
	scenarios := append(estimators.Scenarios(), estimators.Sampled())
	all := estimators.Shared(scenarios, cost.Costs, estimators.Options{Samples: 64})
	var ticks []usersLook
	var run dag.Run
	total, last := 0.0, 0.0
	for _, o := range others {
		last = max(last, o.at.Seconds())
	}
	for {
		snap, err := source.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		run = run.Append(snap)
		total = snap.At.Sub(opt.Start).Seconds()
		if snap.State.Ended() {
			continue
		}
		x := usersLook{at: total}
		for i, e := range all {
			got, err := e.Estimate(run)
			if err != nil {
				return err
			}
			if scenarios[i].Name == "sampled" {
				if len(got.Distribution) > 0 {
					low, high := got.Distribution.Range(0.8)
					x.range80 = []time.Duration{low, high}
				}
				continue
			}
			x.left = append(x.left, got.Remaining)
		}
		ticks = append(ticks, x)
	}
	s.add(ticks, scenarios, total, last)
	return nil
}

// A usersLook is the estimates at one moment of a run, in seconds since its start.
type usersLook struct {
	at      float64
	left    []*time.Duration // by scenario
	range80 []time.Duration
}

// add counts a run of total seconds. The last other application arrived at last.
func (s *usersScore) add(ticks []usersLook, scenarios []estimators.Scenario, total, last float64) {
	errs := make([][]float64, len(scenarios))
	var after []float64
	for _, x := range ticks {
		if x.at <= 0 || x.at >= total {
			continue
		}
		for i, r := range x.left {
			if r == nil {
				continue
			}
			off := math.Abs(100*x.at/(x.at+r.Seconds()) - 100*x.at/total)
			errs[i] = append(errs[i], off)
			if i == 0 && x.at > last {
				after = append(after, off)
			}
		}
		if x.range80 != nil {
			s.ticks++
			left := total - x.at
			held := x.range80[0].Seconds() <= left && left <= x.range80[1].Seconds()
			if held {
				s.held++
			}
			if x.at > last {
				s.ticksAfter++
				if held {
					s.heldAfter++
				}
			}
		}
	}
	s.length = append(s.length, total)
	s.means = append(s.means, mean(errs[0]))
	if len(after) > 0 {
		s.after = append(s.after, mean(after))
	}
	for i := range errs {
		if len(errs[i]) > 0 {
			s.scenario[scenarios[i].Name] = append(s.scenario[scenarios[i].Name], mean(errs[i]))
		}
	}
}
