package spark

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// A growingLog is a folder in memory in which a log grows.
type growingLog struct {
	fstest.MapFS
	now    dag.Instant
	listed func() // called before a folder is listed
}

func (g *growingLog) ReadDir(name string) ([]fs.DirEntry, error) {
	if g.listed != nil {
		g.listed()
	}
	return g.MapFS.ReadDir(name)
}

func (g *growingLog) add(name, text string) {
	if g.MapFS[name] == nil {
		g.MapFS[name] = &fstest.MapFile{}
	}
	f := *g.MapFS[name]
	f.Data = append(slices.Clone(f.Data), text...)
	g.MapFS[name] = &f
}

func (g *growingLog) follow(t *testing.T, name, part string) recording.Source {
	t.Helper()
	s, err := Follow(t.Context(), recording.Place{Name: "logs", In: g, File: name}, part, func() dag.Instant { return g.now })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// observe returns the snapshot of an observation, or what it missed.
func observe(t *testing.T, s recording.Source) string {
	t.Helper()
	snap, err := s.Next(t.Context())
	if missed, ok := errors.AsType[*dag.MissedError](err); ok {
		return fmt.Sprintf("%d idle %v: %v", missed.At, missed.IsIdle, missed.Err)
	}
	if err != nil {
		return err.Error()
	}
	done := 0
	for _, j := range snap.Jobs {
		for i := range j.Stages {
			for _, a := range j.Stages[i].Attempts {
				if a.State == dag.AttemptSucceeded {
					done++
				}
			}
		}
	}
	return fmt.Sprintf("%d %s %v, %d tasks done", snap.At, snap.ID, snap.State, done)
}

// TestFollow reads a log in the pieces in which it is written, also when lines are cut in two and when the file gets
// its final name.
func TestFollow(t *testing.T) {
	t.Parallel()
	all := lines("app-1", "")
	g := &growingLog{MapFS: fstest.MapFS{}, now: 1795366800000}
	g.add("app-1.inprogress", joined(all[:3]...))
	s := g.follow(t, "app-1.inprogress", "")
	expect := func(want string) {
		t.Helper()
		if got := observe(t, s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	expect("1795366701000 app-1 submitted, 0 tasks done")
	g.now += 5000
	expect("1795366706000 idle true: logs has had no event for 5s: Spark writes most events in blocks")
	g.add("app-1.inprogress", joined(all[3:6]...)+all[6][:40])
	expect("1795366705800 app-1 running, 0 tasks done")
	g.now += 2000
	expect("1795366707800 idle true: logs has had no event for 2s: Spark writes most events in blocks")
	g.add("app-1.inprogress", joined(all[6][40:]))
	expect("1795366709000 app-1 running, 1 tasks done")
	g.MapFS["app-1"] = g.MapFS["app-1.inprogress"]
	delete(g.MapFS, "app-1.inprogress")
	g.add("app-1", joined(all[7:]...))
	expect("1795366710000 app-1 succeeded, 1 tasks done")
	expect("EOF")
}

// TestFollowEqualsWhole follows real logs, packed and in random pieces, and compares the end with that of the whole
// log.
func TestFollowEqualsWhole(t *testing.T) {
	t.Parallel()
	packed, err := os.ReadFile(filepath.Join("testdata", "skew-3.eventlog.gz"))
	if err != nil {
		t.Fatal(err)
	}
	plain := unpacked(t, packed)
	whole, err := readLog(bytes.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := whole.Reader("").At(whole.Last)
	for name, file := range map[string][]byte{
		"plain": plain, "gzip": packed, "zstd": zstdOf(t, plain), "lzf": lzfOf(plain),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &growingLog{MapFS: fstest.MapFS{}, now: whole.Last}
			g.add("app.inprogress", string(file[:200]))
			s := follow(LogFile{Name: "app", in: g, pieces: []string{"app.inprogress"}}, "", func() dag.Instant { return g.now })
			var snap *dag.Snapshot
			for at, step := 200, 0; ; step = step*7%9973 + 1500 {
				got, err := s.Next(t.Context())
				switch {
				case err == nil:
					snap = got
				case errors.Is(err, io.EOF):
					if snap.State != dag.Succeeded || snap.At != want.At ||
						len(snap.Jobs[0].Stages) != len(want.Jobs[0].Stages) ||
						snap.Jobs[0].Finished != want.Jobs[0].Finished {
						t.Errorf("it ends %v at %d, finished %d; the whole log ends at %d, finished %d", snap.State, snap.At,
							snap.Jobs[0].Finished, want.At, want.Jobs[0].Finished)
					}
					return
				case !errors.As(err, new(*dag.MissedError)):
					t.Fatal(err)
				case at == len(file):
					t.Fatal("it does not end")
				}
				next := min(at+step, len(file))
				g.add("app.inprogress", string(file[at:next]))
				at = next
			}
		})
	}
}

// TestFollowRolling reads the files of a rolling log one after another.
func TestFollowRolling(t *testing.T) {
	t.Parallel()
	all := lines("app-1", "")
	g := &growingLog{MapFS: fstest.MapFS{}, now: 1795366800000}
	const folder = "eventlog_v2_app-1/"
	g.add(folder+"appstatus_app-1.inprogress", "")
	g.add(folder+"events_1_app-1", joined(all[:4]...))
	g.add("old", joined(lines("app-0", "")...))
	s := g.follow(t, ".", "")
	got := []string{observe(t, s)}
	g.listed = func() { // the writer goes on between the end of the first file and the search for a second one
		g.add(folder+"events_1_app-1", joined(all[4:7]...))
		g.add(folder+"events_2_app-1", joined(all[7:8]...))
		g.listed = nil
	}
	got = append(got, observe(t, s))
	g.add(folder+"events_3_app-1", joined(all[8:]...))
	got = append(got, observe(t, s), observe(t, s))
	want := []string{
		"1795366705000 app-1 running, 0 tasks done", "1795366709000 app-1 running, 1 tasks done",
		"1795366710000 app-1 succeeded, 1 tasks done", "EOF",
	}
	if n := s.(*follower).log.lines; n != len(all) {
		t.Errorf("%d lines are read, want %d", n, len(all))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

// TestFollowErrors checks folders without a log to follow, an unreadable file, and a canceled context.
func TestFollowErrors(t *testing.T) {
	t.Parallel()
	g := &growingLog{MapFS: fstest.MapFS{}, now: 1795366800000}
	try := func() string {
		_, err := Follow(t.Context(), recording.Place{Name: "logs", In: g, File: "."}, "", func() dag.Instant { return g.now })
		return err.Error()
	}
	if got, want := try(), "spark: no event log in logs"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	g.add("app-0", "")
	if _, err := Follow(t.Context(), recording.Place{Name: "app-0", In: g, File: "app-0"}, "", nil); err == nil ||
		err.Error() != "spark: app-0 is empty: try again once its application has started" {
		t.Error(err)
	}
	g.add("app-1", joined(lines("app-1", "")...))
	g.add("app-2", joined(lines("app-2", "")...))
	if got := try(); !strings.HasPrefix(got, "spark: no application writes a log in logs: the newest log is app-") {
		t.Errorf("got %q", got)
	}
	g.add("app-3.inprogress", joined(lines("app-3", "")[:4]...))
	s := g.follow(t, ".", "")
	_ = observe(t, s)
	delete(g.MapFS, "app-3.inprogress")
	if got := observe(t, s); !strings.Contains(got, "idle false: cannot read logs") && !strings.Contains(got, "cannot read app-3") {
		t.Errorf("got %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func unpacked(t *testing.T, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func zstdOf(t *testing.T, plain []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for rest := plain; len(rest) > 0; { // Spark ends a frame with each flush
		n := min(len(rest), 50_000)
		out, rest = w.EncodeAll(rest[:n], out), rest[n:]
	}
	return out
}

// lzfOf packs text as compress-lzf does: greedily, in chunks, those that do not become smaller unpacked.
func lzfOf(plain []byte) (out []byte) {
	for rest := plain; len(rest) > 0; {
		chunk := rest[:min(len(rest), 60_000)]
		rest = rest[len(chunk):]
		size := binary.BigEndian.AppendUint16(nil, uint16(len(chunk)))
		if packed := packedChunk(chunk); len(packed)+2 < len(chunk) {
			out = append(append(out, "ZV\x01"...), byte(len(packed)>>8), byte(len(packed)))
			out = append(append(out, size...), packed...)
			continue
		}
		out = append(append(append(out, "ZV\x00"...), size...), chunk...)
	}
	return out
}

func packedChunk(in []byte) (out []byte) {
	last, literal := map[[3]byte]int{}, 0 // literal is where the bytes begin that are not written yet
	flush := func(to int) {
		for literal < to {
			n := min(to-literal, 32)
			out = append(append(out, byte(n-1)), in[literal:literal+n]...)
			literal += n
		}
	}
	for i := 0; i+3 <= len(in); {
		key := [3]byte(in[i : i+3])
		from, ok := last[key]
		last[key] = i
		if back := i - from - 1; ok && back < 1<<13 {
			n := 3
			for n < 264 && i+n < len(in) && in[from+n] == in[i+n] {
				n++
			}
			flush(i)
			if n-2 < 7 {
				out = append(out, byte((n-2)<<5|back>>8))
			} else {
				out = append(out, byte(7<<5|back>>8), byte(n-2-7))
			}
			out = append(out, byte(back))
			i += n
			literal = i
			continue
		}
		i++
	}
	flush(len(in))
	return out
}
