package accuracy

import (
	_ "embed" // the page's text
	"flag"
	"fmt"
	"io"
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

// An alert is the result of an alert on a run.
type alert struct {
	Deadline *string     `json:"deadline_at"`
	Warning  page.Number `json:"warning_seconds"` // before the deadline; NaN if it did not fire
	Verdict  string      `json:"verdict"`         // true, false, missed or silent
}

// A set is the results of several runs, or of one run with several profiles.
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
	simulated := set{Name: "simulated, with a profile"}
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
	each := make([][2]set, len(runs)) // without a profile, and with one
	for i, r := range runs {
		each[i] = [2]set{{r.Name, []*score{r.score}}, {Name: r.Name}}
		for _, w := range r.With {
			each[i][1].Scores = append(each[i][1].Scores, w.score)
		}
		first.Scores, with.Scores = append(first.Scores, r.score), append(with.Scores, each[i][1].Scores...)
	}
	return page.Write(out, alertsText, struct {
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

// Cells returns the cells about deadlines: runs with a warning before the deadline that they missed, the median time
// from the warning to the deadline in lengths of the run, and false alerts for each deadline that was met.
func (s set) Cells() string {
	if len(s.Scores) == 0 {
		return "none recorded | | |"
	}
	var ahead page.Numbers
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
