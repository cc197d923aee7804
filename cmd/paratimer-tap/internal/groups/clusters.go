package groups

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

// A burst is a number of groups that share a measured time in proportion to their sizes.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 6.
type burst struct {
	sizes []int64
	bytes int64 // sum of sizes
	took  time.Duration
	at    time.Duration // when the last of them was finished
}

// spread assigns each group its share of the time, and empties the burst.
func (b *burst) spread(to *clusters) {
	each := b.took.Seconds() / float64(b.bytes)
	for _, size := range b.sizes {
		to.add(float64(size), float64(size)*each, 1, b.at)
	}
	*b = burst{sizes: b.sizes[:0]}
}

// clusters are points to be sent. Groups of the same size and nearly the same time form one point.
type clusters struct {
	near  float64 // largest distance of a time from a cluster's mean, in seconds, to join the cluster
	all   []cluster
	first map[float64]int32 // the first cluster of a size
}

type cluster struct {
	bytes, mean, count float64
	at                 time.Duration
	next               int32 // cluster of the same size; 0 for none
}

// add adds count groups of one size with this mean time. If there are more points than fit into a batch, it merges
// sizes within a few per cent of each other. The sums of bytes and times do not change.
func (c *clusters) add(bytes, seconds, count float64, at time.Duration) {
	if len(c.all) >= tap.MaxPoints {
		c.coarsen()
	}
	if c.first == nil {
		c.first = map[float64]int32{}
	}
	i, ok := c.first[bytes]
	for ok {
		p := &c.all[i]
		if math.Abs(p.mean-seconds) <= c.near {
			p.mean += (seconds - p.mean) * count / (p.count + count)
			p.count += count
			p.at = max(p.at, at)
			return
		}
		if p.next == 0 {
			p.next = int32(len(c.all))
			break
		}
		i = p.next
	}
	if !ok {
		c.first[bytes] = int32(len(c.all))
	}
	c.all = append(c.all, cluster{bytes: bytes, mean: seconds, count: count, at: at})
}

// grain is the number of sizes per octave after merging: steps of 4 %.
const grain = 16

func (c *clusters) coarsen() {
	old := c.all
	c.all, c.first = make([]cluster, 0, len(old)), nil
	byOctave := map[int]int{}
	for _, p := range old {
		o := int(math.Round(grain * math.Log2(max(1, p.bytes))))
		i, ok := byOctave[o]
		if !ok {
			i = len(c.all)
			byOctave[o] = i
			c.all = append(c.all, cluster{bytes: p.bytes, mean: p.mean, count: p.count, at: p.at})
			continue
		}
		q := &c.all[i]
		share := p.count / (q.count + p.count)
		q.bytes += (p.bytes - q.bytes) * share
		q.mean += (p.mean - q.mean) * share
		q.count += p.count
		q.at = max(q.at, p.at)
	}
	c.first = make(map[float64]int32, len(c.all))
	for i, p := range c.all {
		if _, ok := c.first[p.bytes]; !ok {
			c.first[p.bytes] = int32(i)
		}
	}
}

// take empties the clusters and returns their points. Ages are seconds before now.
func (c *clusters) take(now time.Duration) []tap.Point {
	var out []tap.Point
	for _, p := range c.all {
		out = append(out, tap.Point{
			Age:     max(0, now-p.at).Seconds(),
			Bytes:   p.bytes,
			Seconds: round(p.mean),
			Count:   p.count,
		})
	}
	c.all = c.all[:0]
	clear(c.first)
	return out
}

// round rounds to six digits. More digits would be noise.
func round(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, 5-math.Floor(math.Log10(v)))
	if r := math.Round(v*unit) / unit; r > 0 && !math.IsInf(r, 0) {
		return r
	}
	return v
}
