package compareview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// meanings word the effects.
var meanings = map[compare.Effect]string{
	compare.Data:     "more or fewer records",
	compare.Cost:     "time for each record",
	compare.Order:    "how tasks followed each other: rounds, another path",
	compare.Skew:     "a reduce that has more to do than the others",
	compare.Shuffle:  "copying input to reduces",
	compare.Startup:  "start-up of jobs and tasks",
	compare.Waiting:  "waiting for containers, and between jobs",
	compare.Failures: "failures: work that was lost and done again (estimate)",
	compare.Load:     "other applications, which held containers (estimate)",
	compare.Cluster:  "another cluster, or other limits of the jobs on it (estimate)",
	compare.Plan:     "jobs that only one of the runs has",
	compare.Rest:     "the rest, of which nobody knows more",
}

// saysDifference is the difference and its largest effects in a sentence.
func saysDifference(c *compare.Comparison) string {
	subject := c.Runs[c.Subject]
	switch {
	case c.Base < 0:
		return "no earlier run succeeded: there is nothing to set this one against"
	case math.IsNaN(c.Total):
		return fmt.Sprintf("this run %s: how long it would have taken is not known", ended(subject))
	}
	s := change(c.Runs[c.Base].Length, subject.Length)
	if len(c.Effects) == 0 {
		return s + "; what of it is due to what is not known"
	}
	if most := largest(c); len(most) > 0 {
		s += ": " + strings.Join(most, "; ")
	}
	return s
}

// largest words the effects that matter, the largest first; at most three, as many as are read.
func largest(c *compare.Comparison) (most []string) {
	effects := slices.Clone(compare.Effects)
	slices.SortStableFunc(effects, func(a, b compare.Effect) int { return cmp.Compare(math.Abs(c.Effects[b]), math.Abs(c.Effects[a])) })
	for _, e := range effects {
		ms := c.Effects[e]
		if math.Abs(ms) < 0.1*math.Abs(c.Total) || math.Abs(ms) < 1000 || len(most) == 3 {
			break
		}
		most = append(most, moved(ms)+" "+meanings[e])
	}
	return most
}

func ended(r *compare.Run) string {
	if r.State.Ended() {
		return "has " + r.State.String()
	}
	return "was not seen to its end"
}

// change words a length before and now: "1m40s to 2m5s, +25s (+25 %)".
func change(before, now float64) string {
	if exact(before) == exact(now) {
		return fmt.Sprintf("%s, as before", exact(now))
	}
	return fmt.Sprintf("%s to %s, %s (%s)", exact(before), exact(now), moved(now-before), percent(now/before))
}

func saysFinding(c *compare.Comparison, f *compare.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%ss of %s: %s to %s a task, %s: time a %s %s", f.Phase, title(&c.Rows[f.Row]), exact(f.Before), exact(f.Now), percent(f.Now/f.Before), f.Unit, percent(f.Ratio))
	if !math.IsNaN(f.Low) {
		fmt.Fprintf(&b, " [%s, %s]", percent(f.Low), percent(f.High))
	}
	if !math.IsNaN(f.Amount) && f.Unit != "task" {
		fmt.Fprintf(&b, ", %ss %s", f.Unit, percent(f.Amount))
	}
	switch {
	case f.Earlier == 1:
		b.WriteString("; one earlier run: may be chance")
	case f.Doubtful:
		fmt.Fprintf(&b, "; %d earlier runs: may be chance", f.Earlier)
	default:
		fmt.Fprintf(&b, "; %d earlier runs differ by up to %s", f.Earlier, percent(f.Chance))
	}
	return b.String()
}

func title(row *compare.Row) string {
	if row.Name == "" {
		return row.Node
	}
	return row.Node + " (" + row.Name + ")"
}

func saysPath(p *Path) string {
	switch {
	case len(p.Now) == 0 && len(p.Before) == 0:
		return "the critical path is not known"
	case len(p.Came) == 0 && len(p.Left) == 0:
		return "the critical path goes through the same jobs: " + strings.Join(p.Now, ", ")
	}
	s := "the critical path goes through " + strings.Join(p.Now, ", ")
	if len(p.Came) > 0 {
		s += "; new on it: " + strings.Join(p.Came, ", ")
	}
	if len(p.Left) > 0 {
		s += "; no longer on it: " + strings.Join(p.Left, ", ")
	}
	return s
}

// exact words milliseconds.
func exact(ms float64) string {
	if math.IsNaN(ms) {
		return "?"
	}
	return view.Exact(time.Duration(math.Round(ms)) * time.Millisecond)
}

func exactSeconds(s *frame.Seconds) string {
	if s == nil {
		return "?"
	}
	return view.Exact(s.Duration())
}

// moved words a difference: +12s, -3s.
func moved(ms float64) string {
	if ms > 0 {
		return "+" + exact(ms)
	}
	return exact(ms)
}

// percent words how much more a ratio is than 1: +25 %, -3 %.
func percent(ratio float64) string {
	switch p := math.Round(100 * (ratio - 1)); {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return "?"
	case p == 0:
		return "0 %"
	default:
		return fmt.Sprintf("%+.0f %%", p)
	}
}

func signed(s *frame.Seconds) string {
	if s == nil {
		return "?"
	}
	return moved(float64(s.Duration() / time.Millisecond))
}

func day(t *frame.Time) string {
	if t == nil {
		return "?"
	}
	return t.Instant.Time().Format("2006-01-02 15:04")
}

// lengths words two of them, once where they are alike.
func lengths(before, now *frame.Seconds) string {
	return twice(exactSeconds(before), exactSeconds(now))
}

func counts(before, now *int) string {
	word := func(n *int) string {
		if n == nil {
			return "?"
		}
		return strconv.Itoa(*n)
	}
	return twice(word(before), word(now))
}

func twice(before, now string) string {
	if before == now {
		return now
	}
	return before + " -> " + now
}

// grown words how much more something is.
func grown(before, now *float64) string {
	if before == nil || now == nil || *before <= 0 {
		return "?"
	}
	return percent(*now / *before)
}
