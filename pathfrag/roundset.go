package pathfrag

import (
	"slices"
	"sort"
)

// A roundList is rounds in order of creation; those before head have left.
type roundList struct {
	ids  []int32
	head int
}

func (l *roundList) add(r int32) {
	if 2*l.head >= len(l.ids) {
		l.ids = append(l.ids[:0], l.ids[l.head:]...)
		l.head = 0
	}
	l.ids = append(l.ids, r)
}

// from returns the first index not before at whose round is r or younger.
func (l *roundList) from(at int, r int32) int {
	if at < len(l.ids) && l.ids[at] >= r {
		return at
	}
	return at + sort.Search(len(l.ids)-at, func(i int) bool { return l.ids[at+i] >= r })
}

// rounds is a set of rounds as ascending runs, no two of which touch.
type rounds []roundRun

// A roundRun is the rounds from to to-1.
type roundRun struct{ from, to int32 }

// find returns the run that r is in, or else the one that it would come before.
func (s rounds) find(r int32) (run int, found bool) {
	if n := len(s); n > 0 && s[n-1].from <= r { // mostly the newest
		if r < s[n-1].to {
			return n - 1, true
		}
		return n, false
	}
	i := sort.Search(len(s), func(i int) bool { return s[i].to > r })
	return i, i < len(s) && s[i].from <= r
}

func (s *rounds) add(r int32) {
	i, found := s.find(r)
	if found {
		return
	}
	v := *s
	after, before := i > 0 && v[i-1].to == r, i < len(v) && v[i].from == r+1
	switch {
	case after && before:
		v[i-1].to = v[i].to
		*s = slices.Delete(v, i, i+1)
	case after:
		v[i-1].to++
	case before:
		v[i].from--
	default:
		*s = slices.Insert(v, i, roundRun{r, r + 1})
	}
}
