package recording

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

func answerLine(t int64, path, body string) string {
	return fmt.Sprintf(`{"t":%d,"ms":2.5,"date":"Sat, 21 Nov 2026 00:57:06 GMT","url":"http://rm:8088%s","status":200,"type":"application/json","body":%q}`+"\n", t, path, body)
}

func TestVirtualTime(t *testing.T) {
	rec, err := ReadAnswers(strings.NewReader(answerLine(1000, "/ws/v1/cluster/apps?x=1", "one") +
		answerLine(3000, "/ws/v1/cluster/apps?x=2", "two") +
		answerLine(4000, "/ws/v1/cluster/metrics", "m") +
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
	if got := rec.Polls(isApps); !slices.Equal(got, []dag.Instant{1000, 4000}) {
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
		lines = append(lines, answerLine(1000+i*100, "/ws/v1/cluster/apps", fmt.Sprint(i)),
			answerLine(1000+i*100, fmt.Sprint("/ws/v1/cluster/", i%7), fmt.Sprint(i)))
	}
	want, err := ReadAnswers(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	lines = append(lines, lines[10:30]...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	got, err := ReadAnswers(strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	if got.First != want.First || got.Last != want.Last {
		t.Fatalf("%v to %v", got.First, got.Last)
	}
	is, was := NewPlayer(got), NewPlayer(want)
	for at := want.First; at <= want.Last; at += 50 {
		is.Seek(at)
		was.Seek(at)
		for path := range was.answers {
			a, _ := is.answer(&url.URL{Path: path})
			b, _ := was.answer(&url.URL{Path: path})
			if (a == nil) != (b == nil) || a != nil && (a.At != b.At || a.Text() != b.Text()) {
				t.Errorf("%s at %v: %v, want %v", path, at, a, b)
			}
		}
	}
}

func TestPacked(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("long", 10_000), strings.Repeat("x", 16<<10)} {
		b := pack(text)
		if b.String() != text || len(text) > 1000 && len(b) > len(text)/10 {
			t.Errorf("%d characters are %d in %d bytes", len(text), len(b.String()), len(b))
		}
	}
}

func TestTrouble(t *testing.T) {
	good := answerLine(1000, "/ws/v1/cluster/apps", "x")
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
		"silly times":  {good + answerLine(-1, "/x", "") + `{"t":1e300,"url":"http://x/y","status":200}` + "\n", 1, 2, false},
		"version one":  {`{"version":1,` + good[1:], 1, 0, false},
		"unknown keys": {`{"more":[1],` + good[1:], 1, 0, false},
	} {
		rec, err := ReadAnswers(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if len(rec.All()) != c.lines || rec.Bad != c.bad || rec.Torn != c.torn {
			t.Errorf("%s: %d lines, %d bad, torn %v", what, len(rec.All()), rec.Bad, rec.Torn)
		}
	}
	var version *LineError
	if _, err := ReadAnswers(strings.NewReader(good + `{"version":7,` + good[1:])); !errors.As(err, &version) ||
		!strings.Contains(err.Error(), "line 2: it is of version 7") {
		t.Errorf("another version: %v", err)
	}
	for what, text := range map[string]string{
		"nothing": "", "text": "hello\nworld\n", "a tape": `{"tape":1}` + "\n",
		"zeros": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00",
	} {
		if _, err := ReadAnswers(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read", what)
		}
	}
}

// TestTornGzip: a gzipped recording cut anywhere is read up to the cut.
func TestTornGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i := range int64(200) {
		fmt.Fprint(z, answerLine(1000+i, "/ws/v1/cluster/apps", strings.Repeat(fmt.Sprint(i*7919%1000), 20)))
		z.Flush()
	}
	z.Close()
	whole, err := ReadAnswers(bytes.NewReader(b.Bytes()))
	if err != nil || whole.Torn || len(whole.All()) != 200 {
		t.Fatalf("whole: %v %+v", err, whole)
	}
	before := 0
	for cut := 500; cut < b.Len(); cut += 311 {
		rec, err := ReadAnswers(bytes.NewReader(b.Bytes()[:cut]))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if !rec.Torn || len(rec.All()) < before || len(rec.All()) > 200 {
			t.Errorf("cut at %d: %d lines, torn %v", cut, len(rec.All()), rec.Torn)
		}
		before = len(rec.All())
	}
}

// TestEndlessBadAnswers: a file of bad lines alone is an error soon, with the line.
func TestEndlessBadAnswers(t *testing.T) {
	good := answerLine(1000, "/ws/v1/cluster/apps", `{}`)
	for _, bad := range []string{"x\n", "\n", "{}\n"} {
		if _, err := ReadAnswers(fixtures.Endless(good, bad)); err == nil ||
			!strings.Contains(err.Error(), "recording: line 1002: more than 1000 lines in a row") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

const appsPath = "/ws/v1/cluster/apps"

func isApps(u *url.URL) bool { return u.Path == appsPath }

// A tick shows all its requests. The response of a master in the last tick before it ends would be lost
// otherwise, the final counters of its tasks among it.
func TestATickHasAllItsAnswers(t *testing.T) {
	const task = "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_r_000000/counters"
	text := answerLine(1000, appsPath, "a") + answerLine(1020, task, "early") + answerLine(1090, task, "b") +
		answerLine(3990, "/ws/v1/cluster/metrics", "m") + answerLine(4000, appsPath, "c") + answerLine(4400, task, "d") +
		answerLine(7000, appsPath, "e") + answerLine(7100, task, "f")
	rec, err := ReadAnswers(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rec.Polls(isApps), []dag.Instant{1090, 4400, 7100}; !slices.Equal(got, want) {
		t.Fatalf("ticks at %v, want %v", got, want)
	}
	p := NewPlayer(rec)
	p.Seek(4400)
	if a, _ := p.answer(&url.URL{Path: task}); a.Text() != "d" {
		t.Errorf("the second tick shows %q", a.Text())
	}
}
