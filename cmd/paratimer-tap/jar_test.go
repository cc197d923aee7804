//go:build unix

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/measure"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/sketch"
)

// replay compiles those of the jar's classes that are independent of Hadoop, once for all tests.
var replay = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "paratimer-tap-jar-")
	if err != nil {
		return "", err
	}
	args := []string{
		"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "--release", "8", "-Xlint:-options", "-encoding", "UTF-8", "-d", folder, "testdata/Replay.java",
		"testdata/Ends.java",
	}
	for _, class := range []string{
		"Batch", "Care", "Client", "Clusters", "Groups", "Post", "Rounds",
		"Text",
	} {
		args = append(args, "java/com/github/paratimer/tap/"+class+".java")
	}
	if out, err := exec.Command("javac", args...).CombinedOutput(); err != nil {
		return folder, fmt.Errorf("%w\n%s", err, out)
	}
	return folder, nil
})

// A step is a group that begins at an instant, in nanoseconds.
type step struct {
	at    int64
	bytes int
}

// values are the lengths of the values of two records that have a group's bytes together.
func (s step) values(key int) []int {
	left := s.bytes - 2*sketch.RecordBytes(key, 0)
	for first := 0; ; first++ {
		// The length before a value has one byte up to 127, and more from there on: not every sum can be had with any
		// first.
		for second := max(0, left-first-4); second <= left-first; second++ {
			if sketch.RecordBytes(key, first)+sketch.RecordBytes(key, second) == s.bytes {
				return []int{first, second}
			}
		}
	}
}

// classes is where the jar's classes are, and those that play them.
func classes(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"javac", "java"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s on the PATH, so the jar's classes were not tried", tool)
		}
	}
	folder, err := replay()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// java runs the jar's classes on a script. It returns how long their end took, and their lines in the task's log.
func java(t *testing.T, server, token, spool string, every time.Duration, limits measure.Limits,
	script io.Reader,
) (took time.Duration, logged string) {
	t.Helper()
	folder := classes(t)
	host, port, err := net.SplitHostPort(server)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", folder,
		"com.github.paratimer.tap.Replay", host, port, token, spool, strconv.FormatInt(every.Milliseconds(), 10),
		strconv.FormatInt(limits.Bytes, 10), strconv.Itoa(limits.Groups), strconv.FormatInt(limits.Near.Milliseconds(),
			10))
	cmd.Stdin = script
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	millis, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(millis) * time.Millisecond, errs.String()
}

// written is a script as the jar's test reads it, and the end of it.
func written(steps []step, end int64) (groups, last string) {
	var b strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&b, "%d key%06d %d\n", s.at, i, s.bytes)
	}
	return b.String(), fmt.Sprintf("%d\n", end)
}

// script is groups of many sizes, as in a skewed job. The time of a group is the square of its size, with some noise.
func script(n int) (steps []step, end int64) {
	r := rand.New(rand.NewPCG(3, 4))
	now := int64(5e9)
	for range n {
		size := 24 + int(10*math.Exp(9*r.Float64()*r.Float64()*r.Float64()))
		steps = append(steps, step{now, size})
		now += int64(float64(size*size) * 100 * math.Exp(0.1*r.NormFloat64()))
	}
	return steps, now
}

// TestJarMeasuresAsTheTap plays one script to the jar and to the tap, which see the same groups at the same instants.
func TestJarMeasuresAsTheTap(t *testing.T) {
	t.Parallel()
	steps, end := script(3000)
	begun, last := written(steps, end)
	for name, limits := range map[string]measure.Limits{
		"the paper's": measure.DefaultLimits(),
		"others":      {Bytes: 200, Groups: 7, Near: 20 * time.Millisecond},
		"none":        {Bytes: 0, Groups: 1, Near: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got tap.Batch
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				b, err := tap.Decode(req.Body)
				if err != nil || req.URL.Path != tap.Path || req.Header.Get("Authorization") != "Bearer secret" {
					t.Errorf("%v, %s, %v", err, req.URL, req.Header)
				}
				got = b
				w.WriteHeader(http.StatusNoContent)
			}))
			defer s.Close()
			_, logged := java(t, s.Listener.Addr().String(), "secret", "", time.Hour, limits,
				strings.NewReader(begun+last))
			if logged != "" || !got.Final || got.Seq != 0 {
				t.Errorf("log %q; batch %d, final: %v", logged, got.Seq, got.Final)
			}
			want := tapMeasures(steps, end, limits)
			order := func(points []tap.Point) []tap.Point {
				slices.SortFunc(points, func(a, b tap.Point) int {
					return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Seconds, b.Seconds))
				})
				return points
			}
			order(got.Points)
			if len(got.Points) != len(order(want)) {
				t.Fatalf("%d points, the tap has %d", len(got.Points), len(want))
			}
			for i, p := range got.Points {
				w := want[i]
				if math.Abs(p.Bytes-w.Bytes) > 1e-6*w.Bytes || math.Abs(p.Seconds-w.Seconds) > 2e-5*w.Seconds ||
					p.Count != w.Count || math.Abs(p.Age-w.Age) > 1 {
					t.Fatalf("point %d: %+v, the tap has %+v", i, p, w)
				}
			}
		})
	}
}

