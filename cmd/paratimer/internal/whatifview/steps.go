package whatifview

import (
	"cmp"
	"fmt"
	"strconv"
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
	word := map[dag.Policy]string{dag.YARN: "containers", dag.Executors: "cores"}[v.Room.Policy]
	text := fmt.Sprintf("%d %s take %s longer than %d: tasks fall into other waves, so that a long one can start last",
		points[at].Room.Total(), cmp.Or(word, "slots"), units.Exact(most), points[at-1].Room.Total())
	if n > 1 {
		text += "; smaller steps upwards: " + strconv.Itoa(n-1)
	}
	return text
}
