package tez

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// If one source reports the DAG's end, waitPolls is how many polls it waits for a better one. waitFiles is the wait
// in milliseconds if files that could be read before cannot be read now.
const (
	waitPolls = 3
	waitFiles = 120_000
)

// A confirmation is the wait for a second source of the DAG's end.
type confirmation struct {
	since dag.Instant
	polls int // 0 before the wait
}

// outcome returns the state of the DAG. The end comes from the master's web service, log or history. If the
// application ends without any of these, it comes from the ResourceManager.
func (s *Source) outcome() dag.State {
	st := s.st
	if state, ended := finalStates[st.final]; ended {
		return state
	}
	isLast := s.target.Final != nil && s.target.Final()
	if state, ended := finalStates[st.reported]; ended {
		if !isLast && s.awaitsEnd(len(s.q.backlog) > 0 || s.q.hasFiles()) {
			return dag.Running
		}
		return state
	}
	if s.app.Ended {
		if !isLast && s.awaitsEnd(true) {
			return dag.Running
		}
		return s.endByManager()
	}
	return st.current()
}

// current returns the state of a DAG that has not ended.
func (st *state) current() dag.State {
	if st.started.Known() || st.reported == "RUNNING" {
		return dag.Running
	}
	return dag.Submitted
}

// awaitsEnd reports whether an end that only one source reports waits for another one. It waits waitPolls polls if
// more data can come, and up to waitFiles while the master's files cannot be read.
func (s *Source) awaitsEnd(hasMore bool) bool {
	if s.end.polls++; s.end.polls == 1 {
		s.end.since = s.now
	}
	if hasMore && s.end.polls <= waitPolls {
		return true
	}
	f := s.q.files
	if f == nil || s.now-s.end.since > waitFiles {
		return false
	}
	return f.err != nil && !isDenied(f.err) && rest.Status(f.err) != http.StatusNotFound
}

// sessionStats matches the summary of DAGs in a session's final diagnostics.
var sessionStats = regexp.MustCompile(`submittedDAGs=(\d+), successfulDAGs=(\d+), failedDAGs=(\d+), killedDAGs=(\d+)`)

// endByManager ends the DAG as far as the ResourceManager's final diagnostics show how.
func (s *Source) endByManager() dag.State {
	s.st.finished, s.st.diagnosis = s.app.Finished, s.app.Diagnosis
	state, why := s.app.State, ""
	number := numberOf(s.st.id)
	if m := sessionStats.FindStringSubmatch(s.app.Diagnosis); m != nil {
		state, why = dag.EndedUnconfirmed, fmt.Sprintf(" (%s)", m[0])
		submitted, _ := strconv.Atoi(m[1])
		for i, each := range []dag.State{dag.Succeeded, dag.Failed, dag.Killed} {
			if n, _ := strconv.Atoi(m[i+2]); submitted >= number && n == submitted { // the same for all of the session
				state = each
				break
			}
		}
	} else if state == dag.Succeeded && number > 1 {
		state = dag.EndedUnconfirmed
	}
	if state == dag.EndedUnconfirmed {
		s.warn(dag.WarnObservation, "%s is over, and neither the files of its master nor the ResourceManager tell how "+
			"%s ended%s", s.app.ID, s.st.id, why)
	} else {
		s.warn(dag.WarnObservation, "that %s is %s is the ResourceManager's word", s.st.id, state)
	}
	return state
}
