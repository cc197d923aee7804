package story

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// says is what to see in the course of the predictions.
func (c *Course) says(state dag.State, t *turn) string {
	says := c.judged(state)
	if turn := t.says(c.Marks); turn != "" && !(c.TotalSeconds != nil && t.at > *c.TotalSeconds) {
		says += " " + turn
	}
	return says
}

func (c *Course) judged(state dag.State) string {
	first, last := c.firstNumber(), Moment{}
	if n := len(c.Moments); n > 0 {
		last = c.Moments[n-1]
	}
	switch {
	case len(c.Moments) == 0:
		return "Nothing was submitted while it was watched, so nothing was predicted."
	case !state.Ended() && last.TotalSeconds != nil:
		says := fmt.Sprintf("After %s it is predicted to take %s in all", took(last.AtSeconds), took(*last.TotalSeconds))
		if last.LowSeconds != nil && last.HighSeconds != nil && *last.LowSeconds < *last.HighSeconds {
			says += fmt.Sprintf(", within %s to %s", took(*last.LowSeconds), took(*last.HighSeconds))
		}
		return says + "."
	case !state.Ended() && last.LowSeconds != nil && last.HighSeconds != nil:
		return fmt.Sprintf("After %s it is predicted to take between %s and %s in all: too much is assumed to name one time.", took(last.AtSeconds), took(*last.LowSeconds), took(*last.HighSeconds))
	case !state.Ended() && last.LowSeconds != nil && *last.LowSeconds > last.AtSeconds:
		return fmt.Sprintf("After %s it is predicted to take at least %s in all: too much is assumed for more.", took(last.AtSeconds), took(*last.LowSeconds))
	case !state.Ended():
		return fmt.Sprintf("After %s it is too early to say how long it will take.", took(last.AtSeconds))
	case state != dag.Succeeded && c.watched():
		return "The query did not succeed: what was predicted until then is the end of a run that does."
	case !c.watched():
		return "It was looked at after its end, so nothing was predicted."
	case c.MeanErrorPoints == nil || first == nil:
		return "No time could be given before the end."
	}
	says := fmt.Sprintf("The predicted time was %s of progress off on average, given from %s on at %s of the ticks.",
		points(*c.MeanErrorPoints), took(first.AtSeconds), percent(float64(*c.NumberRatio)))
	if c.HeldRatio == nil {
		return says
	}
	return says + " " + c.held()
}

// held says how often the range held what happened, and since when.
func (c *Course) held() string {
	switch {
	case *c.HeldRatio == 0 && c.SettledSeconds != nil:
		return fmt.Sprintf("Its 80 %% range never held what happened, but from %s on missed it by no more than a hundredth of the run.", took(*c.SettledSeconds))
	case *c.HeldRatio == 0:
		return "Its 80 % range never held what happened."
	}
	says := fmt.Sprintf("Its 80 %% range held what happened at %s of the ticks that had one", percent(float64(*c.HeldRatio)))
	switch first, settled := c.FirstHeldSeconds, c.SettledSeconds; {
	case settled == nil:
		return says + fmt.Sprintf(", first after %s, but not at the last one.", took(*first))
	case *settled > *first:
		return says + fmt.Sprintf(": first after %s and, to a hundredth of the run, for good from %s on.", took(*first), took(*settled))
	default:
		return says + fmt.Sprintf("; from %s on the end never left it by more than a hundredth of the run.", took(*settled))
	}
}

// watched says that somebody looked before the end.
func (c *Course) watched() bool {
	return len(c.Moments) > 0 && (c.TotalSeconds == nil || c.Moments[0].AtSeconds < *c.TotalSeconds)
}

// firstNumber is the first moment with a time; nil where none has.
func (c *Course) firstNumber() *Moment {
	for i := range c.Moments {
		if c.Moments[i].TotalSeconds != nil {
			return &c.Moments[i]
		}
	}
	return nil
}

// points words percentage points: "0.4 points", "1 point".
func points(v float64) string {
	if s := fmt.Sprintf("%.1f", v); s != "1.0" {
		return s + " points"
	}
	return "1 point"
}

// shift words by how much an end moved.
func shift(s frame.Seconds) string {
	if s < 0 {
		return took(s)
	}
	return "+" + took(s)
}

// says is what to see of the reduces.
func (s *Skew) says() string {
	if len(s.Jobs) == 0 {
		return "No job has two reduces that are done, so there is nothing to compare."
	}
	worst := &s.Jobs[0]
	top, extra := &worst.Reduces[0], ""
	if top.ShareRatio != nil {
		extra = fmt.Sprintf(", and was given %s of all that the %d were", percent(float64(*top.ShareRatio)), worst.All)
	}
	switch {
	case worst.Uneven:
		return fmt.Sprintf("The reduces of job %s are uneven: number %d worked %s, the median one %s%s.",
			name(worst.Job), top.Task, took(top.WorkSeconds), took(worst.Median), extra)
	case estimators.WorksLong(top.WorkSeconds.Duration(), worst.Median.Duration()):
		return fmt.Sprintf("No job's reduces are uneven: number %d of job %s worked %s, the median one %s, but it was given no more.",
			top.Task, name(worst.Job), took(top.WorkSeconds), took(worst.Median))
	}
	return fmt.Sprintf("No job's reduces are uneven by 5 s or more: the longest of job %s worked %s, its median one %s.", name(worst.Job), took(top.WorkSeconds), took(worst.Median))
}

// jobsSay is what to see in the table of jobs.
func jobsSay(jobs []Job) string {
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
	says := "No job has ended yet."
	switch {
	case len(jobs) == 0:
		return "No job is known."
	case first != nil:
		says = fmt.Sprintf("Job %s holds most of the critical path: %s.", name(first.Node), took(*first.OnPathSeconds))
	case longest != nil:
		says = fmt.Sprintf("Job %s took longest: %s.", name(longest.Node), took(*longest.LengthSeconds))
	}
	if lost > 0 {
		says += " " + view.Many(lost, "attempt") + " failed or were killed."
		if lost == 1 {
			says = strings.Replace(says, " were killed.", " was killed.", 1)
		}
	}
	return says
}
