// Package rules reads rule files: what workflows are held to, chosen by name, user and queue, and what is said when
// they will not hold. It is strict: every fault is told with its place, before anything is watched.
package rules

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/units"
)

//go:embed rules.schema.json
var schemaText []byte

// Schema returns the JSON Schema (2020-12) of rule files.
func Schema() []byte { return bytes.Clone(schemaText) }

// maxBytes bounds a rule file.
const maxBytes = 1 << 20

// A Rule holds the workflows that match to one bound.
type Rule struct {
	Name        string            `plan:"name"`
	Match       Match             `plan:"match"`
	Deadline    string            `plan:"deadline"`
	Within      time.Duration     `plan:"within"`
	Longer      float64           `plan:"longer_than_usual"`
	NoProgress  time.Duration     `plan:"no_progress"`
	Outside     bool              `plan:"outside_bounds"`
	On          string            `plan:"on"`
	Risk        float64           `plan:"risk"`
	Hold        int               `plan:"hold"`
	Severity    string            `plan:"severity"`
	Labels      map[string]string `plan:"labels"`
	Annotations map[string]string `plan:"annotations"`

	deadline  alert.Bound    // its time
	local     *time.Location // the zone of the reader
	templates map[string]*template.Template
	unbound   bool
}

// Everything matches every workflow, and holds it to nothing.
func Everything() []Rule { return []Rule{{Name: "everything", unbound: true}} }

// Unbound reports whether a rule holds nothing to a bound.
func (r *Rule) Unbound() bool { return r.unbound }

// file is a rule file as rules.schema.json has it.
type file struct {
	Version int    `plan:"version"`
	Rules   []Rule `plan:"rules"`
}

var format = planfile.NewFormat("rule file", schemaText)

// ReadFile is Read of a file; "-" is in. Deadlines that name no zone are in the local one.
func ReadFile(path string, in io.Reader, local *time.Location) ([]Rule, error) {
	if path == "-" {
		b, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
		if err != nil {
			return nil, fmt.Errorf("cannot read the rules: %w", err)
		}
		return Read(b, "stdin", local)
	}
	f, err := infile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	return Read(b, path, local)
}

