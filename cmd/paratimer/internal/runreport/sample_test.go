package runreport

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

func of[T any](v T) *T { return &v }

// sample is a finished run with everything that a report can show: three jobs on eight containers, a failure, a skewed
// reduce.
func sample() *Report {
	start := dag.InstantOf(time.Date(2026, 3, 14, 1, 59, 26, 0, time.UTC))
	s := &Report{
		SchemaVersion: SchemaVersion, From: "nightly.tape",
		Workflow: frame.Workflow{ID: of("wf-17"), Name: of("PigLatin:nightly-join.pig"), State: dag.Succeeded},
		User:     of("etl"), Queue: of("default"), StartAt: frame.TimeOf(start),
		EndAt: frame.TimeOf(start.Add(100 * time.Second)), At: frame.TimeOf(start.Add(100 * time.Second)),
		ElapsedSeconds: of(frame.Seconds(100)), Observations: 101,
		Summary: []string{
			"It succeeded after 1m40s.",
			"Most of the time went into the maps of users and the reduces of join.",
		},
	}
	for i, node := range []string{"clicks", "users", "join"} {
		s.Jobs = append(s.Jobs, Job{
			Job: frame.Job{
				Node: node, ID: of(fmt.Sprintf("job_1795222440184_%04d", i+7)), State: dag.Succeeded,
				Maps: frame.Tasks{Total: of(8), Done: 8}, Reduces: frame.Tasks{
					Total: of(4),
					Done:  4,
				}, SubmittedSeconds: of(frame.Seconds(20 * i)),
			},
			InputBytes: of(1.5e9), InputRecords: of(2e6), OnPathSeconds: of(frame.Seconds(30)),
			MapSeconds: &Spread{Tasks: 8, Min: 9, Median: 10, P90: 11, Max: 12},
		})
	}
	s.Jobs[1].OnPathSeconds, s.Jobs[0].FailedAttempts = nil, 1
	s.Chart = sampleChart()
	s.PredictionHistory = samplePredictionHistory()
	s.TimeAttribution = TimeAttribution{Causes: []Cause{
		{Cause: "launch", Title: "launch", Meaning: "A job starts.", Seconds: 12, Ratio: frame.RatioOf(.12)},
		{Cause: "work", Title: "work", Meaning: "Tasks work.", Seconds: 61, Ratio: frame.RatioOf(.61)},
		{Cause: "skew", Title: "skew", Meaning: "A reduce was given more.", Seconds: 27, Ratio: frame.RatioOf(.27)},
	}, Parts: []Part{
		{Cause: "launch", Job: of("clicks"), StartSeconds: 0, EndSeconds: 6},
		{Cause: "work", Job: of("clicks"), Task: of("clicks m_000003"), StartSeconds: 6, EndSeconds: 46},
		{Cause: "launch", StartSeconds: 46, EndSeconds: 52},
		{Cause: "work", Job: of("join"), StartSeconds: 52, EndSeconds: 73},
		{Cause: "skew", Job: of("join"), Task: of("join r_000001"), StartSeconds: 73, EndSeconds: 100},
	}}
	s.Skew = []frame.Skew{{
		Job: "join", Reduces: 4, Skewed: 1, MedianSeconds: 11, DelaySeconds: 27, Worst: []frame.SkewedTask{
			{
				Task: 1, Done: true, WorkSeconds: 38, SizeBytes: of(4e8), ShareRatio: frame.RatioOf(.6),
				DelaySeconds: of(frame.Seconds(27)),
			},
			{Task: 0, Done: true, WorkSeconds: 12, SizeBytes: of(1e8)},
			{Task: 3, Done: true, WorkSeconds: 11, SizeBytes: of(1e8)},
			{Task: 2, Done: true, WorkSeconds: 9},
		},
	}}
	s.Limits = Limits{Summary: "Even reduces would have saved 27 s.", Rows: []Limit{
		{
			Question: "As many containers as tasks", Change: "--slots unlimited", TotalSeconds: 81,
			GainSeconds: 19,
		},
		{
			Question: "Reduces as long as the median one", Change: "--no-skew", TotalSeconds: 73,
			GainSeconds: 27, Doubt: of("one key may be too large to part"),
		},
	}}
	s.Alerts = []frame.Alert{{
		Bound: "deadline", State: frame.Ended, Outcome: of(frame.Missed),
		DeadlineAt: frame.TimeOf(start.Add(90 * time.Second)), Text: "missed by 10s",
	}}
	s.Warnings = []dag.Warning{{Code: "other_load", Text: "other applications hold 2 containers"}}
	return s
}

