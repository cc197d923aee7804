// Package tap has both ends of what paratimer-tap reports: the protocol between the tap and a watcher, and the server
// that receives the reports and adds them to the snapshots of the job's source.
//
// A [Batch] has measurements of one task attempt of a Hadoop Streaming job, as JSON over HTTP. It is posted to Path of
// the watcher's collector with the header "Authorization: Bearer TOKEN". The response is 204, or 4xx with a line of
// text about the error. The token only guards against mistakes: Decode treats every batch as hostile (tap.go).
//
// A [Store] keeps the reports by job. Taps post them to its [Handler] (store.go, job.go). A [Source] wraps the source
// of a query and adds dag.Groups to its snapshots (source.go). Every batch is validated before it is used, and the
// bytes of a store are bounded, as counted here; see DefaultBytes. Reports are kept by job id, so that runs are not
// mixed. If a store is full, it drops jobs that are in no snapshot, the longest silent first. Only then it refuses
// batches.
//
// The package also computes what Hadoop computes of keys of type Text, such as their reduce, and names keys in reports
// (textkey.go).
package tap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/sketch"
)

// Path is the path at which a collector accepts batches.
const Path = "/v1/groups"

// Version is the only version of the format so far.
const Version = 1

// Bounds of a batch. A larger batch is rejected as a whole.
const (
	MaxBatchBytes = 2 << 20 // of its JSON
	MaxReduces    = 20_000
	MaxKeys       = 8192 // of a map's profile
	MaxPoints     = 4096
	MaxName       = sketch.MaxName
	MaxNote       = 200 // bytes
	MaxSeconds    = 1e9
	MaxBytes      = 1e18
	MaxCount      = 1e15
)

// A Batch has the measurements of one task attempt. For a map it is its profile, sent once after its end. For a
// reduce it has the groups that it has finished since the previous batch.
type Batch struct {
	Version int    `json:"v"`
	Job     string `json:"job"`           // job_1700000000000_0001
	Attempt string `json:"att"`           // attempt_1700000000000_0001_r_000003_0, of this job
	Seq     int    `json:"seq"`           // 0, 1, 2 … within the attempt; a batch sent twice has the same
	Final   bool   `json:"fin,omitempty"` // the attempt's command has ended: this is the last batch

	Map    *MapProfile `json:"map,omitempty"`
	Points []Point     `json:"pts,omitempty"`
	Open   *Open       `json:"open,omitempty"`
	// Note describes briefly what is not measured, or how coarsely: "a combiner runs after the tap".
	Note string `json:"note,omitempty"`
}

// A MapProfile is the output of a finished map attempt, by reduce and key. All sizes are bytes of keys and values as
// counted by Hadoop's counter MAP_OUTPUT_BYTES (sketch.RecordBytes).
type MapProfile struct {
	Reduces  int       `json:"r"`
	Bytes    []float64 `json:"b"` // of all its keys, by reduce
	Records  float64   `json:"n"`
	Lambda   int       `json:"l"`           // bound of the length of Top
	Complete bool      `json:"c,omitempty"` // Top has every key
	Top      []Key     `json:"top"`         // the largest keys, largest first
}

// A Key is one key of a map's profile. Bytes is its minimal size.
type Key struct {
	Name   string  `json:"k"`
	Reduce int     `json:"r"`
	Bytes  float64 `json:"b"`
}

// A Point has Count groups of one size that a reduce has finished, with their mean time.
type Point struct {
	Age     float64 `json:"a"` // seconds from the end of the (last) group to the sending of the batch
	Bytes   float64 `json:"b"` // of one group
	Seconds float64 `json:"s"` // of one group
	Count   float64 `json:"n"`
}

// Open is the group that a reduce currently processes.
type Open struct {
	Name    string  `json:"k"`
	Bytes   float64 `json:"b"` // known so far
	Seconds float64 `json:"s"` // since the end of the previous group
}

// An Attempt is a parsed id of a task attempt.
type Attempt struct {
	Job    string // job_1700000000000_0001
	Reduce bool   // else a map
	Task   int    // index within the job's maps or reduces
	Number int    // 0 for the first; after a restart of the application master from 1000 on
}

// Hadoop's ids of jobs that run within the client contain "local".
var attemptID = regexp.MustCompile(`^attempt_((?:local)?[0-9]{1,19}_[0-9]{4,9})_([mr])_([0-9]{6,8})_([0-9]{1,9})$`)

// ParseAttempt parses an id such as attempt_1700000000000_0001_r_000003_0.
func ParseAttempt(id string) (Attempt, error) {
	m := attemptID.FindStringSubmatch(id)
	if m == nil {
		return Attempt{}, fmt.Errorf("%.80q is not an id of a task attempt: attempt_TIME_JOB_r_TASK_NUMBER is one", id)
	}
	task, _ := strconv.Atoi(m[3])
	number, _ := strconv.Atoi(m[4])
	return Attempt{Job: "job_" + m[1], Reduce: m[2] == "r", Task: task, Number: number}, nil
}

// Encode returns the batch as JSON without a line break. It returns an error for a batch that Decode would reject.
func (b Batch) Encode() ([]byte, error) {
	err := b.valid()
	var out []byte
	if err == nil {
		out, err = json.Marshal(b)
	}
	if len(out) > MaxBatchBytes {
		err = fmt.Errorf("%d bytes, %d at most; send fewer points or keys", len(out), MaxBatchBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("tap: a batch that cannot be sent: %w", err)
	}
	return out, nil
}

// Decode reads one batch, which must end the input. It reads at most MaxBatchBytes+1 bytes. The smallest element of a
// list takes three bytes of them, and 32 in memory. Decode returns a valid batch, or an error that names the field.
func Decode(r io.Reader) (Batch, error) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBatchBytes+1))
	if err != nil {
		return Batch{}, fmt.Errorf("tap: reading a batch: %w", err)
	}
	if len(body) > MaxBatchBytes {
		return Batch{}, fmt.Errorf("tap: a batch is at most %d bytes", MaxBatchBytes)
	}
	b, err := decode(body)
	if err == nil {
		err = b.valid()
	}
	if err != nil {
		return Batch{}, fmt.Errorf("tap: bad batch: %w", err)
	}
	return b, nil
}