// Read reads rules. Faults are *planfile.Error, joined in the order of the file; there are no rules beside them.
func Read(src []byte, name string, local *time.Location) ([]Rule, error) {
	if len(src) > maxBytes {
		return nil, &planfile.Error{
			File:    name,
			Message: fmt.Sprintf("the file is larger than %d bytes, more than rules may take", maxBytes),
		}
	}
	var f file
	doc, err := format.Read(src, name, &f)
	if err != nil {
		return nil, err
	}
	first := map[string]int{}
	for i := range f.Rules {
		r := &f.Rules[i]
		at := place(i)
		if before, twice := first[r.Name]; twice {
			doc.Fail(at("name"),
				fmt.Sprintf("the name %q is taken by rule %d: names tell alerts apart, so each is given once", r.Name,
					before+1))
		} else {
			first[r.Name] = i
		}
		r.check(doc, at, local)
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return f.Rules, nil
}

// place gives the paths below rule i.
func place(i int) func(steps ...string) []string {
	return func(steps ...string) []string {
		return append([]string{"rules", strconv.Itoa(i)}, steps...)
	}
}

// check notes what the schema cannot see, and prepares the rule's deadline, patterns and templates.
func (r *Rule) check(doc *planfile.Document, at func(...string) []string, local *time.Location) {
	r.local = local
	r.checkBounds(doc, at)
	if r.Deadline != "" {
		var err error
		if r.deadline, err = alert.ParseDeadline(r.Deadline, local); err != nil {
			doc.Fail(at("deadline"), err.Error())
		}
	}
	if err := alert.CheckJudge(r.On); err != nil {
		doc.Fail(at("on"), "on: "+err.Error())
	}
	for _, m := range r.Match.parts() {
		if _, err := glob(m.pattern); err != nil {
			doc.Fail(at("match", m.key), fmt.Sprintf("match.%s %q: %v", m.key, m.pattern, err))
		}
	}
	r.Match.compile()
	r.checkLabels(doc, at)
	r.templates = map[string]*template.Template{}
	for _, key := range sorted(r.Annotations) {
		if !labelName.MatchString(key) {
			doc.Fail(at("annotations", key),
				fmt.Sprintf("annotation %q: a name begins with a letter or _ and holds letters, digits and _", key))
			continue
		}
		t, bad := compile(r.Annotations[key])
		if bad != nil {
			doc.FailIn(at("annotations", key), bad.line, bad.col, fmt.Sprintf("annotation %s: %s", key, bad.why))
			continue
		}
		r.templates[key] = t
	}
}

func (r *Rule) checkBounds(doc *planfile.Document, at func(...string) []string) {
	given := r.given()
	switch {
	case len(given) == 0:
		doc.Fail(at(), fmt.Sprintf("rule %s holds a workflow to nothing: give one of %s", r.Name,
			strings.Join(boundKeys, ", ")))
	case len(given) > 1:
		doc.Fail(at(given[1]), fmt.Sprintf("rule %s has %s and %s: a rule has one bound; make it two rules", r.Name,
			given[0], strings.Join(given[1:], " and ")))
	}
	if len(given) == 1 && given[0] == "no_progress" && r.On != "" {
		doc.Fail(at("on"), "on has no meaning with no_progress: nobody judges when it will end")
	}
	if len(given) == 1 && (given[0] == "no_progress" || given[0] == "outside_bounds") && r.Risk != 0 {
		doc.Fail(at("risk"), fmt.Sprintf("risk has no meaning with %s, which is so or is not", given[0]))
	}
}

// boundKeys are the keys of bounds, in the order of the schema.
var boundKeys = []string{"deadline", "within", "longer_than_usual", "no_progress", "outside_bounds"}

// given are the keys of the bounds that the rule has.
func (r *Rule) given() []string {
	has := []bool{r.Deadline != "", r.Within > 0, r.Longer > 0, r.NoProgress > 0, r.Outside}
	var out []string
	for i, key := range boundKeys {
		if has[i] {
			out = append(out, key)
		}
	}
	return out
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,99}$`)

// ours are the labels that every alert has already, or gets from the rule's severity.
var ours = append([]string{"severity"}, notify.Reserved...)

func (r *Rule) checkLabels(doc *planfile.Document, at func(...string) []string) {
	for _, key := range sorted(r.Labels) {
		switch {
		case !labelName.MatchString(key) || strings.HasPrefix(key, "__"):
			doc.Fail(at("labels", key),
				fmt.Sprintf("label %q: a name begins with a letter or _, not with __, and holds letters, digits and _",
					key))
		case slices.Contains(ours, key):
			doc.Fail(at("labels", key), fmt.Sprintf("label %s is given by paratimer itself; choose another name", key))
		case strings.Contains(r.Labels[key], "{{"):
			doc.Fail(at("labels", key),
				fmt.Sprintf("label %s is a template: labels tell alerts apart and must not change while one stands; make it an annotation", key))
		}
	}
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Bound is what the rule holds a workflow to. usual is the workflow's usual length, 0 where no history tells it.
func (r *Rule) Bound(usual time.Duration) alert.Bound {
	b := alert.Bound{Name: r.Name, On: r.On, Threshold: r.Risk, Hold: r.Hold}
	switch {
	case r.Deadline != "":
		b.Kind, b.At, b.Daily, b.Zone = alert.Deadline, r.deadline.At, r.deadline.Daily, r.deadline.Zone
	case r.Within > 0:
		b.Kind, b.For = alert.Within, r.Within
	case r.Longer > 0:
		b.Kind, b.Times, b.Usual = alert.LongerThanUsual, r.Longer, usual
	case r.NoProgress > 0:
		b.Kind, b.For = alert.NoProgress, r.NoProgress
	default:
		b.Kind = alert.OutsideBounds
	}
	b.Zone = r.Zone()
	return b
}

// Zone is the zone in which people of the rule tell the time.
func (r *Rule) Zone() *time.Location {
	return cmp.Or(r.deadline.Zone, r.local, time.UTC)
}

// BoundText is the rule's bound in words.
func (r *Rule) BoundText() string {
	switch {
	case r.Deadline != "":
		return "deadline " + r.Deadline
	case r.Within > 0:
		return "within " + units.Full(r.Within)
	case r.Longer > 0:
		return fmt.Sprintf("longer_than_usual %v", r.Longer)
	case r.NoProgress > 0:
		return "no_progress " + units.Full(r.NoProgress)
	}
	return "outside_bounds"
}
