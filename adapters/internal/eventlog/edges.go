package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/loose"
)

// A Job is the event that starts a job, with the edges between its stages.
type Job struct {
	Event  string       `json:",omitempty"`
	ID     loose.Number `json:"Job ID"`
	Stages []Stage      `json:"Stage Infos"`
}

// A Stage is one stage of a job, with the stages that it reads.
type Stage struct {
	ID      loose.Number   `json:"Stage ID"`
	Parents []loose.Number `json:"Parent IDs"`
}

// Bounds of a log that is read for its edges. For each request, a history server reads and compresses the whole log.
const (
	mostZip   = 32 << 20 // bytes of the zip
	mostText  = 64 << 20 // bytes of its content, uncompressed
	mostStart = 8 << 20  // bytes of one event that starts a job
)

// start is the name of the event that starts a job.
const start = "SparkListenerJobStart"

// Edges returns a reader of JSON from the zip of an event log: a list with a Job for each started job. The zip is
// read as it arrives. Damage, the bounds, and the cut-off end of a running application's log end the list without an
// error.
func Edges(in io.Reader) io.Reader {
	e := &edges{left: mostText}
	e.zip = zipReader{in: bufio.NewReaderSize(io.LimitReader(in, mostZip), ReadSize), left: mostText}
	e.out.WriteByte('[')
	return e
}

// An edges produces the list while its reader reads.
type edges struct {
	zip  zipReader
	text *bufio.Reader // of the current file, nil between two files
	left int           // remaining bytes of text
	jobs int
	out  bytes.Buffer
	over bool
}

// Read implements io.Reader.
func (e *edges) Read(p []byte) (int, error) {
	for e.out.Len() == 0 && !e.over {
		line, err := e.line()
		if err != nil {
			e.over = true
			e.out.WriteByte(']')
		}
		e.note(line)
	}
	return e.out.Read(p)
}

// note writes the edges of a line that starts a job. It leaves out a job with an invalid id.
func (e *edges) note(line []byte) {
	var j Job
	if line == nil || json.Unmarshal(line, &j) != nil || j.Event != start {
		return
	}
	j.Event = ""
	b, err := json.Marshal(j)
	if err != nil {
		return
	}
	if e.jobs++; e.jobs > 1 {
		e.out.WriteByte(',')
	}
	e.out.Write(append(b, '\n'))
}

// line returns the next line that starts a job, or nil after the end of a file.
func (e *edges) line() ([]byte, error) {
	if e.text == nil {
		file, err := e.zip.next()
		if err != nil {
			return nil, err
		}
		if e.text, err = Unpack(file); err != nil {
			e.text = nil // the next file may be usable
		}
		return nil, nil
	}
	var line []byte
	wanted, first := false, true
	for {
		part, err := e.text.ReadSlice('\n')
		if e.left -= len(part); e.left < 0 {
			return nil, errBounds
		}
		if first && len(part) > 0 {
			// The name of an event may come after the end of the buffer.
			name := Event(part)
			wanted, first = name == start || name == "" && part[0] == '{' && errors.Is(err, bufio.ErrBufferFull), false
		}
		if wanted = wanted && len(line)+len(part) <= mostStart; wanted {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil: // the file has ended, or is cut off
			e.text = nil
			return nil, nil //nolint:nilerr // that is no error of a log in progress
		case wanted:
			return line, nil
		default:
			first = true
		}
	}
}
