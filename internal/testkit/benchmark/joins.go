package benchmark

import (
	"fmt"
	"math/rand/v2"
)

// A relation has records with keys drawn by Zipf's law; exponent 0 is uniform.
type relation struct {
	records  int
	exponent float64
}

// naturalJoin joins two relations over the same keys. Keys that are frequent in one are frequent in the other.
func naturalJoin(name string, r, s relation) Benchmark {
	const keys = 1000
	return Benchmark{
		Name: name, Job: "join", Cost: "n_R·n_S", Paper: "the same",
		lines: func(rng *rand.Rand) []string {
			names := rng.Perm(keys)
			var lines []string
			for i, side := range []relation{r, s} {
				z := newZipf(keys, side.exponent)
				for range side.records {
					lines = append(lines, fmt.Sprintf("k%04d\t%c%08x", names[z.draw(rng)], "RS"[i], rng.Uint32()))
				}
			}
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			return lines
		},
		emit: keyed,
		reduce: func(values []string) (units, result int) {
			left := 0
			for _, v := range values {
				if v[0] == 'R' {
					left++
				}
			}
			n := left * (len(values) - left)
			return n, n
		},
	}
}
