package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// FuzzRead feeds anything as a history. Whatever can be read can be played.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"quadratic", "failure"} {
		text := short(fixture(f, name))
		f.Add(text)
		f.Add(binaryOf(f, text))
	}
	f.Add([]byte(lines(submit, inited, start, finish)))
	f.Fuzz(func(t *testing.T, b []byte) {
		play(t, b)
	})
}

// play reads a history, and shows each of its jobs in few snapshots, from the first to the last.
func play(t *testing.T, b []byte) {
	j, err := readEvents(bytes.NewReader(b))
	if err != nil {
		return
	}
	src, err := NewSource(&Workflow{ID: j.ID, Jobs: []*Job{j}}, max(time.Second, j.Last.Sub(j.Submitted)/8))
	if err != nil {
		return
	}
	for n := range 10 {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || s.At < j.Submitted {
			t.Fatalf("snapshot %d: %v, %v", n, s, err)
		}
	}
}

// short keeps some events of each kind, so that the fuzzer is fast.
func short(text []byte) []byte {
	var out []byte
	seen := map[string]int{}
	for n, l := range bytes.SplitAfter(text, []byte("\n")) {
		kind, _, _ := bytes.Cut(l, []byte(","))
		if seen[string(kind)]++; n < 2 || seen[string(kind)] <= 2 && !bytes.Contains(kind, []byte("TASK_")) {
			out = append(out, l...)
		}
	}
	return out
}

// FuzzConf feeds anything as a configuration.
func FuzzConf(f *testing.F) {
	f.Add([]byte("<configuration><property><name>a</name><value>b</value></property></configuration>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := readConf(bytes.NewReader(b)); err == nil && len(p) == 0 {
			t.Fatal("a configuration without properties")
		}
	})
}
