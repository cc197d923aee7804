package collect

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

// Limits of a handler. Reading a batch takes some milliseconds of CPU time and up to 20 MB.
const (
	maxBatches  = 8           // that are read at a time
	waitToRead  = time.Second // for one of these places; a tap waits twice as long, and tries again
	maxComplain = 20          // refusals that are reported one by one
)

// A Handler accepts batches at tap.Path: a POST with the token and one batch returns 204. A refused batch changes
// nothing; the response has the reason in one line.
type Handler struct {
	store *Store
	token [sha256.Size]byte
	now   func() time.Time
	tell  func(error)
	read  chan struct{}
	told  chan struct{}
}

// NewHandler returns a handler that adds batches with this token to store. The token must not be empty. now is the
// collector's clock, the same as the sources'. The callback receives the first refusals, without secrets; it may be
// nil.
func NewHandler(store *Store, token string, now func() time.Time, tell func(error)) *Handler {
	return &Handler{
		store: store, token: sha256.Sum256([]byte(token)), now: now, tell: tell,
		read: make(chan struct{}, maxBatches), told: make(chan struct{}, maxComplain),
	}
}

// A refusal is a response other than 204.
type refusal struct {
	status int
	err    error
}

func (r *refusal) Error() string { return r.err.Error() }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.take(w, r)
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	switch err.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, err.Error(), err.status)
	h.complain(r, err)
}

// complain reports a refusal, but only the first few: a refused client goes on sending.
func (h *Handler) complain(r *http.Request, err *refusal) {
	if h.tell == nil {
		return
	}
	select {
	case h.told <- struct{}{}:
		h.tell(fmt.Errorf("a batch of %s was refused: %d: %w", r.RemoteAddr, err.status, err.err))
	default:
	}
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request) *refusal {
	switch {
	case r.URL.Path != tap.Path:
		return &refusal{http.StatusNotFound, errors.New("batches are posted to " + tap.Path)}
	case r.Method != http.MethodPost:
		return &refusal{http.StatusMethodNotAllowed, errors.New("batches are posted")}
	case !h.authorised(r):
		h.store.Refused()
		return &refusal{http.StatusUnauthorized, errors.New("wrong token: PARATIMER_TOKEN must be the watcher's")}
	case r.ContentLength > tap.MaxBatchBytes:
		h.store.Refused()
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Errorf("%d bytes: a batch is at most %d", r.ContentLength,
			tap.MaxBatchBytes)}
	case r.Header.Get("Content-Encoding") != "":
		h.store.Refused()
		return &refusal{http.StatusUnsupportedMediaType, errors.New("batches are not packed")}
	}
	leave, full := h.enter(r)
	if full != nil {
		h.store.Refused()
		return full
	}
	defer leave()
	b, err := tap.Decode(http.MaxBytesReader(w, r.Body, tap.MaxBatchBytes+1))
	if err != nil {
		h.store.Refused()
		return &refusal{statusOf(err), err}
	}
	if err := h.store.Take(&b, h.now()); err != nil {
		return &refusal{statusOf(err), err}
	}
	return nil
}

func statusOf(err error) int {
	var large *http.MaxBytesError
	var reduces *ReducesError
	var task *TaskError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &reduces), errors.As(err, &task):
		return http.StatusConflict
	case errors.Is(err, ErrOver):
		return http.StatusGone
	case errors.Is(err, ErrFull):
		return http.StatusInsufficientStorage
	}
	return http.StatusBadRequest
}

// authorised compares hashes in constant time, so that the time does not reveal the token.
func (h *Handler) authorised(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

// enter waits for a place among the batches that are being read.
func (h *Handler) enter(r *http.Request) (leave func(), full *refusal) {
	leave = func() { <-h.read }
	select {
	case h.read <- struct{}{}:
		return leave, nil
	default:
	}
	late := time.NewTimer(waitToRead)
	defer late.Stop()
	select {
	case h.read <- struct{}{}:
		return leave, nil
	case <-late.C:
	case <-r.Context().Done():
	}
	return nil, &refusal{http.StatusServiceUnavailable, errors.New("too many batches at once; try again")}
}
