package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/history"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// hostile is what a cluster, a job's owner or a file may put into a name: colors, another direction, a control sequence
// in one character, a second line, a paragraph, and nothing that is seen. Cleaned it is marked, its first line by
// begun.
const (
	hostile = "\x1b[31m\u202e\u009b2J\r\n\u2029\u2066\ufeff"
	begun   = `\x1b[31m\u202e\u009b2J`
	marked  = begun + `\r\n\u2029\u2066\ufeff`
)

// structural are texts that have one form: corrupted they would be refused or mean nothing, and no name would be seen.
var structural = regexp.MustCompile(
	`^((application|job|task|attempt|appattempt|container)_[0-9_a-z]+|[A-Z_]*|[-0-9.]+|true|false|https?://.*|org\.apache\..*)$`)

// corruptNames puts hostile behind the first line of every text of a JSON value, but for keys and structural texts.
func corruptNames(v any) any {
	switch v := v.(type) {
	case string:
		if !structural.MatchString(v) {
			first, rest, more := strings.Cut(v, "\n")
			if more {
				rest = "\n" + rest
			}
			return first + hostile + rest
		}
	case []any:
		for i := range v {
			v[i] = corruptNames(v[i])
		}
	case map[string]any:
		property, _ := v["name"].(string)
		for k := range v {
			if k == "name" && (strings.HasPrefix(property, "mapreduce.") || strings.HasPrefix(property, "pig.") ||
				strings.HasPrefix(property, "yarn.")) {
				continue
			}
			v[k] = corruptNames(v[k])
		}
	}
	return v
}

// corruptedJSON returns a JSON text with hostile names; other text stays.
func corruptedJSON(t *testing.T, b []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return b
	}
	b, err := json.Marshal(corruptNames(v))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// texts returns the fields that hold a corrupted name, and fails where one of them is not clean.
func texts(t *testing.T, found map[string]bool, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			texts(t, found, path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			texts(t, found, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			texts(t, found, path, v.Index(i))
		}
	case reflect.String:
		s := v.String()
		if dag.Clean(s) != s {
			t.Errorf("%s is %q", path, s)
		}
		if strings.Contains(s, begun) {
			found[path] = true
		}
	}
}

type source interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}

// clean checks that a source's snapshots are clean, and that a corrupted name has reached each of the fields of want.
func clean(t *testing.T, src source, want ...string) {
	t.Helper()
	found := map[string]bool{}
	for {
		s, err := src.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if texts(t, found, "", reflect.ValueOf(s)); t.Failed() {
			return
		}
	}
	for _, w := range want {
		if !found[w] {
			t.Errorf("no spoilt name has reached %s: it is not known to be clean", w)
		}
	}
}

// spoiled is a run with hostile texts, its ids aside.
type corruptedNames struct{ source }

func (s corruptedNames) Next(ctx context.Context) (*dag.Snapshot, error) {
	snap, err := s.source.Next(ctx)
	if err != nil {
		return nil, err
	}
	corruptFields(reflect.ValueOf(snap).Elem())
	return snap, nil
}

func corruptFields(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			// What snapshots share is corrupted in a copy.
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			corruptFields(c.Elem())
			v.Set(c)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				corruptFields(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(c, v)
		for i := range c.Len() {
			corruptFields(c.Index(i))
		}
		v.Set(c)
	case reflect.String:
		if !structural.MatchString(v.String()) {
			v.SetString(v.String() + hostile)
		}
	}
}

