package groups

import (
	"math"
	"sort"
)

// A group is a complete group of the input.
type group struct {
	end   int64 // end of the first record after it, in the stream
	bytes int64
	name  string // "" if it has none
	pause bool   // the command's input should pause at end
}

// A queue contains groups in the order of the input. Its size is limited by one piece of input, the pipe and one read
// of the command.
type queue struct {
	all  []group
	head int // groups before it are finished
}

func (q *queue) push(g group) {
	if q.head > 0 && q.head >= len(q.all)/2 {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all = q.all[:n]
		q.head = 0
	}
	q.all = append(q.all, g)
}

// upTo removes and returns the groups that end at or before a position in the stream.
func (q *queue) upTo(end int64) []group {
	from := q.head
	for q.head < len(q.all) && q.all[q.head].end <= end {
		q.head++
	}
	return q.all[from:q.head]
}

func (q *queue) first() *group {
	if q.head == len(q.all) {
		return nil
	}
	return &q.all[q.head]
}

// pauseLast marks the last group for a pause.
func (q *queue) pauseLast() {
	if last := len(q.all) - 1; last >= q.head {
		q.all[last].pause = true
	}
}

// cut returns the end of the first group after a position that needs a pause: any group, or only a marked one.
func (q *queue) cut(from int64, any bool) int64 {
	left := q.all[q.head:]
	for _, g := range left[sort.Search(len(left), func(i int) bool { return left[i].end > from }):] {
		if any || g.pause {
			return g.end
		}
	}
	return math.MaxInt64
}
