package recordings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

// sounding looks at the run report at each fortieth frame.
type sounding struct {
	t       *testing.T
	g       *runreport.Collector
	figures int
}

// hadoopTask matches a task of MapReduce that a query waits for.
var hadoopTask = regexp.MustCompile(`^(map|reduce) (\d+) of `)

func (s *sounding) Show(frame.Tick) error {
	if s.g.Seen()%40 == 1 {
		s.check()
	}
	return nil
}

func (s *sounding) check() {
	s.t.Helper()
	report, err := s.g.Report()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, wrong := range unsound(report) {
		s.t.Errorf("after %d frames: %s", s.g.Seen(), wrong)
	}
	s.figures += 7
	if err := runreport.Of(report, "", time.UTC).HTML(io.Discard); err != nil {
		s.t.Error(err)
	}
}

// hasNoAnswers checks that the report has no answers of what would have helped.
func (s *sounding) hasNoAnswers() {
	s.t.Helper()
	report, err := s.g.Report()
	if err != nil {
		s.t.Fatal(err)
	}
	if l := report.Limits; len(l.Rows) > 0 || !strings.Contains(l.Summary, "Not answered: a replay of the run takes") {
		s.t.Errorf("%d answers: %s", len(l.Rows), l.Summary)
	}
}

// unsound returns the faults of a run report.
func unsound(s *runreport.Report) (wrong []string) {
	fault := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	var first, again bytes.Buffer
	fault(s.JSON(&first) != nil, "no JSON")
	var back runreport.Report
	fault(json.Unmarshal(first.Bytes(), &back) != nil || back.JSON(&again) != nil ||
		!bytes.Equal(first.Bytes(), again.Bytes()), "its JSON is read otherwise")
	sentences := append([]string{
		s.PredictionHistory.Summary, s.Limits.Summary, s.Chart.Summary,
	}, s.Summary...)
	for i, text := range sentences {
		fault(!strings.HasSuffix(text, ".") || strings.TrimSpace(text) != text, "sentence %d: %q", i, text)
		for _, bad := range []string{"NaN", "nil", "%!", "0 of 0", "  ", "+Inf", "-0s", "..", " ,", "(, "} {
			fault(strings.Contains(text, bad), "sentence %d has %q: %q", i, bad, text)
		}
	}
	fault(len(s.Summary) < 1 || len(s.Summary) > 3, "%d sentences sum up", len(s.Summary))
	if s.ElapsedSeconds == nil {
		return wrong
	}
	end := *s.ElapsedSeconds
	began := slices.ContainsFunc(s.Jobs, func(j runreport.Job) bool { return j.WaitSeconds != nil })
	fault(began && (len(s.Chart.Panels) == 0 || len(s.Chart.Critical) == 0 || len(s.TimeAttribution.Parts) == 0),
		"tasks have begun, and nothing of them is drawn")
	wrong = append(wrong, unsoundPredictions(&s.PredictionHistory, end)...)
	wrong = append(wrong, unsoundChart(s, end)...)
	sum := frame.Seconds(0)
	for i, p := range s.TimeAttribution.Parts {
		fault(i == 0 && p.StartSeconds != 0, "the account begins at %v", p.StartSeconds)
		fault(i > 0 && p.StartSeconds != s.TimeAttribution.Parts[i-1].EndSeconds, "the account has a gap at %v",
			p.StartSeconds)
		fault(p.EndSeconds < p.StartSeconds, "part %d of the account ends before it begins", i)
	}
	for _, c := range s.TimeAttribution.Causes {
		sum = frame.SecondsOf(sum.Duration() + c.Seconds.Duration())
		fault(c.Title == "" || c.Meaning == "" || c.Seconds <= 0, "cause %+v", c)
	}
	if n := len(s.TimeAttribution.Parts); n > 0 {
		fault(s.TimeAttribution.Parts[n-1].EndSeconds != end || sum != end,
			"the account ends at %v and adds up to %v of %v", s.TimeAttribution.Parts[n-1].EndSeconds, sum, end)
	}
	// One that is lost with its node leads nowhere: its work is to be done again.
	if n := len(s.TimeAttribution.Parts); n > 0 && s.WaitingOn != nil &&
		!strings.Contains(*s.WaitingOn, "its node is lost") {
		waits, task := hadoopTask.FindStringSubmatch(*s.WaitingOn), s.TimeAttribution.Parts[n-1].Task
		fault(waits != nil && task != nil && !regexp.MustCompile("_"+waits[1][:1]+"_0*"+waits[2]+"_").MatchString(*task),
			"it waits for %s, and the account leads to %v", *s.WaitingOn, task)
	}
	onPath := frame.Seconds(0)
	for _, j := range s.Jobs {
		if j.OnPathSeconds != nil {
			onPath += *j.OnPathSeconds
		}
		for _, sp := range []*runreport.Spread{j.MapSeconds, j.ReduceSeconds} {
			fault(sp != nil && (sp.Tasks < 1 || sp.Min > sp.Median || sp.Median > sp.P90 || sp.P90 > sp.Max),
				"job %s: %+v", j.Node, sp)
		}
	}
	fault(onPath > end+0.001, "jobs are %v of the critical path, of %v", onPath, end)
	for _, j := range s.Skew {
		fault(j.Reduces < len(j.Worst) || j.Skewed > j.Reduces || j.DelaySeconds < 0 || j.DelaySeconds > end, "skew of %s", j.Job)
	}
	for _, r := range s.Limits.Rows {
		fault(r.TotalSeconds < 0 || r.GainSeconds <= 0 || r.Question == "", "limit %+v", r)
	}
	return wrong
}

