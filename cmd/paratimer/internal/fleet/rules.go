package fleet

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/units"
)

// maxBytes bounds a rule file.
const maxBytes = 1 << 20

// A Rule sets one bound for the workflows that match.
type Rule struct {
	Name       string        `plan:"name,required" pattern:"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$" title:"a name of at most 100 letters, digits, dots, - and _"`
	Match      Match         `plan:"match" title:"a mapping with name, user, queue or engine"`
	Deadline   string        `plan:"deadline" length:"0-4096"`
	Within     time.Duration `plan:"within" title:"a time with its unit, such as 45m or 1h30m, more than 0"`
	Longer     float64       `plan:"longer_than_usual" above:"0" max:"1000"`
	NoProgress time.Duration `plan:"no_progress" title:"a time with its unit, such as 45m or 1h30m, more than 0"`
	Outside    bool          `plan:"outside_bounds" words:",true" title:"true, or left out"`
	Risk       float64       `plan:"risk" above:"0" max:"1" title:"a probability, more than 0 and at most 1"`
	Hold       int           `plan:"hold" min:"1" max:"1000"`
	Severity   string        `plan:"severity" pattern:"^[A-Za-z0-9_-]{1,40}$" title:"a word of at most 40 letters, digits, - and _"`

	Labels      map[string]string `plan:"labels" max:"32" length:"0-4096" title:"a mapping of at most 32 names to strings"`
	Annotations map[string]string `plan:"annotations" max:"32" length:"0-4096" title:"a mapping of at most 32 names to strings"`

	deadline alert.Bound    // its time
	local    *time.Location // the local zone of the user
}

// Everything returns a rule that matches every workflow and has no bound.
func Everything() []Rule { return []Rule{{Name: "everything"}} }

// Unbound reports whether a rule has no bound.
func (r *Rule) Unbound() bool { return len(r.bounds()) == 0 }

// A File is a rule file as docs/rules.schema.json describes it.
type File struct {
	Version int    `plan:"version" min:"1" max:"1" title:"1, the only version of rule files there is"`
	Rules   []Rule `plan:"rules,required" min:"1" max:"1000" item:"a rule: a mapping with name and one bound"`
}

// ReadRules reads the rules of a file, or of in if path is "-". Deadlines without a zone are in the local one.
func ReadRules(path string, in io.Reader, local *time.Location) ([]Rule, error) {
	b, name, err := infile.ReadSource(path, in, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	return ParseRules(b, name, local)
}

// ParseRules reads rules. It returns either rules or errors: *planfile.Error, joined in the order of the file.
func ParseRules(src []byte, name string, local *time.Location) ([]Rule, error) {
	var f File
	doc, err := planfile.Decode(src, name, "rule file", &f)
	if err != nil {
		return nil, err
	}
	first := map[string]int{}
	for i := range f.Rules {
		r := &f.Rules[i]
		at := func(steps ...string) []string { return append([]string{"rules", strconv.Itoa(i)}, steps...) }
		if before, twice := first[r.Name]; twice {
			doc.Fail(at("name"),
				fmt.Sprintf("the name %q is taken by rule %d: names identify alerts, so each must be unique", r.Name,
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

// check reports errors that tags cannot, and prepares the rule's deadline and patterns.
func (r *Rule) check(doc *planfile.Document, at func(...string) []string, local *time.Location) {
	r.local = local
	r.checkBounds(doc, at)
	if r.Deadline != "" {
		var err error
		if r.deadline, err = alert.ParseDeadline(r.Deadline, local); err != nil {
			doc.Fail(at("deadline"), err.Error())
		}
	}
	r.Match.compile(func(key string, err error) { doc.Fail(at("match", key), err.Error()) })
	r.checkLabels(doc, at)
	for _, key := range sorted(r.Annotations) {
		if !labelName.MatchString(key) {
			doc.Fail(at("annotations", key),
				fmt.Sprintf("annotation %q: a name begins with a letter or _ and has letters, digits and _", key))
			continue
		}
		if err := notify.CheckAnnotation(r.Annotations[key]); err != nil {
			doc.Fail(at("annotations", key), fmt.Sprintf("annotation %s: %v", key, err))
		}
	}
}

func (r *Rule) checkBounds(doc *planfile.Document, at func(...string) []string) {
	given := r.bounds()
	if len(given) == 0 {
		doc.Fail(at(), fmt.Sprintf("rule %s has no limit: give one of deadline, within, "+
			"longer_than_usual, no_progress, outside_bounds", r.Name))
		return
	}
	if len(given) > 1 {
		more := units.Each(given[1:], func(b bound) string { return b.key })
		doc.Fail(at(more[0]), fmt.Sprintf("rule %s has %s and %s: a rule has one bound; make it two rules", r.Name,
			given[0].key, strings.Join(more, " and ")))
		return
	}
	if given[0].key == "no_progress" && r.Risk != 0 {
		doc.Fail(at("risk"), "risk has no meaning with no_progress, which is so or is not")
	}
}

// A bound is one bound of a rule: its key and value in the file, and its meaning.
type bound struct {
	has        bool
	key, value string
	alert.Bound
}

// bounds returns the bounds that the rule has, in the order of the schema.
func (r *Rule) bounds() []bound {
	all := []bound{
		{r.Deadline != "", "deadline", r.Deadline, alert.Bound{At: r.deadline.At, Daily: r.deadline.Daily}},
		{r.Within > 0, "within", units.Full(r.Within), alert.Bound{Kind: alert.Within, For: r.Within}},
		{r.Longer > 0, "longer_than_usual", fmt.Sprint(r.Longer), alert.Bound{Kind: alert.LongerThanUsual, Times: r.Longer}},
		{r.NoProgress > 0, "no_progress", units.Full(r.NoProgress), alert.Bound{Kind: alert.NoProgress, For: r.NoProgress}},
		{r.Outside, "outside_bounds", "", alert.Bound{Kind: alert.OutsideBounds}},
	}
	return slices.DeleteFunc(all, func(b bound) bool { return !b.has })
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,99}$`)

// ours are the labels that every alert already has, or gets from the rule's severity.
var ours = append([]string{"severity"}, notify.Reserved...)

func (r *Rule) checkLabels(doc *planfile.Document, at func(...string) []string) {
	for _, key := range sorted(r.Labels) {
		switch {
		case !labelName.MatchString(key) || strings.HasPrefix(key, "__"):
			doc.Fail(at("labels", key),
				fmt.Sprintf("label %q: a name begins with a letter or _, not with __, and has letters, digits and _",
					key))
		case slices.Contains(ours, key):
			doc.Fail(at("labels", key), fmt.Sprintf("label %s is given by paratimer itself; choose another name", key))
		case strings.Contains(r.Labels[key], "{{"):
			doc.Fail(at("labels", key),
				fmt.Sprintf("label %s is a template: labels identify alerts and must not change while one fires; make it an annotation", key))
		}
	}
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// Bound returns the rule's bound for a workflow. usual is the workflow's usual length, 0 if unknown.
func (r *Rule) Bound(usual time.Duration) alert.Bound {
	b := r.bounds()[0].Bound
	b.Name, b.Threshold, b.Hold, b.Zone = r.Name, r.Risk, r.Hold, cmp.Or(r.deadline.Zone, r.local, time.UTC)
	if b.Kind == alert.LongerThanUsual {
		b.Usual = usual
	}
	return b
}

// BoundText returns the rule's bound as text.
func (r *Rule) BoundText() string {
	b := r.bounds()[0]
	return strings.TrimSpace(b.key + " " + b.value)
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
	return notify.Dress{Labels: labels, Annotations: r.Annotations}
}
