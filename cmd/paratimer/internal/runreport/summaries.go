package runreport

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/skewness"
	"github.com/paratimer/paratimer/units"
)

// summary returns the sentences for the history of the predictions.
func (c *PredictionHistory) summary(state dag.State, moves []Move) string {
	summary := c.judged(state)
	if turn := turnOf(moves, c.TotalSeconds); turn != nil {
		summary += " " + turn.summary(c.Marks)
	}
	return summary
}

func (c *PredictionHistory) judged(state dag.State) string {
	first, last := c.firstNumber(), Point{}
	if n := len(c.Points); n > 0 {
		last = c.Points[n-1]
	}
	switch {
	case len(c.Points) == 0:
		return "Nothing was submitted while it was watched, so nothing was predicted."
	case !state.Ended() && last.TotalSeconds != nil:
		summary := fmt.Sprintf("After %s it is predicted to take %s in all", units.Seconds(last.AtSeconds),
			units.Seconds(*last.TotalSeconds))
		if last.LowSeconds != nil && last.HighSeconds != nil && *last.LowSeconds < *last.HighSeconds {
			summary += fmt.Sprintf(", within %s to %s", units.Seconds(*last.LowSeconds),
				units.Seconds(*last.HighSeconds))
		}
		return summary + "."
	case !state.Ended() && last.LowSeconds != nil && last.HighSeconds != nil:
		return fmt.Sprintf("After %s it is predicted to take between %s and %s in all: too much is assumed to name one time.",
			units.Seconds(last.AtSeconds), units.Seconds(*last.LowSeconds), units.Seconds(*last.HighSeconds))
	case !state.Ended() && last.LowSeconds != nil && *last.LowSeconds > last.AtSeconds:
		return fmt.Sprintf("After %s it is predicted to take at least %s in all: too much is assumed for more.",
			units.Seconds(last.AtSeconds), units.Seconds(*last.LowSeconds))
	case !state.Ended():
		return fmt.Sprintf("After %s it is too early to say how long it will take.", units.Seconds(last.AtSeconds))
	case state != dag.Succeeded && c.watched():
		return "The query did not succeed: what was predicted until then is the end of a run that does."
	case !c.watched():
		return "It was looked at after its end, so nothing was predicted."
	case c.MeanErrorPoints == nil || first == nil:
		return "No time could be given before the end."
	}
	summary := fmt.Sprintf("The predicted time was %s of progress off on average, given from %s on at %s of the ticks.",
		points(*c.MeanErrorPoints), units.Seconds(first.AtSeconds), units.Percent(float64(*c.NumberRatio)))
	if c.HeldRatio == nil {
		return summary
	}
	return summary + " " + c.held()
}

// held says how often the range contained the actual end, and since when.
func (c *PredictionHistory) held() string {
	switch {
	case *c.HeldRatio == 0 && c.SettledSeconds != nil:
		return fmt.Sprintf("Its 80 %% range never held what happened, but from %s on missed it by no more than a hundredth of the run.", units.Seconds(*c.SettledSeconds))
	case *c.HeldRatio == 0:
		return "Its 80 % range never held what happened."
	}
	summary := fmt.Sprintf("Its 80 %% range held what happened at %s of the ticks that had one",
		units.Percent(float64(*c.HeldRatio)))
	switch first, settled := c.FirstHeldSeconds, c.SettledSeconds; {
	case settled == nil:
		return summary + fmt.Sprintf(", first after %s, but not at the last one.", units.Seconds(*first))
	case *settled > *first:
		return summary + fmt.Sprintf(": first after %s and, to a hundredth of the run, for good from %s on.",
			units.Seconds(*first), units.Seconds(*settled))
	default:
		return summary + fmt.Sprintf("; from %s on the end never left it by more than a hundredth of the run.",
			units.Seconds(*settled))
	}
}

// watched reports whether the run was observed before its end.
func (c *PredictionHistory) watched() bool {
	return len(c.Points) > 0 && (c.TotalSeconds == nil || c.Points[0].AtSeconds < *c.TotalSeconds)
}

