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

// DefaultBytes bounds what a store keeps, as counted by this package: enough for 1,000 maps of 2,000 keys in jobs that
// still map, and 500 reduces of 2,000 points. For a moment the process takes up to twice as much, while it joins
// profiles of map outputs and reads batches.
const DefaultBytes = 256 << 20

// Costs of what is kept, in bytes: the structures, their slots in maps and the allocator's rounding.
const (
	jobCost     = 1 << 10
	profileCost = 192
	keyCost     = 40 // and the name
	cellCost    = 8  // bytes for one reduce
	attemptCost = 320
	pointCost   = 56
)

const (
	// minLambda is the least number of a map's keys. If these take too much, batches are refused.
	minLambda = 32
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
	limit int

	mu             sync.Mutex
	jobs           map[string]*job
	watched        map[string]int // number of sources that watch a job, which may have no batch yet
	held           int            // bytes
	lambda, points int            // limits of a map's keys, and of an attempt's points
	ended          []string       // the newest jobs that have ended
	taken, refused int
}

// NewStore returns an empty store that keeps at most this many bytes.
func NewStore(bytes int) *Store {
	return &Store{
		limit: bytes, jobs: map[string]*job{}, watched: map[string]int{}, lambda: tap.MaxKeys, points: maxPoints,
	}
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
	j := s.jobs[b.Job]
	if j == nil {
		j = &job{id: b.Job, cost: jobCost, maps: map[int32]*profile{}, tasks: map[int32][]*attempt{}}
	}
	if b.Map != nil && j.reduces > 0 && j.reduces != b.Map.Reduces {
		return refuse(http.StatusConflict, "map.r: this map has %d reduces, others of %s have %d", b.Map.Reduces, b.Job,
			j.reduces)
	}
	tasks := j.mapTasks
	if a.Reduce {
		tasks = j.reduceTasks
	}
	if tasks > 0 && a.Task >= tasks {
		return refuse(http.StatusConflict, "att: %s, but its job has %d such tasks", b.Attempt, tasks)
	}
	if b.Map != nil && j.settled {
		return nil
	}
	var p *profile
	need := j.cost - j.charged + attemptCost + len(b.Note)
	switch {
	case a.Reduce:
		need += pointCost * (2*len(b.Points) + 64)
		if t := j.find(int32(a.Task), int32(a.Number)); t != nil {
			need += pointCost * len(t.course)
		}
	case b.Map != nil:
		p = profileOf(b.Map, s.lambda)
		need += p.cost()
	}
	if !s.room(need, j) {
		return ErrFull
	}
	if p != nil {
		p = p.cut(s.lambda) // room may have lowered lambda
	}
	s.jobs[b.Job] = j
	j.newest = s.taken
	most := max(minPoints, min(s.points, maxJobPoints/max(1, j.reduces, len(j.tasks))))
	j.take(b, a, p, received, most)
	s.charge(j)
	return nil
}

// charge counts the bytes that were added to a job or removed from it.
func (s *Store) charge(j *job) {
	s.held += j.cost - j.charged
	j.charged = j.cost
}

// room makes room for bytes of a job, and reports whether it could: it drops jobs that no source watches, the longest
// silent first, and then the smaller keys of all maps. It drops some more jobs than needed, so as not to sort them for
// each batch.
func (s *Store) room(need int, keep *job) bool {
	if s.held+need <= s.limit {
		return true
	}
	oldest := func(a, b *job) int { return cmp.Compare(a.newest, b.newest) }
	for _, j := range slices.SortedFunc(maps.Values(s.jobs), oldest) {
		if s.held+need > s.limit/8*7 && s.watched[j.id] == 0 && j != keep {
			s.forget(j)
		}
	}
	for s.held+need > s.limit && s.lambda > minLambda {
		s.lambda = max(minLambda, s.lambda/2)
		for _, j := range s.jobs {
			j.lower(s.lambda)
			s.charge(j)
		}
	}
	return s.held+need <= s.limit
}

func (s *Store) forget(j *job) {
	s.held -= j.charged
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
	if s.watched[id] > 1 {
		s.watched[id]--
		return
	}
	wasWatched := s.watched[id] == 1
	delete(s.watched, id)
	if !ended || !wasWatched {
		return
	}
	if j := s.jobs[id]; j != nil {
		s.forget(j)
	}
	s.ended = append(s.ended[max(0, len(s.ended)-maxOver+1):], id)
	if s.held < s.limit/4 { // there is room again
		s.lambda = tap.MaxKeys
	}
}
