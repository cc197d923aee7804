package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A recordedDAG is a DAG of Tez with what the ResourceManager reports of its application.
type recordedDAG struct {
	tez.RecordedDAG
	name, user string
	submitted  int64
}

// dagOf selects the DAG of Tez to replay. Without an id it selects the first DAG of the application that was submitted
// first. ok is false if the recording, or the id, is of MapReduce.
func dagOf(rec *recording.Answers, workflow string) (target tez.Target, ok bool, err error) {
	dags := dags(rec)
	if len(dags) == 0 {
		return target, false, nil
	}
	if workflow == "" {
		return tez.Target{ID: dags[0].ID}, !isAfterJob(rec, dags[0].submitted), nil
	}
	for _, d := range dags {
		if d.ID == workflow || d.App == workflow {
			return tez.Target{ID: d.ID}, true, nil
		}
	}
	if _, is := tez.IsDAG(workflow); is {
		e := &recording.UnknownError{Workflow: workflow}
		for _, d := range dags {
			e.Holds = append(e.Holds, strings.TrimSpace(fmt.Sprintf("%s %q of %s", d.ID, d.name, d.user)))
		}
		return target, true, e
	}
	return target, false, nil
}

// isAfterJob reports whether a MapReduce job was submitted before an instant, and has answered.
func isAfterJob(rec *recording.Answers, submitted int64) bool {
	served := map[string]bool{}
	for _, a := range rec.All() {
		served[recording.Served(a.URL)] = true
	}
	return slices.ContainsFunc(submissions(rec), func(s *yarn.App) bool {
		return served["/proxy/"+s.ID+"/ws/v1/mapreduce/jobs/"+s.Job()] && max(0, int64(s.Submitted)) < submitted
	})
}

// dags lists the DAGs of a recording by the submission of their application and by number.
func dags(rec *recording.Answers) []recordedDAG {
	var out []recordedDAG
	for _, d := range tez.RecordedDAGs(rec) {
		out = append(out, recordedDAG{RecordedDAG: d})
	}
	if len(out) == 0 {
		return nil
	}
	eachList(rec, func(apps []byte) {
		listed, _ := yarn.Apps(apps) // an unusable response has none
		for _, app := range listed {
			for i := range out {
				if d := &out[i]; d.App == app.ID {
					d.name, d.user, d.submitted = app.Name, app.User, max(0, int64(app.Submitted))
				}
			}
		}
	})
	slices.SortStableFunc(out, func(a, b recordedDAG) int { return cmp.Compare(a.submitted, b.submitted) })
	return out
}