func unsoundPredictions(c *runreport.PredictionHistory, end frame.Seconds) (wrong []string) {
	fault := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	fault(len(c.Points) == 0 || len(c.Points) > runreport.MostPoints, "%d moments", len(c.Points))
	for i, m := range c.Points {
		fault(i > 0 && m.AtSeconds < c.Points[i-1].AtSeconds || m.AtSeconds > end, "moment %d at %v", i, m.AtSeconds)
		for _, r := range [][]*frame.Seconds{
			{m.LowSeconds, m.TotalSeconds, m.HighSeconds},
		} {
			for k := 1; k < len(r); k++ {
				fault(r[k-1] != nil && r[k] != nil && *r[k-1] > *r[k], "moment %d: a range that is none", i)
			}
		}
	}
	for i, m := range c.Marks {
		fault(i > 0 && m.AtSeconds < c.Marks[i-1].AtSeconds || m.Text == "" || m.AtSeconds < 0, "mark %+v", m)
	}
	if c.TotalSeconds == nil {
		return wrong
	}
	last := c.Points[len(c.Points)-1]
	fault(last.TotalSeconds == nil || *last.TotalSeconds != *c.TotalSeconds, "the course ends at %v", last.TotalSeconds)
	for _, m := range c.Marks {
		fault(m.AtSeconds > *c.TotalSeconds, "mark %+v after the end", m)
	}
	return wrong
}

func unsoundChart(s *runreport.Report, end frame.Seconds) (wrong []string) {
	c := &s.Chart
	fault := func(bad bool, format string, args ...any) {
		if bad {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	fault(s.Workflow.State.Ended() != (c.NowSeconds == nil) && len(c.Panels) > 0, "now is %v", c.NowSeconds)
	for i, g := range c.Critical {
		fault(i == 0 && g.StartSeconds != c.FromSeconds || i > 0 && g.StartSeconds != c.Critical[i-1].EndSeconds,
			"the critical path has a gap at %v", g.StartSeconds)
		fault(g.Fragment < 0 || g.Fragment >= len(c.Fragments), "segment of fragment %d", g.Fragment)
	}
	if n := len(c.Critical); n > 0 {
		fault(c.Critical[n-1].EndSeconds != c.ToSeconds, "the critical path ends at %v of %v", c.Critical[n-1].EndSeconds,
			c.ToSeconds)
		fault(s.Workflow.State.Ended() && c.ToSeconds != end, "the chart ends at %v of %v", c.ToSeconds, end)
	}
	for _, p := range c.Panels {
		for _, b := range p.Bars {
			fault(b.Row < 0 || b.Rows < 1 || b.Row+b.Rows > len(p.Rows) || b.StartSeconds > b.EndSeconds || b.Job < 0 ||
				b.Job >= len(s.Jobs) ||
				b.Fragment != nil && *b.Fragment >= len(c.Fragments) || b.Tasks < 1 ||
				b.Name == "", "%s: bar %+v", p.Title, b)
		}
	}
	return wrong
}
