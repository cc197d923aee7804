package dag

import (
	"math"
	"time"
)

// Groups is what is known of the key groups of a job's reduces: what its maps write for them, and what they have
// processed. It is observed like everything else in a JobState: unchanged parts may be shared between snapshots, and a
// reduce's Done grows at its end while its attempt is the same one, unless a report comes late or there are so many
// points that they are joined.
type Groups struct {
	Origin GroupOrigin
	// Maps is how many map tasks' profiles are in; 0 where the sizes come from a profile or are not known. While other
	// maps run, sizes are what these have written so far.
	Maps    int
	Reduces []ReduceGroups // one for each reduce task, by index
	// Note says why less is known than the origin could tell, e.g. that a combiner runs after the tap; "" otherwise.
	Note string
}

// A GroupOrigin says who measured key groups.
type GroupOrigin uint8

// The origins, from the weakest.
const (
	GroupsNone     GroupOrigin = iota
	GroupsCounted              // counters of a reduce between two reports: an interval is a burst
	GroupsTapped               // paratimer-tap around the job's own commands: top keys, the rest as bytes
	GroupsComplete             // every key is known with its size (the theoretical form of NearestFit)
)

// ReduceGroups are the key groups of one reduce task.
type ReduceGroups struct {
	// Bytes is the size of all its groups, NaN where it is not known.
	Bytes float64
	// Explicit are the sizes that are known one by one, ascending; equal ones are counted. What is done is not taken
	// out.
	Explicit []GroupSize
	// Implicit is the bytes of all other groups: Bytes less the explicit ones, at least 0. NaN where Bytes is.
	Implicit float64
	// Top names the largest explicit groups, largest first; at most MaxTopGroups.
	Top []KeyGroup

	// Attempt is the number of the attempt that Done is of, -1 where none has reported. A new attempt's groups replace
	// the older one's, they are never added.
	Attempt int32
	Done    []GroupPoint // in order of arrival

	// The group that the attempt is in, where it tells: what it has read of it so far, since when, and its name. NaN,
	// NoInstant and "" where it does not.
	OpenBytes float64
	OpenSince Instant
	OpenKey   string
}

// NoReduceGroups returns the groups of a reduce of which nothing is known.
func NoReduceGroups() ReduceGroups {
	nan := math.NaN()
	return ReduceGroups{Bytes: nan, Implicit: nan, Attempt: -1, OpenBytes: nan, OpenSince: NoInstant}
}

// A GroupSize is how many groups have a size.
type GroupSize struct {
	Bytes float64
	Count float64
}

// A KeyGroup is a group by name. Key is a hash, written "#" and hexadecimal digits, unless the job's owner let its keys
// be shown.
type KeyGroup struct {
	Key   string
	Bytes float64
}

// A GroupPoint is groups of one size that a reduce has finished.
type GroupPoint struct {
	At    Instant       // when it became visible
	Bytes float64       // of one group
	Took  time.Duration // the mean of a group
	Count float64       // how many groups
}

// MaxTopGroups is how many groups of a reduce have a name.
const MaxTopGroups = 10

// Size is how much there is of g: reduces, sizes, names and points; 0 where there is none.
func (g *Groups) Size() int {
	if g == nil {
		return 0
	}
	n := len(g.Reduces)
	for i := range g.Reduces {
		r := &g.Reduces[i]
		n += len(r.Explicit) + len(r.Top) + len(r.Done)
	}
	return n
}
