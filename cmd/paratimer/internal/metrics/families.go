package metrics

import (
	"cmp"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A family is a gauge of each workflow: its name after "paratimer_", its labels besides workflow, and a function
// that reads its values from a frame.
type family struct {
	name, help string
	labels     []string
	of         func(r *run, emit emit)
}

// emit receives a value and the values of the family's labels.
type emit func(v float64, labels ...string)

// families are all gauges of workflows.
var families = []family{
	{
		"remaining_seconds", "Time until the query ends, under a named scenario.",
		[]string{"scenario"},
		func(r *run, emit emit) {
			for _, e := range r.frame.Estimates {
				seconds(e.RemainingSeconds, emit, e.Scenario)
			}
		},
	},
	{
		"remaining_quantile_seconds", "The query ends within this time with probability q.",
		[]string{"q"},
		func(r *run, emit emit) {
			for _, q := range r.frame.Quantiles {
				emit(float64(q.RemainingSeconds), strconv.FormatFloat(q.Q, 'g', -1, 64))
			}
		},
	},
	{
		"headline_remaining_seconds", "The one answer to when; absent where too much of it would be assumed.", nil,
		func(r *run, emit emit) {
			seconds(r.frame.Headline.RemainingSeconds, emit)
		},
	},
	{
		"predicted_end_timestamp_seconds", "When the query is predicted to end, or has ended, by the cluster's clock.",
		nil, func(r *run, emit emit) {
			instant(r.frame.Headline.EndAt, emit)
		},
	},
	{"progress_ratio", "Elapsed time of elapsed and remaining time.", nil, func(r *run, emit emit) {
		ratio(r.frame.ProgressRatio, emit)
	}},
	{
		"elapsed_seconds", "Time since the first job's submission; of a query that is over, its length.", nil,
		func(r *run, emit emit) {
			seconds(r.frame.ElapsedSeconds, emit)
		},
	},
	{"stale_seconds", "Age of the observation that the numbers rest on.", nil, func(r *run, emit emit) {
		emit(float64(r.frame.StaleSeconds))
	}},
	{
		"last_observation_timestamp_seconds", "When the query was last observed, by the cluster's clock.", nil,
		func(r *run, emit emit) {
			if r.at.Known() {
				instant(&frame.Time{Instant: r.at}, emit)
			}
		},
	},
	{
		"workflow_state", "1 for the state that the query is in, 0 for the others.",
		[]string{"state"},
		func(r *run, emit emit) {
			for s := dag.Blocked; s <= dag.EndedUnconfirmed; s++ {
				emit(indicator(r.frame.Workflow.State == s), s.String())
			}
		},
	},
	{"workflow_info", "1; the label engine is what runs the query.", []string{"engine"}, func(r *run, emit emit) {
		emit(1, cmp.Or(r.frame.Workflow.Engine, "MapReduce"))
	}},
	{
		"skew_delay_seconds", "By how much uneven reduces hold the query back; 0 where none does.", nil,
		func(r *run, emit emit) {
			if r.frame.Skew != nil {
				most := frame.Seconds(0)
				for i := range r.frame.Skew {
					most = max(most, r.frame.Skew[i].DelaySeconds)
				}
				emit(float64(most))
			}
		},
	},
	{
		"holds_up_workflows", "How many others wait for containers of which this one holds the most.", nil,
		func(r *run, emit emit) {
			if r.frame.HoldsUp != nil {
				emit(float64(*r.frame.HoldsUp))
			}
		},
	},
	{"late_probability_ratio", "Probability of breaking a bound.", []string{"bound"}, func(r *run, emit emit) {
		for _, a := range r.bounds() {
			ratio(a.Probability, emit, label(a.Bound))
		}
	}},
	{
		"late_by_seconds", "How much later than its bound the query is expected to end; negative: earlier.",
		[]string{"bound"},
		func(r *run, emit emit) {
			for _, a := range r.bounds() {
				seconds(a.BySeconds, emit, label(a.Bound))
			}
		},
	},
	{"deadline_timestamp_seconds", "When a bound is broken.", []string{"bound"}, func(r *run, emit emit) {
		for _, a := range r.bounds() {
			instant(a.DeadlineAt, emit, label(a.Bound))
		}
	}},
	{
		"alert_state", "1 for the state that an alert is in, 0 for the others.",
		[]string{"bound", "state"},
		func(r *run, emit emit) {
			for _, a := range r.bounds() {
				for _, s := range []frame.AlertState{
					frame.OnTrack, frame.AtRisk, frame.Late, frame.Ended,
					frame.Blind,
				} {
					emit(indicator(a.State == s), label(a.Bound), string(s))
				}
			}
		},
	},
	{
		"bound_missed", "1 if a query that is over has missed a bound, 0 if it has met it.",
		[]string{"bound"},
		func(r *run, emit emit) {
			for _, a := range r.bounds() {
				if a.Outcome != nil {
					emit(indicator(*a.Outcome == frame.Missed), label(a.Bound))
				}
			}
		},
	},
}

// maxBounds bounds the series of one workflow.
const maxBounds = 50

func (r *run) bounds() []frame.Alert { return r.frame.Alerts[:min(len(r.frame.Alerts), maxBounds)] }

func seconds(s *frame.Seconds, emit emit, labels ...string) {
	if s != nil {
		emit(float64(*s), labels...)
	}
}

func ratio(r *frame.Ratio, emit emit, labels ...string) {
	if r != nil {
		emit(float64(*r), labels...)
	}
}

func instant(t *frame.Time, emit emit, labels ...string) {
	if t != nil {
		emit(float64(t.Instant.Time().UnixMilli())/1000, labels...)
	}
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (f family) desc() *prometheus.Desc {
	return prometheus.NewDesc("paratimer_"+f.name, f.help, append([]string{"workflow"}, f.labels...), nil)
}
