package groups

import "math"

// A group that has come in as a whole.
type group struct {
	end   int64 // of the first record after it, in the stream
	bytes int64
	name  string // "" if it has none
	pause bool   // the command's input should pause at end
}

// A queue is groups in the order in which they came. No more are in it than fit into one piece of input, the pipe and
// what a command takes at once.
type queue struct {
	all    []group
	head   int // before it, they are done with
	cursor int // before it, they end before the last place asked for
	pause  int // before it, no group wants a pause that ends after the last place asked for
}

func (q *queue) push(g group) {
	if q.head > 0 && q.head >= len(q.all)/2 {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all = q.all[:n]
		q.cursor, q.pause = max(0, q.cursor-q.head), max(0, q.pause-q.head)
		q.head = 0
	}
	q.all = append(q.all, g)
}

// upTo takes out the groups that end by a place in the stream.
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

func (q *queue) any(f func(group) bool) bool {
	for _, g := range q.all[q.head:] {
		if f(g) {
			return true
		}
	}
	return false
}

// pauseLast asks for a pause after the last group.
func (q *queue) pauseLast() {
	if last := len(q.all) - 1; last >= q.head {
		q.all[last].pause = true
	}
}

// cut is where the first group ends after a place that is worth a pause: any, or one that wants it. A step is quick
// though the place moves on through many groups.
func (q *queue) cut(from int64, any bool) int64 {
	for q.cursor = max(q.cursor, q.head); q.cursor < len(q.all) && q.all[q.cursor].end <= from; {
		q.cursor++
	}
	at := q.cursor
	if !any {
		for q.pause = max(q.pause, q.cursor); q.pause < len(q.all) && !q.all[q.pause].pause; {
			q.pause++
		}
		at = q.pause
	}
	if at == len(q.all) {
		return math.MaxInt64
	}
	return q.all[at].end
}