func sampleChart() chart.Gantt {
	c := chart.Gantt{
		Name: "What ran when", Jobs: []chart.Job{{Name: "clicks"}, {Name: "users"}, {Name: "join"}},
		Summary: "The critical path goes through the maps of clicks and the reduces of join.", ToSeconds: 100,
		Panels: []chart.Panel{{Title: "containers", Rows: []string{
			"node-a 0", "node-a 1", "node-a 2", "node-a 3",
			"node-b 0", "node-b 1", "node-b 2", "node-b 3",
		}}},
		Fragments: []chart.Fragment{
			{Width: 0, StartSeconds: 0, EndSeconds: 6, Critical: true, Phase: frame.Phase{
				Stage: dag.NoStage, Name: "launch",
			}},
			{
				Jobs: []string{"clicks"}, Phase: frame.Phase{Stage: dag.Map, Name: "map"}, Width: 4, Rounds: 2,
				StartSeconds: 6, EndSeconds: 46, Critical: true,
			},
			{
				Jobs: []string{"users"}, Phase: frame.Phase{Stage: dag.Map, Name: "map"}, Width: 4, Rounds: 2,
				StartSeconds: 6, EndSeconds: 40,
			},
			{
				Jobs: []string{"join"}, Phase: frame.Phase{Stage: dag.Reduce, Name: "reduce"}, Width: 4, Rounds: 1,
				StartSeconds: 52, EndSeconds: 100, Critical: true,
			},
		},
		Critical: []chart.Segment{
			{Fragment: 0, Title: "launch of clicks", StartSeconds: 0, EndSeconds: 6},
			{Fragment: 1, Title: "maps of clicks", StartSeconds: 6, EndSeconds: 46},
			{Fragment: 0, Title: "wave", StartSeconds: 46, EndSeconds: 52},
			{Fragment: 3, Title: "reduces of join", StartSeconds: 52, EndSeconds: 100},
		},
	}
	bar := func(row int, from, to frame.Seconds, job int, phase dag.StageIndex, fragment, round int,
		o chart.Outcome,
	) {
		c.Panels[0].Bars = append(c.Panels[0].Bars, chart.Bar{
			Row: row, Rows: 1, StartSeconds: from, EndSeconds: to, Job: job, Phase: frame.Phase{
				Stage: phase,
				Name:  dag.MapReduceName(phase),
			}, Name: fmt.Sprintf("attempt_%d_%d", job, len(c.Panels[0].Bars)),
			Tasks:   1,
			Outcome: o, Fragment: of(fragment), Round: of(round), Critical: c.Fragments[fragment].Critical &&
				o == chart.OK,
		})
	}
	for i := range 4 {
		bar(i, 6, 26, 0, dag.Map, 1, 0, chart.OK)
		bar(i, 26, 46, 0, dag.Map, 1, 1, chart.OK)
		bar(i+4, 6, 24, 1, dag.Map, 2, 0, []chart.Outcome{
			chart.OK, chart.Failed, chart.Killed,
			chart.OK,
		}[i])
		bar(i+4, 24, 40, 1, dag.Map, 2, 1, chart.OK)
		bar(i, 52, []frame.Seconds{72, 100, 70, 66}[i], 2, dag.Reduce, 3, 0, chart.OK)
		c.Panels[0].Bars[len(c.Panels[0].Bars)-1].CopiedSeconds = of(frame.Seconds(58))
	}
	return c
}

func samplePredictionHistory() PredictionHistory {
	c := PredictionHistory{
		Summary:      "From 12 s on the 80% range held the end.",
		TotalSeconds: of(frame.Seconds(100)), MeanErrorPoints: of(3.2), HeldRatio: frame.RatioOf(.93),
		NumberRatio: frame.RatioOf(.95),
	}
	for t := frame.Seconds(0); t <= 100; t++ {
		m := Point{AtSeconds: t}
		if t > 4 && t != 50 {
			off := (100 - t) * (100 - t) / 500
			total := 100 + off/2
			m.TotalSeconds, m.LowSeconds, m.HighSeconds = of(total), of(max(t, total-off)), of(total+off*1.4)
		} else {
			m.LowSeconds = of(t + 10)
		}
		if t == 24 {
			c.Moves = []Move{{AtSeconds: t, Move: frame.Move{Cause: frame.Cause{
				DeltaSeconds: 6, Reason: "failure", Subject: of("users m_000001 failed and starts again"),
			}}}}
			c.Replans = frame.Replans{Count: 6, MostSeconds: 15}
		}
		c.Points = append(c.Points, m)
	}
	c.Marks = []Mark{
		{AtSeconds: 24, Kind: "failure", Text: "users m_000001 failed"},
		{AtSeconds: 60, Kind: "alert", Text: "deadline is at risk"},
		{
			AtSeconds: 61, Kind: "node",
			Text: "node-b is lost",
		},
	}
	return c
}

// halfway is the same run while its last reduce works.
func halfway() *Report {
	s := sample()
	s.Workflow.State, s.EndAt, s.WaitingOn, s.PredictionHistory.TotalSeconds = dag.Running, nil, of("join r_000001"),
		nil
	s.At, s.ElapsedSeconds = frame.TimeOf(s.StartAt.Instant.Add(73*time.Second)), of(frame.Seconds(73))
	s.Headline = frame.Headline{
		RemainingSeconds: of(frame.Seconds(27)), LowSeconds: of(frame.Seconds(20)),
		HighSeconds: of(frame.Seconds(41)), Rough: true, EndAt: frame.TimeOf(s.At.Instant.Add(27 * time.Second)),
	}
	s.Estimates = []frame.Estimate{
		{Scenario: "standard", RemainingSeconds: of(frame.Seconds(27))},
		{Scenario: "one_failure", RemainingSeconds: of(frame.Seconds(52))},
		{Scenario: "skew_low"},
		{Scenario: "alone", RemainingSeconds: of(frame.Seconds(27)), Moot: true},
	}
	s.Chart.NowSeconds = of(frame.Seconds(73))
	for i := range s.Chart.Panels[0].Bars {
		if b := &s.Chart.Panels[0].Bars[i]; b.EndSeconds > 73 {
			b.Outcome = chart.Running
		}
	}
	s.PredictionHistory.Points = s.PredictionHistory.Points[:74]
	s.Alerts[0].State, s.Alerts[0].Outcome, s.Alerts[0].Probability = frame.AtRisk, nil, frame.RatioOf(.71)
	s.Alerts[0].DeadlineAt = frame.TimeOf(s.At.Instant.Add(32 * time.Second))
	return s
}
