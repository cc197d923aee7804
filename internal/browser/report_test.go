package browser

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pages are reports that several tests look at, each made once: of a real run in which a task failed, and of two real
// runs compared.
var pages struct {
	once            sync.Once
	report, compare string
}

func recorded(t *testing.T) (report, compare string) {
	t.Helper()
	pages.once.Do(func() {
		folder := filepath.Dir(paratimer)
		join, failure := example(t, "examples/join.jsonl.zst"), example(t, "examples/join-failure.jsonl.zst")
		run(t, folder, "report", failure, "-o", "report.html", "--within", "100s")
		run(t, folder, "compare", join, failure, "--output", "html", "-o", "compare.html")
		pages.report, pages.compare = address(filepath.Join(folder, "report.html")),
			address(filepath.Join(folder, "compare.html"))
	})
	if pages.report == "" {
		t.Skip("there are no pages to look at: see the first test that wanted them")
	}
	return pages.report, pages.compare
}

// sections are the parts of a finished run's report.
var sections = []string{"gantt", "jobs", "sure", "account", "limits", "course", "made"}

// TestReportOpens opens a report from the disk with the network off: no error, no request, and all
// parts are there.
func TestReportOpens(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{})
	var title, text string
	p.eval(t, `document.title`, &title)
	p.eval(t, `document.body.innerText`, &text)
	if !strings.Contains(title, "join.pig") || !strings.Contains(title, "succeeded") {
		t.Errorf("the title is %q", title)
	}
	for _, want := range []string{
		"join.pig", "succeeded", "failed", "scope-30", "scope-48", "Where the time went",
		"Could we have known",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, id := range sections {
		if h := p.height(t, "#"+id); h < 20 {
			t.Errorf("part %s is %.0f pixels high", id, h)
		}
	}
	p.checkQuiet(t)
}

// TestFirstScreen checks what a reader sees of a plain run without scrolling, the order of what follows, and the length
// of the page.
func TestFirstScreen(t *testing.T) {
	t.Parallel()
	recorded(t)
	folder := filepath.Dir(paratimer)
	run(t, folder, "report", example(t, "examples/join.jsonl.zst"), "-o", "plain.html")
	p := open(t, address(filepath.Join(folder, "plain.html")), viewport{})
	var at struct{ Hero, Size, Title, Chart, Page float64 }
	p.eval(t, `(() => { const at = (s) => document.querySelector(s).getBoundingClientRect(), size = (s) => parseFloat(getComputedStyle(document.querySelector(s)).fontSize); return {
		Hero: at(".hero").bottom, Size: size(".hero"), Title: size("h1"), Chart: at("#gantt .box").bottom, Page: document.documentElement.scrollHeight } })()`, &at)
	t.Logf("%+v", at)
	if at.Hero > 300 || at.Chart > 900 || at.Size < 1.5*at.Title {
		t.Errorf("the first screen of 900 pixels does not have the answer, the largest text, and the chart: %+v", at)
	}
	if at.Page > 2600 {
		t.Errorf("the page has %.0f pixels", at.Page)
	}
	p.checkQuiet(t)
}

// TestFragmentsAreToggled colors the bars by fragment, and back; the legend follows and is never longer than the chart.
func TestFragmentsAreToggled(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{width: 360})
	fill := `getComputedStyle(document.querySelector("#gantt .bars.s0 rect")).fill`
	var job, part, again string
	var tall, short float64
	p.eval(t, fill, &job)
	p.eval(t, `document.querySelector("#gantt svg.plot").getBoundingClientRect().height`, &tall)
	p.run(t, chromedp.Focus(chromedp.CSS(`#fragments`)), chromedp.KeyEvent(" "))
	p.eval(t, fill, &part)
	short = p.height(t, "#gantt .parts")
	p.run(t, chromedp.Focus(chromedp.CSS(`#fragments`)), chromedp.KeyEvent(" "))
	p.eval(t, fill, &again)
	if part == job || again != job {
		t.Errorf("a bar is filled with %s, by fragment with %s, then with %s", job, part, again)
	}
	if jobs := p.height(t, "#gantt .jobs"); short == 0 || short > tall || jobs == 0 || jobs > tall ||
		p.height(t, "#gantt .parts") > 0 {
		t.Errorf("the chart is %.0f pixels high, the legends %.0f and %.0f", tall, jobs, short)
	}
	p.checkQuiet(t)
}

// height of an element that is shown; 0 where it is not there.
func (p *tab) height(t *testing.T, selector string) (h float64) {
	t.Helper()
	p.eval(t, fmt.Sprintf(`(e => e ? e.getBoundingClientRect().height : 0)(document.querySelector(%q))`, selector), &h)
	return h
}

