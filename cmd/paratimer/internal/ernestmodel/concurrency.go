package ernestmodel

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/table"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/estimators/queueing/servers"
)

// A Shared has a job's runs on one machine, with the number of jobs that ran at the same time.
type Shared struct {
	Job   string
	Rows  []servers.Row
	lines []int
	file  string
}

// ReadConcurrency reads a table of job times by the number of simultaneous jobs. It returns a Shared for each job,
// in order of first appearance.
func ReadConcurrency(r io.Reader, file, concurrency string, c Columns) ([]Shared, error) {
	unit, ok := units[c.Unit]
	if !ok {
		return nil, fmt.Errorf("--unit %s: it is s, ms, min or h", c.Unit)
	}
	wanted := []table.Column{
		{Name: concurrency, For: "--concurrency", Kind: table.Positive},
		{Name: c.Seconds, For: "--seconds", Kind: table.Positive},
	}
	named := c.jobs()
	wanted = append(wanted, named...)
	t, err := table.Read(r, file, wanted)
	if err != nil {
		return nil, err
	}
	jobs, err := whole(t, 0)
	if err != nil {
		return nil, err
	}
	var all []Shared
	at := map[string]int{}
	for i, n := range jobs {
		name := filepath.Base(file)
		if len(named) > 0 {
			name = jobName(t, len(wanted)-len(named), i)
		}
		if _, known := at[name]; !known {
			at[name] = len(all)
			all = append(all, Shared{Job: name, file: file})
		}
		s := &all[at[name]]
		s.Rows = append(s.Rows, servers.Row{Jobs: n, Seconds: t.Values[1][i] * unit})
		s.lines = append(s.lines, t.Lines[i])
	}
	return all, nil
}

// UpTo returns the largest number of simultaneous jobs for training: the quantile of the distinct numbers in the
// runs, at least the smallest of them.
func (s *Shared) UpTo(quantile float64) int {
	var distinct []int
	for _, r := range s.Rows {
		distinct = append(distinct, r.Jobs)
	}
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	return distinct[max(0, int(math.Ceil(quantile*float64(len(distinct))))-1)]
}

// Place adds the file and line to an error of a row.
func (s *Shared) Place(err error) error {
	var bad *servers.RowError
	if !errors.As(err, &bad) || bad.Row < 0 || bad.Row >= len(s.lines) {
		return fmt.Errorf("%s: %s: %w", s.file, s.Job, err)
	}
	return &table.Error{File: s.file, Line: s.lines[bad.Row], Why: bad.What, Err: err}
}

// ReadSpeeds reads measurements of machines, a table with the columns machine and speed; file is the name in
// messages.
func ReadSpeeds(r io.Reader, file string) (*ernest.Speeds, error) {
	t, err := table.Read(r, file, []table.Column{
		{Name: "machine", Kind: table.Text},
		{Name: "speed", Kind: table.Positive},
	})
	if err != nil {
		return nil, err
	}
	all := make([]ernest.Speed, t.Rows())
	for i := range all {
		all[i] = ernest.Speed{Machine: t.Texts[0][i], Value: t.Values[1][i]}
	}
	speeds, err := ernest.LearnSpeeds(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return speeds, nil
}
