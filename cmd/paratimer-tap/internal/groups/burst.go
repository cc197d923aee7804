package groups

import "time"

// sizes below counted are counted in an array: tiny groups come by the million.
const counted = 1024

// A burst is groups that share a time: each has its part by size.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
type burst struct {
	groups int
	bytes  int64
	took   time.Duration
	at     time.Duration // when the last of them was done with
	count  [counted]uint32
	used   []int16 // sizes of which there is a count
	others []int64 // sizes of larger ones
}

func (b *burst) add(bytes int64) {
	b.groups++
	b.bytes += bytes
	if bytes >= counted {
		b.others = append(b.others, bytes)
		return
	}
	if b.count[bytes] == 0 {
		b.used = append(b.used, int16(bytes))
	}
	b.count[bytes]++
}

// spread gives each group its part of the time, and empties the burst.
func (b *burst) spread(to *clusters) {
	if b.groups == 0 {
		return
	}
	each := b.took.Seconds() / float64(b.bytes)
	for _, size := range b.used {
		to.add(float64(size), float64(size)*each, float64(b.count[size]), b.at)
		b.count[size] = 0
	}
	for _, size := range b.others {
		to.add(float64(size), float64(size)*each, 1, b.at)
	}
	b.groups, b.bytes, b.took = 0, 0, 0
	b.used, b.others = b.used[:0], b.others[:0]
}
