package notify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"text/template"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A Dress is what a rule adds to its alert. Labels are constants: another value would make another alert.
type Dress struct {
	Labels      map[string]string
	Annotations map[string]*template.Template // over Facts; package rules compiles and tries them
}

// Facts are the data of annotation templates. Unknown values read "unknown".
type Facts struct {
	Workflow Workflow
	Bound    string // its name
	State    string // at_risk, late, ended or on_track
	Status   string // firing or resolved
	Outcome  string // met, missed, or "" before the end
	By       string // expected end minus deadline: "11m"; negative: earlier
	Likely   string // the probability that the bound is broken: "71%"
	Deadline string // RFC 3339 in UTC
	Expected string // the predicted end, RFC 3339 in UTC
	WaitsOn  string
	Text     string // all of this in one sentence
}

// The labels that identify an alert. Rules cannot change them.
const (
	labelName       = "alertname"
	labelBound      = "bound"
	labelWorkflow   = "workflow"
	labelWorkflowID = "workflow_id"
)

// AlertName is the label alertname of all alerts. All states of a bound share it, so an alert that goes from at risk
// to late stays the same alert.
const AlertName = "ParaTimer"

// Reserved are the labels that a rule may not set.
var Reserved = []string{labelName, labelBound, labelWorkflow, labelWorkflowID}

// MaxAnnotation is the greatest length of an annotation, in bytes.
const MaxAnnotation = 8 << 10

// A Limited buffer fails beyond Most bytes while it is written, so that no template fills the memory.
type Limited struct {
	bytes.Buffer
	Most int
}

func (l *Limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.Most {
		return 0, fmt.Errorf("the template makes more than %d bytes", l.Most)
	}
	return l.Buffer.Write(p)
}

// labels returns the labels of an alert. They are the same in every state, every run and every watcher. MapReduce has
// no label engine, unless a rule sets one.
func (d Dress) labels(w Workflow, bound string) map[string]string {
	l := map[string]string{"engine": w.Engine}
	maps.Copy(l, d.Labels)
	l[labelName], l[labelBound], l[labelWorkflow], l[labelWorkflowID] = AlertName, bound, w.Name, w.ID
	maps.DeleteFunc(l, func(_, v string) bool { return v == "" }) // an empty label is no label
	return l
}

// fingerprint hashes the labels alone.
func fingerprint(labels map[string]string) string {
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(h, "%q=%q,", k, labels[k])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// annotations returns the facts and the rule's own annotations. If a template fails, its annotation is the error.
func (d Dress) annotations(facts Facts) map[string]string {
	a := map[string]string{
		"by": facts.By, "probability": facts.Likely, "deadline": facts.Deadline, "expected": facts.Expected,
		"waiting_on": facts.WaitsOn, "outcome": facts.Outcome, "state": facts.State,
	}
	maps.DeleteFunc(a, func(_, v string) bool { return v == "" || v == unknown })
	a["summary"] = facts.Text
	for name, t := range d.Annotations {
		out := Limited{Most: MaxAnnotation}
		if err := t.Execute(&out, facts); err != nil {
			a[name] = "cannot be written: " + err.Error()
			continue
		}
		a[name] = out.String()
	}
	return a
}

const unknown = "unknown"

func factsOf(n Notification) Facts {
	f := Facts{
		Workflow: n.Workflow, Bound: n.Alert.Bound, State: string(n.Alert.State), Status: string(Resolved),
		By: unknown, Likely: unknown, WaitsOn: unknown, Text: n.Alert.Text,
		Deadline: instant(n.Alert.DeadlineAt), Expected: instant(n.EndAt),
	}
	if n.Alert.State.Firing() {
		f.Status = string(Firing)
	}
	if n.Alert.Outcome != nil {
		f.Outcome = string(*n.Alert.Outcome)
	}
	if by := n.Alert.BySeconds; by != nil {
		f.By = units.About(by.Duration())
		if due := n.Alert.DeadlineAt; due != nil { // what the bound's own judge expects
			f.Expected = instant(&frame.Time{Instant: due.Add(by.Duration())})
		}
	}
	if p := n.Alert.Probability; p != nil {
		f.Likely = units.Chance(*p)
	}
	if n.WaitingOn != nil {
		f.WaitsOn = *n.WaitingOn
	}
	return f
}

func instant(t *frame.Time) string {
	if t == nil || !t.Known() {
		return unknown
	}
	return t.Time().UTC().Format(time.RFC3339)
}
