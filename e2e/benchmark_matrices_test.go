package e2e

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// side is the number of blocks in a row of a matrix (√k in the paper), width the number of entries in a row of a
// block.
const (
	side  = 6
	width = 24
)

// A partitioner assigns the pairs of blocks to reduces.
type partitioner string

const (
	balanced   partitioner = "balanced"          // in turn
	unbalanced partitioner = "forced unbalanced" // reduce r gets r + 1 times as many pairs as the first
	random     partitioner = "random"            // Hadoop's own, by the keys' hashes
)

// matMult multiplies two matrices block by block: a group is a block of A and one of B. benchmarks blocks have the same
// density. If unbalanced, those of the last block column have twice the density, which halves from each column to the
// previous one.
func matMult(name string, p partitioner, density float64) benchmark {
	b := benchmark{
		Name: name, Job: "product", Cost: "n³·d·d'", Paper: "the same",
		Options: []string{"benchmark.side=" + strconv.Itoa(side), "benchmark.partitioner=" + string(p)},
		lines:   func(rng *rand.Rand) []string { return matrices(rng, density, p == unbalanced) },
		emit:    blockPairs,
		reduce:  product,
	}
	switch p {
	case balanced:
		b.deal = func(key string, reduces int) int { return pairNumber(key) % reduces }
	case unbalanced:
		b.deal = dealUnevenly
	case random:
	}
	return b
}

// matrices returns the entries of A and B: matrix, row and column of the block, row and column within it, value.
func matrices(rng *rand.Rand, density float64, halving bool) []string {
	var lines []string
	for _, matrix := range "AB" {
		for i := range side {
			for j := range side {
				density := density
				if halving {
					density *= math.Pow(0.5, float64(side-2-j))
				}
				for cell := range width * width {
					if rng.Float64() < density {
						lines = append(lines, fmt.Sprintf("%c %d %d %d %d %d", matrix, i, j, cell/width, cell%width,
							1+rng.IntN(9)))
					}
				}
			}
		}
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}

// blockPairs sends an entry to all pairs of blocks that contain its block.
func blockPairs(line string, to func(key, value string)) {
	f := strings.SplitN(line, " ", 4)
	for other := range side {
		if f[0] == "A" {
			to(fmt.Sprintf("%s %s %d", f[1], f[2], other), f[0]+" "+f[3])
		} else {
			to(fmt.Sprintf("%d %s %s", other, f[1], f[2]), f[0]+" "+f[3])
		}
	}
}

// product returns the number of products of entries of two blocks, and their sum.
func product(values []string) (units, result int) {
	var count, total [2][width]int // of A by column, of B by row
	for _, v := range values {
		matrix, cell, _ := strings.Cut(v, " ")
		f := numbers(cell)
		which, inner := 0, f[1]
		if matrix == "B" {
			which, inner = 1, f[0]
		}
		count[which][inner]++
		total[which][inner] += f[2]
	}
	for m := range width {
		units += count[0][m] * count[1][m]
		result += total[0][m] * total[1][m]
	}
	return units, result
}

// numbers parses a generated list of numbers.
func numbers(text string) []int {
	var all []int
	for field := range strings.SplitSeq(text, " ") {
		n, _ := strconv.Atoi(field)
		all = append(all, n)
	}
	return all
}

func pairNumber(key string) int {
	f := numbers(key)
	return (f[0]*side+f[1])*side + f[2]
}

func dealUnevenly(key string, reduces int) int {
	at, reduce := pairNumber(key), 0
	for (reduce+1)*(reduce+2)*side*side*side <= at*reduces*(reduces+1) {
		reduce++
	}
	return reduce
}
