package collect

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

// Limits of a handler. Reading a batch takes some milliseconds of CPU time and up to 50 MB.
const (
	maxBatches  = 8           // that are read at a time
	waitToRead  = time.Second // for one of these places; a tap waits twice as long, and tries again
	maxComplain = 20          // refusals that are reported one by one
)

// A Handler accepts batches at tap.Path: a POST with the token and one batch returns 204. A refused batch changes
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
	if r.URL.Path != tap.Path {
		return refuse(http.StatusNotFound, "batches are posted to %s", tap.Path)
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
func (h *Handler) batch(w http.ResponseWriter, r *http.Request) (b tap.Batch, err error) {
	switch {
	case !h.authorised(r):
		return b, refuse(http.StatusUnauthorized, "wrong token: PARATIMER_TOKEN must be the watcher's")
	case r.ContentLength > tap.MaxBatchBytes:
		return b, refuse(http.StatusRequestEntityTooLarge, "%d bytes: a batch is at most %d", r.ContentLength,
			tap.MaxBatchBytes)
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
	return tap.Decode(http.MaxBytesReader(w, r.Body, tap.MaxBatchBytes+1))
}

// authorised compares hashes in constant time, so that the time does not reveal the token.
func (h *Handler) authorised(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}
