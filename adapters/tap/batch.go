// Package tap is what the tap and a watcher say to each other: batches of what was measured of one task attempt of a
// Hadoop Streaming job, as JSON over HTTP. It also has Hadoop's own partition of keys, which both need.
//
// A batch is posted to Path of the watcher's collector with the header "Authorization: Bearer TOKEN". The answer is
// 204, or one of 4xx with a line of text that says what is wrong. The token guards against mistakes only: to Decode
// every batch is hostile.
package tap

// Path is where a collector takes batches.
const Path = "/v1/groups"

// Version is the only version of the format so far.
const Version = 1

// What a batch may hold. A batch that holds more is refused as a whole.
const (
	MaxBatchBytes = 2 << 20 // of its JSON
	MaxReduces    = 20_000
	MaxKeys       = 8192 // of a map's profile
	MaxPoints     = 4096
	MaxName       = 64  // bytes of a key's name
	MaxNote       = 200 // bytes
	MaxSeconds    = 1e9
	MaxBytes      = 1e18
	MaxCount      = 1e15
)

// A Batch is what was measured of one task attempt: of a map its profile, once, when it has ended; of a reduce the
// groups that it has finished since the batch before.
type Batch struct {
	Version int    `json:"v"`
	Job     string `json:"job"`           // job_1700000000000_0001
	Attempt string `json:"att"`           // attempt_1700000000000_0001_r_000003_0, of this job
	Seq     int    `json:"seq"`           // 0, 1, 2 … within the attempt; a batch sent twice has the same
	Final   bool   `json:"fin,omitempty"` // the attempt's command has ended, and nothing follows

	Map    *MapProfile `json:"map,omitempty"`
	Points []Point     `json:"pts,omitempty"`
	Open   *Open       `json:"open,omitempty"`
	// Note says in a few words what is not measured, or how coarsely: "a combiner runs after the tap".
	Note string `json:"note,omitempty"`
}

// A MapProfile is the output of a finished map attempt, by reduce and key. All sizes are bytes of keys and values as
// Hadoop's counter MAP_OUTPUT_BYTES counts them (RecordBytes).
type MapProfile struct {
	Reduces  int       `json:"r"`
	Bytes    []float64 `json:"b"` // of all its keys, by reduce
	Records  float64   `json:"n"`
	Lambda   int       `json:"l"`           // Top is at most so long
	Complete bool      `json:"c,omitempty"` // Top holds every key
	Top      []Key     `json:"top"`         // the largest, largest first
}

// A Key is one key of a map's profile. Bytes is what it has at least.
type Key struct {
	Name   string  `json:"k"`
	Reduce int     `json:"r"`
	Bytes  float64 `json:"b"`
}

// A Point is Count groups of one size that a reduce has finished, with the mean of their times.
type Point struct {
	Age     float64 `json:"a"` // seconds from the end of the (last) group to the sending of the batch
	Bytes   float64 `json:"b"` // of one group
	Seconds float64 `json:"s"` // of one group
	Count   float64 `json:"n"`
}

// Open is the group that a reduce is working on.
type Open struct {
	Name    string  `json:"k"`
	Bytes   float64 `json:"b"` // of it that are known so far
	Seconds float64 `json:"s"` // since the group before it ended
}
