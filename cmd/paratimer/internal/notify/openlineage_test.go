package notify_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/dag"
)

// A runEvent is an event of OpenLineage 2-0-2.
type runEvent struct {
	EventType string     `json:"eventType"`
	EventTime time.Time  `json:"eventTime"`
	Run       lineageRun `json:"run"`
	Job       lineageJob `json:"job"`
	Producer  string     `json:"producer"`
	SchemaURL string     `json:"schemaURL"`
}

type lineageRun struct {
	RunID  string `json:"runId"`
	Facets struct {
		Progress map[string]any `json:"paratimer_progress"`
	} `json:"facets"`
}

type lineageJob struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// runTick returns a frame of a run, some seconds after its start.
func runTick(id string, second int, state dag.State, jobs ...string) frame.Frame {
	name, elapsed, low, waits := "join.pig", frame.Seconds(second), frame.Seconds(1.5), "map 16 of j2"
	f := frame.Frame{
		At:             frame.TimeOf(dag.InstantOf(begin.Add(time.Duration(second) * time.Second))),
		Workflow:       frame.Workflow{ID: &id, Name: &name, State: state},
		ElapsedSeconds: &elapsed, ProgressRatio: frame.RatioOf(float64(second) / 100),
		Headline:  frame.Headline{RemainingSeconds: &low, LowSeconds: &low, HighSeconds: &low},
		WaitingOn: &waits,
	}
	for _, job := range jobs {
		f.Jobs = append(f.Jobs, frame.Job{ID: &job, State: state})
	}
	return f
}

// lineageTo shows ticks to a dispatcher, at their seconds, and returns the events that a server took.
func lineageTo(t *testing.T, s *server, ticks ...frame.Frame) (events []runEvent) {
	t.Helper()
	o, err := notify.NewOpenLineage(s.URL, "k-ey", "yarn://rm", notify.NewClient(nil))
	if err != nil {
		t.Fatal(err)
	}
	k := newDesk(t, open(t, t.TempDir()), o)
	start := k.time
	for _, f := range ticks {
		k.time = start + f.ElapsedSeconds.Duration()
		k.w.Keep(alert.State{}, f)
		k.flush()
	}
	k.pass(10 * time.Second) // failures are tried again
	if left := k.d.Close(0); left > 0 {
		t.Errorf("%d events are left: %s", left, k.log.String())
	}
	if strings.Contains(k.log.String(), "k-ey") {
		t.Errorf("the log shows the key: %s", k.log.String())
	}
	for _, r := range s.all() {
		check(t, "openlineage", r.body)
		var e runEvent
		if err := json.Unmarshal(r.body, &e); err != nil {
			t.Fatal(err)
		}
		if r.header.Get("Authorization") != "Bearer k-ey" {
			t.Errorf("headers %v", r.header)
		}
		events = append(events, e)
	}
	return events
}

func kinds(events []runEvent) string {
	s := make([]string, len(events))
	for i := range events {
		s[i] = events[i].EventType
	}
	return strings.Join(s, " ")
}

