package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// A Kind is the kind of a recording.
type Kind uint8

// The kinds of recordings.
const (
	Unknown        Kind = iota
	OfObservations      // a recording of observations, or an old tape
	OfAnswers           // a recording of answers, or an old capture: lines with the keys t, url, status and body
	// History is a MapReduce job's history file. It begins with Avro-Json or Avro-Binary, or is one of a JobTracker.
	History
	Trace // a Rumen trace: JSON objects of jobs, one after another
	// EventLog is a listener log of Spark with one JSON event per line. Package spark handles compressed logs and
	// folders.
	EventLog
)

func (k Kind) String() string {
	return [...]string{"unknown", "observations", "answers", "job history", "rumen trace", "event log"}[k]
}

// Sniff identifies ParaTimer's recordings by the keys of the first line, and other recordings by their beginning. It
// returns a reader of all of r, uncompressed and without a byte order mark. Blank lines before job history are left out
// too, because editors add them.
func Sniff(r io.Reader) (Kind, io.Reader, error) {
	in, err := input.Unpack(r, readSize)
	if err != nil {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	// The body of an answer may be long, but its other keys are short. Data beyond the buffer is not inspected.
	head, err := in.Peek(in.Size())
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	rest := bytes.TrimPrefix(head, []byte("\ufeff"))
	kind := kindOf(rest)
	if kind == Unknown {
		history := bytes.TrimLeft(rest, " \t\r\n\f")
		if kind = foreign(history); kind != Unknown {
			rest = history
		}
	}
	_, err = in.Discard(len(head) - len(rest))
	return kind, in, err
}

// kindOf identifies lines of JSON by the first one.
func kindOf(head []byte) Kind {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	keys := keysOf(first)
	switch {
	case input.IsEventLog(first):
		return EventLog
	case keys["paratimer_recording"] && bytes.Contains(first, []byte(`"`+wordAnswers+`"`)),
		keys["t"] && keys["url"] && (keys["status"] || keys["body"]):
		return OfAnswers
	case keys["paratimer_recording"], keys["paratimer_tape"]:
		return OfObservations
	}
	return Unknown
}

// foreign identifies job history.
func foreign(head []byte) Kind {
	for _, start := range []string{"Avro-Json", "Avro-Binary", `Meta VERSION="`, `Job JOBID="`} { // or a JobTracker's
		if bytes.HasPrefix(head, []byte(start)) {
			return History
		}
	}
	// Rumen's order of job fields differs between versions. These fields are always among the first dozen.
	keys := keysOf(head)
	if keys["jobID"] && (keys["submitTime"] || keys["mapTasks"] || keys["jobName"] || keys["user"]) {
		return Trace
	}
	return Unknown
}

var keyPattern = regexp.MustCompile(`"(\w+)"\s*:`)

// keysOf returns the keys of the JSON object at the beginning of head, which may be cut off, and those of its values.
func keysOf(head []byte) map[string]bool {
	keys := map[string]bool{}
	if bytes.HasPrefix(head, []byte("{")) {
		for _, m := range keyPattern.FindAllSubmatch(head, -1) {
			keys[string(m[1])] = true
		}
	}
	return keys
}

// A Place is a file or folder that may have the history of finished runs, as an engine writes it.
type Place struct {
	Name string // as the user named it
	In   fs.FS
	File string // in In
	dir  string // the local folder of In; "" elsewhere
}

// LocalPlace returns a local file or folder. In of a file is its folder, because other files there may belong to it.
func LocalPlace(name string) Place {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return Place{name, os.DirFS(name), ".", name}
	}
	return Place{name, os.DirFS(filepath.Dir(name)), filepath.Base(name), filepath.Dir(name)}
}

// Path returns the name of a file of the place for people.
func (p Place) Path(file string) string {
	if file == p.File {
		return p.Name
	}
	return filepath.Join(p.dir, filepath.FromSlash(file))
}

// IsFolder reports whether the place is a folder.
func (p Place) IsFolder() bool {
	info, err := fs.Stat(p.In, p.File)
	return err == nil && info.IsDir()
}

// A PastReader collects the finished runs of an engine.
type PastReader interface {
	// Read reads a place. has is false, without an error, if nothing of the engine is there.
	Read(ctx context.Context, p Place) (has bool, err error)
	// Runs returns the runs of all places, and the files that were left out.
	Runs() ([]Run, []Skipped)
}

// A Run is a finished run.
type Run struct {
	ID      string // "" if only opening the run shows it
	Path    string // for people
	Noun    string // what it is, such as "event log"
	Text    string // what people choose it by
	IsFirst bool   // it is played if none of several is chosen
	// Match returns how well an id names the run: 0 not at all, 2 exactly.
	Match func(id string) int
	// Open returns a source of the run.
	Open func(o Options) (Source, error)
}

// A Skipped is a file that was left out.
type Skipped struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}
