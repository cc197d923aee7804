package tap

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
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
	ErrOver = refuse(http.StatusGone, "the job has ended, or is no longer watched")
)

// Counts count the batches that a store has processed, and those that it keeps.
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
func (s *Store) Take(b *Batch, received time.Time) error {
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

func (s *Store) take(b *Batch, received time.Time) error {
	a, err := ParseAttempt(b.Attempt)
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

// Limits of a handler. Reading a batch takes some milliseconds of CPU time and up to 50 MB.
const (
	maxBatches  = 8           // that are read at a time
	waitToRead  = time.Second // for one of these places; a tap waits twice as long, and tries again
	maxComplain = 20          // refusals that are reported one by one
)

// A Handler accepts batches at Path: a POST with the token and one batch returns 204. A refused batch changes
// nothing; the response has the reason in one line.
type Handler struct {
	store      *Store
	token      [sha256.Size]byte
	now        func() time.Time
	tell       func(error)
	read       chan struct{}
	complaints atomic.Int64
}

// NewHandler returns a handler that adds batches with this token to store. The token must not be empty. now is the
// collector's clock, the same as the sources'. The callback receives the first refusals, without secrets; it may be
// nil.
func NewHandler(store *Store, token string, now func() time.Time, tell func(error)) *Handler {
	return &Handler{
		store: store, token: sha256.Sum256([]byte(token)), now: now, tell: tell, read: make(chan struct{}, maxBatches),
	}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.take(w, r)
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	refused, is := errors.AsType[*Refusal](err)
	if !is {
		refused = &Refusal{http.StatusBadRequest, err.Error()}
	}
	switch refused.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, refused.Text, refused.Status)
	if h.tell != nil && h.complaints.Add(1) <= maxComplain { // a refused client goes on sending
		h.tell(fmt.Errorf("a batch of %s was refused: %d: %w", r.RemoteAddr, refused.Status, refused))
	}
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Path != Path {
		return refuse(http.StatusNotFound, "batches are posted to %s", Path)
	}
	if r.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "batches are posted")
	}
	b, err := h.batch(w, r)
	if err != nil {
		h.store.Refused()
		return err
	}
	return h.store.Take(&b, h.now())
}

// batch reads the batch of a request once few enough are read at a time.
func (h *Handler) batch(w http.ResponseWriter, r *http.Request) (b Batch, err error) {
	switch {
	case !h.authorised(r):
		return b, refuse(http.StatusUnauthorized, "wrong token: PARATIMER_TOKEN must be the watcher's")
	case r.ContentLength > MaxBatchBytes:
		return b, refuse(http.StatusRequestEntityTooLarge, "%d bytes: a batch is at most %d", r.ContentLength,
			MaxBatchBytes)
	case r.Header.Get("Content-Encoding") != "":
		return b, refuse(http.StatusUnsupportedMediaType, "batches are not packed")
	}
	ctx, cancel := context.WithTimeout(r.Context(), waitToRead)
	defer cancel()
	select {
	case h.read <- struct{}{}:
		defer func() { <-h.read }()
	case <-ctx.Done():
		return b, refuse(http.StatusServiceUnavailable, "too many batches at once; try again")
	}
	return Decode(http.MaxBytesReader(w, r.Body, MaxBatchBytes+1))
}

// authorised compares hashes in constant time, so that the time does not reveal the token.
func (h *Handler) authorised(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

// ReadSpool adds a file that a tap wrote because no collector was there: a batch per line, each as hostile as a
// posted one. received is the time at which all of them count as received. An unusable line, such as the torn last
// line of a killed task, does not stop the others. An error is the reader's, or that too many lines in a row are
// unusable, or else that of the first unusable line.
func ReadSpool(r io.Reader, store *Store, received time.Time) error {
	in := bufio.NewReaderSize(r, MaxBatchBytes+1)
	var bad input.Streak
	var first error
	for n := 1; ; n++ {
		line, end := in.ReadSlice('\n') // a line that is longer than a batch comes in pieces, which are unusable
		if len(line) == 0 {
			if errors.Is(end, io.EOF) {
				return first
			}
			return end
		}
		line = bytes.TrimSpace(line)
		b, err := Decode(bytes.NewReader(line))
		if err == nil {
			bad.Good()
			err = store.Take(&b, received)
		} else if tooMany := bad.Bad(); tooMany != nil {
			return fmt.Errorf("line %d: %w", n, tooMany)
		}
		if err != nil && len(line) > 0 && first == nil {
			first = fmt.Errorf("line %d: %w", n, err)
		}
	}
}
