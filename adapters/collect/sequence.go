package collect

import "slices"

// maxLate is how many numbers are waited for out of order before those that are missing are given up.
const maxLate = 64

// A sequence is which of an attempt's batches have come.
type sequence struct {
	low  int   // all below have come or are given up
	over []int // others that have come, ascending; at most maxLate
}

// first says whether a number comes for the first time. One that was given up does not.
func (s *sequence) first(n int) bool {
	if n < s.low {
		return false
	}
	i, found := slices.BinarySearch(s.over, n)
	if found {
		return false
	}
	s.over = slices.Insert(s.over, i, n)
	if len(s.over) > maxLate {
		s.low = s.over[0]
	}
	done := 0
	for done < len(s.over) && s.over[done] == s.low {
		s.low++
		done++
	}
	s.over = slices.Delete(s.over, 0, done)
	return true
}
