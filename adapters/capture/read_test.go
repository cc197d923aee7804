package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/mutate"
)

func line(t int64, path, body string) string {
	return fmt.Sprintf(`{"t":%d,"ms":2.5,"date":"Sat, 21 Nov 2026 00:57:06 GMT","url":"http://rm:8088%s","status":200,"type":"application/json","body":%q}`+"\n", t, path, body)
}

func TestVirtualTime(t *testing.T) {
	rec, err := Read(strings.NewReader(line(1000, "/ws/v1/cluster/apps?x=1", "one") +
		line(3000, "/ws/v1/cluster/apps?x=2", "two") +
		line(4000, "/ws/v1/cluster/metrics", "m") +
		`{"t":4000,"ms":1,"url":"http://rm:8088/proxy/a","status":302,"type":"text/html","body":"Location: http://jhs:19888/jobhistory"}` + "\n" +
		`{"t":4000,"ms":1,"url":"http://rm:8088/proxy/b","status":0,"body":"connection refused"}` + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(rec)
	get := func(at dag.Instant, path string) (int, string, http.Header) {
		p.Seek(at)
		req, _ := http.NewRequest(http.MethodGet, "https://elsewhere"+path+"?y=3", nil)
		resp, err := p.RoundTrip(req)
		if err != nil {
			return 0, err.Error(), nil
		}
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b), resp.Header
	}
	for _, c := range []struct {
		at     dag.Instant
		path   string
		status int
		body   string
	}{
		{999, "/ws/v1/cluster/apps", 404, ""},
		{1000, "/ws/v1/cluster/apps", 200, "one"},
		{2999, "/ws/v1/cluster/apps", 200, "one"},
		{3000, "/ws/v1/cluster/apps", 200, "two"},
		{9e9, "/ws/v1/cluster/apps", 200, "two"},
		{9e9, "/ws/v1/cluster/nodes", 404, ""},
		{9e9, "/proxy/a", 302, ""},
		{9e9, "/proxy/b", 0, "recorded: connection refused"},
	} {
		status, body, h := get(c.at, c.path)
		if status != c.status || status != 404 && body != c.body {
			t.Errorf("%v %s: %d %q", c.at, c.path, status, body)
		}
		if status == 302 && h.Get("Location") != "http://jhs:19888/jobhistory" {
			t.Errorf("location %q", h.Get("Location"))
		}
		if status == 200 && h.Get("Date") == "" {
			t.Error("no date")
		}
	}
	if got := rec.ticks(); !slices.Equal(got, []dag.Instant{1000, 4000}) {
		t.Errorf("ticks %v", got)
	}
	if got := thin([]dag.Instant{0, 1000, 2000, 3000, 4000, 4500}, 2e9); !slices.Equal(got,
		[]dag.Instant{0, 2000, 4000, 4500}) {
		t.Errorf("thinned %v", got)
	}
	p.Seek(3500)
	if p.Made("/ws/v1/cluster/apps") != 3000 || p.Made("/ws/v1/cluster/metrics").Known() {
		t.Error("when an answer was made")
	}
	post, _ := http.NewRequest(http.MethodPost, "http://rm/ws/v1/cluster/apps", strings.NewReader("x"))
	if _, err := p.RoundTrip(post); err == nil {
		t.Error("a POST is answered")
	}
}

// TestOrder: lines in any order, and twice, are the same recording.
func TestOrder(t *testing.T) {
	var lines []string
	for i := range int64(50) {
		lines = append(lines, line(1000+i*100, "/ws/v1/cluster/apps", fmt.Sprint(i)),
			line(1000+i*100, fmt.Sprint("/ws/v1/cluster/", i%7), fmt.Sprint(i)))
	}
	want, err := Read(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	lines = append(lines, lines[10:30]...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	got, err := Read(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.paths) != len(want.paths) || got.First != want.First || got.Last != want.Last {
		t.Fatalf("%d paths, %v to %v", len(got.paths), got.First, got.Last)
	}
	for path, list := range want.paths {
		if !slices.Equal(got.paths[path], list) {
			t.Errorf("%s: %v, want %v", path, got.paths[path], list)
		}
	}
}

func TestPacked(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("long", 10_000), strings.Repeat("x", packed)} {
		b := pack(text)
		if b.String() != text || len(text) >= packed && b.size() > len(text)/10 {
			t.Errorf("%d characters are %d in %d bytes", len(text), len(b.String()), b.size())
		}
	}
}

// TestByteOrderMark: an answer with a byte order mark names its applications.
func TestByteOrderMark(t *testing.T) {
	body := "\ufeff" + `{"apps":{"app":[{"id":"application_1_0001","applicationType":"MAPREDUCE","state":"RUNNING","startedTime":1000}]}}`
	r, err := Read(strings.NewReader(line(1000, appsPath, body)))
	if err != nil || len(r.submissions()) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTrouble(t *testing.T) {
	good := line(1000, "/ws/v1/cluster/apps", "x")
	for what, c := range map[string]struct {
		text  string
		lines int
		bad   int
		torn  bool
	}{
		"torn":         {good + good[:40], 1, 0, true},
		"no last LF":   {good + strings.TrimSpace(good), 2, 0, false},
		"garbage":      {"garbage\n" + good + "\n\n{\"a\":1}\n", 1, 2, false},
		"wrong types":  {good + `{"t":"now","url":"http://x/y","status":200}` + "\n", 1, 1, false},
		"no such URL":  {good + `{"t":1,"url":":","status":200}` + "\n", 1, 1, false},
		"silly times":  {good + line(-1, "/x", "") + `{"t":1e300,"url":"http://x/y","status":200}` + "\n", 1, 2, false},
		"version one":  {`{"version":1,` + good[1:], 1, 0, false},
		"unknown keys": {`{"more":[1],` + good[1:], 1, 0, false},
	} {
		rec, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if rec.Lines != c.lines || rec.Bad != c.bad || rec.Torn != c.torn {
			t.Errorf("%s: %d lines, %d bad, torn %v", what, rec.Lines, rec.Bad, rec.Torn)
		}
	}
	var version *VersionError
	if _, err := Read(strings.NewReader(good + `{"version":7,` + good[1:])); !errors.As(err, &version) ||
		version.Version != 7 || version.Line != 2 {
		t.Errorf("another version: %v", err)
	}
	for what, text := range map[string]string{
		"nothing": "", "text": "hello\nworld\n", "a tape": `{"tape":1}` + "\n",
		"zeros": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read", what)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestTornGzip: a gzipped recording cut anywhere is read up to the cut.
func TestTornGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i := range int64(200) {
		fmt.Fprint(z, line(1000+i, "/ws/v1/cluster/apps", strings.Repeat(fmt.Sprint(i*7919%1000), 20)))
		z.Flush()
	}
	z.Close()
	whole, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil || whole.Torn || whole.Lines != 200 {
		t.Fatalf("whole: %v %+v", err, whole)
	}
	before := 0
	for cut := 500; cut < b.Len(); cut += 311 {
		rec, err := Read(bytes.NewReader(b.Bytes()[:cut]))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if !rec.Torn || rec.Lines < before || rec.Lines > 200 {
			t.Errorf("cut at %d: %d lines, torn %v", cut, rec.Lines, rec.Torn)
		}
		before = rec.Lines
	}
}

// TestCutRecordings: a recording that breaks off plays to the break, and says so.
func TestCutRecordings(t *testing.T) {
	for _, file := range recordings(t)[:1] {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := Read(bytes.NewReader(raw[:len(raw)/2]))
		if err != nil {
			t.Fatal(err)
		}
		src, err := NewSource(rec, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			s, err := src.Next(context.Background())
			if err == nil {
				if s.State != dag.Running {
					t.Fatalf("snapshot %d is %v", n, s.State)
				}
				continue
			}
			var cut *CutOffError
			if !errors.As(err, &cut) || !cut.Torn || !errors.Is(err, io.ErrUnexpectedEOF) || n < 5 {
				t.Errorf("after %d snapshots: %v", n, err)
			}
			break
		}
	}
}

func FuzzRead(f *testing.F) {
	good := line(1000, "/ws/v1/cluster/apps",
		`{"apps":{"app":[{"id":"application_1_0001","state":"RUNNING","startedTime":1000}]}}`)
	f.Add([]byte(good + good))
	f.Add([]byte(good + line(2000, "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/conf", `{"conf":{}}`)))
	f.Add([]byte(good[:30]))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		src, err := NewSource(rec, Options{})
		if err != nil {
			return
		}
		for range 20 {
			if _, err := src.Next(context.Background()); err != nil {
				var missed *dag.MissedError
				if !errors.As(err, &missed) {
					return
				}
			}
		}
	})
}

// TestFlaws: what a recording's flaws mean for its snapshots is said in them, and a failed answer is a missed
// observation.
func TestFlaws(t *testing.T) {
	apps := `{"apps":{"app":[{"id":"application_1_0001","state":"RUNNING","startedTime":1000,"applicationType":"MAPREDUCE"}]}}`
	failed := strings.Replace(line(2000, appsPath, "broken"), `"status":200`, `"status":500`, 1)
	rec, err := Read(strings.NewReader(line(1000, appsPath, apps) + "garbage\n" + failed + line(3000, appsPath, apps) +
		`{"t":3`))
	if err != nil {
		t.Fatal(err)
	}
	src, err := NewSource(rec, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for range 4 {
		s, err := src.Next(context.Background())
		var missed *dag.MissedError
		switch {
		case errors.As(err, &missed):
			said = append(said, fmt.Sprint("missed ", missed.At))
		case err != nil:
			said = append(said, err.Error())
		default:
			codes := fmt.Sprint(s.At)
			for _, w := range s.Warnings {
				if w.Code == dag.WarnTornTape || strings.Contains(w.Text, "of the recording") {
					codes += " " + w.Code
				}
			}
			said = append(said, codes)
		}
	}
	want := []string{
		"1000 observation", "missed 2000", "3000 observation torn_tape",
		"capture: the recording breaks off in the middle of a line at 1970-01-01T00:00:03Z, before the workflow's end",
	}
	if !slices.Equal(said, want) {
		t.Errorf("got  %q\nwant %q", said, want)
	}
}

// TestEndlessBadLines: a file of bad lines alone is given up soon, in the line where it is.
func TestEndlessBadLines(t *testing.T) {
	good := line(1000, "/ws/v1/cluster/apps", `{}`)
	for _, bad := range []string{"x\n", "\n", "{}\n"} {
		if _, err := Read(mutate.Endless(good, bad)); err == nil ||
			!strings.Contains(err.Error(), "capture: line 1002: more than 1000 lines in a row") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
