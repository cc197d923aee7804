package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A fitRun is a finished run with a watcher's snapshots at some instants. A run without snapshots is only a profile.
type fitRun struct {
	program    string
	ticks      []*dag.Snapshot
	first, end dag.Instant
	profile    *dag.Plan
}

// programRun is the number of a run at the end of a name, with the size and the cores before it: pricing-s1-c2-r1,
// sql-1.
var programRun = regexp.MustCompile(`(-s\d+-c\d+-r\d+|-\d+)$`)

// readRuns reads the files of runs in folders: event logs of Spark, or recordings. It keeps at most ticks snapshots of
// each run, evenly spaced. It skips runs that did not succeed. The folder of profiles may be "".
func readRuns(folders []string, pattern, profileFolder string, ticks int) ([]*fitRun, error) {
	var all []*fitRun
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			r, err := readRun(file, ticks)
			if err != nil {
				fmt.Fprintf(os.Stderr, "fit: %s is left out: %v\n", name, err)
				continue
			}
			if r.program = programRun.ReplaceAllString(name, ""); r.profile.OnlyMapReduce() {
				r.program = path.Base(r.profile.Name)
			}
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no run in %s, of files %s", strings.Join(folders, ", "), pattern)
	}
	files, err := filepath.Glob(filepath.Join(profileFolder, "*.yaml"))
	if profileFolder == "" || err != nil {
		return all, err
	}
	for _, file := range files {
		plan, err := planfile.ReadFile(file, planfile.Options{Profile: true})
		if err != nil {
			return nil, err
		}
		all = append(all, &fitRun{program: path.Base(plan.Name), profile: plan})
	}
	return all, nil
}

// open opens an event log, recorded observations or recorded answers.
func open(file string) (interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}, error,
) {
	if place := recording.LocalPlace(file); engine.IsPast(place) {
		past, err := engine.ReadPast(context.Background(), place)
		if err == nil && len(past.Runs) > 0 {
			return past.Runs[0].Open(recording.Options{})
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	kind, in, err := recording.Sniff(bytes.NewReader(text))
	switch {
	case err != nil:
		return nil, err
	case kind == recording.OfObservations:
		return recording.NewReader(in)
	}
	rec, err := recording.ReadAnswers(in)
	if err != nil {
		return nil, err
	}
	return engine.Replay(rec, recording.Options{})
}

func readRun(file string, ticks int) (*fitRun, error) {
	source, err := open(file)
	if err != nil {
		return nil, err
	}
	var all []*dag.Snapshot
	for {
		s, err := source.Next(context.Background())
		var missed *dag.MissedError
		if errors.Is(err, io.EOF) {
			break
		} else if errors.As(err, &missed) {
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, errors.New("no snapshots")
	}
	last := all[len(all)-1]
	r := &fitRun{first: last.Origin(), end: last.LastEnd(), profile: cost.Learn(dag.Run{}.Append(last))}
	if last.State != dag.Succeeded || !r.end.Known() || r.end <= r.first {
		return nil, fmt.Errorf("it ended as %s, or without an end", last.State)
	}
	every := r.end.Sub(r.first) / time.Duration(ticks+1)
	next := r.first.Add(every)
	for _, s := range all {
		if s.At >= next && s.At < r.end && !s.State.Ended() {
			r.ticks = append(r.ticks, s)
			next = s.At.Add(every)
		}
	}
	return r, nil
}

// A fitPair is a run and the run with the profile for its estimates; other is nil if there is none.
type fitPair struct{ run, other *fitRun }

// pairsOf returns each run by itself, and with profiles of at most `most` other runs of its program, spread over their
// names. Each profile with the start-up time of the first executor is in a second pair that lacks it.
func pairsOf(runs []*fitRun, most int) (first, with []fitPair) {
	for _, r := range runs {
		if len(r.ticks) == 0 {
			continue
		}
		first = append(first, fitPair{run: r})
		others := slices.DeleteFunc(slices.Clone(runs), func(o *fitRun) bool {
			return o == r || o.program != r.program
		})
		for i := range min(most, len(others)) {
			o := others[i*len(others)/min(most, len(others))]
			with = append(with, fitPair{r, o})
			if o.profile.Overheads.Boot > 0 {
				unknown, plan := *o, *o.profile
				plan.Overheads.Boot, unknown.profile = 0, &plan
				with = append(with, fitPair{r, &unknown})
			}
		}
	}
	return first, with
}

// A grade is the accuracy of a cost model on a pair: the mean error in percentage points of progress, the coverage of
// the 80% range, and the mean continuous ranked probability score of the logarithm of the run's length. NaN is
// unknown.
type grade struct{ points, held, score Number }

// A summary is the accuracy on several pairs.
type summary struct{ points, held, scores Numbers }

func summarize(grades []grade) (s summary) {
	for _, g := range grades {
		s.points, s.held, s.scores = append(s.points, g.points), append(s.held, g.held), append(s.scores, g.score)
	}
	s.scores = s.scores.Known()
	return s
}

// scorePairs grades a model on pairs.
func scorePairs(pairs []fitPair, model estimators.Model, samples int) []grade {
	out := make([]grade, len(pairs))
	_ = Each(len(pairs), func(i int) error { // it returns no errors
		out[i] = pairs[i].grade(model, samples)
		return nil
	})
	return out
}

// scoredValues is the number of values of a distribution that are scored.
const scoredValues = 64

func (p *fitPair) grade(model estimators.Model, samples int) grade {
	total := p.run.end.Sub(p.run.first).Seconds()
	var points []estimators.Sample
	var ranges []estimators.RangeSample
	score := 0.0
	for _, s := range p.run.ticks {
		if p.other != nil {
			s = profiles.Attach(s, []*dag.Plan{p.other.profile})
		}
		all := estimators.Shared([]estimators.Scenario{
			estimators.Scenarios()[0], estimators.Corrected(estimators.Sampled()),
		}, model, estimators.Options{Samples: samples})
		elapsed := s.At.Sub(p.run.first)
		x := estimators.Sample{Elapsed: elapsed.Seconds(), Remaining: math.NaN(), Progress: math.NaN()}
		if e, err := all[0].Estimate(dag.Run{}.Append(s)); err == nil && e.Remaining != nil {
			x.Remaining = e.Remaining.Seconds()
		}
		points = append(points, x)
		e, err := all[1].Estimate(dag.Run{}.Append(s))
		if err != nil || len(e.Distribution) == 0 {
			continue
		}
		ranges = append(ranges, estimators.NewRangeSample(elapsed, e.Distribution))
		logs := make([]float64, scoredValues)
		for i := range logs {
			left := e.Distribution.At((float64(i) + 0.5) / scoredValues)
			logs[i] = math.Log((elapsed + left).Seconds() / total)
		}
		score += crps(logs)
	}
	held := estimators.GradeRanges(total, ranges).Levels[1].Held
	return grade{
		Number(estimators.Grade(total, points).MeanPoints), Number(held),
		Number(score / float64(len(ranges))),
	}
}

// crps returns the continuous ranked probability score of equally likely values, ascending, for the truth 0 (Gneiting
// and Raftery, "Strictly Proper Scoring Rules, Prediction, and Estimation", 2007, equation 21).
func crps(values []float64) float64 {
	n, sum := float64(len(values)), 0.0
	for i, v := range values {
		sum += math.Abs(v)/n - v*(2*float64(i)+1-n)/(n*n)
	}
	return sum
}
