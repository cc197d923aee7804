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

// A Grouper is a cost model that can tell the work of reduces by their key groups.
type Grouper interface {
	Costs
	// InForm is the model with the reduces of every job whose groups allow it predicted in one form, be that better than the
	// model's own way or not. It is nil where no task that is left is predicted so: then the form says nothing.
	InForm(f GroupForm) Costs
	// ByGroups says whether the model itself goes by the key groups of a job.
	ByGroups(job int) bool
}

// inForm is the time that remains with the work of reduces in one form: the standard replay on other costs. It is too early
// to say where the form has no data of any reduce that is left.
func (w *World) inForm(f GroupForm) (Estimate, error) {
	if w.ended() {
		return w.estimate(0), nil
	}
	m, ok := w.Costs.(Grouper)
	if !ok {
		return Estimate{Progress: math.NaN()}, nil
	}
	costs := m.InForm(f)
	if costs == nil {
		return Estimate{Progress: math.NaN()}, nil
	}
	end, err := w.end(costs.Left)
	if err != nil {
		return Estimate{}, err
	}
	e := w.estimate(millis(end.Sub(w.Now().At)))
	e.Origin = schedule.Observed
	return e, nil
}

// byGroups says whether a cost model goes by the key groups of a job.
func byGroups(costs Costs, job int) bool {
	m, ok := costs.(Grouper)
	return ok && m.ByGroups(job)
}
