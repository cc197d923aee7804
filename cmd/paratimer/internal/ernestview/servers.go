package ernestview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/estimators/queueing/servers"
)

// Sharing is how well runs of few jobs at once on a machine predict those of many.
type Sharing struct {
	File string
	Jobs []SharedScore
}

// A SharedScore is one job's.
type SharedScore struct {
	Job         string
	UpTo        int // jobs at once that trained
	Train, Test int // rows
	Methods     []servers.MethodScore
	Err         error // why the job could not be scored, or nil
}

type sharedScore struct {
	Job     string         `json:"job"`
	UpTo    int            `json:"up_to_jobs"`
	Train   int            `json:"train"`
	Test    int            `json:"test"`
	Methods []sharedMethod `json:"methods"`
	Error   *string        `json:"error"`
}

type sharedMethod struct {
	Name        string   `json:"name"`
	Predicted   int      `json:"predicted"`
	Refused     int      `json:"refused"`
	MeanRatio   *float64 `json:"mean_ratio"`
	MedianRatio *float64 `json:"median_ratio"`
	MaxRatio    *float64 `json:"max_ratio"`
	BiasRatio   *float64 `json:"bias_ratio"`
	Model       *machine `json:"model"` // null for the guesses
}

type machine struct {
	DemandSeconds float64 `json:"demand_seconds"` // of a job that has a server for itself
	Servers       int     `json:"servers"`
	AtLeast       bool    `json:"at_least"` // no run had more jobs: there may be more servers
	GainRatio     float64 `json:"gain_ratio"`
	ResidualRatio float64 `json:"residual_ratio"`
}

// JSON writes it for programs.
func (s *Sharing) JSON(w io.Writer) error {
	out := struct {
		File string        `json:"file"`
		Jobs []sharedScore `json:"jobs"`
	}{s.File, []sharedScore{}}
	for _, j := range s.Jobs {
		one := sharedScore{Job: j.Job, UpTo: j.UpTo, Train: j.Train, Test: j.Test, Methods: []sharedMethod{}}
		if j.Err != nil {
			text := j.Err.Error()
			one.Error = &text
		}
		for _, m := range j.Methods {
			method := sharedMethod{m.Name, m.Predicted, m.Refused, known(m.Mean), known(m.Median), known(m.Max), known(m.Bias), nil}
			if m.Model != nil {
				method.Model = &machine{m.Model.Demand, m.Model.Servers, m.Model.Unseen, m.Model.Gain, m.Model.Residual}
			}
			one.Methods = append(one.Methods, method)
		}
		out.Jobs = append(out.Jobs, one)
	}
	return encode(w, out)
}

// Text writes it for people: a row a job, the error of each method, then the machines that were learned.
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
			fmt.Fprintf(t, "%s\t", percent(m.Mean))
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // to a strings.Builder
	b.WriteString("\ncolumns of methods: mean of |predicted/actual - 1| over the runs with more jobs at once\n")
	for _, j := range s.Jobs {
		if j.Err != nil {
			fmt.Fprintf(&b, "%s: %s\n", cut(j.Job), j.Err)
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

// describe words a machine that was learned.
func describe(m *servers.Model) string {
	text := fmt.Sprintf("a job takes %s alone, %s", length(m.Demand), count(m.Servers, "server"))
	if m.Unseen {
		text += " or more: no job ever waited, so that more at once are not predicted; train on more, or give --servers"
	}
	if m.Gain > 0 {
		text += fmt.Sprintf(", a second job on each adds %s of its speed", percent(m.Gain))
	}
	return text
}
