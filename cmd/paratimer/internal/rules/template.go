package rules

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"text/template"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
)

// maxTemplate is the greatest length of an annotation's template, in bytes.
const maxTemplate = 4096

// samples are the data that a template is tried with: one alert with everything known, and one with nothing.
var samples = []notify.Facts{
	{
		Workflow: notify.Workflow{ID: "pig_1", Name: "nightly.pig"}, Bound: "rule", State: "at_risk", Status: "firing",
		By: "11m", Likely: "71%",
		Deadline: "2026-11-21T06:30:00Z", Expected: "2026-11-21T06:41:00Z", WaitsOn: "attempt_1_0001_m_000017_0",
		Text: "at risk",
	},
	{},
}

// loops matches what could make a template run long, as package parse prints it.
var loops = regexp.MustCompile(`\{\{(range|template) `)

// compile parses a template and tries it. It refuses loops and nested templates, so that every template ends soon.
func compile(text string) (*template.Template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("a template of %d bytes is too long: at most %d", len(text), maxTemplate)
	}
	t, err := template.New("annotation").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, explain(err)
	}
	switch {
	case len(t.Templates()) > 1 || t.Tree == nil && text != "":
		return nil, errors.New("define and block have no meaning in an annotation: write it out")
	case t.Tree == nil: // the empty text
		return t, nil
	}
	if m := loops.FindStringSubmatch(t.Tree.Root.String()); m != nil {
		return nil, fmt.Errorf("%s has no meaning in an annotation, which shows one alert", m[1])
	}
	for _, d := range samples {
		if err := t.Execute(&notify.Limited{Most: notify.MaxAnnotation}, d); err != nil {
			return nil, explain(err)
		}
	}
	return t, nil
}

// saying matches the position in errors of package template: name, line and, for execution errors, the column.
var saying = regexp.MustCompile(`(?s)^template: annotation:(\d+):(?:\d+:)? (.*)$`)

// explain returns an error of package template without the names of this program.
func explain(err error) error {
	m := saying.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	why := m[2]
	if _, after, ok := strings.Cut(why, ">: "); ok {
		why = after
	}
	if m := unknownField.FindStringSubmatch(why); m != nil {
		why = fmt.Sprintf("an alert has no %s; it has %s", m[1], strings.Join(fieldsOf(m[2]), ", "))
	}
	if m[1] != "1" {
		why = "line " + m[1] + ": " + why
	}
	return errors.New(why)
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
