package groups

import "time"

// Sizes below counted are counted in an array, because tiny groups come by the million.
const counted = 1024

// A burst is a number of groups that share a measured time in proportion to their sizes.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
type burst struct {
	groups int
	bytes  int64
	took   time.Duration
	at     time.Duration // when the last of them was finished
	count  [counted]uint32
	used   []int16 // sizes with a count above 0
	others []int64 // sizes of counted and more
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

// spread assigns each group its share of the time, and empties the burst.
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
