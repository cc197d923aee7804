package history

import (
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// longWait is the time between submission and start from which one of the two is in doubt.
const longWait = 24 * time.Hour

// remark collects the warnings of all snapshots.
func (s *Source) remark() {
	warn := func(code, format string, args ...any) {
		s.remarks = append(s.remarks, dag.Warningf(code, format, args...))
	}
	plain, even, of, bare := 0, 0, 0, 0
	for _, j := range s.workflow.Jobs {
		for _, a := range j.all() {
			if of++; a.course.plain {
				plain++
			}
			if a.Kind == dag.Reduce && a.evenly() {
				even++
			}
		}
		if !j.Configured && !j.Slots {
			bare++
		}
		if j.Bad > 0 {
			warn(dag.WarnObservation, "%s: %s of its history could not be used", j.ID, units.Count(j.Bad, "event"))
		}
		for _, text := range j.Clocks {
			warn(dag.WarnObservation, "%s: %s", j.ID, text)
		}
		if wait := j.firstSeen().Sub(j.Submitted); wait > longWait {
			warn(dag.WarnObservation,
				"%s started %s after its submission: it waited that long, or one of these times is wrong, and so is its length", j.ID, units.Exact(wait))
		}
		if j.Uber {
			warn(dag.WarnObservation, "%s ran in its master's own container, one task after the other", j.ID)
		}
	}
	switch {
	case plain > 0:
		warn(dag.WarnInterpolated,
			"made from history: %d of %d attempts have only a start and an end, so their progress is a straight line, as is the output of %s", plain, of, units.Count(even, "reduce"))
	case even > 0:
		warn(dag.WarnInterpolated, "made from history: what %s had written before their end is a straight line",
			units.Count(even, "reduce"))
	}
	if bare > 0 {
		warn(dag.WarnObservation,
			"the configuration of %d of %d jobs (JOB_conf.xml) is not beside their history: slow start and their masters' memory are taken for Hadoop's defaults", bare, len(s.workflow.Jobs))
	}
	if n := len(s.left); n > 0 {
		warn(dag.WarnObservation, "the history of %s of the workflow is not here and was left out: %s", units.Count(n, "job"),
			strings.Join(s.left[:min(n, 10)], ", "))
	}
}

// warnings returns the warnings of one snapshot.
func (s *Source) warnings(snap *dag.Snapshot, graph *mrjob.Graph) []dag.Warning {
	out := slices.Clone(s.remarks)
	warn := func(code, format string, args ...any) { out = append(out, dag.Warningf(code, format, args...)) }
	if graph.Launches > 1 {
		warn(dag.WarnSecondLaunch, "the script has launched %d batches of jobs; a later one is unknown until it comes",
			graph.Launches)
	}
	if graph.Cyclic {
		warn(dag.WarnObservation, "the jobs' settings tell a graph with a cycle; it was cut")
	}
	for i := range snap.Jobs {
		if j := &snap.Jobs[i]; j.Attempt > 1 && !j.State.Ended() {
			warn(dag.WarnMasterRestarted,
				"%s runs in its application master's attempt %d; of attempts that the one before could not hand on the history knows nothing", j.ID, j.Attempt)
		}
	}
	for _, j := range s.workflow.Jobs {
		switch {
		case snap.At < s.last || j.Ended():
		case j.Torn:
			warn(dag.WarnTornTape, "%s: its history breaks off in the middle of an event", j.ID)
		default:
			warn(dag.WarnTornTape, "%s: its history ends before the job does", j.ID)
		}
	}
	return out
}
