package frame

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// digest is a hash of everything that changes while a query makes progress: the states of jobs, the attempts of
// masters and tasks, and all counters. If it is the same in two snapshots there was no progress between them.
func digest(s *dag.Snapshot) uint64 {
	d := mixer(1)
	d.add(uint64(s.State))
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d.add(uint64(j.State)<<32 | uint64(j.Attempt))
		for k := range j.Stages {
			p := &j.Stages[k]
			d.add(uint64(len(p.Attempts)))
			for k := range p.Attempts {
				d.attempt(&p.Attempts[k])
			}
		}
	}
	return max(uint64(d), 1) // 0 means that there is no digest
}

// A mixer is a hash like FNV-1a, but of 64-bit words instead of bytes.
type mixer uint64

func (m *mixer) add(v uint64) {
	h := (uint64(*m) ^ v) * 0x9e3779b97f4a7c15
	*m = mixer(h ^ h>>29)
}

func (m *mixer) attempt(a *dag.Attempt) {
	m.add(uint64(a.Task)<<32 | uint64(a.Number)<<8 | uint64(a.State))
	m.add(uint64(a.Start))
	m.add(uint64(a.End))
	for _, v := range a.Done {
		m.add(math.Float64bits(v))
	}
	m.add(math.Float64bits(a.Out))
	m.add(math.Float64bits(a.Bytes))
	m.add(math.Float64bits(a.Ratio))
}
