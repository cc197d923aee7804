package compareview

import (
	"math"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// Of creates the document of a comparison.
func Of(c *compare.Comparison) *Document {
	d := &Document{
		SchemaVersion: SchemaVersion, Workflow: c.Runs[c.Subject].Plan.Name, Run: c.Subject + 1,
		Regressed: c.Regressed(), Findings: []Finding{}, Jobs: []Job{},
	}
	if c.Base >= 0 {
		base := c.Base + 1
		d.BaseRun = &base
	}
	for i, r := range c.Runs {
		d.Runs = append(d.Runs, Run{
			From: r.From, Script: r.Plan.Name, ID: frame.Text(r.ID), State: r.State, StartAt: frame.TimeOf(r.Start),
			TotalSeconds: seconds(r.Length), Excluded: frame.Text(c.Why[i]),
			Circumstances: r.Circumstances,
		})
	}
	d.Difference, d.Otherwise = difference(c), otherwise(c)
	for i := range c.Rows {
		d.Jobs = append(d.Jobs, job(c, i))
	}
	for i := range c.Findings {
		d.Findings = append(d.Findings, finding(c, &c.Findings[i]))
	}
	d.CriticalPath = Path{c.Path, saysPath(&c.Path)}
	return d
}

func difference(c *compare.Comparison) Difference {
	d := Difference{Seconds: seconds(c.Total), Ratio: units.Float(math.NaN()), Effects: []Effect{}}
	if d.Seconds != nil {
		d.Ratio = figure(c.Total / c.Runs[c.Base].Length)
		d.Effects = effects(c, c.Effects, c.Total)
	}
	d.Says = saysDifference(c, d.Effects)
	return d
}

// effects rounds to milliseconds. The largest effect includes the rounding error, so that the rounded ones add up
// to total.
func effects(c *compare.Comparison, all map[compare.Effect]float64, total float64) []Effect {
	out := []Effect{}
	left, largest := math.Round(total), 0
	for _, e := range compare.Effects {
		ms := math.Round(all[e])
		if left -= ms; ms == 0 {
			continue
		}
		out = append(out, Effect{Effect: e, Seconds: frame.Seconds(ms / 1000), Meaning: meaning(c, e)})
		if n := len(out) - 1; out[n].Seconds.Duration().Abs() > out[largest].Seconds.Duration().Abs() {
			largest = n
		}
	}
	if len(out) > 0 {
		out[largest].Seconds = frame.Seconds(math.Round(1000*float64(out[largest].Seconds)+left) / 1000)
	}
	return out
}

func job(c *compare.Comparison, i int) Job {
	row, ch := &c.Rows[i], &c.Changes[i]
	j := Job{
		Node: row.Node, Name: frame.Text(row.Name), Status: "other",
		OnPathSeconds: seconds(ch.Now), BeforeSeconds: seconds(ch.Before), Effects: []Effect{},
	}
	if ch.Effects != nil {
		sum := 0.0
		for _, e := range compare.Effects {
			sum += ch.Effects[e]
		}
		j.Effects = effects(c, ch.Effects, sum)
	}
	now := row.Index[c.Subject] >= 0
	before := c.Base >= 0 && row.Index[c.Base] >= 0
	switch {
	case now && (before || c.Base < 0):
		j.Status = "both"
	case now:
		j.Status = "added"
	case before:
		j.Status = "removed"
	}
	for at, r := range c.Runs {
		if n := row.Index[at]; n >= 0 {
			j.Runs = append(j.Runs, jobRun(&r.Jobs[n]))
		} else {
			j.Runs = append(j.Runs, nil)
		}
	}
	return j
}

func jobRun(job *compare.Job) *JobRun {
	r := &JobRun{LengthSeconds: seconds(job.Length), WaitSeconds: seconds(job.Wait), Stages: []Stage{}}
	for k := range job.Phases {
		p := &job.Phases[k]
		if p.Tasks == 0 {
			continue
		}
		stage := Stage{
			Name: p.Name, MedianSeconds: seconds(p.Median()), InputRecords: figure(p.Records()),
			InputBytes: figure(p.Bytes()), SecondsPerRecord: figure(p.Cost() / 1000), Short: p.Short(),
			FailedAttempts: p.Failed, KilledAttempts: p.Killed,
		}
		if p.Tasks > 0 {
			stage.Tasks = &p.Tasks
		}
		r.Stages = append(r.Stages, stage)
	}
	return r
}

func finding(c *compare.Comparison, f *compare.Finding) Finding {
	return Finding{
		Job: c.Rows[f.Row].Node, Phase: c.Runs[c.Subject].Plan.StageName(c.Rows[f.Row].Index[c.Subject], f.Phase),
		Slower: f.Slower, BeforeSeconds: *seconds(f.Before), Seconds: *seconds(f.Now),
		Unit: f.Unit, CostRatio: figure(f.Ratio), LowRatio: figure(f.Low), HighRatio: figure(f.High),
		AmountRatio: figure(f.Amount),
		EarlierRuns: f.Earlier, ChanceRatio: figure(f.Chance), Doubtful: f.Doubtful, Says: saysFinding(c, f),
	}
}
