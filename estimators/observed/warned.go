package observed

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// warnProfile checks the profile against the run.
func (m *Model) warnProfile(s *dag.Snapshot, profile *profiles.Match, slow *slowdown) {
	switch {
	case profile == nil && len(s.Plan.Profiles) > 0:
		m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnNoProfile, Text: fmt.Sprintf(
			"no profile fits %s: none has a job of the same name, feature or aliases; learn one from a run of this script", s.Plan.Name)})
	case profile != nil && (slow.all >= slowMax || slow.all <= slowMin):
		m.Warnings = append(m.Warnings, dag.Warning{Code: dag.WarnProfileDoubted, Text: fmt.Sprintf(
			"this run takes %.2g times as long for a tuple as the profile %s says: is it of the same script and cluster?", slow.all, profile.Plan.Name)})
	}
}
