package runreport

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

func written(t testing.TB, s *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Of(s, "", time.UTC).HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	figures = regexp.MustCompile(`(?s)<figure.*?</figure>`)
	drawn   = regexp.MustCompile(
		`<svg [^>]*role="img" aria-labelledby="(\S+) (\S+)"[^>]*><title id="(\S+)">([^<]+)</title><desc id="(\S+)">([^<]+)</desc>`)
	ids  = regexp.MustCompile(` id="([^"]*)"`)
	refs = regexp.MustCompile(`(?: href="#|url\(#|aria-labelledby="|aria-describedby=")([^")]*)`)
)

// Each figure has a drawing that is named and described; nothing is referred to that is not there.
func TestStructure(t *testing.T) {
	for name, c := range map[string]struct {
		report *Report
		want   int
	}{"ended": {sample(), 2}, "running": {halfway(), 1}} {
		page := written(t, c.report)
		all := figures.FindAllString(page, -1)
		if len(all) != c.want {
			t.Errorf("%s: %d figures, want %d", name, len(all), c.want)
		}
		for _, f := range all {
			d := drawn.FindAllStringSubmatch(f, -1)
			if len(d) != strings.Count(f, `role="img"`) || len(d) == 0 {
				t.Errorf("%s: %d of %d drawn have a title and a description in %.80s", name, len(d),
					strings.Count(f, `role="img"`), f)
			}
			for _, m := range d {
				if m[1] != m[3] || m[2] != m[5] {
					t.Errorf("%s: labelled by %s %s, which are %s %s", name, m[1], m[2], m[3], m[5])
				}
			}
		}
		known := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(page, -1) {
			if known[m[1]] {
				t.Errorf("%s: two elements are called %s", name, m[1])
			}
			known[m[1]] = true
		}
		for _, m := range refs.FindAllStringSubmatch(page, -1) {
			for _, id := range strings.Fields(m[1]) {
				if !known[id] {
					t.Errorf("%s: nothing is called %s", name, id)
				}
			}
		}
		headings(t, name, page)
	}
}

// headings come in order: none is left out on the way down.
func headings(t *testing.T, name, page string) {
	t.Helper()
	before := 0
	for _, m := range regexp.MustCompile(`<h(\d)`).FindAllStringSubmatch(page, -1) {
		now := int(m[1][0] - '0')
		if now > before+1 {
			t.Errorf("%s: h%d follows h%d", name, now, before)
		}
		before = now
	}
}

// A value of units.Unknown is shown as unknown, and a report without any value is possible.
func TestUnknown(t *testing.T) {
	cases := map[string]*Report{"nothing": {}}
	bare := sample()
	bare.Workflow, bare.StartAt, bare.EndAt, bare.ElapsedSeconds, bare.User, bare.PredictionHistory.TotalSeconds =
		frame.Workflow{State: dag.Running}, nil, nil, nil, nil, nil
	for i := range bare.Jobs {
		bare.Jobs[i] = Job{}
	}
	for i := range bare.Chart.Panels[0].Bars {
		b := &bare.Chart.Panels[0].Bars[i]
		b.Fragment, b.Round, b.CopiedSeconds, b.Job = nil, nil, nil, 99
	}
	cases["bare"] = bare
	odd := sample()
	odd.Chart.Panels[0].Bars[0].Fragment, odd.Chart.Critical[0].Fragment = of(-1), 99
	odd.TimeAttribution.Parts[0].Cause = "unknown cause"
	odd.Skew[0].MedianSeconds, odd.Skew[0].Worst[0].WorkSeconds = 0, 0
	cases["odd"] = odd
	for name, s := range cases {
		page := written(t, s)
		_, shown, _ := strings.Cut(page, "<body>")
		shown, _, _ = strings.Cut(shown, "<script>")
		if bad := regexp.MustCompile(`NaN|Inf|%!|<nil>|&lt;nil|ZgotmplZ|January 1,|January 0001`).FindString(shown); bad != "" {
			t.Errorf("%s: the page has %s", name, bad)
		}
	}
	if first, again := written(t, sample()), written(t, sample()); first != again {
		t.Error("the same run report gave other bytes")
	}
}

func TestWords(t *testing.T) {
	if got := chart.Cut("attempt_1_m_000012_0", 9); got != "…000012_0" {
		t.Errorf("a name is cut to %q", got)
	}
	drawing := sample().Chart
	if page := string(drawing.Inline().Drawing); !strings.Contains(page, `class="bars on k0 s0 w0"`) ||
		!strings.Contains(page, `class="bars k1 s0 c0"`) || !strings.Contains(page, `class="strip k2 s3 w1"`) {
		t.Errorf("fragments have no colors of their own in\n%s", page)
	}
}
