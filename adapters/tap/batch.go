// Package tap is the protocol between the tap and a watcher: batches of measurements of one task attempt of a Hadoop
// Streaming job, as JSON over HTTP.
//
// A batch is posted to Path of the watcher's collector with the header "Authorization: Bearer TOKEN". The response is
// 204, or 4xx with a line of text about the error. The token only guards against mistakes: Decode treats every batch
// as hostile.
//
// The package also computes what Hadoop computes of keys of type Text, such as their reduce, and names keys in reports.
package tap

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
	MaxName       = 64  // bytes of a key's name
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
// counted by Hadoop's counter MAP_OUTPUT_BYTES (RecordBytes).
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