// firstNumber returns the first point with a predicted time; nil if there is none.
func (c *PredictionHistory) firstNumber() *Point {
	for i := range c.Points {
		if c.Points[i].TotalSeconds != nil {
			return &c.Points[i]
		}
	}
	return nil
}

// points formats percentage points: "0.4 points", "1 point".
func points(v float64) string {
	if s := fmt.Sprintf("%.1f", v); s != "1.0" {
		return s + " points"
	}
	return "1 point"
}

// summary returns the sentence for the most uneven tasks that read other stages.
func (s *Skew) summary(p *dag.Plan) string {
	none, lacking := "No job's reduces are uneven", "No job has two reduces that are done"
	if !p.OnlyMapReduce() {
		part := name(cmp.Or(p.Whole.Part, "stage"))
		none, lacking = "No "+part+" is uneven", "No "+part+" that reads others has two tasks that are done"
	}
	if len(s.Jobs) == 0 {
		return lacking + ", so there is nothing to compare."
	}
	worst := &s.Jobs[0]
	of := "job " + name(worst.Job)
	switch {
	case worst.Stage != "" && p.IsWhole():
		of = name(worst.Stage)
	case worst.Stage != "":
		of = name(worst.Stage) + " of " + of
	}
	top, extra := &worst.Reduces[worst.worst], ""
	if top.ShareRatio != nil {
		extra = fmt.Sprintf(", and was given %s of all that the %d were", units.Percent(float64(*top.ShareRatio)),
			worst.All)
	}
	switch {
	case worst.Uneven:
		return fmt.Sprintf("The %ss of %s are uneven: number %d worked %s, the median one %s%s.",
			worst.TaskWord(), of, top.Task, units.Seconds(top.WorkSeconds), units.Seconds(worst.Median), extra)
	case skewness.WorksLong(top.WorkSeconds.Duration(), worst.Median.Duration()):
		return fmt.Sprintf("%s: number %d of %s worked %s, the median one %s, but what it was given does not explain that.",
			none, top.Task, of, units.Seconds(top.WorkSeconds), units.Seconds(worst.Median))
	}
	return fmt.Sprintf("%s by 5 s or more: the longest of %s worked %s, its median one %s.",
		none, of, units.Seconds(top.WorkSeconds), units.Seconds(worst.Median))
}

// dagSummary returns the sentence for the table of a DAG's vertices.
func dagSummary(w frame.Workflow, j *Job) string {
	known, _ := j.Known()
	summary := fmt.Sprintf("%s run as one %s of %d %s.", units.Count(*known.Total, "task"),
		w.Whole.Name, len(j.Stages), w.Whole.Parts)
	if lost := j.FailedAttempts + j.KilledAttempts; lost > 0 {
		summary += fmt.Sprintf(" Attempts that failed or were killed: %d.", lost)
	}
	return summary
}

// jobsSummary returns the sentences for the table of jobs.
func jobsSummary(jobs []Job) string {
	var longest, first *Job
	lost := 0
	for i := range jobs {
		j := &jobs[i]
		lost += j.FailedAttempts + j.KilledAttempts
		if j.OnPathSeconds != nil && *j.OnPathSeconds > 0 && (first == nil || *j.OnPathSeconds > *first.OnPathSeconds) {
			first = j
		}
		if j.LengthSeconds != nil && (longest == nil || *j.LengthSeconds > *longest.LengthSeconds) {
			longest = j
		}
	}
	summary := "No job has ended yet."
	switch {
	case len(jobs) == 0:
		return "No job is known."
	case first != nil:
		summary = fmt.Sprintf("Job %s holds most of the critical path: %s.", name(first.Node),
			units.Seconds(*first.OnPathSeconds))
	case longest != nil:
		summary = fmt.Sprintf("Job %s took longest: %s.", name(longest.Node), units.Seconds(*longest.LengthSeconds))
	}
	if lost > 0 {
		summary += " " + units.Count(lost, "attempt") + " failed or were killed."
		if lost == 1 {
			summary = strings.Replace(summary, " were killed.", " was killed.", 1)
		}
	}
	return summary
}
