package planfile

import (
	"fmt"
	"slices"
	"strings"
)

// unknownField returns the message for an unknown field at a path, and the field that it probably stands for.
func unknownField(name string, path, known []string) (why, meant string) {
	slices.Sort(known)
	why = "unknown field " + quote(name)
	if len(path) > 0 {
		why += " in " + pathString(path)
	}
	if meant = Nearest(name, known); meant != "" {
		return fmt.Sprintf("%s; did you mean %s?", why, quote(meant)), meant
	}
	return fmt.Sprintf("%s; known here: %s", why, strings.Join(known, ", ")), ""
}

// Nearest returns the most similar candidate for a misspelt name, or "" if none is similar.
func Nearest(name string, candidates []string) string {
	best, least := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c), least); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance returns the number of letters to insert, delete, change or swap with their neighbor (optimal string
// alignment). The result is at most most.
func distance(a, b string, most int) int {
	if diff := len(a) - len(b); diff >= most || -diff >= most || len(a) > 100 {
		return most
	}
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			now[j] = min(change, last[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return min(last[len(b)], most)
}
