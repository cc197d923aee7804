//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestMemory checks what docs/hadoop.md states, for the program as it is built and for inputs that have nothing to keep
// small. A process counts the peak of its parent as its own, so this file comes before those whose tests need more.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: gigabytes")
	}
	program := filepath.Join(t.TempDir(), "paratimer-tap")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// What must stay below 64 MB would take several times as much if a tap kept each key or each record.
	mb := int64(fixtures.Long(2, 8)) << 20
	for name, input := range map[string]func() io.Reader{
		"a large key": func() io.Reader {
			return io.LimitReader(&forever{piece: bytes.Repeat([]byte("k"), 1<<16)},
				64*mb)
		},
		"empty lines": func() io.Reader {
			return io.LimitReader(&forever{piece: bytes.Repeat([]byte("\n"), 1<<16)},
				4*mb)
		},
		"keys all of a kind": func() io.Reader {
			return io.LimitReader(&forever{piece: bytes.Repeat([]byte("key\tvalue\n"), 6000)}, 8*mb)
		},
		"keys never twice": func() io.Reader { return io.LimitReader(&forever{unique: true}, 16*mb) },
	} {
		for side, env := range map[string][]string{"map": mapTask, "map --show-keys": mapTask, "reduce": reduceTask} {
			cmd := tapped(t, side, "cat")
			cmd.Path = program
			cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+t.TempDir())
			in, out := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go func() {
				_, _ = io.Copy(in, input())
				in.Close()
			}()
			n, _ := io.Copy(io.Discard, out)
			err := cmd.Wait()
			most := rss(cmd.ProcessState)
			t.Logf("%s, %s: %d MB through, %d MB of memory", name, side, n>>20, most>>20)
			if err != nil || n < 4*mb || most > 64<<20 {
				t.Errorf("%s, %s: %v, %d bytes through, %d MB of memory", name, side, err, n, most>>20)
			}
		}
	}
}

// forever repeats a piece, or makes records whose keys never come again.
type forever struct {
	piece  []byte
	unique bool
	n      int
	rest   []byte
}

func (f *forever) Read(b []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.unique {
			f.piece = f.piece[:0]
			for len(f.piece) < 1<<16 {
				f.n++
				f.piece = fmt.Appendf(f.piece, "a key %016x of its own\t%d\n", rand.Uint64(), f.n)
			}
		}
		f.rest = f.piece
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}
