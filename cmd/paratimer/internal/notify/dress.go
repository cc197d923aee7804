package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A Dress has the labels and annotations that are added to an alert. A rule's labels are constants: another value would
// make another alert. Its annotations may have fields such as {{ .By }}.
type Dress struct{ Labels, Annotations map[string]string }

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

// maxAnnotation is the greatest length of an annotation, in bytes.
const maxAnnotation = 8 << 10

// field matches what an annotation shows of an alert.
var field = regexp.MustCompile(`\{\{ *\.?(.*?) *\}\}`)

// expand replaces fields by the facts of an alert. unknown are the fields that an alert does not have.
func expand(text string, facts map[string]string) (out string, unknown []string) {
	out = field.ReplaceAllStringFunc(text, func(found string) string {
		name := field.FindStringSubmatch(found)[1]
		v, ok := facts[name]
		if !ok {
			unknown = append(unknown, name)
		}
		return v
	})
	if len(out) > maxAnnotation {
		out = strings.ToValidUTF8(out[:maxAnnotation], "") + "…"
	}
	return out, unknown
}

// CheckAnnotation returns an error if an annotation has a field that an alert does not have.
func CheckAnnotation(text string) error {
	facts := factsOf(Notification{})
	if _, unknown := expand(text, facts); len(unknown) > 0 {
		return fmt.Errorf("an alert has no %s; it has %s", unknown[0], strings.Join(slices.Sorted(maps.Keys(facts)), ", "))
	}
	return nil
}

// CheckLink returns an error if a link of alerts has a field that an alert does not have, or is no address of a web
// page: services refuse whole alerts for it.
func CheckLink(text string) error {
	_, err := parseURL(field.ReplaceAllString(text, "x"))
	if text != "" && (err != nil || strings.TrimSpace(text) != text) {
		return errors.New("it is the address of a web page, such as 'https://watch/q/{{ .Workflow.ID }}/'")
	}
	return CheckAnnotation(text)
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

// annotations returns the facts that are known, and the rule's own annotations.
func (d Dress) annotations(facts map[string]string) map[string]string {
	a := map[string]string{
		"by": facts["By"], "probability": facts["Likely"], "deadline": facts["Deadline"], "expected": facts["Expected"],
		"waiting_on": facts["WaitsOn"], "url": facts["URL"], "outcome": facts["Outcome"], "state": facts["State"],
	}
	maps.DeleteFunc(a, func(_, v string) bool { return v == "" || v == unknown })
	a["summary"] = facts["Text"]
	for name, text := range d.Annotations {
		a[name], _ = expand(text, facts) // its fields were checked
	}
	return a
}

const unknown = "unknown"

// factsOf returns what annotations may show of an alert, by the names of fields. By is the expected end minus the
// deadline, negative if earlier; Likely the probability that the bound is broken; Text all of this in one sentence.
func factsOf(n Notification) map[string]string {
	f := map[string]string{
		"Workflow.ID": n.Workflow.ID, "Workflow.Name": n.Workflow.Name, "Workflow.State": n.Workflow.State,
		"Workflow.Engine": n.Workflow.Engine, "Bound": n.Alert.Bound, "State": string(n.Alert.State),
		"Status": string(Resolved), "Outcome": "", "By": unknown, "Likely": unknown, "WaitsOn": unknown, "URL": n.URL,
		"Text": n.Alert.Text, "Deadline": instant(n.Alert.DeadlineAt), "Expected": instant(n.EndAt),
	}
	if n.Alert.State.Firing() {
		f["Status"] = string(Firing)
	}
	if n.Alert.Outcome != nil {
		f["Outcome"] = string(*n.Alert.Outcome)
	}
	if by := n.Alert.BySeconds; by != nil {
		f["By"] = units.About(by.Duration())
		if due := n.Alert.DeadlineAt; due != nil { // what the bound's own judge expects
			f["Expected"] = instant(&frame.Time{Instant: due.Add(by.Duration())})
		}
	}
	if p := n.Alert.Probability; p != nil {
		f["Likely"] = units.Chance(*p)
	}
	if n.WaitingOn != nil {
		f["WaitsOn"] = *n.WaitingOn
	}
	return f
}

func instant(t *frame.Time) string {
	if t == nil || !t.Known() {
		return unknown
	}
	return t.Time().UTC().Format(time.RFC3339)
}
