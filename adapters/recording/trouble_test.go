package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// short is a small run with a failure, a lost node and two missed observations: its items and its tape.
func short(t testing.TB) ([]any, []byte) {
	t.Helper()
	pipe := dag.Pipeline{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(10)}
	phase := dag.Stage{Known: true, Tasks: 6, Pipelines: []dag.Pipeline{pipe}}
	src, err := simulate.New(&dag.Plan{
		Name:    "short",
		Cluster: dag.Cluster{MapSlots: 4, ReduceSlots: 4, SlotsPerNode: 2},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(phase, dag.Stage{
				Known: true, Tasks: 2,
				Pipelines: []dag.Pipeline{pipe, pipe, pipe},
			})},
			{Node: "b", After: []int{0}, Stages: dag.MapReduce(phase, dag.Stage{Known: true})},
		},
	}, simulate.Options{
		Noise: 0.1, Know: simulate.Nothing, Fail: []simulate.Failure{{Job: "a", Task: 1, At: 4 * time.Second}},
		Lose: []simulate.LostNode{{Node: 1, At: 22 * time.Second, Detect: 3 * time.Second}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var items []any
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if items = append(items, s); len(items) == 3 || len(items) == 6 {
			items = append(items, &dag.MissedError{At: s.At + 2000, Err: errors.New("connection refused")})
		}
	}
	return items, record(t, &script{items: slices.Clone(items)})
}

// compare fails if the items differ from the recorded ones. Warnings that the reader adds do not count.
func compare(t *testing.T, what string, want, got []any) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d observations, want %d: %v", what, len(got), len(want), got)
	}
	for i := range want {
		g := got[i]
		if s, ok := g.(*dag.Snapshot); ok {
			g = without(s, dag.WarnTornTape, dag.WarnObservation)
		}
		if d := unequal(want[i], g); d != "" {
			t.Fatalf("%s: observation %d: %s", what, i, d)
		}
	}
}

func without(s *dag.Snapshot, codes ...string) *dag.Snapshot {
	plain := *s
	plain.Warnings = nil
	for _, w := range s.Warnings {
		if !slices.Contains(codes, w.Code) {
			plain.Warnings = append(plain.Warnings, w)
		}
	}
	return &plain
}

func warned(item any, code string) bool {
	s, ok := item.(*dag.Snapshot)
	return ok && slices.ContainsFunc(s.Warnings, func(w dag.Warning) bool { return w.Code == code })
}

func TestRoundTrip(t *testing.T) {
	items, tape := short(t)
	compare(t, "round trip", items, play(t, tape))
	t.Logf("%d observations, %d bytes", len(items), len(tape))
}

