package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestFingerprint checks that only labels that identify an alert change its fingerprint.
func TestFingerprint(t *testing.T) {
	wf := Workflow{ID: "wf_1", Name: "join.pig"}
	d := Dress{Labels: map[string]string{"severity": "page", "bound": "a rule cannot change it"}}
	base := fingerprint(d.labels(wf, "deadline"))
	late := wf
	late.State = "failed"
	if got := fingerprint(d.labels(late, "deadline")); got != base {
		t.Errorf("its state changes the fingerprint")
	}
	for name, l := range map[string]map[string]string{
		"bound":    d.labels(wf, "within"),
		"workflow": d.labels(Workflow{ID: "wf_2", Name: "join.pig"}, "deadline"),
		"severity": Dress{}.labels(wf, "deadline"),
	} {
		if fingerprint(l) == base {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
	if l := d.labels(wf, "deadline"); l["alertname"] != AlertName || l["bound"] != "deadline" ||
		l["workflow_id"] != "wf_1" || l["engine"] != "" {
		t.Errorf("labels %v", l)
	}
	wf.Engine = "Tez"
	if l := d.labels(wf, "deadline"); l["engine"] != "Tez" {
		t.Errorf("labels of a DAG: %v", l)
	}
	d.Labels["engine"] = "ours"
	if l := d.labels(wf, "deadline"); l["engine"] != "ours" {
		t.Errorf("labels of a rule that has one: %v", l)
	}
}

func TestAnnotations(t *testing.T) {
	by, p := frame.Seconds(660), frame.Ratio(0.713)
	due := frame.Time{Instant: dag.InstantOf(time.Date(2026, 11, 21, 6, 30, 0, 0, time.UTC))}
	f := frame.Frame{}
	d := Dress{Annotations: map[string]string{
		"summary": "{{ .Workflow.Name }} will be {{ .By }} late, {{ .Likely }}", "runbook": "https://wiki/{{ .Bound }}",
		"when": "{{ .Expected }}, due {{ .Deadline }}",
		"long": "{{ .Text }}{{ .Text }}",
	}}
	const link = "https://watch/q/{{ .Workflow.Name }}/"
	name := "etl"
	f.Workflow.Name = &name
	n := about(f, frame.Alert{
		Bound: "deadline", State: frame.AtRisk, BySeconds: &by, Probability: &p, DeadlineAt: &due,
		Text: strings.Repeat("x", maxAnnotation),
	}, d, link)
	for k, want := range map[string]string{
		"summary": "etl will be 11m late, 71%", "runbook": "https://wiki/deadline",
		"when": "2026-11-21T06:41:00Z, due 2026-11-21T06:30:00Z",
		"by":   "11m", "probability": "71%", "state": "at_risk",
	} {
		if n.Annotations[k] != want {
			t.Errorf("%s: %q, want %q", k, n.Annotations[k], want)
		}
	}
	name = "../etl?a"
	if n := about(f, frame.Alert{}, d, link); n.Link != "https://watch/q/..%2Fetl%3Fa/" {
		t.Errorf("the link is %q", n.Link)
	}
	if got := n.Annotations["long"]; len(got) > maxAnnotation+len("…") || !strings.HasSuffix(got, "x…") {
		t.Errorf("a long annotation: %d bytes", len(got))
	}
}

// TestCheckLink checks which texts are the link of an alert.
func TestCheckLink(t *testing.T) {
	t.Parallel()
	for text, isLink := range map[string]bool{
		"": true, "https://watch/q/": true, "https://watch/q/{{ .Workflow.ID }}/": true, " https://watch/q/": false,
		"https://watch/q/\t": false, "watch/q": false, "ftp://watch/": false, "https://watch/{{ .Nothing }}": false,
	} {
		if err := CheckLink(text); (err == nil) != isLink {
			t.Errorf("%q: %v", text, err)
		}
	}
}
