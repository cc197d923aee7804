package runreport

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// rename puts a name into every text of a report that may come from a cluster.
func rename(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			rename(v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				rename(v.Field(i), name)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			rename(v.Index(i), name)
		}
	case reflect.String:
		v.SetString(name)
	}
}

var (
	tags   = regexp.MustCompile(`^</?[a-zA-Z][a-zA-Z0-9]*(?:\s+[a-zA-Z][a-zA-Z0-9-]*(?:="[^"<>]*")?)*\s*/?>`)
	inside = regexp.MustCompile(`(?s)<(style|script)[^>]*>(.*?)</(?:style|script)>`)
)

// checkMarkup checks that a page's elements are the templates' own, and that what is read in it has no letter that
// cannot be seen.
func checkMarkup(t *testing.T, page string) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Error("the page is not UTF-8")
	}
	if n := len(inside.FindAllString(page, -1)); n != 2 {
		t.Errorf("%d styles and scripts, want 2", n)
	}
	page = inside.ReplaceAllString(strings.TrimPrefix(page, "<!DOCTYPE html>"), "")
	for i, r := range page {
		if r == '<' && !tags.MatchString(page[i:]) {
			t.Errorf("no tag of ours: %.100q", page[i:])
			return
		}
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029') {
			t.Errorf("%U at %.60q", r, page[max(0, i-30):])
			return
		}
	}
	page = regexp.MustCompile(`="([^"#])[^"]*"`).ReplaceAllString(page, `="$1"`)
	if m := regexp.MustCompile(`<[^>]*\s(on\w+|style|src|srcdoc|action)=`).FindString(page); m != "" {
		t.Errorf("an attribute that none of ours has: %s", m)
	}
	if m := regexp.MustCompile(`href="[^#][^"]*"`).FindString(page); m != "" {
		t.Errorf("a link that leaves the page: %s", m)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"clicks", "</script><script>alert(1)</script>", "</style><style>*{display:none}", `" onload="alert(1)`,
		"'><img src=x onerror=alert(1)>", "]]><!--", "-->",
		"\u202eesrever\u2066", "nul\x00", "\u2028\u2029", "\xff\xfe", "{{.}}", "&lt;&#60;", "url(#x)",
		"</title></svg><svg/onload=alert(1)>", "", strings.Repeat("x", 10_000), strings.Repeat("\U0001F600", 300),
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s := sample()
		rename(reflect.ValueOf(s), name[:min(len(name), 500)])
		checkMarkup(t, written(t, s))
		// Names alone, with the program's own words as they are.
		s = sample()
		for i := range s.Jobs {
			s.Jobs[i].Node, s.Jobs[i].Name, s.Chart.Jobs[i].Name = name, &name, name
		}
		for i := range s.Chart.Panels[0].Bars {
			s.Chart.Panels[0].Bars[i].Name, s.Chart.Panels[0].Rows[0] = name, name
		}
		s.Workflow.Name, s.PredictionHistory.Marks = &name, append(s.PredictionHistory.Marks,
			Mark{Kind: name, Text: name})
		checkMarkup(t, written(t, s))
	})
}
