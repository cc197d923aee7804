package story

import (
	"context"
	"fmt"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag/account"
)

// A Gatherer sees a watch go by and tells its story, at any time of it. It is a sink, and stands between the source and the watch.
type Gatherer struct {
	// Recorded says that the source is a recording: where it ends, nothing follows.
	Recorded bool

	from   string
	model  estimators.Model
	source watch.Source
	run    dag.Run
	last   frame.Frame
	seen   int
	kept   memory
	marks  marks
	waits  account.Marks
}

// Gather sees what a source says. from is what was asked for: a file or a query.
func Gather(from string, src watch.Source, model estimators.Model) *Gatherer {
	return &Gatherer{from: from, source: src, model: model}
}

// Next hands the source's snapshot on.
func (g *Gatherer) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := g.Observe(ctx)
	if s != nil && err == nil {
		g.Take(s)
	}
	return s, err
}

// Observe asks the source and Take keeps what it said: Next in two steps, for those who must not wait and keep at once.
func (g *Gatherer) Observe(ctx context.Context) (*dag.Snapshot, error) { return g.source.Next(ctx) }

// Take keeps a snapshot.
func (g *Gatherer) Take(s *dag.Snapshot) {
	g.run = g.run.Append(s)
	g.marks.see(s)
	g.waits.See(s)
}

// Show takes a frame in.
func (g *Gatherer) Show(f frame.Frame) error {
	g.seen++
	g.last = f
	g.kept.take(&f)
	g.marks.hear(&f)
	return nil
}

// Seen is how many frames were shown.
func (g *Gatherer) Seen() int { return g.seen }

// Story is what has happened so far. A run of which nothing was seen has none. A figure that cannot be made says so: the others live on.
func (g *Gatherer) Story() (*Story, error) {
	if len(g.run.Window) == 0 || g.seen == 0 {
		return nil, fmt.Errorf("%s: nothing was observed", g.from)
	}
	snap, f := g.run.Now(), &g.last
	s := &Story{
		SchemaVersion: SchemaVersion, From: g.from, Workflow: f.Workflow, User: frame.Text(snap.User), Queue: frame.Text(snap.Queue),
		StartAt: frame.TimeOf(snap.Origin()), At: f.At, ElapsedSeconds: f.ElapsedSeconds, Observations: g.seen,
		Headline: f.Headline, WaitingOn: f.WaitingOn, Alerts: f.Alerts, Warnings: f.Warnings,
		Course: g.course(), Skew: skewOf(snap),
	}
	if f.Workflow.State.Ended() {
		s.EndAt = f.Headline.EndAt
	}
	var towards *account.Attempt
	var err error
	if s.Chart, towards, err = chartAndNext(g.run, g.model); err != nil {
		s.Chart = Chart{Says: "What ran when cannot be drawn: " + name(err.Error()) + ".", Panels: []Panel{}, Fragments: []Fragment{}, Critical: []Segment{}}
	}
	if s.Account, err = accountOf(snap, &g.waits, towards); err != nil {
		s.Account = Account{Says: "Where the time went cannot be told: " + name(err.Error()) + ".", Parts: []Part{}, Causes: []Cause{}}
	}
	if s.Account.Says == "" {
		s.Account.Says = "No time has passed since the first submission, so none went anywhere."
	}
	s.Jobs = jobsOf(snap, f, &s.Account)
	s.JobsSays = jobsSay(s.Jobs)
	s.Limits = limitsOf(g.run, g.model)
	s.summarise(g.Recorded)
	return s, nil
}

// course is what was predicted so far.
func (g *Gatherer) course() Course {
	c := Course{Moments: append([]Moment{}, thin(g.kept.moments, MostMoments)...), Marks: g.marks.sorted(), AlertSeconds: g.marks.firing}
	state := g.last.Workflow.State
	if total := g.last.ElapsedSeconds; state.Ended() && total != nil {
		c.TotalSeconds = total
		if state == dag.Succeeded {
			c.score(g.kept.ticks, *total)
		}
	}
	c.Says = c.says(state, &g.kept.turn)
	return c
}
