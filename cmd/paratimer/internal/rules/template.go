package rules

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// A fault is an error in a template, with its line and column; column 0 is unknown.
type fault struct {
	line, col int
	why       string
}

// Limits of an annotation in bytes: of its template, and of its text.
const (
	maxTemplate = 4096
	maxRendered = 8192
)

// samples are the data that a template is tried with: one alert with everything known, and one with nothing.
var samples = []notify.Facts{
	{
		Workflow: notify.Workflow{ID: "pig_1", Name: "nightly.pig"}, Bound: "rule", State: "at_risk", Status: "firing",
		By: "11m", Likely: "71 %",
		Deadline: "2026-11-21T06:30:00Z", Expected: "2026-11-21T06:41:00Z", WaitsOn: "attempt_1_0001_m_000017_0",
		Text: "at risk",
	},
	{},
}

// compile parses a template and tries it. It refuses loops and nested templates, so that every template ends soon.
func compile(text string) (*template.Template, *fault) {
	if len(text) > maxTemplate {
		return nil, &fault{why: fmt.Sprintf("a template of %d bytes is too long: at most %d", len(text), maxTemplate)}
	}
	t, err := template.New("annotation").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, explain(err, text)
	}
	if len(t.Templates()) > 1 || t.Tree == nil && text != "" {
		return nil, &fault{line: 1, why: "define and block have no meaning in an annotation: write it out"}
	}
	if t.Tree != nil {
		if bad := refused(t.Tree.Root, text); bad != nil {
			return nil, bad
		}
	}
	for _, d := range samples {
		if err := render(t, d); err != nil {
			return nil, explain(err, text)
		}
	}
	return t, nil
}

// refused returns a fault for the first node that could make a template run long, or nil.
func refused(n parse.Node, text string) *fault {
	at := func(p parse.Pos, what string) *fault {
		line, col := position(text, int(p))
		return &fault{line, col, what + " has no meaning in an annotation, which shows one alert"}
	}
	switch n := n.(type) {
	case *parse.RangeNode:
		return at(n.Pos, "range")
	case *parse.TemplateNode:
		return at(n.Pos, "template")
	case *parse.IfNode:
		return both(n.List, n.ElseList, text)
	case *parse.WithNode:
		return both(n.List, n.ElseList, text)
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if bad := refused(child, text); bad != nil {
				return bad
			}
		}
	}
	return nil
}

func both(list, other *parse.ListNode, text string) *fault {
	if bad := refused(list, text); bad != nil {
		return bad
	}
	return refused(other, text)
}

// position returns the line and column of an offset.
func position(text string, offset int) (line, col int) {
	before := text[:min(offset, len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len([]rune(before[start:])) + 1
}

// saying matches the position in errors of package template: name, line and, for execution errors, the column from 0.
var saying = regexp.MustCompile(`(?s)^template: annotation:(\d+):(?:(\d+):)? (.*)$`)

// explain converts an error of package template to a fault.
func explain(err error, text string) *fault {
	if errors.Is(err, errLong) {
		return &fault{line: 1, why: errLong.Error()}
	}
	m := saying.FindStringSubmatch(err.Error())
	if m == nil {
		return &fault{line: 1, why: err.Error()}
	}
	f := &fault{why: m[3]}
	f.line, _ = strconv.Atoi(m[1])
	if col, err := strconv.Atoi(m[2]); err == nil {
		f.col = col + 1
	} else if lines := strings.Split(text, "\n"); f.line <= len(lines) {
		f.col = max(1, strings.Index(lines[f.line-1], "{{")+1) // the parser gives no column: use the first action
	}
	if _, why, ok := strings.Cut(f.why, ">: "); ok {
		f.why = why
	}
	if m := unknownField.FindStringSubmatch(f.why); m != nil {
		f.why = fmt.Sprintf("an alert tells no %s; it tells %s", m[1], strings.Join(fieldsOf(m[2]), ", "))
	}
	return f
}

var unknownField = regexp.MustCompile(`can't evaluate field (\S+) in type notify\.(\S+)`)

// fieldsOf returns the names of the fields that templates may use.
func fieldsOf(name string) []string {
	t := reflect.TypeFor[notify.Facts]()
	if name == "Workflow" {
		t = reflect.TypeFor[notify.Workflow]()
	}
	var out []string
	for i := range t.NumField() {
		out = append(out, t.Field(i).Name)
	}
	return out
}

var errLong = fmt.Errorf("the template makes more than %d bytes", maxRendered)

// A limited builder fails beyond maxRendered.
type limited struct{ strings.Builder }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > maxRendered {
		return 0, errLong
	}
	return l.Builder.Write(b)
}

func render(t *template.Template, facts notify.Facts) error {
	if t.Tree == nil { // the empty text
		return nil
	}
	return t.Execute(new(limited), facts)
}

// Dress returns what the rule adds to its alerts.
func (r *Rule) Dress() notify.Dress {
	labels := maps.Clone(r.Labels)
	if r.Severity != "" {
		if labels == nil {
			labels = map[string]string{}
		}
		labels["severity"] = r.Severity
	}
	return notify.Dress{Labels: labels, Annotations: r.templates}
}
