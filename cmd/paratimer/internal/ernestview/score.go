package ernestview

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
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
	for _, j := range s.Scored.Jobs {
		one := jobScore{j, view.List(j.Methods), []scoredRun{}, nil, warnings(j.Warnings)}
		if j.Err != nil {
			one.Error = frame.Text(j.Err.Error())
		}
		for _, r := range j.Runs {
			p := outlookOf(&r.Prediction, r.Prediction.Refused == nil)
			run := scoredRun{
				r.Row, p.Seconds, p.LowSeconds, p.HighSeconds, refusal(&r.Prediction), map[string]units.Float{},
			}
			for i, v := range r.Baselines {
				run.Baselines[ernest.Baselines[i]] = units.Float(v)
			}
			one.Runs = append(one.Runs, run)
		}
		out.Jobs = append(out.Jobs, one)
	}
	return view.JSON(w, out, " ")
}

// Text writes the score as text: a row per job, a column per method. The first method also has its bias and its
// coverage.
func (s *Score) Text(w io.Writer) error {
	var t text
	t.line("%s\n", s.headline())
	rows := [][]string{{"JOB", "TRAIN", "TEST"}}
	for i, m := range s.Scored.All {
		rows[0] = append(rows[0], strings.ToUpper(m.Name))
		if i == 0 {
			rows[0] = append(rows[0], "BIAS", "IN RANGE")
		}
	}
	all := ernest.JobScore{Job: "all", Methods: s.Scored.All}
	for _, j := range s.Scored.Jobs {
		all.Train, all.Test = all.Train+j.Train, all.Test+j.Test
		rows = append(rows, s.row(&j))
	}
	if len(s.Scored.Jobs) > 1 {
		rows = append(rows, s.row(&all))
	}
	t.table(rows)
	t.line("\ncolumns of methods: mean of |predicted/actual - 1| over the runs that were not trained on, by %s",
		view.Escape(s.Rule))
	warned := [][]ernest.Warning{s.Warnings}
	for _, j := range s.Scored.Jobs {
		if j.Err != nil {
			t.line("%s: %s", cut(j.Job), view.Escape(j.Err.Error()))
		}
		if len(j.Methods) > 0 && j.Methods[0].Refused > 0 {
			why := "the model does not fit"
			for _, r := range slices.Backward(j.Runs) {
				if r.Prediction.Refused != nil {
					why = r.Prediction.Refused.Error()
				}
			}
			t.line("%s: no number for %s: %s", cut(j.Job), units.Count(j.Methods[0].Refused, "run"), view.Escape(why))
		}
		warned = append(warned, of(cut(j.Job), j.Warnings))
	}
	t.say("warning", warned...)
	return t.to(w)
}

func (s *Score) row(j *ernest.JobScore) []string {
	row := []string{cut(j.Job), fmt.Sprint(j.Train), fmt.Sprint(j.Test)}
	for i := range s.Scored.All {
		mean, bias, covered := "-", "-", "-"
		if i < len(j.Methods) && j.Methods[i].Predicted > 0 {
			m := j.Methods[i]
			mean, bias, covered = units.Tenths(m.Mean), units.Off(m.Bias), units.Percent(m.Covered)
		}
		row = append(row, mean)
		if i == 0 {
			row = append(row, bias, covered)
		}
	}
	return row
}

// headline compares ernest with the best of the simple guesses.
func (s *Score) headline() string {
	if len(s.Scored.All) == 0 || s.Scored.All[0].Predicted == 0 {
		return "ernest: no number for any large run"
	}
	test := 0
	for _, j := range s.Scored.Jobs {
		test += j.Test
	}
	own := s.Scored.All[0]
	text := fmt.Sprintf("ernest: %s off in the mean over %d of %s", units.Tenths(own.Mean), own.Predicted,
		units.Count(test, "large run"))
	var best *ernest.MethodScore
	for i, m := range s.Scored.All {
		if slices.Contains(ernest.Baselines, m.Name) && m.Predicted > 0 && (best == nil || m.Mean < best.Mean) {
			best = &s.Scored.All[i]
		}
	}
	if best != nil {
		text += fmt.Sprintf("; the best naive guess, %s: %s", best.Name, units.Tenths(best.Mean))
	}
	return text
}
