//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// A notebook is an observer that records its input, and requests pauses.
type notebook struct {
	cuts []int64

	fed     bytes.Buffer
	marks   []int64
	ended   bool
	stopped bool
}

func (n *notebook) Feed(piece []byte) { n.fed.Write(piece) }

func (n *notebook) Cut(from int64) int64 {
	for _, c := range n.cuts {
		if c > from {
			return c
		}
	}
	return math.MaxInt64
}

func (n *notebook) Mark(_ time.Duration, taken int64) { n.marks = append(n.marks, taken) }
func (n *notebook) Ended()                            { n.ended = true }
func (n *notebook) Stop()                             { n.stopped = true }

// testPipe returns both ends of a pipe, blocking.
func testPipe(t testing.TB) (r, w int) {
	t.Helper()
	r, w, err := pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// file is an end of a pipe for the test itself, which may wait for it.
func file(fd int) *os.File { return os.NewFile(uintptr(fd), "pipe") }

// A passage is a feeder between a writer and a reader.
type passage struct {
	f     *feeder
	watch *notebook
	whole bool
	reads []int // how much each read of the reader got
	got   []byte
}

// through gives data to a reader that reads at most so much at once. It reads no more than limit bytes in all.
func through(t testing.TB, data []byte, writes, reads, limit int, watch *notebook, set func(*feeder)) *passage {
	t.Helper()
	inR, inW := testPipe(t)
	outR, outW := testPipe(t)
	f, err := newFeeder(inR, outW, watch, func(f func()) { f() })
	if err != nil {
		t.Fatal(err)
	}
	if set != nil {
		set(f)
	}
	x := &passage{f: f, watch: watch}
	var all sync.WaitGroup
	all.Go(func() {
		w := file(inW)
		defer w.Close()
		for rest := data; len(rest) > 0; {
			n, err := w.Write(rest[:min(writes, len(rest))])
			if err != nil {
				return // the feeder has gone
			}
			rest = rest[n:]
		}
	})
	all.Go(func() {
		r := file(outR)
		defer r.Close()
		buf := make([]byte, reads)
		for len(x.got) < limit {
			n, err := r.Read(buf)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Error(err)
				}
				return
			}
			x.reads = append(x.reads, n)
			x.got = append(x.got, buf[:n]...)
		}
	})
	x.whole = f.Run()
	_ = unix.Close(inR)
	all.Wait()
	return x
}

// The ways in which a feeder may work, however fast the machine is today.
var ways = map[string]func(*feeder){
	"as it comes":        nil,
	"fine":               func(f *feeder) { f.quick = math.Inf(1) },
	"bulk":               func(f *feeder) { f.quick, f.pause, f.patience = 0, math.MaxInt64, 0 },
	"to and fro":         func(f *feeder) { f.quick, f.pause, f.patience = 0, -1, 1 },
	"cannot be narrowed": func(f *feeder) { widen(f.to); f.fine, f.coarse = false, true },
}

func TestFeeder(t *testing.T) {
	for name, set := range ways {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				data := random(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 300_000).Draw(rt, "size"))
				watch := &notebook{}
				for range rapid.IntRange(0, 20).Draw(rt, "cuts") {
					watch.cuts = append(watch.cuts, rapid.Int64Range(0, 300_000).Draw(rt, "cut"))
				}
				slices.Sort(watch.cuts)
				x := through(t, data, rapid.IntRange(100, 100_000).Draw(rt, "writes"),
					rapid.IntRange(1000, 200_000).Draw(rt, "reads"), math.MaxInt, watch, set)
				switch {
				case !bytes.Equal(x.got, data):
					rt.Fatalf("%d bytes came through of %d, or others", len(x.got), len(data))
				case !bytes.Equal(watch.fed.Bytes(), data):
					rt.Fatalf("%d bytes were shown of %d, or others", watch.fed.Len(), len(data))
				case !x.whole || !watch.ended || watch.stopped:
					rt.Fatalf("whole: %v; watcher: %v, %v", x.whole, watch.ended, watch.stopped)
				case !slices.IsSorted(watch.marks) || len(watch.marks) > 0 &&
					watch.marks[len(watch.marks)-1] > int64(len(data)):
					rt.Fatalf("marks %v", watch.marks)
				}
			})
		})
	}
}

// TestPauses checks that a reader gets nothing beyond a pause before it has taken all that is before it.
func TestPauses(t *testing.T) {
	watch := &notebook{cuts: []int64{10, 11, 4000, 9000, 70_000}}
	x := through(t, random(1, 80_000), 80_000, 1<<20, math.MaxInt, watch, ways["fine"])
	if x.f.coarse {
		t.Skip("SKIPPED: pipes cannot be narrowed here, so there are no pauses")
	}
	at := int64(0)
	for _, n := range x.reads {
		for _, c := range watch.cuts {
			if at < c && at+int64(n) > c {
				t.Errorf("a read from %d to %d, over the pause at %d", at, at+int64(n), c)
			}
		}
		at += int64(n)
		if n > 4096 {
			t.Errorf("%d bytes in one read", n)
		}
	}
	if watch.marks[0] != 10 || watch.marks[1] != 11 || watch.marks[2] != 4000 {
		t.Errorf("marks %v", watch.marks[:3])
	}
}

