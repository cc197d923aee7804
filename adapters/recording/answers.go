package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// Bounds for reading answers, so that a hostile file cannot fill the memory.
const (
	maxTotal = 16 << 30 // bytes of all lines, uncompressed
	maxMem   = 1 << 30  // bytes of stored bodies
)

// longestAnswerMS bounds the duration of a response, because a recording may contain any value.
const longestAnswerMS = 3_600_000

// A Record is a line with an answer.
type Record struct {
	T      float64 `json:"t"` // milliseconds since the epoch, before the request
	Ms     float64 `json:"ms"`
	Date   string  `json:"date"`
	URL    string  `json:"url"`
	Status int     `json:"status"` // 0 if there was no response; body is then the error
	Type   string  `json:"type"`   // Content-Type
	Body   string  `json:"body"`   // of a redirect "Location: …"
}

// A body is the compressed text of a response, because an hour of a wide job is half a gigabyte.
type body string

func pack(text string) body { return body(s2.Encode(nil, []byte(text))) }

func (b body) String() string {
	text, _ := s2.Decode(nil, []byte(b)) // it comes from pack, so it is valid
	return string(text)
}

// Answers are the recorded answers of services.
type Answers struct {
	First, Last dag.Instant // times of its answers
	Bad         int         // unusable lines, except a cut-off last one
	Torn        bool        // the recording ends in the middle of a line

	all    []Answer // by time
	kept   int      // bytes of stored bodies
	newest map[string]Answer
}

// An Answer is the answer to one request.
type Answer struct {
	URL    *url.URL    // the same pointer for the same address
	At     dag.Instant // time of the request
	End    dag.Instant // time of the response
	Status int
	Type   string // Content-Type
	Date   string
	body   body
}

// Text returns the body.
func (a *Answer) Text() string { return a.body.String() }

// SameText reports whether two consecutive answers of an address have the same body; false if there is no other one.
func (a *Answer) SameText(b *Answer) bool { return b != nil && a.body == b.body }

// Failure describes an answer that was not usable.
func (a *Answer) Failure() string {
	if a.Status == 0 {
		return strings.TrimSpace(a.Text())
	}
	return fmt.Sprintf("%d %s, %s", a.Status, http.StatusText(a.Status), a.Type)
}

// All returns the answers by the times of their requests. Some may be recorded twice.
func (r *Answers) All() []Answer { return r.all }

// ErrNoAnswers means that a file has no recorded answers.
var ErrNoAnswers = errors.New("recording: no recorded answer in it (lines of JSON with t, url, status and body, " +
	"plain, or packed by gzip or zstd)")