// TestPagesFit checks that no text lies on another and nothing is wider than the window, on narrow and wide screens,
// light and dark.
func TestPagesFit(t *testing.T) {
	t.Parallel()
	report, compare := recorded(t)
	for name, file := range map[string]string{"report": report, "compare": compare} {
		p := open(t, file, viewport{})
		for _, width := range []int64{360, 1280, 2560} {
			for _, dark := range []bool{false, true} {
				p.resize(t, width, dark)
				p.checkFits(t, fmt.Sprintf("%s at %d, dark: %v", name, width, dark), width)
			}
		}
		p.checkQuiet(t)
	}
}

func (p *tab) checkFits(t *testing.T, what string, width int64) {
	t.Helper()
	var g struct {
		Texts    int
		Wide     float64
		Overlaps []string
	}
	p.eval(t, geometry, &g)
	if g.Texts < 20 {
		t.Errorf("%s: %d texts are shown", what, g.Texts)
	}
	if g.Wide > float64(width) {
		t.Errorf("%s: the page is %.0f pixels wide", what, g.Wide)
	}
	for _, o := range g.Overlaps {
		t.Errorf("%s: %s", what, o)
	}
}

// TestReportWithoutScripts checks that the figures are drawn without JavaScript.
func TestReportWithoutScripts(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{noScript: true})
	var ran bool
	p.eval(t, `document.querySelector(".tools") !== null`, &ran)
	if ran {
		t.Fatal("scripts run")
	}
	for _, id := range sections {
		if h := p.height(t, "#"+id); h < 20 {
			t.Errorf("part %s is %.0f pixels high", id, h)
		}
	}
	for figure, least := range map[string]int{"#gantt": 60, "#account": 5, "#limits": 3} {
		var marks int
		p.eval(t, fmt.Sprintf(
			`[...document.querySelectorAll("%s svg :is(rect, polyline, polygon)")].filter(e => !e.closest("defs") && e.getBoundingClientRect().width > 0).length`, figure), &marks)
		if marks < least {
			t.Errorf("figure %s has %d marks, want %d or more", figure, marks, least)
		}
	}
	p.checkFits(t, "without scripts", 1280)
	p.checkQuiet(t)
}

// TestReportPrints checks that on paper every figure is there, no wider than the page.
func TestReportPrints(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{})
	yes := true
	printed, err := chromedp.Call(p.ctx, page.PrintToPDF, page.PrintToPDFParams{
		PreferCSSPageSize: &yes,
		PrintBackground:   &yes,
	})
	if err != nil {
		t.Fatal(err)
	}
	pdf := printed.Data
	t.Logf("%d bytes of PDF", len(pdf))
	if n := bytes.Count(pdf, []byte("/Type /Page\n")); n < 2 || n > 20 {
		t.Errorf("%d pages", n)
	}
	if n := paths(pdf); n < 100 {
		t.Errorf("%d rectangles and lines are on paper: the figures are missing", n)
	}
	// A4 less its margins is 688 pixels wide; a page that is a little wider is printed smaller.
	p.resize(t, 688, false)
	p.run(t, do(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	for _, id := range sections {
		var wide, high float64
		p.eval(t, fmt.Sprintf(`document.querySelector("#%s").getBoundingClientRect().height`, id), &high)
		p.eval(t, fmt.Sprintf(
			`Math.max(...[...document.querySelectorAll("#%s, #%[1]s svg, #%[1]s table")].map(e => e.getBoundingClientRect().right))`, id), &wide)
		if high < 30 || wide > 688*1.05 {
			t.Errorf("on paper %s is %.0f pixels high and ends at %.0f of 688", id, high, wide)
		}
	}
}

// paths counts the rectangles and lines in a PDF's streams.
func paths(pdf []byte) (n int) {
	for _, part := range bytes.Split(pdf, []byte("stream\n")) {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // not compressed, or between two streams
		}
		content, _ := io.ReadAll(io.LimitReader(r, 10<<20)) // what follows a stream is none of it
		n += bytes.Count(content, []byte(" re\n")) + bytes.Count(content, []byte(" l\n"))
	}
	return n
}

// TestReportByKeyboard walks through the page by the tab key: it reaches each interactive part, visibly; a table is
// sorted and a chart enlarged without a mouse.
func TestReportByKeyboard(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{})
	reached := make(map[string]bool)
	var all int
	p.eval(t, `document.querySelectorAll('a[href], button, summary, [tabindex="0"]').length`, &all)
	for range all + 2 {
		var at struct {
			What    string
			Visible bool
		}
		p.run(t, chromedp.KeyEvent(kb.Tab))
		p.eval(t, `(e => { const s = getComputedStyle(e), r = e.getBoundingClientRect(); return {
			What: e === document.body ? "" : (e.closest("section") || {id: "top"}).id + " " + e.localName + " " + (e.getAttribute("aria-label") || e.textContent).trim().slice(0, 40),
			Visible: e === document.body || s.outlineStyle !== "none" && r.width > 0 && r.bottom > 0 && r.top < innerHeight}})(document.activeElement)`, &at)
		if !at.Visible {
			t.Errorf("the focus is not seen on %q", at.What)
		}
		reached[at.What] = true
	}
	if len(reached) < 15 || len(reached) < all*2/3 {
		t.Errorf("the tab key reaches %d of %d parts: %v", len(reached), all, reached)
	}
	for _, want := range []string{
		"gantt button Enlarge", "jobs div In the order of the plan; ● on the criti", "gantt div Gantt chart, a drawing",
		"course summary Could we have known",
	} {
		if !reached[want] {
			t.Errorf("the tab key does not reach %q; it reaches %v", want, reached)
		}
	}
	p.checkQuiet(t)
}