// TestGoneReader checks that a reader that goes is noticed: while something is written, and while there is no input at
// all.
func TestGoneReader(t *testing.T) {
	for name, set := range ways {
		x := through(t, random(2, 3_000_000), 70_000, 5000, 1_500_000, &notebook{}, set)
		if x.whole || !x.watch.stopped || x.watch.ended {
			t.Errorf("%s: whole: %v; watcher: %v, %v", name, x.whole, x.watch.ended, x.watch.stopped)
		}
	}
	inR, inW := testPipe(t)
	outR, outW := testPipe(t)
	f, err := newFeeder(inR, outW, &notebook{}, func(f func()) { f() })
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(outR)
	if f.Run() { // else it waits for ever
		t.Error("the reader has not gone")
	}
	_ = unix.Close(inW)
	_ = unix.Close(inR)
}

// TestFaultyWatcher checks that data goes on if the guard no longer calls the watcher.
func TestFaultyWatcher(t *testing.T) {
	data := random(5, 300_000)
	for name, set := range ways {
		x := through(t, data, 70_000, 5000, math.MaxInt, &notebook{}, func(f *feeder) {
			f.guard = func(func()) {}
			if set != nil {
				set(f)
			}
		})
		if !x.whole || !bytes.Equal(x.got, data) || x.watch.ended {
			t.Errorf("%s: whole: %v, with %d bytes", name, x.whole, len(x.got))
		}
	}
}

// TestModes checks that a quick command is given large pieces, and one that stops small ones again.
func TestModes(t *testing.T) {
	if x := through(t, random(3, 4<<20), 65536, 65536, math.MaxInt, &notebook{}, ways["bulk"]); x.f.fine {
		t.Error("never widened")
	}
	if x := through(t, random(3, 4<<20), 65536, 65536, math.MaxInt, &notebook{}, ways["fine"]); !x.f.fine {
		t.Error("widened, though it is slow")
	}
	x := through(t, random(3, 4<<20), 65536, 65536, math.MaxInt, &notebook{}, ways["to and fro"])
	if x.f.patience == 1 {
		t.Error("never narrowed again")
	}
	// Whatever the machine does: a window in no time is quick, one in an hour is slow.
	f := &feeder{
		fine: true, to: -1, quick: quick, patience: 2 * window, start: time.Now().Add(-time.Hour),
		begun: time.Hour - time.Millisecond,
	}
	if f.written = window; f.taken() || !f.fine || f.streak != window {
		t.Errorf("after one quick window: %+v", f)
	}
	if f.written += window; f.taken() || f.fine {
		t.Errorf("after two quick windows: %+v", f)
	}
	f.begun, f.written = 0, f.written+window
	if !f.taken() {
		t.Errorf("after a slow window: %+v", f)
	}
}

func TestCopy(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := random(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 200_000).Draw(rt, "size"))
		r, w := testPipe(t)
		outR, outW := testPipe(t)
		if rapid.Bool().Draw(rt, "non-blocking") {
			_ = unix.SetNonblock(outW, true)
			_ = unix.SetNonblock(r, true)
		}
		var got, shown []byte
		var all sync.WaitGroup
		all.Go(func() { defer unix.Close(w); _ = writeAll(w, data) })
		all.Go(func() { got, _ = io.ReadAll(file(outR)) })
		whole, err := copyOutput(r, outW, func(b []byte) { shown = append(shown, b...) })
		_ = unix.Close(outW)
		all.Wait()
		_ = unix.Close(r)
		if !whole || err != nil || !bytes.Equal(got, data) || !bytes.Equal(shown, data) {
			rt.Fatalf("%v, %v: %d bytes came through and %d were shown of %d, or others", whole, err, len(got),
				len(shown), len(data))
		}
	})
}

func TestCopyToNobody(t *testing.T) {
	none := func([]byte) {}
	r, w := testPipe(t)
	outR, outW := testPipe(t)
	_ = unix.Close(outR)
	if whole, err := copyOutput(r, outW, none); whole || err != nil { // there is no input, and never will be
		t.Errorf("%v, %v", whole, err)
	}
	_ = unix.Close(outW)
	full, err := unix.Open("/dev/full", unix.O_WRONLY, 0)
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	defer unix.Close(full)
	_, _ = write(w, []byte("data"))
	if whole, err := copyOutput(r, full, none); whole || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("%v, %v", whole, err)
	}
	_ = unix.Close(r)
	_ = unix.Close(w)
}
