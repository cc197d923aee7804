// The commands accuracy and alerts measure ParaTimer on recordings of real runs (docs/evidence/accuracy.md,
// docs/evidence/alerts.md), which the paratimer command scores. Its tests hold the pages' tables of simulated runs,
// those of the ParaTimer paper's experiments first. They also measure the coverage of ranges on simulated runs
// (docs/evidence/calibration.md): each workflow has its own history, and noise that differs from what the sampler
// assumes. Before a run nothing is known but a profile and the residuals of the workflow's earlier runs.

package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// indicators are the other indicators beside ParaTimer.
var indicators = []string{"pig", "hadoop", "dne", "gnm"}

// An engineRuns is the runs of one engine and what they have in common.
type engineRuns struct {
	Title  string
	folder string // of recordings that are too large for the project
	Runs   []*run
	// First are the mean errors of the runs without a profile, With those with the profile of median error, All those
	// of all pairs. Held is the share of all ticks at which the range of 80% held the true remaining time.
	First, With, All    Numbers
	HeldFirst, HeldWith Mean
	// Factors are the mean errors of the other indicators, divided by that of ParaTimer.
	Factors map[string]Numbers
}

//go:embed accuracy.tmpl
var accuracyText string

// runAccuracy writes docs/evidence/accuracy.md.
func runAccuracy(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab accuracy", flag.ContinueOnError)
	shared := flags.String("shared", "../shared", "folder with the recordings of Tez and Spark")
	only := flags.String("only", "", "measure the recordings of this engine alone: MapReduce, Tez or Spark")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data := struct {
		Engines    []*engineRuns
		Indicators []string
	}{nil, indicators}
	for _, e := range []*engineRuns{
		{Title: "MapReduce"},
		{Title: "DAGs of Tez", folder: "recordings-tez"},
		{Title: "Spark applications", folder: "recordings-spark"},
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
	return Write(out, accuracyText, data)
}

// measure scores the engine's runs.
func (e *engineRuns) measure(p program, shared string) error {
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
	e.Factors = map[string]Numbers{}
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

func (s *score) points() Number { return s.Estimators[0].Mean }

// Held returns the share of the ticks at which the range of 80% held the true remaining time.
func (s *score) Held() Number { return s.Ranges[1].Held }

// Cells returns the cells about the headline and the range of 80%.
func (s *score) Cells() string {
	h := s.Estimators[0]
	row := Row((1 - h.Empty).Percent(), h.Mean.String()+" / "+h.Most.String(), h.Bias, s.Held().Percent(),
		s.Ranges[1].Width.Percent())
	return row[1 : len(row)-1]
}

// Of returns the mean error of an estimator.
func (s *score) Of(name string) Number {
	for _, e := range s.Estimators {
		if e.Name == name {
			return e.Mean
		}
	}
	return Number(math.NaN())
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
func (r *run) Headline() Number {
	if best := r.Best(); best != nil {
		return best.points()
	}
	return r.points()
}

// factors are the deadlines as factors of the true length: one that is missed, one that is met by a tenth, one met by
// a quarter. The alert of --drift comes after them.
var factors = []float64{0.9, 1.1, 1.25}

// drift is the index of the alert of --drift.
const drift = 3

// An alert is the result of an alert on a run.
type alert struct {
	Deadline *string `json:"deadline_at"`
	Warning  Number  `json:"warning_seconds"` // before the deadline; NaN if it did not fire
	Verdict  string  `json:"verdict"`         // true, false, missed or silent
}

// A set is the results of several runs, or of one run with several profiles.
type set struct {
	Name   string
	Scores []*score
}

//go:embed alerts.tmpl
var alertsText string

// runAlerts writes docs/evidence/alerts.md.
func runAlerts(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab alerts", flag.ContinueOnError)
	simulations := flags.Int("simulations", 40, "simulated runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := fixtures.Recordings("recordings", "recordings-busy")
	if err != nil {
		return err
	}
	with, first := set{Name: "recordings, with another run's profile"}, set{Name: "recordings, without a profile"}
	simulated := set{Name: "simulated, with a profile"}
	var runs []*run
	err = withProgram(func(p program) error {
		if runs, err = p.load(files, "--estimators", "standard"); err != nil {
			return err
		}
		if err := p.pair(runs, nil, held); err != nil {
			return err
		}
		err := Each(len(runs), func(i int) (err error) {
			runs[i].score, err = p.score(runs[i], "", held(runs[i])...)
			return err
		})
		if err != nil {
			return err
		}
		simulated.Scores, err = p.simulate(*simulations)
		return err
	})
	if err != nil {
		return err
	}
	each := make([][2]set, len(runs)) // without a profile, and with one
	for i, r := range runs {
		each[i] = [2]set{{r.Name, []*score{r.score}}, {Name: r.Name}}
		for _, w := range r.With {
			each[i][1].Scores = append(each[i][1].Scores, w.score)
		}
		first.Scores, with.Scores = append(first.Scores, r.score), append(with.Scores, each[i][1].Scores...)
	}
	return Write(out, alertsText, struct {
		Sets []set
		Runs [][2]set
	}{[]set{with, first, simulated}, each})
}

// held returns the flags of the deadlines for a run, observed as attach does by default.
func held(r *run) []string {
	args := []string{"--estimators", "own", "--every", "3s", "--drift"}
	for _, f := range factors {
		args = append(args, "--within", fmt.Sprintf("%.3fs", f*float64(r.Seconds)))
	}
	return args
}

// troubles are the disturbances of simulated runs.
var troubles = []string{
	"--noise 0.05", "--noise 0.3", "--noise 0.1 --set fail-rate=0.5", "--noise 0.1 --skew 0.3", "--noise 0.1 --set stall=5s",
}

// simulate scores simulated runs with deadlines. The plan is the profile.
func (p program) simulate(n int) ([]*score, error) {
	all := make([]*score, n)
	return all, Each(n, func(i int) error {
		plan, every := "examples/paper-4.2GB.yaml", "15s" // it takes half an hour
		if i%2 == 1 {
			plan, every = "examples/pig-join.yaml", "3s"
		}
		r := &run{file: filepath.Join(p.folder, fmt.Sprint("simulated-", i, ".jsonl.zst"))}
		args := []string{"simulate", plan, "--seed", fmt.Sprint(i), "--know", "nothing", "--every", every, "--record", r.file}
		if _, err := p.run(append(args, strings.Fields(troubles[i/2%len(troubles)])...)...); err != nil {
			return err
		}
		var err error
		if r.score, err = p.score(r, "", "--estimators", "standard"); err != nil {
			return err
		}
		all[i], err = p.score(r, plan, held(r)...)
		return err
	})
}

// Cells returns the cells about deadlines: runs with a warning before the deadline that they missed, the median time
// from the warning to the deadline in lengths of the run, and false alerts for each deadline that was met.
func (s set) Cells() string {
	if len(s.Scores) == 0 {
		return "none recorded | | |"
	}
	var ahead Numbers
	for _, r := range s.Scores {
		if a := r.Alerts[0]; a.Verdict == "true" {
			ahead = append(ahead, a.Warning/r.Seconds)
		}
	}
	return fmt.Sprintf("%d of %d | %s | %d | %d", s.count(0, "true"), len(s.Scores), ahead.Median().Percent(),
		s.count(1, "false"), s.count(2, "false"))
}

// Drift returns the cells about --drift: runs with a stable range, that ended after it, and true, missed and false
// alerts.
func (s set) Drift() string {
	ranged := 0
	for _, r := range s.Scores {
		if r.Alerts[drift].Deadline != nil {
			ranged++
		}
	}
	truly, missed := s.count(drift, "true"), s.count(drift, "missed")
	return fmt.Sprintf("%d | %d | %d | %d | %d", ranged, truly+missed, truly, missed, s.count(drift, "false"))
}

func (s set) count(alert int, verdict string) (n int) {
	for _, r := range s.Scores {
		if r.Alerts[alert].Verdict == verdict {
			n++
		}
	}
	return n
}
