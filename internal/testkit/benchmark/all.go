package benchmark

// The paper uses 8 workers, later 16 and 32.
const (
	workers = 8
	most    = 32
)

// All returns the paper's nine benchmarks, plus one of them in several waves and one on four times the containers.
func All() []Benchmark {
	all := []Benchmark{
		wordCount("WordCount", "words"),
		wordCount("WordCount with a combiner", "combined-words"),
		largeDocuments("InvertedIndex, large documents"),
		smallDocuments("InvertedIndex, small documents"),
		twoPaths("2PathGenerator"),
		triangleCount("TriangleCount"),
		naturalJoin("NaturalJoin, R of Zipf 1.0, S flat", relation{80_000, 1}, relation{20_000, 0}),
		naturalJoin("NaturalJoin, R and S of Zipf 1.5", relation{12_000, 1.5}, relation{12_000, 1.5}),
		matMult("MatMult, balanced", false),
		matMult("MatMult, forced unbalanced", true),
	}
	waves := largeDocuments("InvertedIndex, large documents, three waves")
	waves.Reduces = 3 * workers
	wide := twoPaths("2PathGenerator, 32 containers")
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
