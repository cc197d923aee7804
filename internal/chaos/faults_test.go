// Package chaos simulates a cluster's failures for tests: a transport that corrupts responses on their way, by a
// seed.
//
// A response always belongs to the requested address. Otherwise the transport does everything that networks, proxies,
// caches and failing servers do to a response: see Fault. docs/questions.md lists what ParaTimer guarantees under these
// faults.
package chaos

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// A Fault is one way to corrupt a response.
type Fault int

// The faults. Only Whole, Doubled, Stale, Reordered and Redated leave a usable response.
const (
	Whole       Fault = iota // no fault
	ServerError              // 500, 502 or 503 with a page
	TooMany                  // 429 with Retry-After
	Redirect                 // 302 or 307 to nowhere, to itself, to another host, or to another scheme
	Reset                    // the connection is cut before the header
	Hang                     // no header arrives
	HangInBody               // a part of the body arrives, then nothing more, and no end
	Broken                   // the body ends before its Content-Length
	Cut                      // the body ends early and looks complete: at any byte
	CutToken                 // the same, between two tokens of the JSON
	PackedCut                // a gzip stream that ends early
	PackedWrong              // a gzip stream with a wrong checksum
	Page                     // a web page with status 200
	Empty                    // an empty body with status 200
	Hollow                   // {}, null or the like, with status 200
	Garbage                  // bytes that are not JSON
	WrongType                // the right body with a wrong Content-Type
	Huge                     // a body without an end
	Doubled                  // headers twice, with different values
	Stale                    // an earlier response of the same address
	Reordered                // the previous response, as if two responses overtook each other
	Redated                  // an earlier response from a cache that sends the current date
	faults
)

var names = [faults]string{
	"whole", "server error", "too many", "redirect", "reset", "hang", "drip", "broken", "cut", "cut at a token",
	"packed, cut", "packed, wrong",
	"page", "empty", "hollow", "garbage", "wrong type", "huge", "doubled headers", "stale", "reordered", "redated",
}

// Faults returns all faults except Whole.
func Faults() []Fault {
	all := make([]Fault, 0, faults-1)
	for f := Whole + 1; f < faults; f++ {
		all = append(all, f)
	}
	return all
}

func (f Fault) String() string { return names[f] }

// A FaultPlan sets the kinds and the frequency of faults. The same plan gives the same faults.
type FaultPlan struct {
	Seed   uint64
	Rate   float64 // share of the responses that are corrupted, 0..1
	Faults []Fault // kinds of faults to use
	// Burst is the number of consecutive requests to one address with the same luck, so that faults come in bursts.
	Burst int
}

// Of returns the fault plan of a seed. Rates go from rare faults in long bursts to every second response; kinds of
// faults are one, three, or all.
func Of(seed uint64) FaultPlan {
	r := rand.New(rand.NewPCG(seed, 1))
	kinds := []FaultPlan{
		{Rate: 0.01, Burst: 8},
		{Rate: 0.05, Burst: 4},
		{Rate: 0.05, Burst: 1},
		{Rate: 0.2, Burst: 2},
		{Rate: 0.5, Burst: 1},
	}
	w := kinds[r.IntN(len(kinds))]
	w.Seed, w.Faults = seed, Faults()
	if n := []int{0, 0, 1, 3}[r.IntN(4)]; n > 0 {
		r.Shuffle(len(w.Faults), func(i, k int) { w.Faults[i], w.Faults[k] = w.Faults[k], w.Faults[i] })
		w.Faults = w.Faults[:n]
	}
	return w
}

func (w FaultPlan) String() string {
	all := make([]string, len(w.Faults))
	for i, f := range w.Faults {
		all[i] = f.String()
	}
	if len(w.Faults) == len(Faults()) {
		all = []string{"all faults"}
	}
	return fmt.Sprintf("%.0f%% of the answers, %d in a row: %s", 100*w.Rate, w.Burst, strings.Join(all, ", "))
}

// fault returns the fault of the nth response of an address, and a random source for its details. It does not depend
// on the order of requests to different addresses.
func (w FaultPlan) fault(address string, nth int) (Fault, *rand.Rand) {
	h := fnv.New64a()
	fmt.Fprint(h, address, nth/max(1, w.Burst))
	luck := rand.New(rand.NewPCG(w.Seed, h.Sum64()))
	if len(w.Faults) == 0 || luck.Float64() >= w.Rate {
		return Whole, nil
	}
	f := w.Faults[luck.IntN(len(w.Faults))]
	fmt.Fprint(h, nth)
	return f, rand.New(rand.NewPCG(w.Seed, h.Sum64()))
}

// kept is the number of earlier responses of an address that may be repeated.
const kept = 12

