package chaos

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"sync"
)

// kept is the number of earlier responses of an address that may be repeated.
const kept = 12

// A Transport passes requests on and corrupts responses. It is safe for concurrent use.
type Transport struct {
	next http.RoundTripper
	plan FaultPlan

	mu       sync.Mutex
	asked    map[string]int
	answered map[string][]answer // the newest ones of each address, oldest first
	done     [faults]int
	calm     bool
}

// An answer is a response with its whole body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// New returns a Transport that corrupts the responses of next.
func New(next http.RoundTripper, w FaultPlan) *Transport {
	return &Transport{next: next, plan: w, asked: map[string]int{}, answered: map[string][]answer{}}
}

// Clear stops the faults: later responses are not corrupted.
func (t *Transport) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calm = true
}

// Done returns the number of responses with each fault. Whole counts the others.
func (t *Transport) Done() map[Fault]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[Fault]int{}
	for f, n := range t.done {
		if n > 0 {
			all[Fault(f)] = n
		}
	}
	return all
}

// RoundTrip always sends the request to next, even if the fault discards the response.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // the body was read to its end, or its error is returned
	if err != nil {
		return nil, err
	}
	now := answer{resp.StatusCode, resp.Header, body}
	address := r.URL.Host + r.URL.RequestURI()
	t.mu.Lock()
	fault, luck := t.plan.fault(address, t.asked[address])
	if t.calm {
		fault = Whole
	}
	t.asked[address]++
	before := t.answered[address]
	if n := len(before); n == 0 || !bytes.Equal(before[n-1].body, body) {
		t.answered[address] = append(before[max(0, n-kept+1):n:n], now)
	}
	old := len(before) > 0
	if !old && (fault == Stale || fault == Reordered || fault == Redated) {
		fault = Whole
	}
	t.done[fault]++
	t.mu.Unlock()
	switch fault {
	case Stale:
		now = before[luck.IntN(len(before))]
	case Reordered:
		now = before[len(before)-1]
	case Redated:
		now = before[luck.IntN(len(before))]
		now.header = maps.Clone(now.header)
		now.header["Date"] = resp.Header["Date"]
	}
	return corrupt(r, now, fault, luck)
}

// response converts an answer to an http.Response.
func (a *answer) response(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Request: r,
		Header:  maps.Clone(a.header), ContentLength: int64(len(a.body)), Body: io.NopCloser(bytes.NewReader(a.body)),
	}
}
