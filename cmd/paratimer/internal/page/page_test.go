package page

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
)

// hostile has names that a cluster may use.
const hostile = "</script><script>alert(1)</script>\x1b[31m\u202e"

// everything has a block of each kind.
func everything(name string) *Document {
	d := &Document{Kind: "report of a run", Title: name, State: Badge{name, Good}, Facts: []string{name}}
	return d.Add(
		Hero{Answer: "Took 80% of " + name, Note: name},
		Say(name), Fault{name, name},
		List{{Lead: name, Text: name}},
		Section{Title: name, Folded: true, Blocks: []Block{&Table{
			Caption: name, Columns: Heads("Job", ">Took", ""),
			Rows: []Row{{Cells: []Cell{
				{Text: name, Link: "q/1/"}, Number(3, "3s"), {Bar: &Bar{From: 0.25, To: 0.75, Mark: 0.5}},
			}}},
			More: 2,
		}}},
		Chart{ID: "c", Title: name, Caption: name, Figure: chart.Figure{Drawing: `<svg class="plot"></svg>`}},
	)
}

func ExampleDocument() {
	d := &Document{Kind: "report of a run", Title: "join.pig"}
	d.Add(
		Hero{Answer: "Took 2m18s", Note: "30s later than predicted"},
		Say("Task 5 of stage 4 ran 65s (median 13s) on 36% of the rows."),
		Section{Title: "Jobs", Blocks: []Block{&Table{
			Columns: Heads("Job", ">Took", ""),
			Rows: []Row{
				{Cells: []Cell{{Text: "scope-30"}, Number(66, "1m6s"), {Bar: &Bar{To: 0.25}}}},
			},
		}}},
	)
	_ = d.Text(os.Stdout) // d.HTML writes the same as a page
	// Output:
	// join.pig: Took 2m18s
	// 30s later than predicted
	// Task 5 of stage 4 ran 65s (median 13s) on 36% of the rows.
	//
	// Jobs
	//   JOB       TOOK
	//   scope-30  1m6s  ############
}

// TestNothingFromTheClusterIsCode checks that no name is markup or moves a cursor, in any block.
func TestNothingFromTheClusterIsCode(t *testing.T) {
	var text, html bytes.Buffer
	d := everything(hostile)
	if err := d.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := d.HTML(&html); err != nil {
		t.Fatal(err)
	}
	for _, b := range []string{text.String(), html.String()} {
		if !strings.Contains(b, "alert(1)") || strings.ContainsAny(b, "\x1b\u202e") || !strings.Contains(b, "80% of") {
			t.Errorf("names are missing, or not escaped:\n%s", b)
		}
	}
	if strings.Contains(html.String(), "<script>alert") || strings.Contains(html.String(), "ZgotmplZ") {
		t.Errorf("a name is code:\n%s", &html)
	}
}

// TestPolicy checks that the policy allows the page's own style and script by their hashes, and that only a live page
// may send requests. A live page contains the main part that its updates replace.
func TestPolicy(t *testing.T) {
	var file, live, main bytes.Buffer
	d := everything("q")
	for _, err := range []error{d.HTML(&file), d.Live(&live, 2*time.Second), d.Main(&main)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, page := range map[string]string{"file": file.String(), "live": live.String()} {
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
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "connect-src") != (name == "live") {
			t.Errorf("%s: %s", name, policy)
		}
		if bad := regexp.MustCompile(`(?i) (style|on\w+)="|https?://(?:[^w]|w[^w])`).FindAllString(strings.Replace(page,
			string(script), "", 1), -1); bad != nil {
			t.Errorf("%s: a policy would forbid, or something is loaded: %q", name, bad)
		}
		if !strings.Contains(page, main.String()) {
			t.Errorf("%s: the page does not contain the part that updates replace", name)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Prose(strings.Repeat("ü", 500)), strings.Repeat("ü", 500)},
		{Prose("a\u202eb\x00"), `a\u202eb\x00`},
		{share(.1234567), "12.3457%"},
		{share(-0.0000001), "0%"},
		{share(1), "100%"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if long := Prose(strings.Repeat("x", 1e5)); len(long) > longest+400 {
		t.Errorf("a sentence of %d bytes is shown", len(long))
	}
}
