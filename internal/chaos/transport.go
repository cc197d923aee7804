package chaos

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"sync"
)

// kept is how many earlier answers of an address may come again.
const kept = 12

// A Transport passes requests on and corrupts answers. Several goroutines may use it.
type Transport struct {
	next http.RoundTripper
	plan FaultPlan

	mu       sync.Mutex
	asked    map[string]int
	answered map[string][]answer // the newest ones of each address, oldest first
	done     [faults]int
	calm     bool
}

// An answer is one as it came, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// New corrupts what next answers.
func New(next http.RoundTripper, w FaultPlan) *Transport {
	return &Transport{next: next, plan: w, asked: map[string]int{}, answered: map[string][]answer{}}
}

// Clear ends the faults: from now on answers are whole.
func (t *Transport) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calm = true
}

// Done counts the answers that each fault has corrupted. Whole counts the others.
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

// RoundTrip asks next, whatever becomes of the answer: what is wanted is a server that has answered.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was read to its end, or its error counts
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

// response is an answer as a server sends it.
func (a *answer) response(r *http.Request) *http.Response {
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Request: r,
		Header:  maps.Clone(a.header), ContentLength: int64(len(a.body)), Body: io.NopCloser(bytes.NewReader(a.body)),
	}
}
