// Package benchmark generates the benchmarks of Table 3 of E. Coppa, I. Finocchi, "On data skewness, stragglers, and
// MapReduce progress indicators", SoCC 2015, at the scale of one machine: the input of each job, and the input and
// work of its reduces. The jobs themselves are in e2e/udf/Benchmarks.java.
package benchmark

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/paratimer/paratimer/textkey"
)

// A Benchmark is a job with generated input.
type Benchmark struct {
	Name       string   // as in the tables
	Cost       string   // formula for the time of a key group
	Paper      string   // input in the paper
	Job        string   // name in udf/Benchmarks.java
	Options    []string // properties that the job needs, NAME=VALUE
	Containers int      // tasks that run at once
	Reduces    int

	seed    uint64
	lines   func(*rand.Rand) []string
	emit    func(line string, to func(key, value string)) // the map function
	combine func(values []string) string                  // nil: no combiner
	reduce  func(values []string) (units, result int)
	deal    func(key string, reduces int) int // nil: Hadoop's own partitioner
}

// A Group is the records of one key in a reduce, and their work.
type Group struct {
	Key     string
	Reduce  int
	Records int
	Bytes   float64 // as in Hadoop's count of map output
	Units   int     // of work
	Result  int     // number that the reduce writes
}

// Files is the number of a job's input files. Each file has its own map.
const Files = 8

// Input returns the lines of each of a job's input files. It is deterministic.
func (b *Benchmark) Input() [][]string {
	input := make([][]string, Files)
	for i, line := range b.lines(rand.New(rand.NewPCG(b.seed, Files))) {
		input[i%Files] = append(input[i%Files], line)
	}
	return input
}

// Write creates a folder with a job's input files.
func Write(folder string, input [][]string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for i, lines := range input {
		if err := writeLines(filepath.Join(folder, fmt.Sprintf("part-%05d", i)), lines); err != nil {
			return err
		}
	}
	return nil
}

func writeLines(name string, lines []string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriter(f)
	for _, line := range lines {
		// Flush returns the error of a failed write.
		_, _ = w.WriteString(line)
		_ = w.WriteByte('\n')
	}
	return w.Flush()
}

// Groups returns the key groups of the reduces for an input, sorted by key.
func (b *Benchmark) Groups(input [][]string) []Group {
	all := map[string][]string{}
	for _, lines := range input {
		output := map[string][]string{}
		for _, line := range lines {
			b.emit(line, func(key, value string) { output[key] = append(output[key], value) })
		}
		for key, values := range output {
			if b.combine != nil {
				values = []string{b.combine(values)}
			}
			all[key] = append(all[key], values...)
		}
	}
	groups := make([]Group, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		g := Group{Key: key, Records: len(all[key])}
		if b.deal != nil {
			g.Reduce = b.deal(key, b.Reduces)
		} else {
			g.Reduce = textkey.Partition([]byte(key), b.Reduces)
		}
		for _, value := range all[key] {
			g.Bytes += float64(textkey.RecordBytes(len(key), len(value)))
		}
		g.Units, g.Result = b.reduce(all[key])
		groups = append(groups, g)
	}
	return groups
}

// Loads returns the units of work of each reduce.
func (b *Benchmark) Loads(groups []Group) []int {
	loads := make([]int, b.Reduces)
	for _, g := range groups {
		loads[g.Reduce] += g.Units
	}
	return loads
}

// Span returns the units of work until the last reduce ends. Reduces start in order, each in the first free
// container.
func (b *Benchmark) Span(groups []Group) int {
	free := make([]int, b.Containers)
	for _, load := range b.Loads(groups) {
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		free[first] += load
	}
	return slices.Max(free)
}
