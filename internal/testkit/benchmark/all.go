package benchmark

// The paper uses 8 workers, later 16 and 32.
const (
	workers = 8
	most    = 32
)

// All returns the 27 rows of the paper's Table 3, plus one of them in several waves and one on four times the
// containers.
func All() []Benchmark {
	all := []Benchmark{
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
