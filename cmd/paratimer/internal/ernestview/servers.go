package ernestview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "JOB\tUP TO\tTRAIN\tTEST"
	for _, j := range s.Jobs {
		if len(j.Methods) > 0 {
			for _, m := range j.Methods {
				head += "\t" + strings.ToUpper(m.Name)
			}
			break
		}
	}
	fmt.Fprintln(t, head+"\t")
	for _, j := range s.Jobs {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t", cut(j.Job), j.UpTo, j.Train, j.Test)
		for _, m := range j.Methods {
			if m.Predicted == 0 {
				fmt.Fprint(t, "refused\t")
				continue
			}
			fmt.Fprintf(t, "%s\t", units.Tenths(m.Mean))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // a strings.Builder never fails
	b.WriteString("\ncolumns of methods: mean of |predicted/actual - 1| over the runs with more jobs at once\n")
	for _, j := range s.Jobs {
		if j.Error != nil {
			fmt.Fprintf(&b, "%s: %s\n", cut(j.Job), *j.Error)
		}
		for _, m := range j.Methods {
			if m.Model != nil {
				fmt.Fprintf(&b, "%s: %s: %s\n", cut(j.Job), m.Name, describe(m.Model))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