// tapMeasures plays a script to the tap: the first record of each group is taken alone.
func tapMeasures(steps []step, end int64, limits measure.Limits) []tap.Point {
	var stream []byte
	var taken []int64 // where the first record of each group ends
	for i, s := range steps {
		// The first record is as small as can be, and the second has what is left.
		key := fmt.Sprintf("key%06d", i)
		for k, value := range s.values(len(key)) {
			stream = append(append(append(stream, key...), '\t'), bytes.Repeat([]byte("v"), value)...)
			stream = append(stream, '\n')
			if k == 0 {
				taken = append(taken, int64(len(stream)))
			}
		}
	}
	m := measure.NewGroups(measure.Format{Separator: []byte("\t"), Fields: 1}, false, limits)
	m.Feed(stream)
	for i := range steps {
		if i+1 < len(steps) {
			m.Mark(time.Duration(steps[i].at), taken[i+1])
		} else {
			m.Mark(time.Duration(steps[i].at), int64(len(stream))+1)
		}
	}
	m.Ended()
	m.End(time.Duration(end))
	points, _ := m.Take(time.Duration(end))
	return points
}

// TestJarTroubles checks that a collector that is away, hangs or responds with an error costs a task at most two
// seconds, and that the measurements are in a file beside the task's log.
func TestJarTroubles(t *testing.T) {
	t.Parallel()
	hanging, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hanging.Close() })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	begun, last := written(script(100))
	for name, c := range map[string]struct {
		address string
		answer  int
		want    string
	}{
		"away":    {closed.Addr().String(), 0, "the measurements go to "},
		"hanging": {hanging.Addr().String(), 0, ""},
		"refuses": {"", http.StatusUnauthorized, "it answers 401: no "},
		"busy":    {"", http.StatusServiceUnavailable, "it answers 503: no "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spool, address := t.TempDir(), c.address
			if c.answer > 0 {
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					http.Error(w, "no \x1b[2J", c.answer)
				}))
				defer s.Close()
				address = s.Listener.Addr().String()
			}
			took, logged := java(t, address, "secret", spool, time.Hour, measure.DefaultLimits(),
				strings.NewReader(begun+last))
			if took > 2500*time.Millisecond || !strings.Contains(logged, c.want) || strings.Contains(logged, "secret") ||
				strings.Count(logged, "\n") > 1 || strings.Contains(logged, "\x1b") {
				t.Errorf("took %v, log %q", took, logged)
			}
			if name == "hanging" {
				return // its time has ended before the spool is due
			}
			text, err := os.ReadFile(filepath.Join(spool, "paratimer-tap.attempt_1700000000000_0001_r_000003_0.ndjson"))
			if err != nil {
				t.Fatal(err)
			}
			if b, err := tap.Decode(bytes.NewReader(text)); err != nil || !b.Final || len(b.Points) == 0 {
				t.Errorf("%v, %+v", err, b)
			}
		})
	}
}

// TestJarEndsAmidARequest checks that a request which the task's end has cancelled is sent again, and that nothing is
// lost.
func TestJarEndsAmidARequest(t *testing.T) {
	t.Parallel()
	begun, last := written(script(500))
	in, script := io.Pipe()
	var mu sync.Mutex
	var got []tap.Batch
	tries := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, err := tap.Decode(req.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		tries++
		first := tries == 1
		mu.Unlock()
		if first {
			// The task ends while its first request waits for an answer.
			go func() { _, _ = io.WriteString(script, last); script.Close() }()
			<-req.Context().Done()
			panic(http.ErrAbortHandler) // no answer
		}
		mu.Lock()
		got = append(got, b)
		mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	go func() { _, _ = io.WriteString(script, begun) }()
	took, logged := java(t, s.Listener.Addr().String(), "secret", "", 100*time.Millisecond, measure.DefaultLimits(), in)
	count := 0.0
	for _, b := range got {
		for _, p := range b.Points {
			count += p.Count
		}
	}
	if took > 2*time.Second || logged != "" || len(got) < 2 || !got[len(got)-1].Final || got[0].Seq != 0 || count < 499 {
		t.Errorf("took %v, log %q; %d batches of %.0f groups", took, logged, len(got), count)
	}
}

// TestJarEnds: the last batch of each attempt arrives, however the threads of a busy machine interrupt each other.
func TestJarEnds(t *testing.T) {
	t.Parallel()
	attempts := fixtures.Long(1000, 3000)
	var mu sync.Mutex
	ended := map[string]bool{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if b, err := tap.Decode(req.Body); err != nil {
			t.Error(err)
		} else if b.Final {
			mu.Lock()
			ended[b.Attempt] = true
			mu.Unlock()
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	host, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes(t),
		"com.github.paratimer.tap.Ends",
		host, port, "secret", strconv.Itoa(attempts), "16")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%.1000s", err, out)
	}
	if len(ended) != attempts {
		t.Errorf("the last batch of %d attempts arrived, want %d", len(ended), attempts)
	}
}
