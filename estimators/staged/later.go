package staged

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// nothingLater is how likely it is that an application submits nothing more, as far as nobody knows its program.
const nothingLater = 0.3

// laterShare takes away from that what the work which is known tells: most applications announce most of their work
// early.
const laterShare = 0.3

// mostLater bounds what is expected of work that nobody has announced, in lengths of the run so far.
const mostLater = 20

// later draws how long work takes that nobody has announced, by a uniform number. Of an application of which nothing is
// known but how long it has run, any moment of it is as likely to be this one: the whole is so many times as long that
// the part which has passed is uniform.
func (m *Model) later(u float64) func(known time.Duration) time.Duration {
	s := m.snapshot
	elapsed := time.Duration(0)
	if from := s.Origin(); from.Known() {
		elapsed = max(0, s.At.Sub(from))
	}
	return func(known time.Duration) time.Duration {
		if u < nothingLater {
			return 0
		}
		passed := 1 - (u-nothingLater)/(1-nothingLater)
		times := min(laterShare*(1/passed-1), mostLater)
		whole := float64(elapsed) + float64(known)
		return time.Duration(math.Min(times*whole, float64(dag.MaxLength)))
	}
}