// TestTablesAreSorted sorts the jobs by each of their columns, there and back.
func TestTablesAreSorted(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{})
	var problems []string
	p.eval(t, `(() => {
		const out = [], table = document.querySelector("#jobs table");
		let sorted = 0;
		for (const head of table.tHead.rows[0].cells) {
			const orders = [];
			for (let i = 0; i < 2; i++) {
				head.querySelector("button").click();
				const way = head.getAttribute("aria-sort"), column = head.cellIndex;
				const values = [...table.tBodies[0].rows].map(r => r.cells[column]).filter(c => c.dataset.v !== undefined).map(c => parseFloat(c.dataset.v));
				for (let k = 1; k < values.length; k++) {
					if (way === "ascending" ? values[k] < values[k-1] : values[k] > values[k-1]) out.push(head.textContent + " is not " + way + ": " + values);
				}
				if (values.length > 1) sorted++;
				orders.push(way);
			}
			if (orders[0] === orders[1]) out.push(head.textContent + " is sorted one way only");
		}
		if (sorted < 8) out.push("only " + sorted + " orders of numbers were seen");
		return out;
	})()`, &problems)
	for _, x := range problems {
		t.Error(x)
	}
	p.checkQuiet(t)
}

// TestChartsAreEnlarged enlarges the Gantt chart by its keys: bars grow, and the whole comes back as it was.
func TestChartsAreEnlarged(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t)
	p := open(t, file, viewport{})
	widest := `Math.max(...[...document.querySelectorAll("#gantt .bars rect")].map(r => r.getBoundingClientRect().width))`
	var before, enlarged, after float64
	var detail string
	p.eval(t, widest, &before)
	p.run(t, chromedp.Focus(chromedp.CSS(`#gantt .box`)), chromedp.KeyEvent("+"))
	p.eval(t, widest, &enlarged)
	p.checkFits(t, "enlarged", 1280)
	p.run(t, chromedp.KeyEvent("0"), chromedp.KeyEvent(kb.ArrowRight))
	p.eval(t, widest, &after)
	p.eval(t, `document.querySelector("#gantt .detail").textContent`, &detail)
	if enlarged < 1.8*before || after > 1.05*before {
		t.Errorf("the widest bar is %.1f pixels wide, enlarged %.1f, then %.1f", before, enlarged, after)
	}
	if !regexp.MustCompile(`\d`).MatchString(detail) || strings.HasPrefix(detail, "Point at") {
		t.Errorf("got %q as the text of a bar", detail)
	}
	p.checkQuiet(t)
}

// TestHostileNames opens the report of a query with a job that has the end of a script in its name.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const name = `</script><script>alert(1)</script><img src=x onerror=alert(2)>`
	plan := "version: 1\nname: '" + name +
		"'\ncluster: {policy: fifo, map_slots: 2, reduce_slots: 2}\njobs:\n  - name: '" + name +
		"'\n    map: {tasks: 4, records: 100, cost: 20ms}\n    reduce: {tasks: 2, records: 10, cost: 20ms}\n"
	if err := os.WriteFile(filepath.Join(folder, "plan.yaml"), []byte(plan), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, folder, "simulate", "plan.yaml", "--every", "1s", "--record", "hostile.tape", "--output", "ndjson")
	run(t, folder, "report", "hostile.tape", "-o", "hostile.html")
	run(t, folder, "compare", "hostile.tape", "hostile.tape", "--output", "html", "-o", "compared.html")
	for _, file := range []string{"hostile.html", "compared.html"} {
		p := open(t, address(filepath.Join(folder, file)), viewport{})
		var text string
		var scripts, images int
		p.eval(t, `document.body.innerText`, &text)
		p.eval(t, `document.querySelectorAll("script:not([type])").length`, &scripts)
		p.eval(t, `document.querySelectorAll("img").length`, &images)
		if !strings.Contains(text, "alert(1)") || scripts > 1 || images > 0 {
			t.Errorf("%s: %d scripts, %d images, and the name is not shown as it is", file, scripts, images)
		}
		p.checkQuiet(t)
	}
}