// run is a run on YARN of a plan with every text set, with failures and another application.
func run(t *testing.T) source {
	t.Helper()
	plan, err := planfile.Read(strings.NewReader(`
name: a.pig
cluster: {policy: yarn, nodes: [{name: "n0:8042", memory: 4GB}, {name: "n1:8042", memory: 4GB}]}
jobs:
  - {name: scope-1, title: "PigLatin:a.pig", feature: HASH_JOIN, alias: "a,b", input: [/in/a], map: {tasks: 8, records: 1000, cost: 5ms}, reduce: {tasks: 2, records: 1000, cost: 5ms}}
  - {name: scope-2, title: "PigLatin:a.pig", feature: SAMPLER, alias: c, input: [/in/c], after: [scope-1], map: {tasks: 2, records: 1000, cost: 5ms}}
`), planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := simulate.New(plan, simulate.Options{
		Start: 1_795_222_440_184, Queue: "root.default", User: "ana",
		Fail: []simulate.Failure{{Job: "scope-1", Stage: dag.Map, Task: 1, After: 2 * time.Second}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestTape(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	src := recording.Tee(corruptedNames{run(t)}, &b)
	for {
		if _, err := src.Next(t.Context()); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	r, err := recording.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	clean(t, r, ".Plan.Name", ".Plan.Jobs.Node", ".Plan.Jobs.Name", ".User", ".Queue", ".Nodes.Name",
		".Jobs.Stages.Attempts.Diagnosis")
}

// hostileCluster corrupts what a played cluster answers.
type hostileCluster struct {
	t *testing.T
	*restsim.Cluster
}

func (c hostileCluster) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.Cluster.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	b = corruptedJSON(c.t, b)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// watchedNames is a source with a cluster that moves on after each observation.
type watchedNames struct {
	*mapreduce.Source
	cluster *restsim.Cluster
}

func (w watchedNames) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := w.Source.Next(ctx)
	if err == nil {
		err = w.cluster.Advance(ctx, w.cluster.Now().Add(5*time.Second))
	}
	return s, err
}

// TestHadoop is a live cluster, and its capture.
func TestHadoop(t *testing.T) {
	t.Parallel()
	c, err := restsim.New(t.Context(), run(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "run.capture")
	w, err := recording.CreateAnswers(file, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
		rest.Options{Transport: w.Layer(hostileCluster{t, c}), Now: c.Now})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".Plan.Name", ".Plan.Jobs.Node", ".Plan.Jobs.Name", ".Plan.Jobs.Alias", ".Plan.Jobs.Input", ".ID", ".User",
		".Queue", ".Queues.Name",
		".Nodes.Name", ".Plan.Cluster.Nodes.Name", ".Jobs.Master", ".Jobs.Stages.Attempts.Diagnosis",
	}
	clean(t, watchedNames{mapreduce.NewSource(client, yarn.Target{}), c}, want...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	src, err := engine.Replay(rec, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clean(t, src, want...)
}

func TestPlanFile(t *testing.T) {
	t.Parallel()
	src, err := run(t).Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan := *src.Plan
	corruptFields(reflect.ValueOf(&plan).Elem())
	for name, write := range map[string]func(io.Writer, *dag.Plan) error{
		"plan.yaml": planfile.Write,
		"plan.json": planfile.WriteJSON,
	} {
		var b bytes.Buffer
		if err := write(&b, &plan); err != nil {
			t.Fatal(err)
		}
		p, err := planfile.Read(&b, planfile.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		texts(t, found, "", reflect.ValueOf(p))
		for _, want := range []string{
			".Name", ".Jobs.Node", ".Jobs.Name", ".Jobs.Input", ".Jobs.Alias",
			".Cluster.Nodes.Name",
		} {
			if !found[want] {
				t.Errorf("%s: no spoilt name has reached %s", name, want)
			}
		}
	}
}

// TestHistory is the files of Hadoop's own history, and Rumen's traces of them.
func TestHistory(t *testing.T) {
	t.Parallel()
	b := fixtures.Read(t, "../../adapters/history/testdata/failure.jhist.gz")
	lines := bytes.Split(b, []byte("\n"))
	for i := range lines[2:] {
		lines[2+i] = corruptedJSON(t, lines[2+i])
	}
	runs, err := history.Read(bytes.NewReader(bytes.Join(lines, []byte("\n"))))
	if err != nil {
		t.Fatal(err)
	}
	runs[0].Configure([]mapreduce.Property{
		{Name: "mapreduce.workflow.id", Value: "pig_" + hostile},
		{Name: "mapreduce.workflow.name", Value: "a.pig" + hostile},
		{Name: "mapreduce.workflow.node.name", Value: "scope-1" + hostile},
		{Name: "mapreduce.workflow.adjacency.scope-1" + hostile, Value: "scope-2" + hostile},
	})
	ofHistory(t, runs, ".Plan.Name", ".Plan.Jobs.Node", ".Plan.Jobs.Name", ".User", ".Queue", ".Nodes.Name",
		".Jobs.Stages.Attempts.Diagnosis")

	trace := corruptedJSON(t, []byte(
		`{"jobID": "job_201009241532_0001", "user": "ana", "jobName": "first", "queue": "default", "submitTime": 1285322645148,
		"launchTime": 1285322645614, "finishTime": 1285322675837, "outcome": "SUCCESS", "totalMaps": 1, "totalReduces": 0, "mapTasks": [{"attempts": [
		{"attemptID": "attempt_201009241532_0001_m_000000_0", "result": "SUCCESS", "hostName": "/rack/a", "startTime": 1285322650000, "finishTime": 1285322651000}]}]}`))
	jobs, err := history.Read(bytes.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	ofHistory(t, jobs, ".Plan.Name", ".Plan.Jobs.Name", ".User", ".Queue", ".Nodes.Name")
}

// ofHistory is clean of the one workflow of jobs.
func ofHistory(t *testing.T, jobs []*history.Job, want ...string) {
	t.Helper()
	src, err := history.NewSource(history.Group(jobs)[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	clean(t, src, want...)
}

func TestState(t *testing.T) {
	t.Parallel()
	store, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update("a.pig"+hostile, func(w *state.Workflow) error {
		w.Runs = append(w.Runs, state.Run{ID: "1"})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if names, err := store.List(); err != nil || len(names) != 1 || names[0] != "a.pig"+marked {
		t.Errorf("it lists %q, %v", names, err)
	}
	if w, err := store.Read("a.pig" + marked); err != nil || len(w.Runs) != 1 {
		t.Errorf("under the clean name there is %+v, %v", w, err)
	}
}