// TestOpenLineage: a run has one start, progress now and then, and one end, all valid and of one run, though a script
// is known by its first job at first.
func TestOpenLineage(t *testing.T) {
	t.Parallel()
	missed := runTick("pig_1", 70, dag.Running)
	missed.StaleSeconds = 30
	got := lineageTo(t, newServer(t, nil),
		runTick("application_1_1", 5, dag.Submitted, "application_1_1"),
		runTick("pig_1", 10, dag.Running, "application_1_1"), runTick("pig_1", 39, dag.Running, "application_1_1"),
		runTick("pig_1", 40, dag.Running, "application_1_1"), missed,
		runTick("pig_1", 71, dag.Succeeded, "application_1_1"), runTick("pig_1", 72, dag.Succeeded, "application_1_1"))
	if kinds(got) != "START RUNNING COMPLETE" {
		t.Fatalf("sent %s", kinds(got))
	}
	for _, e := range got {
		if e.Run.RunID != got[0].Run.RunID || e.Job != (lineageJob{Namespace: "yarn://rm", Name: "join.pig"}) {
			t.Errorf("%+v", e)
		}
	}
	if !got[0].EventTime.Equal(begin) || !got[2].EventTime.Equal(begin.Add(71*time.Second)) {
		t.Errorf("from %v to %v, want 71 s from %v", got[0].EventTime, got[2].EventTime, begin)
	}
	facet, err := jsonschema.NewCompiler().Compile("../../../../docs/progress-facet.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	p := got[1].Run.Facets.Progress
	if err := facet.Validate(p); err != nil {
		t.Errorf("the facet %v: %v", p, err)
	}
	if p["workflowId"] != "pig_1" || p["progressRatio"] != 0.4 || p["waitingOn"] != "map 16 of j2" {
		t.Errorf("progress %+v", p)
	}
	for state, want := range map[dag.State]string{
		dag.Failed: "START FAIL", dag.Killed: "START ABORT", dag.EndedUnconfirmed: "START OTHER",
	} {
		if got := kinds(lineageTo(t, newServer(t, nil), runTick("pig_2", 9, state))); got != want {
			t.Errorf("%v: sent %s, want %s", state, got, want)
		}
	}
}

// TestOpenLineageTrouble: an event that a service cannot take now is sent again, and one that it refuses is dropped.
func TestOpenLineageTrouble(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	down := newServer(t, func(w http.ResponseWriter) {
		if n.Add(1) == 1 {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	if got := kinds(lineageTo(t, down, runTick("pig_1", 9, dag.Succeeded))); got != "START START COMPLETE" {
		t.Errorf("sent %s", got)
	}
	refuses := newServer(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnprocessableEntity) })
	if got := kinds(lineageTo(t, refuses, runTick("pig_1", 9, dag.Succeeded))); got != "START COMPLETE" {
		t.Errorf("sent %s", got)
	}
	if _, err := notify.NewOpenLineage("rm:8088", "", "", notify.NewClient(nil)); err == nil {
		t.Error("an address without a scheme is taken")
	}
}

// TestOpenLineageRestart: a watcher that takes over sends no second start.
func TestOpenLineageRestart(t *testing.T) {
	t.Parallel()
	s, dir := newServer(t, nil), t.TempDir()
	for _, f := range []frame.Frame{runTick("pig_1", 9, dag.Running), runTick("pig_1", 60, dag.Succeeded)} {
		o, err := notify.NewOpenLineage(s.URL, "", "", notify.NewClient(nil))
		if err != nil {
			t.Fatal(err)
		}
		k := newDesk(t, open(t, dir), o)
		k.w.Keep(alert.State{}, f)
		k.flush()
		k.d.Close(0)
	}
	var types []string
	for _, r := range s.all() {
		var e runEvent
		if err := json.Unmarshal(r.body, &e); err != nil {
			t.Fatal(err)
		}
		types = append(types, e.EventType)
	}
	if got := strings.Join(types, " "); got != "START COMPLETE" {
		t.Errorf("sent %s", got)
	}
}

// TestOpenLineagePublished checks the events against the schema that OpenLineage publishes, if OPENLINEAGE_SCHEMA names
// a copy of it: it is other people's file, and is not kept here.
func TestOpenLineagePublished(t *testing.T) {
	path := os.Getenv("OPENLINEAGE_SCHEMA")
	if path == "" {
		t.Skip("SKIPPED: OPENLINEAGE_SCHEMA names no copy of OpenLineage.json 2-0-2; events are checked against our own schema alone")
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	published, err := c.Compile(path + "#/$defs/RunEvent")
	if err != nil {
		t.Fatal(err)
	}
	events := lineageTo(t, newServer(t, nil), runTick("pig_1", 9, dag.Running), runTick("pig_1", 50, dag.Running),
		runTick("pig_1", 60, dag.Succeeded))
	for _, e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := published.Validate(doc); err != nil {
			t.Errorf("%v\n%s", err, b)
		}
	}
}

// TestOpenLineageClient reads the events with the client that OpenLineage publishes for Python: what it would send of
// the same run as sent, without the fields that are null.
func TestOpenLineageClient(t *testing.T) {
	t.Parallel()
	python := cmp.Or(os.Getenv("PARATIMER_PYTHON"), "python3")
	if err := exec.CommandContext(t.Context(), python, "-c", "import openlineage.client").Run(); err != nil {
		t.Skip("SKIPPED: PARATIMER_PYTHON has no openlineage-python; only our own schema checks the events")
	}
	var lines bytes.Buffer
	sent := lineageTo(t, newServer(t, nil), runTick("pig_1", 9, dag.Running), runTick("pig_1", 50, dag.Running),
		runTick("pig_1", 60, dag.Failed))
	for _, e := range sent {
		if err := json.NewEncoder(&lines).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/openlineage_client.py")
	cmd.Stdin = &lines
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	read := json.NewDecoder(bytes.NewReader(out))
	for i := range sent {
		var e runEvent
		if err := read.Decode(&e); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(sent[i].Run.Facets.Progress, func(_ string, v any) bool { return v == nil })
		if !reflect.DeepEqual(e, sent[i]) {
			t.Errorf("the client sends %+v, not %+v", e, sent[i])
		}
	}
}
