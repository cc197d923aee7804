package accuracy

import (
	_ "embed" // the page's text
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/lab/page"
)

// factors are the deadlines as factors of the true length: one that is missed, one that is met by a tenth, one met by
// a quarter. The alert of --drift comes after them.
var factors = []float64{0.9, 1.1, 1.25}

// drift is the index of the alert of --drift.
const drift = 3

// An alert is the result of an alert on a run. Seconds are of the run, NaN if it did not fire.
type alert struct {
	Deadline *string     `json:"deadline_at"`
	Fired    page.Number `json:"fired_seconds"`
	Warning  page.Number `json:"warning_seconds"`
	Late     bool        `json:"late"`
	Verdict  string      `json:"verdict"` // true, false, missed or silent
}

// A set is the results of one kind: a run is watched without a profile or with one.
type set struct {
	Name   string
	Scores []*score
}

//go:embed alerts.tmpl
var alertsText string

// Alerts writes docs/alerts.md.
func Alerts(args []string, out io.Writer) error {
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
	simulated := set{Name: "simulated, with what a profile tells"}
	var runs []*run
	err = withProgram(func(p program) error {
		if runs, err = p.load(files, "--estimators", "standard"); err != nil {
			return err
		}
		if err := p.pair(runs, nil, held); err != nil {
			return err
		}
		err := page.Each(len(runs), func(i int) (err error) {
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
	for _, r := range runs {
		first.Scores = append(first.Scores, r.score)
		for _, w := range r.With {
			with.Scores = append(with.Scores, w.score)
		}
	}
	return page.Write(out, alertsText, struct {
		Sets []set
		Runs []*run
	}{[]set{with, first, simulated}, runs})
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
	"--noise 0.05", "--noise 0.3", "--noise 0.1 --fail-rate 0.5", "--noise 0.1 --skew 0.3", "--noise 0.1 --stall 5s",
}

// simulate scores simulated runs with deadlines. The plan is the profile.
func (p program) simulate(n int) ([]*score, error) {
	all := make([]*score, n)
	return all, page.Each(n, func(i int) error {
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

// Warned returns how many runs were warned of the deadline that they missed, out of all.
func (s set) Warned() string { return fmt.Sprintf("%d of %d", s.count(0, "true"), len(s.Scores)) }

// False returns how often the alert of a deadline that was met fired, out of all.
func (s set) False(deadline int) string {
	return fmt.Sprintf("%d of %d", s.count(deadline, "false"), len(s.Scores))
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

// Ahead returns the median time of a warning before the deadline, in lengths of the run.
func (s set) Ahead() page.Number {
	var all page.Numbers
	for _, r := range s.Scores {
		if a := r.Alerts[0]; a.Verdict == "true" {
			all = append(all, a.Warning/r.Seconds)
		}
	}
	return all.Median()
}

// Warning returns when the alert for the missed deadline fired and, in brackets, how long before the deadline.
func (s *score) Warning() string {
	if a := s.Alerts[0]; a.Verdict == "true" {
		return fmt.Sprintf("%.0f (%.0f)", a.Fired, a.Warning)
	}
	return "–"
}

// FalseAlerts lists the deadlines that were met and their alerts: "1.1 at 17".
func (s *score) FalseAlerts() string {
	var all []string
	for i, f := range factors {
		if a := s.Alerts[i]; a.Verdict == "false" {
			all = append(all, fmt.Sprintf("%g at %.0f", f, a.Fired))
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// Alerted returns the cells about all profiles: their number, warnings with the median time before the deadline, and
// false alerts.
func (r *run) Alerted() string {
	s := set{}
	for _, w := range r.With {
		s.Scores = append(s.Scores, w.score)
	}
	if len(s.Scores) == 0 {
		return "none recorded | "
	}
	ahead := s.Ahead() * r.Seconds
	warned := s.Warned()
	if !math.IsNaN(float64(ahead)) {
		warned += fmt.Sprintf(" (%.0f)", ahead)
	}
	return fmt.Sprintf("%s | %d", warned, s.count(1, "false")+s.count(2, "false"))
}
