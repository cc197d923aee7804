package simulate

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A reduceInput is the output of the maps for one reduce.
type reduceInput struct {
	explicit        []dag.GroupSize
	top             []dag.KeyGroup
	bytes, implicit float64
}

// reduceInputs returns the output of n of a job's maps. The values of each key are spread evenly over the maps, so
// all maps have the same largest keys. A tap names the Lambda largest keys of a map.
func (c *camera) reduceInputs(j, n int) []reduceInput {
	k := c.keyed[j]
	share := float64(n) / float64(c.plan.Jobs[j].Stages[dag.Map].Count())
	named, least := math.Inf(1), 0.0
	if c.opt.Groups == dag.GroupsTapped {
		least, named = k.largest(c.opt.lambda())
	}
	out := make([]reduceInput, len(k.groups.Reduces))
	for i := range out {
		p, r := &out[i], &k.groups.Reduces[i]
		for _, s := range r.Explicit {
			count := s.Count
			if s.Bytes == least { // only some groups of this size are among the largest
				count = min(count, named)
				named -= count
			}
			if s.Bytes < least {
				count = 0
			}
			if count > 0 {
				p.explicit = append(p.explicit, dag.GroupSize{Bytes: share * s.Bytes, Count: count})
			}
			p.implicit += share * s.Bytes * (s.Count - count)
		}
		p.bytes = share * k.bytes(i)
		for _, top := range r.Top {
			if len(p.explicit) > 0 && share*top.Bytes >= p.explicit[0].Bytes {
				p.top = append(p.top, dag.KeyGroup{Key: top.Key, Bytes: share * top.Bytes})
			}
		}
	}
	return out
}

// lambda returns how many keys of a map a tap names.
func (o *Options) lambda() int {
	if o.Lambda == 0 {
		return DefaultLambda
	}
	return o.Lambda
}

// largest returns the size of the n-th largest group of all tasks, and how many groups of that size are among the n.
func (k *keyed) largest(n int) (least, count float64) {
	var all []dag.GroupSize
	for i := range k.groups.Reduces {
		all = append(all, k.groups.Reduces[i].Explicit...)
	}
	slices.SortFunc(all, func(a, b dag.GroupSize) int { return cmp.Compare(b.Bytes, a.Bytes) })
	left := float64(n)
	for i, s := range all {
		if i == 0 || s.Bytes != least {
			least, count = s.Bytes, 0
		}
		if count += min(left, s.Count); s.Count >= left {
			return least, count
		}
		left -= s.Count
	}
	return 0, math.Inf(1)
}
