package whatifview

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// leastStep is the least relative rise of a step upwards to be explained.
const leastStep = 0.02

// nothingLeft is the text once every task is done and the engine still commits the output or ends the job.
const nothingLeft = "nothing is left to do but the end of the job"

// steps explains the curve's steps upwards: points that take longer than the one with fewer slots, the largest step
// in numbers. It is "" if there is none, and nothingLeft if no task is left.
func (v *View) steps() string {
	if v.Report.Curve.Flat() {
		return nothingLeft
	}
	points := v.Report.Curve.Points
	n, at, most := 0, 0, time.Duration(0)
	for i := 1; i < len(points); i++ {
		up := points[i].Remaining - points[i-1].Remaining
		if up <= 0 || float64(up) < leastStep*float64(points[i-1].Remaining) {
			continue
		}
		if n++; up > most {
			at, most = i, up
		}
	}
	if n == 0 {
		return ""
	}
	word, why := "slots", "tasks fall into other waves, so that a long one can start last"
	switch v.Room.Policy {
	case dag.YARN:
		word, why = "containers",
			"another job's master and early reduces then fit in, and hold containers for which maps wait"
		if v.Whole {
			why = "tasks that wait for their input then start earlier, and hold containers for which others wait"
		}
	case dag.Executors:
		word = "cores"
	case dag.FIFO:
		if points[at].Room.Maps < points[at-1].Room.Maps || points[at].Room.Reduces < points[at-1].Room.Reduces {
			why = "one kind has fewer of them"
		}
	}
	text := fmt.Sprintf("%d %s take %s longer than %d: %s", points[at].Room.Total(), word, units.Exact(most),
		points[at-1].Room.Total(), why)
	switch n {
	case 1:
	case 2:
		text += "; there is a smaller step upwards as well"
	default:
		text += fmt.Sprintf("; there are %d smaller steps upwards as well", n-1)
	}
	return text
}
