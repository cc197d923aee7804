package recording

import (
	"bytes"
	"context"
	"testing"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
)

// middle is ten snapshots from the middle of the large run.
func middle(b *testing.B) []*dag.Snapshot {
	src := large(b, 1, simulate.Options{Seed: 1, Noise: 0.2})
	var run []*dag.Snapshot
	for i := range 360 {
		s, err := src.Next(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if i >= 350 {
			run = append(run, s)
		}
	}
	return run
}

// A tick of the large run: some 2,000 of 50,000 attempts have moved.
func BenchmarkEncodeTick(b *testing.B) {
	run := middle(b)
	b.ReportAllocs()
	e := encoder{}
	size, ticks := 0, 0
	for b.Loop() {
		if ticks%len(run) == 0 {
			e = encoder{}
			if _, err := e.snapshot(run[0]); err != nil { // whole: not a tick
				b.Fatal(err)
			}
			ticks++
		}
		line, err := e.snapshot(run[ticks%len(run)])
		if err != nil {
			b.Fatal(err)
		}
		size += len(line)
		ticks++
	}
	b.ReportMetric(float64(size)/float64(b.N), "bytes/line")
}

func BenchmarkDecodeTick(b *testing.B) {
	var tape bytes.Buffer
	tee := Tee(&script{items: items(middle(b))}, &tape)
	for range 10 {
		if _, err := tee.Next(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	var r *Reader
	ticks := 0
	for b.Loop() {
		if ticks%10 == 0 {
			var err error
			if r, err = NewReader(bytes.NewReader(tape.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := r.Next(context.Background()); err != nil {
			b.Fatal(err)
		}
		ticks++
	}
	b.SetBytes(int64(tape.Len() / 10))
}

func BenchmarkEncodeWhole(b *testing.B) {
	run := middle(b)
	b.ReportAllocs()
	for b.Loop() {
		e := encoder{}
		line, err := e.snapshot(run[0])
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(line)))
	}
}

func items(run []*dag.Snapshot) []any {
	var out []any
	for _, s := range run {
		out = append(out, s)
	}
	return out
}
