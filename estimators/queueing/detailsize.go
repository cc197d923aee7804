package queueing

import "fmt"

// maxMeetings bounds what an iteration costs: about a tenth of a second.
const maxMeetings = 3_000_000

// A SizeError says that a model which follows tasks one by one would take too long.
type SizeError struct {
	Model    Model
	Job      string
	Meetings float64 // pairs of tasks that overlap, about
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("job %q: model %s follows tasks one by one, and about %.2g pairs of them meet: at most %.2g can be followed; "+
		"use the model %s, which has no such bound", e.Job, e.Model, e.Meetings, float64(maxMeetings), Product)
}

// estimatedMeetings is how many pairs of tasks meet in what is drawn of a job: shuffles and the maps and reduces of their node,
// and shuffles of other nodes in the network.
func estimatedMeetings(s *Spec, j *Job) float64 {
	slots := min(s.Nodes*s.MapSlots, j.Maps)
	waves := min((j.Maps+slots-1)/slots, max(atLeastWaves, exactMaps/slots))
	nodes := float64(min(s.Nodes, exactNodes))
	reduces := min(float64(j.Reduces)/float64(s.Nodes), float64(s.reduceSlots()))
	perNode, maps := float64(slots)/float64(s.Nodes), float64(slots)*float64(waves)
	shuffles := max(1, reduces) * maps
	if j.Reduces == 0 {
		shuffles = 0
	}
	return nodes * (shuffles*(perNode+reduces+nodes*reduces) + perNode*float64(waves)*perNode)
}