// A tape cut anywhere reads up to its last whole line, with a warning. Cuts in one line differ in the last
// observation alone.
func TestTorn(t *testing.T) {
	items, tape := short(t)
	lines := bytes.SplitAfter(tape, []byte("\n"))
	first, stride := len(lines[0])+len(lines[1]), fixtures.Long(28, 4)
	compared := 0 // the number of whole lines at the last comparison of all
	for cut := 0; cut < len(tape); cut++ {
		if cut > first && cut < len(tape)-1000 {
			cut += stride
		}
		r, err := NewReader(bytes.NewReader(tape[:cut]))
		if cut < len(lines[0])-1 {
			if err == nil {
				t.Fatalf("cut in the header, after %d bytes: no error", cut)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", cut, err)
		}
		if cut < first-1 {
			var line *LineError
			if _, err := r.Next(context.Background()); !errors.As(err, &line) {
				t.Fatalf("cut before the first snapshot, after %d bytes: %v", cut, err)
			}
			continue
		}
		got := play(t, tape[:cut])
		whole := bytes.Count(tape[:cut+1], []byte("\n")) - 1 // a line lacks nothing but its end
		torn := cut > 0 && tape[cut-1] != '\n' && tape[cut] != '\n'
		if _, ok := items[whole-1].(error); torn && ok {
			// Only an observation of its own after it can show it.
			var line *LineError
			if last := got[len(got)-1].(error); !errors.As(last, &line) ||
				!strings.Contains(last.Error(), "breaks off") {
				t.Fatalf("cut after %d bytes: %v", cut, last)
			}
			got = got[:len(got)-1]
		} else if warned(got[len(got)-1], dag.WarnTornTape) != torn {
			t.Fatalf("cut after %d bytes, torn: %v: %+v", cut, torn, got[len(got)-1])
		}
		from := 0
		if len(got) == whole && whole == compared {
			from = whole - 1
		}
		compared = whole
		compare(t, fmt.Sprintf("cut after %d bytes", cut), items[from:whole], got[from:])
	}
}

// A recording that was never closed, or cut, reads as far as it goes.
func TestTornZip(t *testing.T) {
	items, tape := short(t)
	name := filepath.Join(t.TempDir(), "run.jsonl.zst")
	w, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	tee := Tee(&script{items: slices.Clone(items)}, w)
	for range items {
		_, _ = tee.Next(context.Background())
	}
	crashed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	compare(t, "closed", items, play(t, fixtures.Read(t, name)))
	got := play(t, crashed)
	compare(t, "crashed", items, got)
	if !warned(got[len(got)-1], dag.WarnTornTape) {
		t.Error("a tape that was not closed does not say so")
	}
	for cut := 200; cut < len(crashed); cut += 7 {
		r, err := NewReader(bytes.NewReader(crashed[:cut]))
		if err != nil {
			continue // no header yet
		}
		for _, item := range playAll(r) {
			if err, ok := item.(error); ok && !strings.Contains(err.Error(), "connection refused") &&
				!strings.Contains(err.Error(), "breaks off") &&
				!strings.Contains(err.Error(), "before its first") {
				t.Fatalf("cut after %d bytes: %v", cut, err)
			}
		}
	}
	if len(tape) < 2*len(crashed) {
		t.Errorf("%d bytes zipped, %d not", len(crashed), len(tape))
	}
}

// edit returns the tape with its lines changed.
func edit(tape []byte, f func(lines []string) []string) []byte {
	lines := strings.SplitAfter(string(tape), "\n")
	return []byte(strings.Join(f(lines[:len(lines)-1]), ""))
}

// A line twice, or an older one again, is left out; the next snapshot has a warning.
func TestRepeatedLine(t *testing.T) {
	items, tape := short(t)
	got := play(t, edit(tape, func(l []string) []string { return slices.Insert(l, 4, l[2], l[3]) }))
	compare(t, "repeated", items, got)
	if w := got[4].(*dag.Snapshot).Warnings; len(w) != 2 || w[0].Code != dag.WarnObservation ||
		!strings.Contains(w[0].Text, "line 5 of the recording") {
		t.Errorf("warnings %v", w)
	}
}

// What needs a lost line is missed, up to the next whole snapshot. The errors name the lines.
func TestLostLine(t *testing.T) {
	items, tape := short(t)
	for name, f := range map[string]func([]string) []string{
		"lost":      func(l []string) []string { return slices.Delete(l, 5, 6) },
		"garbled":   func(l []string) []string { l[5] = "\x00\xff{{{\n"; return l },
		"reordered": func(l []string) []string { l[5], l[6] = l[6], l[5]; return l },
		"nonsense":  func(l []string) []string { l[5] = `{"n":5,"t":0,"lists":[{"job":9}]}` + "\n"; return l },
		"no items": func(l []string) []string {
			l[5] = `{"n":5,"t":0,"lists":[{"job":0,"stage":0,"items":[{"i":0,"cut":99}]}]}` + "\n"
			return l
		},
		"items": func(l []string) []string {
			l[5] = `{"n":5,"t":0,"lists":[{"job":0,"stage":0,"items":[{"i":99,"new":true}]}]}` + "\n"
			return l
		},
	} {
		got := play(t, edit(tape, f))
		compare(t, name, items[:4], got[:4])
		var missed *dag.MissedError
		var line *LineError
		if err, ok := got[4].(error); !ok || !errors.As(err, &missed) || !errors.As(err, &line) || line.Line < 6 ||
			line.Line > 7 {
			t.Errorf("%s: %v", name, got[4])
		} else {
			t.Logf("%s: %v", name, err)
		}
		for _, item := range got[5:] {
			if _, ok := item.(*dag.Snapshot); ok {
				t.Errorf("%s: a snapshot that needs a lost line: %+v", name, item)
			}
		}
	}
}

// An observation that no estimator could use is missed: estimators go through the plan's jobs and their states side by
// side.
func TestUnusable(t *testing.T) {
	_, tape := short(t)
	jobs := func(jobs string) string {
		return `{"n":1,"t":1,"whole":true,"s":{"Plan":{"Jobs":[` + jobs + `]},"Jobs":[{}]}}`
	}
	stage := func(change string) string {
		return `{"n":1,"t":1,"whole":true,"s":{"Plan":{"Jobs":[{"Stages":[{}]}]},"Jobs":[{"Stages":[` + change + `]}]}}`
	}
	for _, c := range [][2]string{
		{`{"n":1,"t":1795222879638,"whole":true}`, "the observation has no plan"},
		{`{"n":1,"t":1,"whole":true,"s":{"Plan":{"Jobs":[{}]}}}`, "the state of 0 jobs, and its plan has 1"},
		{`{"n":1,"t":1,"whole":true,"s":{"Plan":{},"Jobs":[{}]}}`, "the state of 1 jobs, and its plan has 0"},
		{jobs(`{"Node":"a","After":[7]}`), "job number 7, which the plan does not have"},
		{jobs(`{"Node":"a","After":[0]}`), "depends on itself"},
		{jobs(`{"Node":"a","Stages":[{}]}`), "the state of 0 stages of job 0, and its plan has 1"},
		{
			strings.TrimSuffix(stage(`{}`), "}") + `,"lists":[{"job":0,"stage":0,"items":[{"i":0,"new":true,"set":{"Task":-1}}]}]}`,
			"an attempt of the task -1",
		},
		{strings.Replace(stage(`{}`), "{}", `{"Tasks":-1,"Known":true}`, 1), "-1  tasks"},
		{
			strings.Replace(stage(`{},{}`), "[{}]", `[{"Tasks":9000000,"Known":true},{"Tasks":2000000,"Known":true}]`, 1),
			"2000000  tasks",
		},
	} {
		line, want := c[0], c[1]
		got := play(t, edit(tape, func(l []string) []string { return []string{l[0], line + "\n"} }))
		failures := ""
		for _, item := range got {
			err, ok := item.(error)
			if !ok {
				t.Fatalf("%s: it is an observation: %+v", line, item)
			}
			failures += err.Error() + "\n"
		}
		if !strings.Contains(failures, want) || !strings.Contains(failures, "line 2") {
			t.Errorf("%s: %s, want %q", line, failures, want)
		}
	}
}

// After a gap a whole snapshot mends everything.
func TestMended(t *testing.T) {
	items, tape := short(t)
	e := encoder{}
	e.n = 7
	mended, err := e.snapshot(items[7].(*dag.Snapshot))
	if err != nil {
		t.Fatal(err)
	}
	got := play(t, edit(tape, func(l []string) []string { l[8] = string(mended); return slices.Delete(l, 5, 6) }))
	compare(t, "before", items[:4], got[:4])
	compare(t, "after", items[7:], got[6:])
}

func TestRefused(t *testing.T) {
	_, tape := short(t)
	for name, c := range map[string]struct {
		tape []byte
		want string
	}{
		"empty": {nil, "the file is empty"},
		"version": {
			edit(tape, func(l []string) []string { l[0] = `{"paratimer_recording":3}` + "\n"; return l }),
			"line 1: version 3 of the format; this program reads versions up to 1",
		},
		"version of a tape": {
			[]byte(`{"paratimer_tape":3}` + "\n"),
			"line 1: version 3 of the format; this program reads versions up to 2",
		},
		"no header": {edit(tape, func(l []string) []string { return l[1:] }), "line 1: not a recording"},
		"a capture": {[]byte(`{"t":1,"url":"/ws","status":200,"body":"{}"}` + "\n"), "line 1: not a recording"},
		"binary":    {[]byte{0, 1, 2, 3}, "not a recording"},
		"bad zip":   {[]byte{0x1f, 0x8b, 0, 0}, "cannot unpack"},
	} {
		if _, err := NewReader(bytes.NewReader(c.tape)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Nothing on a tape makes the reader hold more than the limits allow.
func TestLimits(t *testing.T) {
	_, tape := short(t)
	long := edit(tape, func(l []string) []string {
		return slices.Insert(l, 3, `{"n":3,"s":{"User":"`+strings.Repeat("x", 300_000)+`"}}`+"\n")
	})
	r, err := NewReader(bytes.NewReader(long))
	if err != nil {
		t.Fatal(err)
	}
	r.lines.limit = 200_000
	if got := playAll(r); !strings.Contains(got[2].(error).Error(), "line 4: longer than 200000 bytes") {
		t.Errorf("a long line: %v", got[2])
	}
	lists := func(lists string) string { return `{"n":3,"t":0,"lists":[` + lists + `]}` }
	groups := func(items string) string {
		return `{"n":3,"t":0,"s":{"Jobs":[{"Stages":[{},{}],"Groups":{}},{"Stages":[{},{}]}]},"lists":[{"job":0,"items":[` + items + `]}]}`
	}
	news := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,{"i":%d,"new":true}`, i)
		}
		return b.String()[1:]
	}
	const many = 10_000
	objects := "[{}" + strings.Repeat(",{}", many) + "]"
	for what, line := range map[string]string{
		"attempts": lists(`{"job":0,"stage":0,"items":[` + news(many) + `]}`),
		"many lists": lists(`{"job":0,"stage":0,"items":[` + news(many/2) + `]},{"job":0,"stage":1,"items":[` + news(many/2) +
			`]}`),
		"no stage":  lists(`{"job":0,"stage":2,"items":[]}`),
		"no groups": lists(`{"job":0,"items":[{"i":0,"new":true}]}`),
		"reduces":   groups(news(many)),
		"no reduce": groups(`{"i":0,"set":{"Bytes":1}}`),
		"points":    groups(`{"i":0,"new":true,"set":{"Done":` + objects + `,"Top":` + objects + `}}`),
		"order":     groups(`{"i":1,"new":true}`),
		"jobs":      `{"n":3,"t":0,"s":{"Jobs":` + objects + `}}`,
		"plan":      `{"n":3,"t":0,"s":{"Plan":{"Jobs":` + objects + `}}}`,
	} {
		r, err := NewReader(bytes.NewReader(edit(tape, func(l []string) []string { l[3] = line + "\n"; return l })))
		if err != nil {
			t.Fatal(err)
		}
		r.most = 1 << 20
		got := playAll(r)
		if err, ok := got[2].(error); !ok || !strings.Contains(err.Error(), "line 4") {
			t.Errorf("%s: %.300v", what, got[2])
		} else {
			t.Logf("%s: %v", what, err)
		}
	}
}

// full is a disk with room for a number of bytes, until a test adds some.
type full struct {
	room   int
	failed bool
	late   int // writes after one failed
}

func (f *full) Write(b []byte) (int, error) {
	if f.failed {
		f.late++
		return len(b), nil
	}
	if f.room -= len(b); f.room < 0 {
		f.failed = true
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

// A full disk ends the tape, not the watch; every snapshot from then on has a warning.
func TestFullDisk(t *testing.T) {
	items, tape := short(t)
	disk := &full{room: len(tape) / 2}
	tee := Tee(&script{items: slices.Clone(items)}, disk)
	warnings := 0
	for i := range items {
		s, err := tee.Next(context.Background())
		if err != nil {
			if items[i] != err {
				t.Fatal(err)
			}
			continue
		}
		if warned(s, dag.WarnTornTape) {
			warnings++
		} else if warnings > 0 {
			t.Error("the warning goes away")
		}
	}
	if warnings == 0 || warnings == len(items) || disk.late > 0 {
		t.Errorf("%d warnings, %d lines after the gap", warnings, disk.late)
	}
}

// A file of bad lines alone is an error soon, with the line.
func TestEndlessBadLines(t *testing.T) {
	_, tape := short(t)
	for _, line := range []string{"x\n", "\n", "{}\n", `{"n":3}` + "\n", `{"n":1,"missed":""}` + "\n"} {
		r, err := NewReader(fixtures.Endless(string(tape), line))
		if err != nil {
			t.Fatal(err)
		}
		items := playAll(r)
		last, ok := items[len(items)-1].(*LineError)
		if !ok || !strings.Contains(last.Error(), "lines in a row") || len(items) > 1200 {
			t.Errorf("%q: %d observations, the last one %v", line, len(items), items[len(items)-1])
		}
	}
}
