package e2e

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBenchmarks compares each job with Table 3, and what its reduces write to a count of the same things
// by other means.
func TestBenchmarks(t *testing.T) {
	t.Parallel()
	results := map[string]func(t *testing.T, lines []string) int{
		"words": words, "combined-words": words, "index": postings, "paths": paths, "triangles": triangles,
		"join": joined, "product": multiplied,
	}
	for i, b := range benchmarks() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			input := b.Input()
			if again := benchmarks()[i]; !slices.EqualFunc(input, again.Input(), slices.Equal) {
				t.Error("the input is another one each time")
			}
			groups := b.Groups(input)
			var units, result int
			for _, g := range groups {
				units, result = units+g.Units, result+g.Result
				switch {
				case g.Bytes <= float64(g.Records*len(g.Key)) || g.Reduce < 0 || g.Reduce >= b.Reduces:
					t.Fatalf("%+v", g)
				case b.Cost == "n" && g.Units != g.Records, b.Cost == "n²" && g.Units != pairs(g.Records):
					t.Fatalf("cost %s: %+v", b.Cost, g)
				}
			}
			if want := results[b.Job](t, slices.Concat(input...)); result != want {
				t.Errorf("the reduces write %d, want %d", result, want)
			}
			span := b.Span(groups)
			t.Logf("%d lines, %d groups, %d units of work, %d to the end, of reduces %v", len(slices.Concat(input...)),
				len(groups), units, span, b.Loads(groups))
			if least := units / b.Containers; span < least || span > units {
				t.Errorf("%d units in %d containers last for %d", units, b.Containers, span)
			}
		})
	}
}

func words(_ *testing.T, lines []string) int { return len(strings.Fields(strings.Join(lines, " "))) }

// postings are pairs of a word and a document, by the documents' texts.
func postings(_ *testing.T, lines []string) int {
	seen := map[string]bool{}
	for _, line := range lines {
		document, text, _ := strings.Cut(line, " ")
		for _, word := range strings.Fields(text) {
			seen[document+word] = true
		}
	}
	return len(seen)
}

// paths counts, for each node, the pairs of its neighbours.
func paths(_ *testing.T, lines []string) int {
	degree := map[string]int{}
	sum := 0
	for _, node := range strings.Fields(strings.Join(lines, " ")) {
		sum += degree[node] // each new neighbour makes a path with each earlier one
		degree[node]++
	}
	return sum
}

// triangles counts three for each triangle, as each of its edges closes it.
func triangles(_ *testing.T, lines []string) int {
	near := map[string]map[string]bool{}
	for _, line := range lines {
		if nodes, edge := strings.CutSuffix(line, "\t-"); edge {
			a, b, _ := strings.Cut(nodes, " ")
			for _, e := range [][2]string{{a, b}, {b, a}} {
				if near[e[0]] == nil {
					near[e[0]] = map[string]bool{}
				}
				near[e[0]][e[1]] = true
			}
		}
	}
	sum := 0
	for a := range near {
		for b := range near[a] {
			for c := range near[b] {
				if a < b && near[a][c] {
					sum++
				}
			}
		}
	}
	return sum
}

func joined(_ *testing.T, lines []string) int {
	count := map[string]int{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "\t")
		count[key+value[:1]]++
	}
	sum := 0
	for key, n := range count {
		if left, is := strings.CutSuffix(key, "R"); is {
			sum += n * count[left+"S"]
		}
	}
	return sum
}

// multiplied is the sum of all entries of A·B: of each column of A times the same row of B.
func multiplied(t *testing.T, lines []string) int {
	t.Helper()
	var a, b [side * width]int
	for _, line := range lines {
		f := numbers(line[2:])
		if len(f) != 5 {
			t.Fatalf("%q", line)
		}
		if line[0] == 'A' {
			a[f[1]*width+f[3]] += f[4]
		} else {
			b[f[0]*width+f[2]] += f[4]
		}
	}
	sum := 0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// TestPartitioners: the optimal one gives every reduce the same, the forced one the last eight times as many pairs as
// the first.
func TestPartitioners(t *testing.T) {
	t.Parallel()
	for _, p := range []partitioner{balanced, unbalanced} {
		b := matMult("", p, 0.25)
		b.Reduces, b.Containers = workers, workers
		groups := b.Groups(b.Input())
		count := make([]int, b.Reduces)
		for _, g := range groups {
			count[g.Reduce]++
		}
		for r, n := range count {
			want := float64(len(groups)) / float64(b.Reduces)
			if p == unbalanced {
				want = float64(len(groups)*(r+1)) / float64(b.Reduces*(b.Reduces+1)/2)
			}
			if math.Abs(float64(n)-want) > 1 {
				t.Errorf("%s: reduce %d has %d pairs of blocks, want %v", p, r, n, want)
			}
		}
	}
}

// TestWriteInput: a file for each map, with the lines of the input.
func TestWriteInput(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "input")
	if err := writeInput(folder, [][]string{{"one", "two"}, {"three"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"part-00000": "one\ntwo\n", "part-00001": "three\n"} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if err := writeInput(folder, nil); err == nil {
		t.Error("a folder that is there already: no error")
	}
}
