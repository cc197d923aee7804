package groups

import (
	"math"
	"strconv"
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
		to.add(float64(size), float64(size)*each, b.at)
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
	tap.Point
	at   time.Duration
	next int32 // cluster of the same size; 0 for none
}

// join adds the groups of q. The sums of bytes and times do not change.
func (p *cluster) join(q cluster) {
	share := q.Count / (p.Count + q.Count)
	p.Bytes += (q.Bytes - p.Bytes) * share
	p.Seconds += (q.Seconds - p.Seconds) * share
	p.Count += q.Count
	p.at = max(p.at, q.at)
}

// add adds a group of one size. If there are more points than fit into a batch, it joins sizes within a few per cent of
// each other.
func (c *clusters) add(bytes, seconds float64, at time.Duration) {
	if len(c.all) >= tap.MaxPoints {
		c.coarsen()
	}
	one := cluster{Point: tap.Point{Bytes: bytes, Seconds: seconds, Count: 1}, at: at}
	n := int32(len(c.all))
	if i, ok := c.first[bytes]; ok {
		p := &c.all[i]
		for math.Abs(p.Seconds-seconds) > c.near && p.next > 0 {
			p = &c.all[p.next]
		}
		if math.Abs(p.Seconds-seconds) <= c.near {
			p.join(one)
			return
		}
		p.next = n
	} else {
		c.first[bytes] = n
	}
	c.all = append(c.all, one)
}

// grain is the number of sizes per octave after joining: steps of 4%.
const grain = 16

func (c *clusters) coarsen() {
	byOctave, n := map[float64]int{}, 0
	for _, p := range c.all {
		p.next = 0
		o := math.Round(grain * math.Log2(max(1, p.Bytes)))
		if i, ok := byOctave[o]; ok {
			c.all[i].join(p)
			continue
		}
		byOctave[o], c.all[n] = n, p
		n++
	}
	c.all = c.all[:n]
	clear(c.first)
	for i, p := range c.all {
		if _, ok := c.first[p.Bytes]; !ok {
			c.first[p.Bytes] = int32(i)
		}
	}
}

// take empties the clusters and returns their points. Ages are seconds before now.
func (c *clusters) take(now time.Duration) []tap.Point {
	var out []tap.Point
	for _, p := range c.all {
		p.Age, p.Seconds = max(0, now-p.at).Seconds(), round(p.Seconds)
		out = append(out, p.Point)
	}
	c.all = c.all[:0]
	clear(c.first)
	return out
}

// round rounds to six digits. More digits would be noise.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return r
}