// A Transport passes requests on and corrupts responses. It is safe for concurrent use.
type Transport struct {
	next http.RoundTripper
	plan FaultPlan

	mu       sync.Mutex
	requests map[string]int
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
	return &Transport{next: next, plan: w, requests: map[string]int{}, answered: map[string][]answer{}}
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
	fault, luck := t.plan.fault(address, t.requests[address])
	if t.calm {
		fault = Whole
	}
	t.requests[address]++
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

// corrupt applies a fault to a response.
func corrupt(r *http.Request, a answer, fault Fault, luck *rand.Rand) (*http.Response, error) {
	switch fault {
	case Reset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	case Hang:
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	case ServerError:
		a.become([]int{500, 502, 503}[luck.IntN(3)], "text/html",
			"<html><title>Error</title>The server encountered an error</html>")
	case TooMany:
		a.become(http.StatusTooManyRequests, "text/plain", "slow down")
		a.header.Set("Retry-After", "30")
	case Redirect:
		a.become([]int{302, 307}[luck.IntN(2)], "text/html", "")
		to := []string{
			"", r.URL.String(), "http://elsewhere:1" + r.URL.RequestURI(), "ftp://elsewhere/",
			"http://login/?to=" + r.URL.Path, "\x7f:",
		}
		a.header.Set("Location", to[luck.IntN(len(to))])
	case Page:
		a.become(http.StatusOK, "text/html", "<html><title>Sign in</title><form>who are you?</form></html>")
	case Empty:
		a.become(http.StatusOK, "application/json", "")
	case Hollow:
		a.become(http.StatusOK, "application/json", []string{"{}", "null", "[]", `""`, "0"}[luck.IntN(5)])
	case Garbage:
		a.become(http.StatusOK, "application/json", garbage(luck))
	case WrongType:
		a.header = a.header.Clone()
		a.header.Set("Content-Type", []string{"text/plain", "application/octet-stream", "no type at all"}[luck.IntN(3)])
	case Doubled:
		a.header = a.header.Clone()
		a.header.Add("Content-Type", "text/html")
		a.header.Add("Content-Length", strconv.Itoa(len(a.body)/2))
		a.header.Add("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
	case Cut:
		a.body = a.body[:part(len(a.body), luck)]
	case CutToken:
		a.body = a.body[:token(a.body, luck)]
	case PackedCut, PackedWrong:
		a.pack(fault, luck)
	case Whole, Stale, Reordered, Redated, HangInBody, Broken, Huge: // handled below, or by the caller
	}
	resp := a.response(r)
	n := part(len(a.body), luck)
	switch fault {
	case HangInBody:
		resp.Body = body{io.MultiReader(bytes.NewReader(a.body[:n]), hanging{r.Context()})}
	case Broken:
		resp.Body = body{io.MultiReader(bytes.NewReader(a.body[:n]), failing{io.ErrUnexpectedEOF})}
	case Huge:
		resp.Body, resp.ContentLength = body{endless{}}, -1
	case PackedCut, PackedWrong:
		resp.Body, resp.ContentLength = body{unpacked(a.body)}, -1
	default:
	}
	return resp, nil
}

func (a *answer) become(status int, kind, text string) {
	a.status, a.body, a.header = status, []byte(text), a.header.Clone()
	a.header.Set("Content-Type", kind)
}

// part returns a random length below n.
func part(n int, luck *rand.Rand) int {
	if n == 0 || luck == nil {
		return 0
	}
	return luck.IntN(n)
}

// token returns the end of a random token of the body.
func token(b []byte, luck *rand.Rand) int {
	d := json.NewDecoder(bytes.NewReader(b))
	var ends []int
	for {
		if _, err := d.Token(); err != nil {
			break
		}
		ends = append(ends, int(d.InputOffset()))
	}
	if len(ends) < 2 {
		return 0
	}
	return ends[luck.IntN(len(ends)-1)] // without the last one, which would be the whole body
}

func garbage(luck *rand.Rand) string {
	b := make([]byte, 1+luck.IntN(2000))
	for i := range b {
		b[i] = byte(luck.Uint32())
	}
	return "\x00" + string(b)
}

// pack compresses the body with gzip and damages the stream.
func (a *answer) pack(fault Fault, luck *rand.Rand) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(a.body)
	if err := errors.Join(err, z.Close()); err != nil {
		panic(err) // a buffer accepts everything
	}
	a.body = b.Bytes()
	if fault == PackedCut {
		a.body = a.body[:part(len(a.body), luck)]
		return
	}
	a.body[len(a.body)-8] ^= 1 // flips a bit of the checksum
}

// unpacked reads packed bytes, as a transport does that has requested gzip.
func unpacked(packed []byte) io.Reader {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return failing{err}
	}
	return z
}

// body has a Close that does nothing.
type body struct{ io.Reader }

func (body) Close() error { return nil }

// hanging blocks until the request is canceled.
type hanging struct{ ctx context.Context }

func (s hanging) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endless is an endless stream of white space, with which JSON may begin.
type endless struct{}

var spaces = strings.Repeat(" ", 32<<10)

func (endless) Read(b []byte) (int, error) { return copy(b, spaces), nil }
