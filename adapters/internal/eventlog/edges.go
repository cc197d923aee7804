package eventlog

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/internal/loose"
)

// A Job is the event that starts a job, with the edges between its stages.
type Job struct {
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
	mostFiles = 200      // in the zip
	mostText  = 64 << 20 // bytes of the content, before and after the files are unpacked
	mostStart = 8 << 20  // bytes of one event that starts a job
)

// Edges returns JSON from the zip of an event log: a list with a Job for each started job. Damage, the bounds, and the
// cut-off end of a running application's log end the list without an error.
func Edges(in io.Reader) io.Reader {
	jobs := []json.RawMessage{}
	plain := &io.LimitedReader{N: mostText}
	eachFile(bufio.NewReaderSize(io.LimitReader(in, mostZip), ReadSize), func(file io.Reader) {
		text, err := Unpack(file)
		if err != nil {
			return // the next file may be usable
		}
		plain.R = text
		jobs = append(jobs, startsIn(bufio.NewReaderSize(plain, ReadSize))...)
	})
	b, _ := json.Marshal(jobs) // each of them was valid
	return bytes.NewReader(b)
}

// startsIn returns the jobs that start in a file of a log. Those with an invalid id are left out.
func startsIn(text *bufio.Reader) (jobs []json.RawMessage) {
	for {
		line, err := input.Line(text, mostStart)
		var j Job
		if Event(line) == "SparkListenerJobStart" && json.Unmarshal(line, &j) == nil {
			if b, err := json.Marshal(j); err == nil {
				jobs = append(jobs, b)
			}
		}
		if err != nil && !errors.Is(err, input.ErrLong) {
			return jobs
		}
	}
}

// The headers of the files in a zip, and the trailer after a file with initially unknown length.
const (
	zipHeader  = 30
	zipTrailer = "PK\x07\x08"
	zipTrailed = 1 << 3 // a flag: there is a trailer
	zipSecret  = 1 << 0 // a flag: the file is encrypted
	zipStored  = 0
	zipDeflate = 8
)

// eachFile calls read for the files of a zip one after another while the zip arrives. The reader of the standard
// library needs the directory at the end of the zip, and therefore all of it.
func eachFile(zip *bufio.Reader, read func(file io.Reader)) {
	file := &io.LimitedReader{N: mostText} // of all files
	for range mostFiles {
		var head [zipHeader]byte
		if _, err := io.ReadFull(zip, head[:]); err != nil || string(head[:4]) != ZipMagic {
			return
		}
		short := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
		flags, method, size := short(6), short(8), binary.LittleEndian.Uint32(head[18:])
		_, err := zip.Discard(short(26) + short(28))
		isTrailed := flags&zipTrailed != 0
		switch {
		case err != nil || flags&zipSecret != 0:
			return
		case method == zipDeflate:
			file.R = flate.NewReader(zip) // reads no further than its end, since zip reads single bytes
		case method == zipStored && !isTrailed:
			file.R = io.LimitReader(zip, int64(size))
		default:
			return
		}
		read(file)
		if _, err := io.Copy(io.Discard, file); err != nil || file.N <= 0 {
			return
		}
		if isTrailed {
			sign, _ := zip.Peek(len(zipTrailer))
			n := 3 * 4
			if string(sign) == zipTrailer {
				n += len(zipTrailer)
			}
			_, _ = zip.Discard(n) // at the end of the zip there is no next header
		}
	}
}
