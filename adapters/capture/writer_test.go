package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// TestRecordedAgain: a recording that is watched and recorded again plays to the same end.
func TestRecordedAgain(t *testing.T) {
	for _, file := range recordings(t) {
		if name := filepath.Base(file); !strings.HasPrefix(name, "join-1") && !strings.HasPrefix(name, "failing") &&
			!strings.HasPrefix(name, "v350") {
			continue
		}
		rec := open(t, file)
		player := NewPlayer(rec)
		to := filepath.Join(t.TempDir(), "again.jsonl.gz")
		w, err := Create(to, player.Now)
		if err != nil {
			t.Fatal(err)
		}
		client, err := mapreduce.NewClient(hadoopconf.Site{RMs: []hadoopconf.Manager{{URL: rec.rm}}, JHS: rec.rm},
			rest.Options{User: "alice", Transport: player, Now: player.Now, Tap: w.Layer})
		if err != nil {
			t.Fatal(err)
		}
		target, err := rec.target("")
		if err != nil {
			t.Fatal(err)
		}
		target.Made = player.Made
		src := mapreduce.NewSource(client, target)
		var last *dag.Snapshot
		for _, at := range rec.ticks() {
			player.Seek(at)
			s, err := src.Next(context.Background())
			if err == io.EOF {
				break
			}
			if err == nil {
				last = s
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		run, _ := play(t, open(t, to), Options{})
		got := run[len(run)-1]
		if got.ID != last.ID || got.State != last.State || len(got.Jobs) != len(last.Jobs) {
			t.Fatalf("%s: %s %v, %d jobs; it was %s %v, %d jobs", file, got.ID, got.State, len(got.Jobs), last.ID,
				last.State, len(last.Jobs))
		}
		for i := range got.Jobs {
			a, b := &got.Jobs[i], &last.Jobs[i]
			if a.Submitted != b.Submitted || a.Finished != b.Finished ||
				len(a.Stages[dag.Map].Attempts) != len(b.Stages[dag.Map].Attempts) {
				t.Errorf("%s: job %d is %v-%v with %d maps, it was %v-%v with %d", file, i, a.Submitted, a.Finished,
					len(a.Stages[dag.Map].Attempts), b.Submitted, b.Finished, len(b.Stages[dag.Map].Attempts))
			}
		}
		if _, err := Create(to, player.Now); err == nil {
			t.Error("a capture that exists is overwritten")
		}
	}
}

// sink is a file that a test reads back.
type sink struct {
	strings.Builder
	fail error
}

func (s *sink) Write(b []byte) (int, error) {
	if s.fail != nil {
		return 0, s.fail
	}
	return s.Builder.Write(b)
}

func (s *sink) Close() error { return nil }

func exchange(t *testing.T, w *Writer, address, kind, body string, header http.Header) error {
	t.Helper()
	next := layer(func(r *http.Request) (*http.Response, error) {
		if body == "no answer" {
			return nil, errors.New("dial http://alice:hunter2@rm: refused")
		}
		h := http.Header{
			"Content-Type": {kind}, "Date": {"Sat, 21 Nov 2026 00:57:06 GMT"},
			"Set-Cookie": {"hadoop.auth=hunter2"},
		}
		status := 200
		if to := header.Get("Location"); to != "" {
			h.Set("Location", to)
			status = 302
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	})
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.Layer(next).RoundTrip(&http.Request{
		Method: http.MethodGet, URL: u,
		Header: http.Header{"Authorization": {"Negotiate hunter2"}, "Cookie": {"hadoop.auth=hunter2"}},
	})
	if err != nil {
		return err
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil || string(got) != body {
		t.Errorf("the layer changed the answer: %q, %v", got, err)
	}
	return resp.Body.Close()
}

// TestSecrets: nothing secret reaches a capture.
func TestSecrets(t *testing.T) {
	var out sink
	w := NewWriter(&out, false, func() dag.Instant { return 1000 })
	conf := `{"conf":{"path":"x","property":[` +
		`{"name":"fs.s3a.access.key","value":"hunter2","source":["a"]},{"name":"javax.jdo.option.ConnectionPassword","value":"hunter2"},` +
		`{"name":"hadoop.security.credential.provider.path","value":"hunter2"},{"name":"dfs.token","value":"hunter2"},{"name":"my.Secret","value":["hunter2"]},` +
		`{"name":"pig.script","value":"hunter2"},{"name":"pig.cmd.args","value":"-Dx=hunter2"},{"name":"mapreduce.map.env","value":"A=hunter2"},` +
		`{"name":"mapreduce.map.java.opts","value":"-Xmx160m -Djavax.net.ssl.keyStorePassword=hunter2 -Dx=y"},` +
		`{"name":"pig.input.dirs","value":"s3a://AKIA:hunter2@bucket/in"},{"name":"jdbc.url","value":"jdbc:mysql://root:hunter2@db/x"},` +
		`{"name":"mapreduce.workflow.name","value":"select a\nfrom t where p = 'hunter2'"},{"name":"mapreduce.job.name","value":"select a where p='hun...ter2'(Stage-1)"},` +
		`{"name":"hive.query.string","value":"hunter2"},` +
		`{"name":"mapreduce.workflow.id","value":"pig_1"},{"name":"big","value":"` + strings.Repeat("b", 5000) +
		`"},{"name":"n","value":5}]}}`
	const at = "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/"
	for _, c := range []struct{ address, kind, body string }{
		{"http://rm" + at + "conf", "application/json", conf},
		{"http://rm" + at + "conf", "application/json", `{"conf":{"property":[{"name":"dfs.token","value":"hunter2`},
		{
			"http://alice:hunter2@rm/ws/v1/cluster/apps?user.name=hunter2&delegation=hunter2&states=RUNNING",
			"application/json", `{"apps":{}}`,
		},
		{
			"http://rm" + at, "application/json",
			`{"job":{"diagnostics":"java -Dpassword=hunter2 failed at http://u:hunter2@h/"}}`,
		},
		{
			"http://rm/ws/v1/cluster/apps", "application/json",
			`{"apps":{"app":[{"name":"select a where p=\"hunter2\" (Stage-12)","x":"kept"}]}}`,
		},
		{"http://rm/x", "", "no answer"},
	} {
		_ = exchange(t, w, c.address, c.kind, c.body, nil)
	}
	_ = exchange(t, w, "http://rm/proxy/a", "text/html", "",
		http.Header{"Location": {"http://jhs/x?delegation=hunter2"}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is in it:\n%s", text)
	}
	for _, kept := range []string{
		"pig_1", "-Xmx160m", "states=RUNNING", `"version":1`, "bucket/in", "-Dx=y",
		`"status":302`, `"status":0`, `(Stage-12)`, `"x":"kept"`,
	} {
		if !strings.Contains(text, kept) && !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	if strings.Contains(text, strings.Repeat("b", 1001)) {
		t.Error("a long value is not cut")
	}
	rec, err := Read(strings.NewReader(text))
	if err != nil || rec.Lines != 7 || rec.Bad != 0 {
		t.Errorf("read back: %v %+v", err, rec)
	}
}

// TestCrash: what a capture that nobody closed holds of the ticks before its last one.
func TestCrash(t *testing.T) {
	for _, zipped := range []bool{false, true} {
		var out sink
		w := NewWriter(&out, zipped, func() dag.Instant { return 1000 })
		for range 3 {
			for _, path := range []string{appsPath, "/ws/v1/cluster/metrics"} {
				if err := exchange(t, w, "http://rm"+path, "application/json", "{}", nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if rec, err := Read(strings.NewReader(out.String())); err != nil || rec.Lines != 4 {
			t.Errorf("zipped %v: %v %+v", zipped, err, rec)
		}
	}
}

// TestFullDisk: watching goes on, Close tells.
func TestFullDisk(t *testing.T) {
	full := errors.New("no space left on device")
	w := NewWriter(&sink{fail: full}, true, func() dag.Instant { return 1000 })
	for range 3 {
		if err := exchange(t, w, "http://rm/ws/v1/cluster/apps", "application/json", "{}", nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close says %v", err)
	}
}

// TestChoice: a workflow is chosen by its id, a job's or an application's; what is not there is told with what is.
func TestChoice(t *testing.T) {
	for _, file := range recordings(t) {
		if !strings.HasPrefix(filepath.Base(file), "two-1") {
			continue
		}
		rec := open(t, file)
		first, _ := play(t, rec, Options{})
		id := first[len(first)-1].ID
		for _, choice := range []string{id, first[0].Jobs[0].ID, strings.Replace(first[0].Jobs[0].ID, "job",
			"application", 1)} {
			run, _ := play(t, rec, Options{Workflow: choice})
			if len(run) != len(first) || run[len(run)-1].ID != id {
				t.Errorf("%s: %d snapshots of %s, want %d of %s", choice, len(run), run[len(run)-1].ID, len(first), id)
			}
		}
		var unknown *UnknownError
		if _, err := NewSource(rec, Options{Workflow: "pig_none"}); !errors.As(err, &unknown) ||
			len(unknown.Holds) < 4 || !strings.Contains(err.Error(), id) {
			t.Errorf("an unknown workflow: %v", err)
		}
		other, ids := "", rec.workflows()
		for _, a := range rec.submissions() {
			if strings.HasSuffix(a.Name, "skew.pig") && a.Submitted > rec.First {
				other = ids[a.Job()]
			}
		}
		run, _ := play(t, rec, Options{Workflow: other, Every: 5e9})
		if last := run[len(run)-1]; last.ID != other || last.State != dag.Succeeded || len(last.Jobs) != 1 {
			t.Errorf("the other workflow: %s %v, %d jobs", last.ID, last.State, len(last.Jobs))
		}
	}
}

// TestFirstWorkflow: a job submitted after the recording began may belong to a workflow that began before.
func TestFirstWorkflow(t *testing.T) {
	app := func(n, at int) string {
		return fmt.Sprintf(`{"id":"application_1_%04d","startedTime":%d,"applicationType":"MAPREDUCE","state":"RUNNING"}`, n, at)
	}
	conf := func(n int, workflow string) string {
		return line(1100, fmt.Sprintf("/proxy/application_1_%04d/ws/v1/mapreduce/jobs/job_1_%04d/conf", n, n),
			`{"conf":{"property":[{"name":"mapreduce.workflow.id","value":"`+workflow+`"}]}}`)
	}
	for want, apps := range map[string][]string{
		"application_1_0003": {app(1, 500), app(2, 1500), app(3, 1600), app(4, 1700)},
		"application_1_0002": {app(2, 1500), app(3, 1600)},
		"":                   {app(1, 500)},
	} {
		rec, err := Read(strings.NewReader(line(1000, appsPath, `{"apps":{"app":[`+strings.Join(apps, ",")+`]}}`) +
			conf(1, "old") + conf(2, "old") + conf(3, "new") + conf(4, "new")))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rec.target(""); got.ID != want || err != nil {
			t.Errorf("chosen is %q, want %q; %v", got.ID, want, err)
		}
	}
}
