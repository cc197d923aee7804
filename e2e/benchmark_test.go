package e2e

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/paratimer/paratimer/sketch"
)

// A benchmark is a job with generated input, at the scale of one machine, of Table 3 of E. Coppa, I. Finocchi, "On data
// skewness, stragglers, and MapReduce progress indicators", SoCC 2015. udf/Benchmarks.java has the jobs themselves.
type benchmark struct {
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

// A keyGroup is the records of one key in a reduce, and their work.
type keyGroup struct {
	Key     string
	Reduce  int
	Records int
	Bytes   float64 // as in Hadoop's count of map output
	Units   int     // of work
	Result  int     // number that the reduce writes
}

// inputFiles is the number of a job's input files. Each file has its own map.
const inputFiles = 8

// Input returns the lines of each of a job's input files. It is deterministic.
func (b *benchmark) Input() [][]string {
	input := make([][]string, inputFiles)
	for i, line := range b.lines(rand.New(rand.NewPCG(b.seed, inputFiles))) {
		input[i%inputFiles] = append(input[i%inputFiles], line)
	}
	return input
}

// writeInput creates a folder with a job's input files.
func writeInput(folder string, input [][]string) error {
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
func (b *benchmark) Groups(input [][]string) []keyGroup {
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
	groups := make([]keyGroup, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		g := keyGroup{Key: key, Records: len(all[key])}
		if b.deal != nil {
			g.Reduce = b.deal(key, b.Reduces)
		} else {
			g.Reduce = sketch.Partition([]byte(key), b.Reduces)
		}
		for _, value := range all[key] {
			g.Bytes += float64(sketch.RecordBytes(len(key), len(value)))
		}
		g.Units, g.Result = b.reduce(all[key])
		groups = append(groups, g)
	}
	return groups
}

// Loads returns the units of work of each reduce.
func (b *benchmark) Loads(groups []keyGroup) []int {
	loads := make([]int, b.Reduces)
	for _, g := range groups {
		loads[g.Reduce] += g.Units
	}
	return loads
}

// Span returns the units of work until the last reduce ends. Reduces start in order, each in the first free
// container.
func (b *benchmark) Span(groups []keyGroup) int {
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

// The paper uses 8 workers, later 16 and 32.
const (
	workers = 8
	most    = 32
)

// benchmarks returns the 27 rows of the paper's Table 3, plus one of them in several waves and one on four times the
// containers.
func benchmarks() []benchmark {
	all := []benchmark{
		wordCount("WordCount", "words"),
		wordCount("WordCount with a combiner", "combined-words"),
		largeDocuments("InvertedIndex, large documents"),
		smallDocuments("InvertedIndex, small documents"),
	}
	for _, g := range graphs() {
		all = append(all, twoPaths("2PathGenerator, "+g.name, g), triangleCount("TriangleCount, "+g.name, g))
	}
	for _, j := range []struct {
		name string
		r, s relation
	}{
		{"R of Zipf 1.0, S flat", relation{80_000, 1}, relation{20_000, 0}},
		{"R of Zipf 1.5, S flat", relation{40_000, 1.5}, relation{20_000, 0}},
		{"R of Zipf 2.0, S flat", relation{40_000, 2}, relation{20_000, 0}},
		{"R and S of Zipf 1.5", relation{12_000, 1.5}, relation{12_000, 1.5}},
		{"R of Zipf 2.0, S of 1.0", relation{12_000, 2}, relation{20_000, 1}},
	} {
		all = append(all, naturalJoin("NaturalJoin, "+j.name, j.r, j.s))
	}
	for _, p := range []partitioner{balanced, unbalanced, random} {
		all = append(all, matMult("MatMult, "+string(p), p, 0.25), matMult("MatMult, "+string(p)+", dense", p, 0.5))
	}
	waves := largeDocuments("InvertedIndex, large documents, three waves")
	waves.Reduces = 3 * workers
	wide := twoPaths("2PathGenerator, 32 containers", graphs()[0])
	wide.Reduces, wide.Containers = most, most
	all = append(all, waves, wide)
	for i := range all {
		b := &all[i]
		b.seed = uint64(i + 1) //nolint:gosec // an index
		if b.Reduces == 0 {
			b.Reduces = workers
		}
		if b.Containers == 0 {
			b.Containers = workers
		}
	}
	return all
}
