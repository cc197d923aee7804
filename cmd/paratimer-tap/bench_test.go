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
)

// BenchmarkThrough gives records to cat, with a tap around it and without one. The figures of docs/hadoop.md are from
// it: CPU is that of all processes, the benchmark's own left out.
func BenchmarkThrough(b *testing.B) {
	program := filepath.Join(b.TempDir(), "paratimer-tap")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	type way struct {
		name string
		cmd  func() *exec.Cmd
	}
	around := func(side string, env []string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := tapped(b, side, "cat")
			cmd.Path = program
			cmd.Env = append(append(cmd.Env, env...), "LOG_DIRS="+b.TempDir())
			return cmd
		}
	}
	ways := []way{
		{"cat", func() *exec.Cmd { return exec.Command("cat") }},
		{"cat_cat", func() *exec.Cmd { return exec.Command("sh", "-c", "cat | cat") }},
		{"map", around("map", mapTask)},
		{"reduce", around("reduce", reduceTask)},
	}
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 1)), 1.2, 1, 1<<20)
	for _, keys := range []struct {
		name string
		key  func(i int) uint64
		only string
	}{
		{"groups of 100", func(i int) uint64 { return uint64(i / 100) }, ""},
		{"Zipf", func(int) uint64 { return zipf.Uint64() }, "map"},
		{"never twice", func(i int) uint64 { return uint64(i) * 7919 % 9999991 }, "map"},
		{"groups of 1", func(i int) uint64 { return uint64(i) % 9999991 }, "reduce"},
	} {
		for _, size := range []int{10, 100, 1000} {
			const total = 64 << 20
			data := make([]byte, 0, total)
			for i := 0; len(data) < total-size; i++ {
				key := fmt.Sprintf("%07d\t", keys.key(i)%10_000_000)
				data = append(append(append(data, key...), bytes.Repeat([]byte("v"), size-len(key)-1)...), '\n')
			}
			for _, w := range ways {
				if keys.only != "" && keys.only != w.name {
					continue
				}
				b.Run(fmt.Sprintf("%s/%d/%s", keys.name, size, w.name), func(b *testing.B) {
					b.SetBytes(int64(len(data)))
					cpu := 0.0
					for b.Loop() {
						cmd := w.cmd()
						in, out := must(cmd.StdinPipe())(b), must(cmd.StdoutPipe())(b)
						if err := cmd.Start(); err != nil {
							b.Fatal(err)
						}
						go func() {
							_, _ = in.Write(data)
							in.Close()
						}()
						n, _ := io.CopyBuffer(onlyWrite{io.Discard}, out, make([]byte, 64<<10))
						if err := cmd.Wait(); err != nil || n != int64(len(data)) {
							b.Fatalf("%d bytes, %v", n, err)
						}
						cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
					}
					b.ReportMetric(cpu/float64(b.N)/float64(len(data))*1e9, "cpu-s/GB")
				})
			}
		}
	}
}

// onlyWrite hides what else a writer can do, so that a copy reads as Hadoop does.
type onlyWrite struct{ io.Writer }
