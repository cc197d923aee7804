package ernestview

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/queueing/servers"
	"github.com/paratimer/paratimer/units"
)

// Sharing is how well runs with few simultaneous jobs on a machine predict those with many.
type Sharing struct {
	File string        `json:"file"`
	Jobs []SharedScore `json:"jobs"`
}

// A SharedScore is the score of one job.
type SharedScore struct {
	Job     string                `json:"job"`
	UpTo    int                   `json:"up_to_jobs"` // most simultaneous jobs in training
	Train   int                   `json:"train"`      // rows
	Test    int                   `json:"test"`
	Methods []servers.MethodScore `json:"methods"`
	Error   *string               `json:"error"` // why the job could not be scored, or nil
}

// JSON writes the scores as JSON.
func (s *Sharing) JSON(w io.Writer) error { return view.JSON(w, s, " ") }

// Text writes the scores as text: a row per job, a column per method, then the fitted machines.
func (s *Sharing) Text(w io.Writer) error {
	rows := [][]string{{"JOB", "UP TO", "TRAIN", "TEST"}}
	if i := slices.IndexFunc(s.Jobs, func(j SharedScore) bool { return len(j.Methods) > 0 }); i >= 0 {
		for _, m := range s.Jobs[i].Methods {
			rows[0] = append(rows[0], strings.ToUpper(m.Name))
		}
	}
	var remarks text
	for _, j := range s.Jobs {
		row := []string{cut(j.Job), fmt.Sprint(j.UpTo), fmt.Sprint(j.Train), fmt.Sprint(j.Test)}
		if j.Error != nil {
			remarks.line("%s: %s", cut(j.Job), *j.Error)
		}
		for _, m := range j.Methods {
			mean := "refused"
			if m.Predicted > 0 {
				mean = units.Tenths(m.Mean)
			}
			row = append(row, mean)
			if m.Model != nil {
				remarks.line("%s: %s: %s", cut(j.Job), m.Name, describe(m.Model))
			}
		}
		rows = append(rows, row)
	}
	var t text
	t.table(rows)
	t.line("\ncolumns of methods: mean of |predicted/actual - 1| over the runs with more jobs at once")
	t.WriteString(remarks.String())
	return t.to(w)
}

// describe describes a fitted machine.
func describe(m *servers.Model) string {
	text := fmt.Sprintf("a job takes %s alone, %s", units.Seconds(m.Demand), units.Count(m.Servers, "server"))
	if m.Unseen {
		text += " or more: no job ever waited, so that more at once are not predicted; train on more, or give --servers"
	}
	if m.Gain > 0 {
		text += fmt.Sprintf(", a second job on each adds %s of its speed", units.Percent(m.Gain))
	}
	return text
}
