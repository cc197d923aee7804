// Package observed is the cost model of real clusters: what a run's own counters show of its costs, completed by
// profiles of earlier runs and, where nobody has seen anything, by assumptions that it names.
//
// Units: a map's work is counted in input records, the longer ones of which may count more, a reduce's in shuffled
// bytes, which are known as soon as its copy has ended and give its records (docs/facts/measured.md 4). Alpha is
// milliseconds a unit, set-up excluded. Times that are plain floats are milliseconds.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package observed

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A Model is the cost model of one run at one instant.
type Model struct {
	// Snapshot is the run's newest one with its plan completed: task counts of jobs to come, and overheads.
	Snapshot *dag.Snapshot
	Warnings []dag.Warning

	now      dag.Instant
	learning bool
	// the run's own plan tells what everything costs: a simulated run, or one that is yet to begin
	given bool
	// the paper's cluster: a set-up that is given, reduces that start after the maps and are counted in tuples
	fifo       bool
	lag        float64       // a counter first seen at an instant was reported this long before, on average
	expected   dag.Overheads // before this run has shown any
	pace       float64       // how many times as long as expected its pauses take
	seenPauses float64       // how many of them that rests on, newer ones weighing more
	// this run or a profile has shown how long jobs take to end after their last task
	endKnown   bool
	weights    map[*dag.Attempt]float64 // how much a record of a map counts, by its length; 1 where there is none
	setup      setupLaw
	phases     [][2]phase   // by job, Map and Reduce
	priors     [][2]prior   // what the profile says of them
	inputs     float64      // how many times as much as in the profile's run a map of the query's own input gets
	inputSigma float64      // how far the logarithm of inputs may be off; 0 once a map has told
	nodes      *nodePaces   // nodes that are slower or faster than the others
	mapWork    float64      // of a mean map of this run, 0 where none has shown work
	groups     []*jobGroups // by job, nil where nothing tells of its key groups
	// for so long, in milliseconds, nothing of ours has started although it could; 0 where things go on
	stalled float64

	residuals []dag.Residual
	delta     float64 // Options.DeltaBytes
}

// Options choose how a model is made. The zero value is the default.
type Options struct {
	// LaterWork is what a phase that nobody has seen is assumed to take a task, as a ratio of the run's mean map; 0:
	// laterWork.
	LaterWork float64
	// DeltaBytes is NearestFit's δ: how far the sizes of neighbours lie apart; 0: that of nearestfit.Default.
	DeltaBytes float64

	learning bool // nothing but this run counts
}

// New observes a run.
func New(run dag.Run, opt Options) *Model {
	s := run.Now()
	m := &Model{
		now: s.At, fifo: s.Plan.Cluster.Policy == dag.FIFO, given: tellsCosts(s.Plan), lag: observationLag(run),
		learning: opt.learning, delta: opt.DeltaBytes,
	}
	profile := profiles.Find(s)
	m.residuals = profile.Residuals()
	m.expected = expectedOverheads(s, profile)
	p := seenPauses(s, &m.expected)
	m.pace, m.seenPauses = p.pace()
	m.endKnown = len(p.finish.seen) > 0 || profile != nil
	m.learnLengths(s, profile)
	m.learnSetup(s, profile)
	m.Snapshot = complete(s, profile, m)
	m.Snapshot.Load = others(run, m.Snapshot.Plan, m.setup.at(2))
	m.warnOthers(s)
	m.learnPhases(profile, opt)
	m.findStall()
	return m
}

// observationLag is how old a counter is on average when it is first seen, in milliseconds: a report is sent each
// Report, and a new one is seen at the first observation after it. So it is half the shorter of the two.
func observationLag(run dag.Run) float64 {
	w := run.Window
	report := taskcost.MS(run.Now().Plan.Overheads.Report)
	if len(w) < 2 {
		return min(report/2, 500)
	}
	tick := float64(w[len(w)-1].At-w[0].At) / float64(len(w)-1)
	return min(report, tick) / 2
}
