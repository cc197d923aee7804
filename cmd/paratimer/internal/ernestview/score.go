package ernestview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A Score is how well small runs predict large ones.
type Score struct {
	File, Rule string
	Scored     *ernest.Scored
	Warnings   []ernest.Warning // of the table
}

// score is the JSON of `paratimer ernest score --output json`. Errors are |predicted/actual - 1|. Unknown and
// refused values are null.
type score struct {
	File     string               `json:"file"`
	Train    string               `json:"train"`
	Jobs     []jobScore           `json:"jobs"`
	All      []ernest.MethodScore `json:"all"`
	Warnings []ernest.Warning     `json:"warnings"`
}

type jobScore struct {
	ernest.JobScore
	Methods  []ernest.MethodScore `json:"methods"`
	Runs     []scoredRun          `json:"runs"`
	Error    *string              `json:"error"` // why the job has no score
	Warnings []ernest.Warning     `json:"warnings"`
}

type scoredRun struct {
	ernest.Row
	Predicted units.Float            `json:"predicted_seconds"`
	Low       units.Float            `json:"low_seconds"`
	High      units.Float            `json:"high_seconds"`
	Refused   *ernest.Warning        `json:"refused"`
	Baselines map[string]units.Float `json:"baselines"` // seconds
}

// JSON writes the score as JSON.
func (s *Score) JSON(w io.Writer) error {
	out := score{
		File: s.File, Train: s.Rule, Jobs: []jobScore{}, All: view.List(s.Scored.All),
		Warnings: warnings(s.Warnings),
	}
	for i := range s.Scored.Jobs {
		j := &s.Scored.Jobs[i]
		one := jobScore{
			JobScore: *j, Methods: view.List(j.Methods), Runs: []scoredRun{},
			Warnings: warnings(j.Warnings),
		}
		if j.Err != nil {
			text := j.Err.Error()
			one.Error = &text
		}
		for _, r := range j.Runs {
			one.Runs = append(one.Runs, scored(r, j.Methods))
		}
		out.Jobs = append(out.Jobs, one)
	}
	return view.JSON(w, out, " ")
}

func scored(r ernest.ScoredRun, methods []ernest.MethodScore) scoredRun {
	p := outlookOf(&r.Prediction, r.Prediction.Refused == nil)
	out := scoredRun{r.Row, p.Seconds, p.LowSeconds, p.HighSeconds, refusal(&r.Prediction), map[string]units.Float{}}
	for i, v := range r.Baselines {
		if i+1 < len(methods) {
			out.Baselines[methods[i+1].Name] = units.Float(v)
		}
	}
	return out
}

// Text writes the score as text: a row per job, a column per method.
func (s *Score) Text(w io.Writer) error {
	var b strings.Builder
	b.WriteString(s.headline() + "\n\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "JOB\tTRAIN\tTEST"
	for i, m := range s.Scored.All {
		head += "\t" + strings.ToUpper(m.Name)
		if i == 0 {
			head += "\tBIAS\tIN RANGE"
		}
	}
	fmt.Fprintln(t, head+"\t")
	train, test := 0, 0
	for i := range s.Scored.Jobs {
		j := &s.Scored.Jobs[i]
		train, test = train+j.Train, test+j.Test
		row(t, cut(j.Job), j.Train, j.Test, j.Methods, len(s.Scored.All))
	}
	if len(s.Scored.Jobs) > 1 {
		row(t, "all", train, test, s.Scored.All, len(s.Scored.All))
	}
	_ = t.Flush() // a strings.Builder never fails
	fmt.Fprintf(&b, "\ncolumns of methods: mean of |predicted/actual - 1| over the runs that were not trained on, by %s\n", view.Escape(s.Rule))
	for i := range s.Scored.Jobs {
		j := &s.Scored.Jobs[i]
		if j.Err != nil {
			fmt.Fprintf(&b, "%s: %s\n", cut(j.Job), view.Escape(j.Err.Error()))
		}
		if len(j.Methods) > 0 && j.Methods[0].Refused > 0 {
			fmt.Fprintf(&b, "%s: no number for %s: %s\n", cut(j.Job), units.Count(j.Methods[0].Refused, "run"),
				view.Escape(firstRefusal(j)))
		}
	}
	all := [][]ernest.Warning{s.Warnings}
	for i := range s.Scored.Jobs {
		var named []ernest.Warning
		for _, one := range s.Scored.Jobs[i].Warnings {
			named = append(named, ernest.Warning{Code: one.Code, Text: cut(s.Scored.Jobs[i].Job) + ": " + one.Text})
		}
		all = append(all, named)
	}
	say(&b, "warning", warnings(all...))
	_, err := io.WriteString(w, b.String())
	return err
}

// forced is package ernest's name for its own numbers including refused ones.
const forced = "ernest-forced"

// headline compares ernest with the best of the simple guesses.
func (s *Score) headline() string {
	var best *ernest.MethodScore
	test := 0
	for _, j := range s.Scored.Jobs {
		test += j.Test
	}
	for i := range s.Scored.All {
		m := &s.Scored.All[i]
		if i > 0 && m.Name != forced && m.Predicted > 0 && (best == nil || m.Mean < best.Mean) {
			best = m
		}
	}
	if len(s.Scored.All) == 0 || s.Scored.All[0].Predicted == 0 {
		return "ernest: no number for any large run"
	}
	own := s.Scored.All[0]
	text := fmt.Sprintf("ernest: %s off in the mean over %d of %s", units.Tenths(own.Mean), own.Predicted,
		units.Count(test, "large run"))
	if best != nil {
		text += fmt.Sprintf("; the best naive guess, %s: %s", best.Name, units.Tenths(best.Mean))
	}
	return text
}

// row writes a job's errors, a column per method; the first method also has its bias and its coverage.
func row(w io.Writer, job string, train, test int, methods []ernest.MethodScore, columns int) {
	fmt.Fprintf(w, "%s\t%d\t%d\t", job, train, test)
	for i := range columns {
		mean, bias, covered := "-", "-", "-"
		if i < len(methods) && methods[i].Predicted > 0 {
			mean, bias, covered = units.Tenths(methods[i].Mean), units.Off(methods[i].Bias),
				units.Percent(methods[i].Covered)
		}
		fmt.Fprintf(w, "%s\t", mean)
		if i == 0 {
			fmt.Fprintf(w, "%s\t%s\t", bias, covered)
		}
	}
	fmt.Fprintln(w)
}

func firstRefusal(j *ernest.JobScore) string {
	for _, r := range j.Runs {
		if r.Prediction.Refused != nil {
			return r.Prediction.Refused.Error()
		}
	}
	return "the model does not fit"
}

// cut escapes a name and shortens it.
func cut(name string) string {
	const most = 32
	r := []rune(view.Escape(name))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
