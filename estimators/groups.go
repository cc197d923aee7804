package estimators

import (
	"math"

	"github.com/paratimer/paratimer/schedule"
)

// A GroupForm is a way to predict the work of reduces from their key groups (package nearestfit).
type GroupForm uint8

// The forms.
const (
	FormTheory            GroupForm = iota // NearestFit, every key is known with its size
	FormStream                             // NearestFit, the top keys are known and the rest as bytes (paratimer-tap)
	FormCounters                           // NearestFit, what counters did between two reports
	FormJobRatio                           // the job's time for a byte
	FormTaskRatio                          // the task's own time for a byte
	FormJobRatioSmoothed                   // the job's time for a byte, the newest weighing most
	FormTaskRatioSmoothed                  // the task's own time for a byte, the newest weighing most
	FormFitOnly                            // NearestFit without its neighbours
	FormNeighboursOnly                     // NearestFit without its curve
)

// inForm is the time that remains with the work of reduces in one form: the standard replay on other costs. It is too
// early to say where the form has no data of any reduce that is left.
func (w *ReplayContext) inForm(f GroupForm) (Estimate, error) {
	if w.ended() {
		return w.estimate(0), nil
	}
	var left schedule.Left
	if in := w.Costs.Groups.In; in != nil {
		left = in(f)
	}
	if left == nil {
		return Estimate{Progress: math.NaN()}, nil
	}
	end, err := w.end(left)
	if err != nil {
		return Estimate{}, err
	}
	e := w.estimate(millis(end.Sub(w.Now().At)))
	e.Origin = schedule.Observed
	return e, nil
}
