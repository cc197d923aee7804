package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axePath is axe-core, which .ci/run fetches with npm; "" where it is missing.
func axePath() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(cache, "paratimer", "axe-core-4.14.1", "axe.min.js")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// TestPagesAreAccessible checks the rules of WCAG 2 A and AA that axe-core can check, light and dark; where it is
// missing, our own few.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	report, compare := recorded(t)
	path := axePath()
	var axe []byte
	if path == "" {
		fmt.Println("SKIPPED: no axe-core here, so only our own rules are checked: .ci/run fetches it where there is npm")
	} else {
		var err error
		if axe, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, file := range map[string]string{"report": report, "compare": compare} {
		t.Run(name, func(t *testing.T) {
			p := open(t, file, viewport{})
			if axe != nil {
				p.run(t, chromedp.Evaluate[chromedp.Void](string(axe)))
			}
			for _, dark := range []bool{false, true} {
				p.resize(t, 1280, dark)
				var wrong []string
				p.eval(t, ownRules, &wrong)
				if axe != nil {
					wrong = append(wrong, p.axe(t, dark)...)
				}
				for _, w := range wrong {
					t.Errorf("dark: %v: %s", dark, w)
				}
			}
			p.checkQuiet(t)
		})
	}
}

// axe runs axe-core, which is in the page, and returns the rules that are broken: all rules, or those about colors.
func (p *tab) axe(t *testing.T, colors bool) (wrong []string) {
	t.Helper()
	rules, least := `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]`, 10
	if colors {
		rules, least = `{type: "rule", values: ["color-contrast", "link-in-text-block"]}`, 1
	}
	var found struct {
		Passes int
		Wrong  []string
	}
	awaited(t, p, `axe.run(document, {runOnly: `+rules+`}).then(r => ({
		Passes: r.passes.length,
		Wrong: r.violations.flatMap(v => v.nodes.slice(0, 5).map(n => v.id + ": " + v.help + ": " + n.target + " " + n.failureSummary + " " + n.html.slice(0, 120)))}))`, &found)
	if found.Passes < least {
		t.Errorf("axe-core checked %d rules", found.Passes)
	}
	for _, w := range found.Wrong {
		wrong = append(wrong, strings.ReplaceAll(w, "\n", " "))
	}
	return wrong
}

// ownRules are what can be checked without axe-core: names of drawings and buttons, headings of tables, the order of
// titles.
const ownRules = `(() => {
	const out = [], name = e => (e.getAttribute("aria-label") || (e.getAttribute("aria-labelledby") || "").split(" ").map(i => (document.getElementById(i) || {}).textContent || "").join(" ") || e.textContent).trim();
	if (!document.documentElement.lang) out.push("the page has no language");
	for (const s of document.querySelectorAll("svg")) {
		if (s.getAttribute("aria-hidden") !== "true" && !s.closest("[aria-hidden=true]") && !(s.getAttribute("role") === "img" && name(s))) out.push("a drawing has no name: " + s.outerHTML.slice(0, 100));
	}
	for (const b of document.querySelectorAll("button, a[href], summary, [role=region], [role=group]")) if (!name(b)) out.push("no name: " + b.outerHTML.slice(0, 100));
	for (const h of document.querySelectorAll("th")) if (!["row", "col"].includes(h.scope)) out.push("a heading of nothing: " + h.outerHTML);
	let last = 0;
	for (const h of document.querySelectorAll("h1, h2, h3, h4")) {
		const level = +h.localName[1];
		if (level > last + 1) out.push("a title is missing before " + h.textContent);
		last = level;
	}
	return out;
})()`
