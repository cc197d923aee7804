package mapreduce

import (
	"testing"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// TestVersions reads what masters and history servers of several Hadoops said of the same script (testdata: our own
// live runs).
func TestVersions(t *testing.T) {
	for _, version := range []string{"2.10.2"} {
		am, over := load[jobBody](t, "am-job-"+version+".json").Job.V,
			load[jobBody](t, "jhs-job-"+version+".json").Job.V
		if am.State != "RUNNING" || am.Finished.Instant().Known() || !am.Started.Instant().Known() || am.Maps.V != 3 ||
			am.Reduces.V != 2 || am.MapsDone.V != 3 {
			t.Errorf("%s: the master says %+v", version, am)
		}
		if over.State != "SUCCEEDED" || !over.Submitted.Instant().Known() || !(over.Submitted.V < over.Started.V &&
			over.Started.V < over.Finished.V) || !over.ReducesDone.Known {
			t.Errorf("%s: the history server says %+v", version, over)
		}
		for _, from := range []string{"am", "jhs"} {
			all := load[attemptsBody](t, from+"-attempts-reduce-"+version+".json").Attempts.V.Attempt
			if len(all) != 1 {
				t.Errorf("%s, %s: %d attempts, want one", version, from, len(all))
				continue
			}
			a := all[0]
			if kind, _, number, ok := mrjob.AttemptOf(string(a.ID)); !ok || kind != dag.Reduce || number != 0 {
				t.Errorf("%s, %s: attempt %q", version, from, a.ID)
			}
			if a.State != "SUCCEEDED" || a.Node == "" || a.Progress.Ratio() != 1 ||
				!(a.Started.V < a.CopyEnd.V && a.CopyEnd.V <= a.SortEnd.V && a.SortEnd.V <= a.Finished.V) {
				t.Errorf("%s, %s: %+v", version, from, a)
			}
		}
	}
}

// TestOddReduces: before MAPREDUCE-7133 a list of reduce attempts named a schema's type beside their own.
func TestOddReduces(t *testing.T) {
	const fields = `"id":"attempt_1_0001_r_000000_0","state":"RUNNING","type":"REDUCE","shuffleFinishTime":7`
	for _, body := range []string{
		`{"taskAttempts":{"taskAttempt":[{"type":"reduceTaskAttemptInfo",` + fields + `}]}}`,
		`{"taskAttempts":{"taskAttempt":[{"@xsi.type":"reduceTaskAttemptInfo",` + fields + `}]}}`,
		`{"taskAttempts":{"taskAttempt":{"@type":"reduceTaskAttemptInfo","@xmlns.xsi":"http://www.w3.org/2001/XMLSchema-instance",` + fields + `}}}`,
	} {
		if all := of[attemptsBody](t, body).Attempts.V.Attempt; len(all) != 1 || all[0].State != "RUNNING" ||
			all[0].CopyEnd.V != 7 {
			t.Errorf("%s: %+v", body, all)
		}
	}
}
