package hadoop

import (
	"github.com/paratimer/paratimer/dag"
)

// A Submission is an application as a list of applications tells it.
type Submission struct {
	App, Job   string // its id, and that of its MapReduce job
	Name, User string
	At         int64 // ms since the epoch, 0 where unknown
}

// Submissions reads the MapReduce applications out of an answer to /cluster/apps, in the answer's order.
// An answer that is none has none.
func Submissions(apps []byte) []Submission {
	var b appsBody
	if decode("apps", apps, &b) != nil {
		return nil
	}
	var out []Submission
	for i := range b.Apps.v.App {
		a := &b.Apps.v.App[i]
		if a.ID == "" || !a.mapReduce() {
			continue
		}
		s := Submission{App: string(a.ID), Job: a.job(), Name: JobTitle(string(a.Name)), User: string(a.User)}
		if t := a.Started.instant(); t.Known() {
			s.At = int64(t)
		}
		out = append(out, s)
	}
	return out
}

// WorkflowOf reads the workflow's id out of a job's configuration; "" where it belongs to none.
func WorkflowOf(conf []byte) string {
	var b confBody
	if decode("conf", conf, &b) != nil {
		return ""
	}
	for _, p := range b.Conf.v.Properties {
		if p.Name == "mapreduce.workflow.id" {
			return dag.Clean(string(p.Value))
		}
	}
	return ""
}
