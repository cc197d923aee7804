package e2e

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// zipfLaw draws numbers from 0 on; i has a probability in proportion to (i+1)^-exponent.
type zipfLaw struct{ bounds []float64 }

func newZipfLaw(n int, exponent float64) zipfLaw {
	z := zipfLaw{make([]float64, n)}
	total := 0.0
	for i := range z.bounds {
		total += math.Pow(float64(i+1), -exponent)
		z.bounds[i] = total
	}
	return z
}

func (z zipfLaw) draw(rng *rand.Rand) int {
	last := len(z.bounds) - 1
	return min(sort.SearchFloat64s(z.bounds, rng.Float64()*z.bounds[last]), last)
}

// vocabulary is the number of words.
const vocabulary = 20_000

// A language is a list of words with frequencies by Zipf's law with exponent 1. Their letters are random, so that
// neither partition nor spelling depends on the frequency.
type language struct {
	zipfLaw
	words []string
}

func newLanguage(rng *rand.Rand) language {
	const letters = 7
	return language{newZipfLaw(vocabulary, 1), repeat(vocabulary, func() string {
		var word [letters]byte
		for i := range word {
			word[i] = byte('a' + rng.IntN(26))
		}
		return string(word[:])
	})}
}

// text returns random words separated by spaces.
func (l *language) text(rng *rand.Rand, words int) string {
	return strings.Join(repeat(words, func() string { return l.words[l.draw(rng)] }), " ")
}

func wordCount(name, job string) benchmark {
	const lines, words = 4000, 40
	b := benchmark{
		Name: name, Job: job, Cost: "n", Paper: "text",
		lines: func(rng *rand.Rand) []string {
			l := newLanguage(rng)
			return repeat(lines, func() string { return l.text(rng, words) })
		},
		emit: func(line string, to func(key, value string)) {
			for word := range strings.SplitSeq(line, " ") {
				to(word, "1")
			}
		},
		reduce: func(values []string) (units, result int) { return len(values), sum(values) },
	}
	if job == "combined-words" {
		b.combine = func(values []string) string { return strconv.Itoa(sum(values)) }
	}
	return b
}

// sum adds numbers. It ignores errors, because the map function writes only valid numbers.
func sum(values []string) (total int) {
	for _, v := range values {
		n, _ := strconv.Atoi(v)
		total += n
	}
	return total
}

func largeDocuments(name string) benchmark { return invertedIndex(name, "5,000 documents", 160, 2000) }

func smallDocuments(name string) benchmark { return invertedIndex(name, "50,000 documents", 4000, 40) }

// invertedIndex generates documents; one in twenty is a duplicate. A document is a line: its fingerprint and its
// words.
func invertedIndex(name, inPaper string, documents, words int) benchmark {
	const twice = 0.05
	return benchmark{
		Name: name, Job: "index", Cost: "n²", Paper: inPaper,
		lines: func(rng *rand.Rand) []string {
			l := newLanguage(rng)
			last := ""
			return repeat(documents, func() string {
				if last == "" || rng.Float64() >= twice {
					last = fmt.Sprintf("%016x %s", rng.Uint64(), l.text(rng, words))
				}
				return last
			})
		},
		emit: func(line string, to func(key, value string)) {
			document := strings.Split(line, " ")
			seen := map[string]bool{}
			for _, word := range document[1:] {
				if !seen[word] {
					seen[word] = true
					to(word, document[0])
				}
			}
		},
		reduce: func(values []string) (units, result int) {
			different := len(slices.Compact(slices.Sorted(slices.Values(values))))
			return pairs(len(values)), different
		},
	}
}

// pairs returns the number of pairs of n things.
func pairs(n int) int { return n * (n - 1) / 2 }

func repeat(n int, line func() string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = line()
	}
	return all
}
