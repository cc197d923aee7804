// Package collect receives what paratimer-tap reports about a job's key groups, and adds it to the snapshots of the
// job's source.
//
// A Store keeps the reports by job. Taps post them to its Handler (adapters/tap has the wire format). A Source
// wraps the source of a query and adds dag.Groups to its snapshots. All input is hostile: every batch is validated
// before it is used, and the bytes of a store are bounded, as counted here; see DefaultBytes. Reports are kept by job
// id, so that runs are not mixed.
//
// If a store is full, it drops jobs that are in no snapshot, the longest silent first. Only then it refuses batches.
package collect

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

// Limits of a store. 0 is the default.
type Limits struct {
	Bytes    int // kept, as counted by this package; DefaultBytes
	Lambda   int // how many keys of each map are used; DefaultLambda
	Capacity int // how many keys of all maps of a job are counted; 35 times Lambda
}

const (
	// DefaultBytes is enough for 10 jobs of 70,000 keys that are counted, and 500 reduces of 2,000 points.
	DefaultBytes = 256 << 20
	// DefaultLambda is from E. Coppa, I. Finocchi, SoCC 2015, section 6.2: λ = 2000, Space-Saving of 35λ.
	DefaultLambda = 2000
)

// Costs of what is kept, in bytes: the structures, their slots in maps, the allocator's rounding and room to grow.
const (
	jobCost     = 1 << 10
	mapCost     = 48
	reduceCost  = 8   // bytes of one reduce
	keyCost     = 256 // and its name
	attemptCost = 320
	pointCost   = 64
)

const (
	// maxPoints and minPoints bound the points of an attempt. If it has more, they are condensed.
	maxPoints, minPoints = 4096, 64
	// maxJobPoints bounds the points of all reduces of a job, so that a recording can contain a whole snapshot.
	maxJobPoints = 1 << 17
	// maxOver is how many ended jobs are remembered, so that their late batches cost nothing.
	maxOver = 1024
)

// A Refusal is why a batch is not accepted, and the HTTP status of the response. The batch changed nothing.
type Refusal struct {
	Status int
	Text   string
}

func (r *Refusal) Error() string { return r.Text }

func refuse(status int, format string, args ...any) error {
	return &Refusal{status, fmt.Sprintf(format, args...)}
}

var (
	// ErrFull means that there is no room for the batch.
	ErrFull = refuse(http.StatusInsufficientStorage, "the watcher has no room for more key groups")
	// ErrOver means that no source needs the job's batches any more.
	ErrOver = refuse(http.StatusGone, "the job has ended, or is not watched any more")
)

// Counts are what a store has processed and keeps.
type Counts struct {
	Taken, Refused int // batches, since the start
	Jobs, Orphans  int // that have batches: those that are watched, and the others
	Bytes          int // kept
}

// A Store keeps the reports of taps, by job, within its limit. Several goroutines may use it.
type Store struct {
	limits Limits

	mu             sync.Mutex
	jobs           map[string]*job
	watched        map[string]int // number of sources that watch a job, which may have no batch yet
	held           int            // bytes
	points         int            // limit of an attempt's points
	ended          []string       // the newest jobs that have ended
	taken, refused int
}

// NewStore returns an empty store.
func NewStore(l Limits) *Store {
	l.Bytes, l.Lambda = cmp.Or(l.Bytes, DefaultBytes), cmp.Or(l.Lambda, DefaultLambda)
	l.Capacity = cmp.Or(l.Capacity, 35*l.Lambda)
	return &Store{limits: l, jobs: map[string]*job{}, watched: map[string]int{}, points: maxPoints}
}

// Counts returns what the store has processed and keeps now.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := Counts{Taken: s.taken, Refused: s.refused, Bytes: s.held}
	for id := range s.jobs {
		if s.watched[id] > 0 {
			c.Jobs++
		} else {
			c.Orphans++
		}
	}
	return c
}

// Take adds a batch that was received at a time of the collector's clock. The batch must be valid. An error is a
// *Refusal.
func (s *Store) Take(b *tap.Batch, received time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.take(b, received)
	if err != nil {
		s.refused++
	} else {
		s.taken++
	}
	return err
}

// Refused counts a batch that was refused before Take.
func (s *Store) Refused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
}

func (s *Store) take(b *tap.Batch, received time.Time) error {
	a, err := tap.ParseAttempt(b.Attempt)
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if slices.Contains(s.ended, b.Job) {
		return ErrOver
	}
	j, known := s.jobs[b.Job]
	if !known {
		j = &job{id: b.Job, maps: map[int32]bool{}, tasks: map[int32][]*attempt{}}
	}
	if err := j.check(b, a); err != nil {
		return err
	}
	before := j.cost
	if !s.room(jobCost+j.growth(b, s.limits.Lambda), j) {
		return ErrFull
	}
	if !known {
		s.jobs[b.Job], j.cost = j, jobCost
	}
	j.newest = s.taken
	if a.Reduce {
		j.takeGroups(b, a, received, max(minPoints, min(s.points, maxJobPoints/max(1, j.reduces(), len(j.tasks)))))
	} else {
		j.takeMap(b, int32(a.Task), s.limits)
	}
	s.held += j.cost - before
	return nil
}

// room makes room for bytes of a job, and reports whether it could: it drops jobs that no source watches, the longest
// silent first. It drops some more jobs than needed, so as not to sort them for each batch.
func (s *Store) room(need int, keep *job) bool {
	if s.held+need <= s.limits.Bytes {
		return true
	}
	oldest := func(a, b *job) int { return cmp.Compare(a.newest, b.newest) }
	for _, j := range slices.SortedFunc(maps.Values(s.jobs), oldest) {
		if s.held+need > s.limits.Bytes/8*7 && s.watched[j.id] == 0 && j != keep {
			s.forget(j)
		}
	}
	return s.held+need <= s.limits.Bytes
}

func (s *Store) forget(j *job) {
	s.held -= j.cost
	delete(s.jobs, j.id)
}

// watch records that a source watches a job. The job's batches are kept as long as one does.
func (s *Store) watch(id string) {
	s.ended = slices.DeleteFunc(s.ended, func(ended string) bool { return ended == id })
	s.watched[id]++
}

// leave records that a source no longer watches a job. If no other source does, the store drops a job that has
// ended and refuses its later batches. A job that still runs is kept while there is room.
func (s *Store) leave(id string, ended bool) {
	if s.watched[id]--; s.watched[id] > 0 {
		return
	}
	delete(s.watched, id)
	if !ended {
		return
	}
	if j := s.jobs[id]; j != nil {
		s.forget(j)
	}
	s.ended = append(s.ended[max(0, len(s.ended)-maxOver+1):], id)
}
