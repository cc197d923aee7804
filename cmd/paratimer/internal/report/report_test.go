package report

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
)

func written(t testing.TB, s *runreport.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s, time.UTC); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	figures  = regexp.MustCompile(`(?s)<figure.*?</figure>`)
	drawings = regexp.MustCompile(
		`<svg [^>]*role="img" aria-labelledby="(\S+) (\S+)"[^>]*><title id="(\S+)">([^<]+)</title><desc id="(\S+)">([^<]+)</desc>`)
	ids  = regexp.MustCompile(` id="([^"]*)"`)
	refs = regexp.MustCompile(`(?: href="#|url\(#|aria-labelledby="|aria-describedby=")([^")]*)`)
)

// Each figure has a sentence and a drawing that is named and described; nothing is referred to that is not there.
func TestStructure(t *testing.T) {
	for name, c := range map[string]struct {
		report *runreport.Report
		want   int
	}{"ended": {sample(), 5}, "running": {halfway(), 6}} {
		page := written(t, c.report)
		all := figures.FindAllString(page, -1)
		if len(all) != c.want {
			t.Errorf("%s: %d figures, want %d", name, len(all), c.want)
		}
		for _, f := range all {
			if n := strings.Count(f, "<figcaption>"); n != 1 {
				t.Errorf("%s: %d captions in %.80s", name, n, f)
			}
			d := drawings.FindAllStringSubmatch(f, -1)
			if len(d) != strings.Count(f, `role="img"`) || len(d) == 0 {
				t.Errorf("%s: %d of %d drawings have a title and a description in %.80s", name, len(d),
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

// A browser obeys the page's policy: the hashes are those of what stands in the page.
func TestPolicy(t *testing.T) {
	var live bytes.Buffer
	if err := Live(&live, sample(), 2*time.Second, "", time.UTC); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{"file": written(t, sample()), "live": live.String()} {
		_, rest, _ := strings.Cut(page, `http-equiv="Content-Security-Policy" content="`)
		policy, _, _ := strings.Cut(rest, `"`)
		policy = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy)
		for _, element := range []string{"style", "script"} {
			_, rest, _ := strings.Cut(page, "<"+element+">")
			inside, _, ok := strings.Cut(rest, "</"+element+">")
			if want := element + "-src '" + digest(inside) + "'"; !ok || !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %s does not have %s", name, policy, want)
			}
		}
		if !strings.HasPrefix(policy, "default-src 'none'; ") {
			t.Errorf("%s: %s", name, policy)
		}
		if got, want := strings.Contains(policy, "connect-src"), name == "live"; got != want {
			t.Errorf("%s: connects %v, want %v", name, got, want)
		}
		if bad := regexp.MustCompile(`(?i) (style|on\w+)="|https?://(?:[^w]|w[^w])`).FindAllString(strings.Replace(page,
			string(script), "", 1), -1); bad != nil {
			t.Errorf("%s: a policy would forbid, or something is loaded: %q", name, bad)
		}
	}
}

// What is units.Unknown is said to be, and nothing breaks where nothing is known.
func TestUnknown(t *testing.T) {
	cases := map[string]*runreport.Report{"nothing": {}}
	bare := sample()
	bare.Workflow, bare.StartAt, bare.EndAt, bare.ElapsedSeconds, bare.User, bare.PredictionHistory.TotalSeconds =
		frame.Workflow{State: dag.Running}, nil, nil, nil, nil, nil
	for i := range bare.Jobs {
		bare.Jobs[i] = runreport.Job{}
	}
	for i := range bare.Chart.Panels[0].Bars {
		b := &bare.Chart.Panels[0].Bars[i]
		b.Fragment, b.Round, b.CopiedSeconds, b.Job = nil, nil, nil, 99
	}
	for i := range bare.Limits.Rows {
		bare.Limits.Rows[i].TotalSeconds, bare.Limits.Rows[i].GainSeconds = nil, nil
	}
	cases["bare"] = bare
	early := halfway()
	early.Headline = frame.Headline{LowSeconds: of(frame.Seconds(0.2))}
	if page := written(t, early); strings.Contains(page, `id="when"`) || !strings.Contains(page, "<dd>?") {
		t.Error("of a run of which nothing is known, a range is drawn")
	}
	early.Headline.LowSeconds = of(frame.Seconds(40))
	if page := written(t, early); !strings.Contains(page, "</svg>at least</li>") ||
		strings.Contains(page, "most likely end") {
		t.Error("a floor is not said to be one")
	}
	odd := sample()
	odd.Chart.Panels[0].Bars[0].Fragment, odd.Chart.Critical[0].Fragment = of(-1), 99
	odd.TimeAttribution.Parts[0].Cause = "nobody's"
	odd.Skew.Jobs[0].Median, odd.Skew.Jobs[0].Reduces[0].WorkSeconds = 0, 0
	cases["odd"] = odd
	for name, s := range cases {
		page := written(t, s)
		shown, _, _ := strings.Cut(page, `<script type="application/json"`)
		_, shown, _ = strings.Cut(shown, "<body>")
		if bad := regexp.MustCompile(`NaN|Inf|%!|<nil>|&lt;nil|ZgotmplZ|January 1,|January 0001`).FindString(shown); bad != "" {
			t.Errorf("%s: the page says %s", name, bad)
		}
	}
	wrong := sample()
	wrong.ElapsedSeconds = of(frame.Seconds(math.NaN()))
	var b bytes.Buffer
	if err := Write(&b, wrong, time.UTC); err == nil || b.Len() > 0 {
		t.Errorf("a number that JSON has not: error %v, %d bytes written", err, b.Len())
	}
}

// The same run report gives the same bytes, in which the run report is found again, but for the bars.
func TestData(t *testing.T) {
	page := written(t, sample())
	if page != written(t, sample()) {
		t.Error("the same run report gave other bytes")
	}
	_, rest, _ := strings.Cut(page, `<script type="application/json" id="story">`)
	data, _, _ := strings.Cut(rest, "</script>")
	var got runreport.Report
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Chart.Panels[0].Bars = []runreport.Bar{}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		t.Errorf("the page holds\n%s\nwant\n%s", a, b)
	}
	var first, main bytes.Buffer
	if err := Main(&main, sample(), "", time.UTC); err != nil {
		t.Fatal(err)
	}
	if err := Live(&first, sample(), time.Second, "", time.UTC); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]string{"file": page, "live": first.String()} {
		if !strings.Contains(p, main.String()) {
			t.Errorf("%s: what a live page takes over is not what stands in it", name)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{cut("attempt_1_m_000012_0", 9), "atte…12_0"},
		{cut("short", 9), "short"},
		{prose(strings.Repeat("ü", 500)), strings.Repeat("ü", 500)},
		{prose("a\u202eb\x00"), `a\u202eb\x00`},
		{share(12.34567), "12.3457%"},
		{share(-0.00001), "0%"},
		{share(100), "100%"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if long := prose(strings.Repeat("x", 1e5)); len(long) > longest+400 {
		t.Errorf("a sentence of %d bytes is shown", len(long))
	}
	if reflect.DeepEqual(paintOf(sample()).hues[1], paintOf(sample()).hues[2]) {
		t.Error("two fragments look the same")
	}
}