func decode(body []byte) (Batch, error) {
	// The version comes first, because other versions may have other fields.
	var version struct {
		Version *int `json:"v"`
	}
	if err := json.Unmarshal(body, &version); err != nil {
		return Batch{}, plain(err)
	}
	if version.Version == nil {
		return Batch{}, errors.New("v: missing")
	}
	if v := *version.Version; v != Version {
		return Batch{}, fmt.Errorf("v: version %d; this end reads %d: use the paratimer-tap of the watcher's release",
			v, Version)
	}
	b := Batch{Seq: -1}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields() // a typing error does not count as zero
	return b, plain(dec.Decode(&b))
}

// plain removes Go's names from an error and bounds its length, because it may quote the input.
func plain(err error) error {
	if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Errorf("%s: %.40s is the wrong type", kind.Field, kind.Value)
	}
	if err != nil {
		return fmt.Errorf("%.200s", err.Error())
	}
	return nil
}

// A checker keeps the first fault of a batch.
type checker struct{ err error }

// require adds a fault with the JSON field, unless ok.
func (c *checker) require(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// within requires that a value lies within bounds, and is not NaN. at are the indices in the field.
func (c *checker) within(field string, v, least, most float64, at ...any) {
	if !(v >= least && v <= most) {
		c.require(false, "%s: %v is not within %v to %v", fmt.Sprintf(field, at...), v, least, most)
	}
}

// name requires a printable name.
func (c *checker) name(field, name string, at ...any) {
	if name == "" || len(name) > MaxName || !printable(name) {
		c.require(false, "%s: not 1 to %d bytes of printable text", fmt.Sprintf(field, at...), MaxName)
	}
}

// valid returns the error of an invalid batch, with the JSON field.
func (b Batch) valid() error {
	a, err := ParseAttempt(b.Attempt)
	if err != nil {
		return fmt.Errorf("att: %w", err)
	}
	c := &checker{}
	c.require(b.Version == Version, "v: version %d is unknown; this program reads %d", b.Version, Version)
	c.require(b.Job == a.Job, "job: %.80q, but the attempt is of %s", b.Job, a.Job)
	c.within("seq", float64(b.Seq), 0, math.MaxInt32)
	c.require(len(b.Points) <= MaxPoints, "pts: %d points, %d at most", len(b.Points), MaxPoints)
	c.require(!a.Reduce || b.Map == nil, "map: a profile of a map, but the attempt is a reduce's")
	c.require(a.Reduce || len(b.Points) == 0 && b.Open == nil, "pts: groups of a reduce, but the attempt is a map's")
	c.require(len(b.Note) <= MaxNote && printable(b.Note), "note: not up to %d bytes of printable text", MaxNote)
	for i, p := range b.Points {
		c.within("pts[%d].a", p.Age, 0, MaxSeconds, i)
		c.within("pts[%d].b", p.Bytes, 0, MaxBytes, i)
		c.within("pts[%d].s", p.Seconds, 0, MaxSeconds, i)
		c.within("pts[%d].n", p.Count, 1, MaxCount, i)
	}
	if o := b.Open; o != nil {
		c.name("open.k", o.Name)
		c.within("open.b", o.Bytes, 0, MaxBytes)
		c.within("open.s", o.Seconds, 0, MaxSeconds)
	}
	if b.Map != nil {
		c.profile(b.Map)
	}
	return c.err
}

func (c *checker) profile(m *MapProfile) {
	c.within("map.r", float64(m.Reduces), 1, MaxReduces)
	c.require(len(m.Bytes) == m.Reduces, "map.b: %d sizes for %d reduces", len(m.Bytes), m.Reduces)
	c.within("map.l", float64(m.Lambda), 1, MaxKeys)
	c.require(len(m.Top) <= m.Lambda, "map.top: %d keys, but l allows at most %d", len(m.Top), m.Lambda)
	c.within("map.n", m.Records, 0, MaxCount)
	for r, bytes := range m.Bytes {
		c.within("map.b[%d]", bytes, 0, MaxBytes, r)
	}
	left := slices.Clone(m.Bytes)
	named := make(map[string]bool, len(m.Top))
	for i, k := range m.Top {
		c.name("map.top[%d].k", k.Name, i)
		c.require(!named[k.Name], "map.top[%d].k: %q is listed twice", i, k.Name)
		c.within("map.top[%d].b", k.Bytes, 0, MaxBytes, i)
		c.require(i == 0 || k.Bytes <= m.Top[i-1].Bytes, "map.top[%d].b: the largest come first", i)
		c.require(k.Reduce >= 0 && k.Reduce < m.Reduces, "map.top[%d].r: reduce %d of %d", i, k.Reduce, m.Reduces)
		if c.err != nil {
			return
		}
		named[k.Name] = true
		left[k.Reduce] -= k.Bytes
		c.require(left[k.Reduce] >= -1e-6*m.Bytes[k.Reduce], // sums of floats may differ in their last digits
			"map.top[%d].b: the keys of reduce %d have more bytes than b has", i, k.Reduce)
	}
}

// printable reports whether a text is safe for a terminal.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}
