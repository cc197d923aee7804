// Package accuracy measures ParaTimer on recordings of real runs (docs/accuracy.md, docs/alerts.md), which the
// paratimer command scores. Its tests hold the pages' tables of simulated runs, those of the ParaTimer paper's
// experiments first.
package accuracy

import (
	_ "embed" // the page's text
	"flag"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/lab/page"
)

// indicators are the other indicators beside ParaTimer.
var indicators = []string{"pig", "hadoop", "dne", "gnm"}

// An engine is the runs of one engine and what they have in common.
type engine struct {
	Title  string
	folder string // of recordings that are too large for the project
	Runs   []*run
	// First are the mean errors of the runs without a profile, With those with the profile of median error, All those
	// of all pairs. Held is the share of all ticks at which the range of 80% held the true remaining time.
	First, With, All    page.Numbers
	HeldFirst, HeldWith page.Mean
	// Factors are the mean errors of the other indicators, divided by that of ParaTimer.
	Factors map[string]page.Numbers
}

//go:embed accuracy.tmpl
var accuracyText string

// Run writes docs/accuracy.md.
func Run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab accuracy", flag.ContinueOnError)
	shared := flags.String("shared", "../shared", "folder with the recordings of Tez and Spark")
	only := flags.String("only", "", "measure the recordings of this engine alone: MapReduce, Tez or Spark")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data := struct {
		Engines    []*engine
		Indicators []string
	}{nil, indicators}
	for _, e := range []*engine{
		{Title: "MapReduce"},
		{Title: "DAGs of Tez", folder: "recordings-tez"},
		{Title: "Applications of Spark", folder: "recordings-spark"},
	} {
		if *only == "" || strings.HasSuffix(e.Title, *only) {
			data.Engines = append(data.Engines, e)
		}
	}
	if err := withProgram(func(p program) error {
		for _, e := range data.Engines {
			if err := e.measure(p, *shared); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return page.Write(out, accuracyText, data)
}

// measure scores the engine's runs.
func (e *engine) measure(p program, shared string) error {
	files, err := filepath.Glob(filepath.Join(shared, e.folder, "*.jsonl.gz"))
	var profiles []*run
	if e.folder == "" {
		if profiles, err = kept(); err != nil {
			return err
		}
		files, err = fixtures.Recordings("recordings", "recordings-busy")
	}
	if err != nil {
		return err
	}
	if e.Runs, err = p.load(files); err != nil {
		return err
	}
	if err := p.pair(e.Runs, profiles, func(*run) []string { return []string{"--estimators", "own"} }); err != nil {
		return err
	}
	e.Factors = map[string]page.Numbers{}
	for _, r := range e.Runs {
		e.First = append(e.First, r.points())
		e.HeldFirst.Add(r.Held(), r.Ticks)
		if best := r.Best(); best != nil {
			e.With = append(e.With, best.points())
		}
		for _, w := range r.With {
			e.All = append(e.All, w.points())
			e.HeldWith.Add(w.Held(), w.Ticks)
		}
		for _, name := range indicators {
			e.Factors[name] = append(e.Factors[name], r.Of(name)/r.Headline())
		}
	}
	return nil
}

// The headline is the first estimator, the range of 80% the second one.

func (s *score) points() page.Number { return s.Estimators[0].Mean }

// Held returns the share of the ticks at which the range of 80% held the true remaining time.
func (s *score) Held() page.Number { return s.Ranges[1].Held }

// Cells returns the cells about the headline and the range of 80%.
func (s *score) Cells() string {
	h := s.Estimators[0]
	row := page.Row((1 - h.Empty).Percent(), h.Mean.String()+" / "+h.Most.String(), h.Bias, s.Held().Percent(),
		s.Ranges[1].Width.Percent())
	return row[1 : len(row)-1]
}

// Of returns the mean error of an estimator.
func (s *score) Of(name string) page.Number {
	for _, e := range s.Estimators {
		if e.Name == name {
			return e.Mean
		}
	}
	return page.Number(math.NaN())
}

// Best returns the score with the profile of median mean error; nil if there is none.
func (r *run) Best() *pair {
	if len(r.With) == 0 {
		return nil
	}
	return &r.With[len(r.With)/2]
}

// Worst returns the score with the worst profile.
func (r *run) Worst() *pair { return &r.With[len(r.With)-1] }

// Headline returns the mean error with the profile of median error, or without any.
func (r *run) Headline() page.Number {
	if best := r.Best(); best != nil {
		return best.points()
	}
	return r.points()
}
