package collect

import "slices"

// maxLate bounds the numbers that come out of order. Beyond it the missing ones are given up.
const maxLate = 64

// A sequence records which of an attempt's batches have come.
type sequence struct {
	low  int   // all below have come or are given up
	over []int // others that have come, ascending; at most maxLate
}

// first reports whether a number comes for the first time. A number that was given up does not count.
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
