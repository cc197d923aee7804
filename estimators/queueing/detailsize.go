package queueing

import "fmt"

// maxMeetings bounds what an iteration costs: some hundredths of a second, of which a solution takes 500 at most.
const maxMeetings = 1_000_000

// A SizeError says that a model which follows tasks one by one would take too long.
type SizeError struct {
	Model    Model
	Job      string  // the one that has most of the meetings
	Jobs     int     // all of them
	Meetings float64 // of all jobs: pairs of tasks that overlap, about
}

func (e *SizeError) Error() string {
	of := ""
	if e.Jobs > 1 {
		of = fmt.Sprintf(" and %d more", e.Jobs-1)
	}
	return fmt.Sprintf("job %q%s: model %s follows tasks one by one, and about %.2g pairs of them meet: at most %.2g can be followed; "+
		"use the model %s, which has no such bound", e.Job, of, e.Model, e.Meetings, float64(maxMeetings), Product)
}

// bounded is a *SizeError where all jobs together have more meetings than can be followed. Jobs find each other at the
// CPUs of each node.
func (s *Spec) bounded(m Model) error {
	nodes := s.Nodes
	if nodes > exactNodes {
		nodes = len(groups(s))
	}
	others := float64(nodes) * float64(min(s.CPUs, s.MapSlots+1)) * float64(len(s.Jobs)-1)
	e := &SizeError{Model: m, Jobs: len(s.Jobs)}
	most := -1.0
	for i := range s.Jobs {
		n := estimatedMeetings(s, &s.Jobs[i], float64(nodes)) + others
		if e.Meetings += n; n > most {
			most, e.Job = n, s.Jobs[i].Name
		}
	}
	if e.Meetings > maxMeetings {
		return e
	}
	return nil
}

// estimatedMeetings is how many pairs of tasks meet in what is drawn of a job: shuffles and the maps and reduces of
// their node, and shuffles of other nodes in the network. To draw a task costs as much as some meetings.
func estimatedMeetings(s *Spec, j *Job, nodes float64) float64 {
	slots := min(s.Nodes*s.MapSlots, j.Maps)
	waves := min((j.Maps+slots-1)/slots, max(atLeastWaves, exactMaps/slots))
	reduces := min(float64(j.Reduces)/float64(s.Nodes), float64(s.reduceSlots()))
	perNode, maps := float64(slots)/float64(s.Nodes), float64(slots)*float64(waves)
	shuffles := max(1, reduces) * maps
	if j.Reduces == 0 {
		shuffles = 0
	}
	const drawing = 10
	mine := perNode * float64(waves)
	return nodes * (shuffles*(drawing+perNode+reduces+nodes*reduces) + mine*(drawing+perNode))
}
