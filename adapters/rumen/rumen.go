// Package rumen reads Rumen traces, Hadoop's own summary of job histories. They have JSON objects of jobs, one after
// another, of Hadoop 0.20 (no times within attempts), of 0.21 and later (with clockSplits), and of YARN.
package rumen

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/past"
)

// Bounds of the memory that a trace can make a reader use.
const (
	maxJob  = 512 << 20 // bytes of a job; an attempt takes 2 KB
	maxJobs = 100_000
)

// Read reads the jobs of a trace. If the trace is cut off, Read returns its complete jobs. Unusable jobs and a
// cut-off one are left out, and counted in Bad of the last job.
func Read(r io.Reader) ([]*past.Job, error) {
	limited := &limit{r: bufio.NewReaderSize(r, 1<<16)}
	d := json.NewDecoder(limited)
	var out []*past.Job
	var links [][]string
	bad := 0
	var run input.Streak
	for n := 1; ; n++ {
		limited.left = maxJob
		var raw json.RawMessage
		err := d.Decode(&raw)
		switch {
		case errors.Is(err, io.EOF):
			return finish(out, links, bad, false)
		case err != nil && len(out) > 0 && errors.Is(err, io.ErrUnexpectedEOF):
			return finish(out, links, bad, true)
		case err != nil:
			return nil, fmt.Errorf("rumen: job %d of the trace: %w", n, err)
		case n > maxJobs:
			return nil, fmt.Errorf("rumen: more than %d jobs: split the trace", maxJobs)
		}
		var w wireJob
		var j *past.Job
		if json.Unmarshal(raw, &w) == nil && w.ID != "" {
			j = w.job()
		}
		if j == nil || !j.Submitted.Known() {
			if err := run.Bad(); err != nil {
				return nil, fmt.Errorf("rumen: job %d of the trace: %w", n, err)
			}
			bad++
			continue
		}
		run.Good()
		var next []string
		for _, id := range w.Next {
			next = append(next, string(id))
		}
		out, links = append(out, j), append(links, next)
	}
}

func finish(jobs []*past.Job, links [][]string, bad int, torn bool) ([]*past.Job, error) {
	if len(jobs) == 0 {
		return nil, errors.New("rumen: no job in the trace that can be used")
	}
	last := jobs[len(jobs)-1]
	last.Bad += bad
	if torn {
		last.Bad++ // the cut-off one
	}
	chain(jobs, links)
	return jobs, nil
}

// limit is a reader that fails if a job is too long.
type limit struct {
	r    io.Reader
	left int
}

func (l *limit) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("it is longer than %d bytes", maxJob)
	}
	n, err := l.r.Read(b)
	l.left -= n
	return n, err
}
