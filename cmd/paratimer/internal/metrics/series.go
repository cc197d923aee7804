package metrics

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// descs describe all series that a scrape creates, by name without "paratimer_". Names that end in _total are
// counters, all others are gauges.
var descs = describe([]struct{ name, labels, help string }{
	{"build_info", "version revision goversion", "1, of this program's version."},
	{"workflows", "", "Watched queries that have not ended."},
	{"workflows_overflow", "", "Workflows without series of their own, because there are too many."},
	{"watcher_last_observation_timestamp_seconds", "", "Time of this process's last observation, by its own clock."},
	{"watcher_interval_seconds", "", "Interval of observations without errors."},
	{"frames_total", "", "Frames shown."},
	{"stale_frames_total", "", "Frames that repeat an older one because an observation failed."},

	{"notifications_total", "sink", "Notifications that a sink has taken."},
	{"notifications_failed_total", "sink", "Attempts to deliver a notification that failed."},
	{"notifications_dropped_total", "sink", "Notifications that a sink refused, or that exceeded a limit."},
	{"notifications_waiting", "sink", "Notifications that are still to be delivered."},

	{"collect_batches_total", "", "Accepted batches of key groups."},
	{"collect_batches_refused_total", "", "Refused batches of key groups."},
	{"collect_jobs", "watched", "Jobs with key groups in memory."},
	{"collect_bytes", "", "Memory of key groups."},

	{"remaining_seconds", "workflow scenario", "Time until the query ends, under a named scenario."},
	{"remaining_quantile_seconds", "workflow q", "The query ends within this time with probability q."},
	{
		"headline_remaining_seconds", "workflow",
		"The estimate of the remaining time; absent if too much of it is assumed.",
	},
	{
		"predicted_end_timestamp_seconds", "workflow",
		"Predicted or actual end of the query, by the cluster's clock.",
	},
	{"progress_ratio", "workflow", "Elapsed time divided by the sum of elapsed and remaining time."},
	{"elapsed_seconds", "workflow", "Time since the first job's submission; the length of a query that has ended."},
	{"stale_seconds", "workflow", "Age of the observation behind the numbers."},
	{"last_observation_timestamp_seconds", "workflow", "Time of the last observation of the query, by the cluster's clock."},
	{"workflow_state", "workflow state", "1 for the state that the query is in, 0 for the others."},
	{"workflow_info", "workflow engine", "1, with the query's engine as a label."},
	{"skew_delay_seconds", "workflow", "Delay of the query by uneven reduces; 0 if there is none."},
	{"holds_up_workflows", "workflow", "Number of workflows that wait for containers while this one has the most."},
	{"late_probability_ratio", "workflow bound", "Probability of breaking a bound."},
	{
		"late_by_seconds", "workflow bound",
		"How much later than its bound the query is expected to end; negative: earlier.",
	},
	{"deadline_timestamp_seconds", "workflow bound", "Deadline of a bound."},
	{"alert_state", "workflow bound state", "1 for the state that an alert is in, 0 for the others."},
	{"bound_missed", "workflow bound", "1 if the ended query missed the bound, 0 if it met it."},
})

func describe(rows []struct{ name, labels, help string }) map[string]*prometheus.Desc {
	out := make(map[string]*prometheus.Desc, len(rows))
	for _, r := range rows {
		out[r.name] = prometheus.NewDesc("paratimer_"+r.name, r.help, strings.Fields(r.labels), nil)
	}
	return out
}

// An Emit receives a value of a series and the values of its labels.
type Emit func(name string, v float64, labels ...string)

// emit Emits the series of one run.
func (r *run) emit(emit Emit) {
	f := &r.frame
	for _, e := range f.Estimates {
		known(emit, "remaining_seconds", e.RemainingSeconds, r.name, e.Scenario)
	}
	for _, q := range f.Quantiles {
		level := strconv.FormatFloat(q.Q, 'g', -1, 64)
		emit("remaining_quantile_seconds", float64(q.RemainingSeconds), r.name, level)
	}
	known(emit, "headline_remaining_seconds", f.Headline.RemainingSeconds, r.name)
	instant(emit, "predicted_end_timestamp_seconds", f.Headline.EndAt, r.name)
	known(emit, "progress_ratio", f.ProgressRatio, r.name)
	known(emit, "elapsed_seconds", f.ElapsedSeconds, r.name)
	known(emit, "stale_seconds", &f.StaleSeconds, r.name)
	instant(emit, "last_observation_timestamp_seconds", frame.TimeOf(r.at), r.name)
	for s := dag.Blocked; s <= dag.EndedUnconfirmed; s++ {
		emit("workflow_state", indicator(f.Workflow.State == s), r.name, s.String())
	}
	emit("workflow_info", 1, r.name, cmp.Or(f.Workflow.Engine, "MapReduce"))
	if f.Skew != nil {
		most := frame.Seconds(0)
		for i := range f.Skew {
			most = max(most, f.Skew[i].DelaySeconds)
		}
		known(emit, "skew_delay_seconds", &most, r.name)
	}
	if f.HoldsUp != nil {
		emit("holds_up_workflows", float64(*f.HoldsUp), r.name)
	}
	for _, a := range f.Alerts[:min(len(f.Alerts), maxBounds)] {
		r.bound(emit, a, label(a.Bound))
	}
}

// maxBounds bounds the series of one workflow.
const maxBounds = 50

// bound emits the series of one bound of a run.
func (r *run) bound(emit Emit, a frame.Alert, bound string) {
	known(emit, "late_probability_ratio", a.Probability, r.name, bound)
	known(emit, "late_by_seconds", a.BySeconds, r.name, bound)
	instant(emit, "deadline_timestamp_seconds", a.DeadlineAt, r.name, bound)
	for _, s := range []frame.AlertState{frame.OnTrack, frame.AtRisk, frame.Late, frame.Ended, frame.Blind} {
		emit("alert_state", indicator(a.State == s), r.name, bound, string(s))
	}
	if a.Outcome != nil {
		emit("bound_missed", indicator(*a.Outcome == frame.Missed), r.name, bound)
	}
}

// known emits a value unless it is unknown.
func known[T ~float64](emit Emit, name string, v *T, labels ...string) {
	if v != nil {
		emit(name, float64(*v), labels...)
	}
}

func instant(emit Emit, name string, t *frame.Time, labels ...string) {
	if t != nil {
		emit(name, float64(t.Instant.Time().UnixMilli())/1000, labels...)
	}
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
