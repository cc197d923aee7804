// Package modelview shows the results of queueing models and their simulation: response times, what limits jobs and
// what would help, and precedence trees. It writes text and JSON.
package modelview

import (
	"github.com/paratimer/paratimer/estimators/queueing"
)

// SchemaVersion is the version of the JSON; it grows when a field changes its meaning or is no longer there.
const SchemaVersion = 3

// A View has the results of one or more models, for one or more settings. docs/queueing.md has its fields. Times are
// in seconds; unknown is null.
type View struct {
	SchemaVersion int                `json:"schema_version"`
	Name          string             `json:"name"` // of what is modeled; "" if the file has none
	Cluster       queueing.Spec      `json:"cluster"`
	Results       []Result           `json:"results"` // at least one
	Bound         *string            `json:"bound"`   // null for several settings
	Improvements  []Improvement      `json:"levers"`  // empty if they were not computed
	Warnings      []queueing.Warning `json:"warnings"`
}

// A Result is what one model answers for one combination of settings, or the error.
type Result struct {
	Settings []Value `json:"settings"` // those with several values
	Error    *string `json:"error"`
	*queueing.Result
}

// A Value is that of a setting.
type Value struct {
	Setting string `json:"setting"`
	Value   int    `json:"value"`
}

// New returns a view of a Spec without results.
func New(name string, s *queueing.Spec) *View {
	v := &View{SchemaVersion: SchemaVersion, Name: name, Cluster: *s}
	v.Cluster.Disks, v.Cluster.ReduceSlots = max(1, s.Disks), max(1, s.ReduceSlots)
	v.Improvements, v.Warnings = []Improvement{}, []queueing.Warning{}
	return v
}

// Failed returns the result of a model that cannot be solved.
func Failed(model queueing.Model, err error) Result {
	text := err.Error()
	return Result{Error: &text, Result: &queueing.Result{
		Model: model, Jobs: []queueing.JobResult{}, Centres: []queueing.Centre{}, Warnings: []queueing.Warning{},
	}}
}
