package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/units"
)

// A Recorder adds the profile of earlier runs to a watch, and stores the run at its end. It never stops a watch:
// read and write errors are only logged.
type Recorder struct {
	Store *state.Store // nil: no history
	// Given are profiles that come before those of the history.
	Given []*dag.Plan
	Log   zerolog.Logger
	// Report receives a line about the profile that is used; may be nil.
	Report func(string)
	// Known is called once the workflow's name is known, with its usual length, 0 if no run has one; may be nil.
	Known func(usual time.Duration)
	// Past is true if the run is a recording: it is inserted among the other runs by its start.
	Past bool
	// Ended is the result of storing the run at its end; nil before, and if nothing was stored.
	Ended *Result

	run      dag.Run
	ticks    []estimators.RangeTick
	key      string
	asked    bool
	lines    []Line
	profile  *dag.Plan // of its line, if there is only one
	reported string
	profiles []*dag.Plan
	plan     *dag.Plan   // the newest plan, as observed: profiles are those for it
	joined   *dag.Plan   // that plan with additions from profiles
	known    []*dag.Plan // the profiles of the joined plan
}

// Join adds the recorder to a watch.
func (r *Recorder) Join(w *watch.Watch) { w.Over, w.Sinks = r.Over, append(w.Sinks, r) }

// A Result describes the stored run.
type Result struct {
	Workflow string
	Run      state.Run
	Outcome  Outcome
}

// Source returns a source that adds profiles to the snapshots of another one, best first: those given, then that of the
// history. Snapshots with the same plan still share it, and share its profiles.
func (r *Recorder) Source(src watch.Source) watch.Source { return profiled{r, src} }

type profiled struct {
	recorder *Recorder
	source   watch.Source
}

func (p profiled) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := p.source.Next(ctx)
	if s == nil || err != nil {
		return s, err
	}
	r, isNew := p.recorder, s.Plan != p.recorder.plan
	if r.plan = s.Plan; isNew {
		r.consult(s)
	}
	if len(r.profiles) == 0 {
		return s, nil
	}
	with := profiles.Attach(s, r.profiles)
	// The jobs of a profile stand in for those of the same plan only until one of these has shown the DAG.
	if isNew || len(with.Plan.Jobs) != len(r.joined.Jobs) {
		r.joined, r.known = with.Plan, with.Profiles
	}
	with.Plan, with.Profiles = r.joined, r.known
	return with, nil
}

// Show records the snapshot and the range. The snapshot's profiles are left out, so that a run teaches only its own
// observations.
func (r *Recorder) Show(tick frame.Tick) error {
	if s := tick.Snapshot; s != nil {
		bare := *s
		bare.Profiles = nil
		r.run = r.run.Append(&bare)
	}
	if r.Store != nil && tick.Snapshot != nil && tick.Answers.Sampled.Tick != nil {
		r.ticks = append(r.ticks, *tick.Answers.Sampled.Tick)
	}
	return nil
}

// consult chooses the profiles for a plan.
func (r *Recorder) consult(s *dag.Snapshot) {
	r.profiles = r.Given
	if r.Store == nil || s.Plan.Name == "" {
		return
	}
	if key := Key(s.Plan.Name); key != r.key || !r.asked {
		r.key, r.asked, r.lines = key, true, nil
		w, err := r.Store.Read(key)
		if err != nil {
			r.Log.Warn().Err(err).Msg("what is remembered of earlier runs cannot be used")
			w = &state.Workflow{}
		}
		r.lines, r.profile = Lines(w, s.ID), nil
		if r.Known != nil {
			usual := time.Duration(0)
			if len(r.lines) > 0 {
				usual, _ = r.lines[0].Usual()
			}
			r.Known(usual)
		}
	}
	if profile := r.choose(s.Plan); profile != nil {
		r.profiles = append(slices.Clone(r.Given), profile)
	}
}

// choose returns the profile of the line that fits a plan best; nil if there is none. Plans grow as jobs are
// submitted, so with several lines another one may fit later. With a single line only its profile is kept.
func (r *Recorder) choose(plan *dag.Plan) *dag.Plan {
	if r.profile != nil {
		return r.profile
	}
	best := Best(r.lines, plan)
	profile, n := best.Profile()
	if profile == nil {
		return nil
	}
	if text := basis(r.key, best, n); r.Report != nil && text != r.reported {
		r.reported = text
		r.Report(text)
	}
	if len(r.lines) == 1 {
		r.profile, r.lines = profile, nil
	}
	return profile
}

// basis describes which runs a profile is from.
func basis(key string, l Line, n int) string {
	var newest time.Time
	out := 0
	for i := range l {
		switch {
		case l[i].Weight > 0:
			newest = l[i].StartedAt
		case l[i].Why != "":
			out++
		}
	}
	text := fmt.Sprintf("using the profile of %s of %s, newest %s", units.Count(n, "run"), key,
		newest.UTC().Format(time.DateOnly))
	if out > 0 {
		text += fmt.Sprintf(" (%d left out: `paratimer history show %s` shows why)", out, key)
	}
	return text
}

// Over stores the run if it has ended.
func (r *Recorder) Over() {
	if r.Store == nil || r.Ended != nil || len(r.run.Window) == 0 {
		return
	}
	s := r.run.Now()
	if !s.State.Ended() || s.Plan.Name == "" {
		return
	}
	name, run, word, err := Finished(r.run, r.ticks)
	if err != nil {
		r.Log.Warn().Err(err).Msg("the run is remembered without a profile")
	}
	if word != "" {
		r.Log.Warn().Str("workflow", name).Msg(word)
	}
	outcome, err := Remember(r.Store, name, run, r.Past)
	if err != nil {
		r.Log.Warn().Err(err).Msg("the run cannot be remembered")
		return
	}
	r.Ended = &Result{name, run, outcome}
	log := r.Log.Info().Str("workflow", name).Str("run", run.ID)
	if run.Excluded != "" {
		log = log.Str("not_learned_from", run.Excluded)
	}
	log.Msg("the run is remembered: " + string(outcome))
}
