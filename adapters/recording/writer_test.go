package recording

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

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

// unpacked returns the text of a recording.
func unpacked(t *testing.T, file string) string {
	t.Helper()
	in, err := input.Unpack(strings.NewReader(file), 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

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

// TestSecrets: nothing secret is recorded.
func TestSecrets(t *testing.T) {
	var out sink
	w := NewWriter(&out, func() dag.Instant { return 1000 })
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
	text := unpacked(t, out.String())
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is in it:\n%s", text)
	}
	for _, kept := range []string{
		"pig_1", "-Xmx160m", "states=RUNNING", `{"paratimer_recording":1,"of":"answers"}`, "bucket/in", "-Dx=y",
		`"status":302`, `"status":0`, `(Stage-12)`, `"x":"kept"`,
	} {
		if !strings.Contains(text, kept) && !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	if strings.Contains(text, strings.Repeat("b", 1001)) {
		t.Error("a long value is not cut")
	}
	rec, err := ReadAnswers(strings.NewReader(text))
	if err != nil || len(rec.All()) != 7 || rec.Bad != 0 {
		t.Errorf("read back: %v %+v", err, rec)
	}
}

// TestCrash: a recording that was never closed has all answers.
func TestCrash(t *testing.T) {
	var out sink
	w := NewWriter(&out, func() dag.Instant { return 1000 })
	for n := range 6 {
		if err := exchange(t, w, "http://rm"+appsPath, "application/json", "{}", nil); err != nil {
			t.Fatal(err)
		}
		rec, err := ReadAnswers(strings.NewReader(out.String()))
		if err != nil || len(rec.All()) != n+1 || rec.Bad != 0 || !rec.Torn {
			t.Errorf("answer %d: %v %+v", n, err, rec)
		}
	}
}

// TestFullDiskOfAnswers: watching goes on, Close returns the error.
func TestFullDiskOfAnswers(t *testing.T) {
	full := errors.New("no space left on device")
	w := NewWriter(&sink{fail: full}, func() dag.Instant { return 1000 })
	for range 3 {
		if err := exchange(t, w, "http://rm/ws/v1/cluster/apps", "application/json", "{}", nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: got %v", err)
	}
}

// endless is a body without an end. It counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return len(b), nil
}

func (e *endless) Close() error { return nil }

// A client bounds what it reads of a response. Recording reads no more.
func TestRecordingReadsNoMore(t *testing.T) {
	t.Parallel()
	body := &endless{}
	w := NewWriter(&sink{}, func() dag.Instant { return 0 })
	client := http.Client{Transport: w.Layer(layer(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
	}))}
	resp, err := client.Get("http://host/ws/v1/cluster/apps")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || body.read > 100 {
		t.Errorf("%d bytes are read, the client has read 100 (%v)", body.read, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// Whatever changes between two snapshots, the change turns the first one into the second, bit by bit, and leaves the
// first one as it was.
func TestChangeOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, v := drawSnapshot(t, "old"), drawSnapshot(t, "new")
		text := func(old, now *dag.Snapshot) []byte {
			b, err := json.Marshal(changeOf(old, now))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		var c change
		before := text(&dag.Snapshot{}, old)
		if err := json.Unmarshal(text(old, v), &c); err != nil {
			t.Fatal(err)
		}
		got, err := c.apply(old, nil, 1<<24)
		if err != nil {
			t.Fatalf("%v in %s", err, text(old, v))
		}
		if d := difference(*v, *got); d != "" {
			t.Fatalf("%s, after %s", d, text(old, v))
		}
		if after := text(&dag.Snapshot{}, old); string(after) != string(before) {
			t.Fatalf("the older snapshot was %s, is %s", before, after)
		}
		if again := text(v, got); string(again) != "{}" {
			t.Fatalf("equal snapshots differ by %s", again)
		}
	})
}