// ReadAnswers reads recorded answers, plain or compressed by gzip or zstd, also those of an old capture, which has no
// header. A cut-off end is not an error: see Answers.Torn.
func ReadAnswers(in io.Reader) (*Answers, error) {
	b, err := input.Unpack(in, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r := &Answers{newest: map[string]Answer{}}
	total := 0
	var streak input.Streak
	l := lines{in: b, limit: maxLine}
	for l.read(); l.err == nil && !l.torn; l.read() {
		if total += len(l.text); total > maxTotal || r.kept > maxMem {
			return nil, fmt.Errorf("recording: more than %d GB, or more than %d GB packed: too large to replay",
				maxTotal>>30, maxMem>>30)
		}
		if l.bad != nil {
			return nil, l.bad
		}
		usable, err := r.line(l.text, l.number)
		if err != nil {
			return nil, err
		}
		if usable {
			streak.Good()
		} else if err := streak.Bad(); err != nil {
			return nil, &LineError{l.number, err}
		}
	}
	if r.Torn = l.torn; l.err != nil && !errors.Is(l.err, io.EOF) {
		return nil, l.err
	}
	if len(r.all) == 0 {
		return nil, ErrNoAnswers
	}
	r.newest = nil
	slices.SortStableFunc(r.all, func(a, b Answer) int { return cmp.Compare(a.At, b.At) })
	r.First, r.Last = r.all[0].At, r.all[len(r.all)-1].At
	return r, nil
}

// line adds one line. It reports whether the line is a header or an answer. A blank line counts as neither.
func (r *Answers) line(text []byte, number int) (usable bool, err error) {
	var l struct {
		header
		OldVersion int `json:"version"` // in the first line of an old capture
		Record
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return false, nil
	}
	failed := json.Unmarshal(text, &l)
	switch {
	case l.Version > Version, l.OldVersion > Version:
		return false, unusable(number, "it is of version %d, this program reads version %d: use a newer paratimer",
			max(l.Version, l.OldVersion), Version)
	case failed == nil && l.Version > 0 && l.Of == wordAnswers:
		return true, nil
	case failed != nil || !r.add(&l.Record):
		r.Bad++
		return false, nil //nolint:nilerr // it is counted
	}
	return true, nil
}

// add adds a record, if it is one. Equal consecutive bodies of an address are stored once.
func (r *Answers) add(rec *Record) bool {
	if !(rec.T > 0 && rec.T < 1<<53) {
		return false
	}
	a := r.newest[rec.URL]
	if a.URL == nil {
		u, err := url.Parse(rec.URL)
		if err != nil || u.Path == "" {
			return false
		}
		a.URL = u
	}
	if b := pack(strings.TrimPrefix(rec.Body, "\ufeff")); a.body != b {
		a.body = b
		r.kept += len(b)
	}
	a.At, a.Status, a.Type, a.Date = dag.Instant(rec.T), rec.Status, rec.Type, rec.Date
	a.End = a.At + dag.Instant(min(max(rec.Ms, 0), longestAnswerMS))
	r.all = append(r.all, a)
	r.newest[rec.URL] = a
	return true
}

// Served returns what identifies the answers to an address: its path without the prefix of a gateway, and the
// parameters of its query that select a resource. Other parameters select a part of it.
func Served(u *url.URL) string {
	path := strings.TrimSuffix(u.Path, "/")
	for _, root := range []string{"/proxy/", "/ws/v1/"} {
		if i := strings.Index(path, root); i >= 0 {
			path = path[i:]
			break
		}
	}
	if u.RawQuery == "" {
		return path
	}
	query := u.Query()
	if v := query.Get("dagID"); v != "" {
		path += "?dagID=" + v
	}
	return path
}

// A Player is an http.RoundTripper that serves recorded answers at a virtual instant. It returns the newest answer to
// an address up to that instant, and 404 for an address without an answer so far. The host does not matter, and of the
// query only what Served returns.
type Player struct {
	answers map[string][]*Answer       // by Served, by time
	parts   map[string]func() Resource // by Served; made at the first use, because they may be large
	now     atomic.Int64
}

// A Resource returns what a service answered at an instant to a request that selects a part of it by its query.
type Resource func(query url.Values, at dag.Instant) string

// NewPlayer returns a player that serves rec from the instant of its first line. Resources with parts are made of all
// answers about them; they are nil for those of other services.
func NewPlayer(rec *Answers, resources ...func(u *url.URL, answers []*Answer) Resource) *Player {
	p := &Player{answers: map[string][]*Answer{}, parts: map[string]func() Resource{}}
	for i := range rec.all {
		a := &rec.all[i]
		path := Served(a.URL)
		list := p.answers[path]
		if n := len(list); n == 0 || *list[n-1] != *a { // lines may be repeated
			p.answers[path] = append(list, a)
		}
	}
	for _, resource := range resources {
		for path, list := range p.answers {
			p.parts[path] = sync.OnceValue(func() Resource { return resource(list[0].URL, list) })
		}
	}
	p.Seek(rec.First)
	return p
}

// Seek sets the virtual instant.
func (p *Player) Seek(t dag.Instant) { p.now.Store(int64(t)) }

// Now returns the virtual instant.
func (p *Player) Now() dag.Instant { return dag.Instant(p.now.Load()) }

// Made returns when the current answer of a path was recorded, or NoInstant if there is none.
func (p *Player) Made(path string) dag.Instant {
	if a, ok := p.answer(&url.URL{Path: path}); ok {
		return a.At
	}
	return dag.NoInstant
}

// answer returns the newest answer to an address up to the virtual instant.
func (p *Player) answer(u *url.URL) (*Answer, bool) {
	list := p.answers[Served(u)]
	n, _ := slices.BinarySearchFunc(list, p.Now()+1, func(a *Answer, t dag.Instant) int { return cmp.Compare(a.At, t) })
	if n == 0 {
		return nil, false
	}
	return list[n-1], true
}

// notRecorded is the answer to an address without an answer so far.
var notRecorded = Answer{
	Status: http.StatusNotFound, Type: "application/json",
	body: pack(`{"RemoteException":{"exception":"NotFoundException",` +
		`"message":"not recorded (yet)","javaClassName":"org.apache.hadoop.yarn.webapp.NotFoundException"}}`),
}

// RoundTrip serves a GET request from the recording.
func (p *Player) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if req.Method != http.MethodGet {
		return nil, fmt.Errorf("recording: %s %s: a recording answers GET only", req.Method, req.URL)
	}
	a, ok := p.answer(req.URL)
	switch {
	case !ok:
		a = &notRecorded
	case a.Status == 0:
		return nil, errors.New("recorded: " + a.Text())
	}
	h := http.Header{"Content-Type": {a.Type}, "Date": {a.Date}}
	text := a.Text()
	if parts := p.parts[Served(req.URL)]; parts != nil && a.Status == http.StatusOK {
		if part := parts(); part != nil {
			text = part(req.URL.Query(), p.Now())
		}
	}
	if a.Status >= 300 && a.Status < 400 {
		if to, ok := strings.CutPrefix(text, "Location: "); ok {
			h.Set("Location", strings.TrimSpace(to))
			text = ""
		}
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)), StatusCode: a.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: req,
	}, nil
}
