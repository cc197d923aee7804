package dag

import "slices"

// Warning codes. The set is closed: a frame never carries another one.
const (
	WarnAssumedCost    = "assumed_cost"     // a phase that nobody has seen is assumed
	WarnUnknownSize    = "unknown_size"     // a job whose number of tasks nobody knows
	WarnStale          = "stale"            // the last observation failed; the frame repeats an older one
	WarnObservation    = "observation"      // something in an answer could not be used
	WarnProfileDoubted = "profile_doubted"  // a profile is ten times off
	WarnNoProfile      = "no_profile_match" // a given profile does not fit this run
	WarnClockSkew      = "clock_skew"       // the watcher's and the cluster's clocks differ
	// certificates were not verified: anybody may have answered in the cluster's place
	WarnUnverified   = "unverified"
	WarnNotReporting = "not_reporting" // an attempt has stopped reporting
	WarnNodeLost     = "node_lost"     // a node with work of ours is lost
	WarnNodeSlow     = "node_slow"     // tasks take longer on a node than elsewhere
	// a node gets no new tasks of a job: it is being decommissioned, or the job's master avoids it
	WarnNodeClosed      = "node_closed"
	WarnMasterRestarted = "am_restarted" // an application master came again; its work may be lost
	// other applications hold containers, or seem to: nothing is given although there is room
	WarnOtherLoad    = "other_load"
	WarnTornTape     = "torn_tape"     // a tape or capture ends in the middle of a line
	WarnSecondLaunch = "more_launches" // the script launches in several batches; later ones are invisible
	WarnInterpolated = "interpolated"  // progress of attempts is a straight line between instants that are known
	WarnKeyGroups    = "key_groups"    // a job's reduces are predicted by their key groups
	WarnNoEdges      = "no_edges"      // which stage reads which is not known, or not how
	WarnNoEstimate   = "no_estimate"   // an estimator failed; its number is missing
	WarnTooLarge     = "too_large"     // the workflow has more tasks than are estimated; no estimator is asked
)

// TooLarge reports whether one of the warnings is WarnTooLarge.
func TooLarge(all []Warning) bool {
	return slices.ContainsFunc(all, func(w Warning) bool { return w.Code == WarnTooLarge })
}
