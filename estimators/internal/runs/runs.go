// Package runs merges sorted runs. The standard library's stable sorts do not use runs, and take several times as
// long.
package runs

import "slices"

// Merge joins runs into one sorted list. Of equal elements those of an earlier run come first, and those of one run
// keep their order. A run that is not sorted is sorted first. The runs are not changed.
func Merge[T any](in [][]T, compare func(a, b T) int) []T {
	n := 0
	for _, run := range in {
		n += len(run)
	}
	from, to := make([]T, 0, n), make([]T, n)
	ends := make([]int, 0, len(in))
	for _, run := range in {
		at := len(from)
		from = append(from, run...)
		if !slices.IsSortedFunc(run, compare) {
			slices.SortStableFunc(from[at:], compare)
		}
		ends = append(ends, len(from))
	}
	for len(ends) > 1 {
		at, left := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[min(i+1, len(ends)-1)]
			two(to[at:end], from[at:middle], from[middle:end], compare)
			at = end
			left = append(left, end)
		}
		ends = left
		from, to = to, from
	}
	return from
}

// two merges a and b into out, which must have room for both.
func two[T any](out, a, b []T, compare func(a, b T) int) {
	for i := range out {
		if len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0 {
			out[i], a = a[0], a[1:]
		} else {
			out[i], b = b[0], b[1:]
		}
	}
}
