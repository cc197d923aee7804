package tez

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

const (
	// recovery is how long a new master may take to read the recovery data of the previous one, in milliseconds.
	recovery = 20_000
	// mostSilence is how long a master may not answer before there is a warning, in milliseconds.
	mostSilence = 5_000
)

func (s *Source) warn(code, format string, args ...any) {
	s.warnings = append(s.warnings, dag.Warningf(code, format, args...))
}

// warnTooLarge returns a warning about a DAG that is too large to estimate, if it is.
func (st *state) warnTooLarge() []dag.Warning {
	n := 0
	for _, v := range st.vertices {
		if v.hasTasks {
			n = min(n+v.tasks, dag.MaxTasks)
		}
	}
	if n = max(n, st.attempts); n <= mostAttempts {
		return nil
	}
	return []dag.Warning{dag.Warningf(dag.WarnTooLarge,
		"too large to estimate: it has %d tasks or attempts, and %d is the limit of a workflow", n, mostAttempts)}
}

// warnAbout adds warnings about missing information in a snapshot.
func (s *Source) warnAbout(snap *dag.Snapshot) {
	s.warnings = append(s.warnings, yarn.LoadWarning(snap.Load)...)
	if snap.State.Ended() {
		return
	}
	s.warnAboutNodes(snap)
	if s.st.masters > 1 {
		s.warn(dag.WarnMasterRestarted, "%s runs in its application master's attempt %d; what the one before had not "+
			"finished, or could not hand on, runs again", s.app.ID, s.st.masters)
		if s.app.Running && s.files.sizes != nil && !s.hasLog() && s.now-s.masterSince > recovery {
			s.warn(dag.WarnObservation, "the new master of %s does not know of %s: nothing of it could be recovered, "+
				"and it will not go on by itself", s.app.ID, s.st.id)
		}
	}
	if s.failedSince.Known() && s.now-s.failedSince > mostSilence && !s.runsAnother {
		s.warn(dag.WarnObservation, "the master of %s could not be asked, its last state is shown: %s",
			s.app.ID, loose.FirstLine(s.failure.Error()))
	}
	hasSources := func(v *vertex) bool { return len(v.sources) > 0 }
	switch why := "it is in no file of the application's master yet"; {
	case s.st.hasPlan:
	case slices.ContainsFunc(s.st.vertices, hasSources) && s.files.err == nil:
		s.warn(dag.WarnNoEdges, "which vertex reads which is by the log of the application's master, which does not "+
			"tell the kind of edges: its history file has no plan")
	default:
		if s.files.err != nil {
			why = loose.FirstLine(s.files.err.Error())
		}
		s.warn(dag.WarnNoEdges, "which vertex reads which is not known: %s", why)
	}
	if lost := s.files.progressOf(s.log()).lost; lost > 0 {
		s.warn(dag.WarnObservation, "%d bytes of the log of the application's master were passed over: times of some "+
			"attempts are those at which they were seen", lost)
	}
}

// warnAboutNodes warns about attempts on nodes that are lost or being decommissioned.
func (s *Source) warnAboutNodes(snap *dag.Snapshot) {
	for n, count := range yarn.OnClosed(snap, snap.Jobs[0].Stages...) {
		tasks := units.Count(count, "task")
		switch {
		case n.Lost:
			why := map[dag.NodeCause]string{dag.NodeUnhealthy: "unhealthy", dag.NodeDecommissioned: "decommissioned"}[n.Cause]
			s.warn(dag.WarnNodeLost, "node %s is %s with %s of %s, to run again elsewhere, and so does what ended "+
				"there if it is still needed", n.Name, cmp.Or(why, "lost"), tasks, s.st.id)
		case n.Draining:
			s.warn(dag.WarnNodeClosed, "node %s is being decommissioned: %s of %s on it may end for as long as it is "+
				"given, new ones go elsewhere", n.Name, tasks, s.st.id)
		}
	}
}
