package ernest

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/stat/distuv"
)

// Cover is the share of runs that should lie between Low and High of a prediction. One run in ten is below Low and
// one in ten above High.
const Cover = 0.8

// A Prediction is the model's estimate for a run that was not made.
type Prediction struct {
	Point
	// Seconds is the predicted time. Low and High are the range from the errors of left-out rows; the range widens
	// with the distance. NaN if unknown.
	Seconds, Low, High float64
	Extrapolation      Extrapolation
	Warnings           []dag.Warning
	// Refused is nil, or the reason why the number must not be shown unless forced. It concerns the model or the point.
	Refused *dag.Warning
	// Risk is the probability that Seconds is off by more than FitOptions.RefuseAbove. NaN if Seconds is NaN.
	Risk float64
	// Next is the estimate of the next best method; nil if no other method has a number.
	Next *Guess

	sample []float64 // ascending seconds that the run might take; nil if there is no range
}

// Predict returns the time of a run. It computes all it can even if Refused requires that the number is not shown.
// Iterations do not count as distance from the rows, since all are assumed to take equally long (§4.1).
func (m *Model) Predict(at Point) Prediction {
	nan := math.NaN()
	p := Prediction{
		Point: at, Seconds: nan, Low: nan, High: nan, Extrapolation: Extrapolation{nan, nan, nan, nan}, Risk: nan,
	}
	c := &configuration{Row: Row{at.Machines, at.Scale, 1, at.Iterations}}
	if err := checkRow(0, c.Row); err != nil {
		p.Refused = doubt("impossible", "%s: %s", err.Field, err.Reason)
		return p
	}
	if (at.Iterations > 0) != m.Iterative() {
		p.Refused = doubt("impossible", "%d iterations: give them for a model of iterations, and for no other one",
			at.Iterations)
		return p
	}
	c.features = m.features(m.Terms)(c)
	for j, t := range m.Terms {
		if !finite(c.features[j]) || t.check([]Row{c.Row}) != nil {
			p.Refused = doubt("impossible", "term %s has no value at scale %g", t, at.Scale)
			return p
		}
	}
	p.Extrapolation = m.reach.extrapolation(&c.Row)
	m.judgePoint(&p, c)
	if p.Refused = m.Doubt; p.Refused == nil {
		p.Refused = m.refuse(&p, c)
	}
	m.remark(&p)
	return p
}

// judgePoint fills in the number, its range, its risk and the next best method.
func (m *Model) judgePoint(p *Prediction, c *configuration) {
	seconds := dot(c.features, m.base.x)
	if !finite(seconds) {
		return
	}
	p.Seconds = seconds
	w := m.reach.way(&c.Row)
	others := m.guesses(seconds, c, w)
	p.Next = nextBest(others)
	if seconds == 0 || m.evidence == nil {
		return
	}
	p.Risk = m.risk(others, w)
	deviation := m.deviation(w)
	if m.tests == 0 {
		if p.Next == nil {
			return
		}
		// Nothing has checked the model itself. Its deviation combines that of the checked method and the distance
		// between the two.
		deviation = math.Hypot(p.Next.deviation, p.Next.apart)
	}
	if w != (way{}) {
		deviation = math.Hypot(deviation, m.disagreement(others, w))
	}
	up := max(deviation, math.Log(m.suspected(p, c)/seconds)/taskcost.Quantile(m.students, (1+Cover)/2))
	sample := make([]float64, len(m.students))
	for i, q := range m.students {
		if q > 0 {
			sample[i] = seconds * math.Exp(up*q)
		} else {
			sample[i] = seconds * math.Exp(deviation*q)
		}
	}
	low := min(seconds, taskcost.Quantile(sample, (1-Cover)/2))
	high := max(seconds, taskcost.Quantile(sample, (1+Cover)/2))
	if finite(low) && finite(high) { // errors of the rows may overflow a float64
		p.Low, p.High, p.sample = low, high, sample
	}
}

// A configuration summarizes the runs that have the same machines, scale and iterations. The least squares of the
// means, weighted by the root of the runs, are those of the runs.
type configuration struct {
	Row                   // Seconds is the mean of the runs
	features    []float64 // of the model
	runs        float64
	log, spread float64 // mean and variance of the logarithms of the seconds
}

// configurations summarizes rows, in the order of first appearance, and returns the configuration of each row.
// Repeated runs of a configuration are left out together; otherwise each would predict the other.
func configurations(rows []Row) (all []configuration, of []int) {
	at := map[Point]int{}
	for _, r := range rows {
		i, known := at[r.Point()]
		if !known {
			i = len(all)
			at[r.Point()] = i
			all = append(all, configuration{Row: Row{Machines: r.Machines, Scale: r.Scale, Iterations: r.Iterations}})
		}
		c, log := &all[i], math.Log(r.Seconds)
		c.runs++
		c.Seconds += (r.Seconds - c.Seconds) / c.runs
		before := c.log
		c.log += (log - c.log) / c.runs
		c.spread += ((log-before)*(log-c.log) - c.spread) / c.runs
		of = append(of, i)
	}
	return all, of
}

// single returns each run as a configuration of its own.
func single(rows []Row) []configuration {
	runs := make([]configuration, len(rows))
	for i, r := range rows {
		runs[i] = configuration{Row: r, runs: 1}
	}
	return runs
}

// Extrapolation is the distance of a point beyond the rows. Its factors are at least 1, and 1 within the rows' range.
type Extrapolation struct {
	Machines, Scale float64 // factor beyond the largest or smallest value of the rows
	PerMachine      float64 // factor of scale/machines beyond the largest of the rows: more input a machine
	Distance        float64 // of machines and scale together, in doublings: 0 inside, 3 for eight times the scale
}

// Limits of extrapolation. The paper trains with a tenth of the input and predicts four times the machines (§6.3). No
// evidence supports more, but the model allows it.
const (
	UsualScale       = 32
	UsualMachines    = 4
	FarthestScale    = 128
	FarthestMachines = 16
)

// The ways to leave the range of the rows.
const (
	moreMachines = iota
	fewerMachines
	moreInput
	lessInput

	directions
)

// axis returns the value that grows in the given direction.
func (r *Row) axis(direction int) float64 {
	return [directions]float64{
		moreMachines: r.Machines, fewerMachines: 1 / r.Machines, moreInput: r.Scale, lessInput: 1 / r.Scale,
	}[direction]
}

// A reach is the range of the rows' values: the largest value of each axis, and of scale/machines.
type reach struct {
	most [directions]float64
	each float64
}

func reachOf(all []configuration) reach {
	var r reach
	for i := range all {
		for d := range directions {
			r.most[d] = max(r.most[d], all[i].axis(d))
		}
		r.each = max(r.each, all[i].Scale/all[i].Machines)
	}
	return r
}

// A way is the distance of a point beyond the rows in each direction, in doublings.
type way [directions]float64

func (r reach) way(at *Row) way {
	var w way
	for d := range directions {
		w[d] = math.Log2(beyond(at.axis(d) / r.most[d]))
	}
	return w
}

// only reports whether w leaves the range in the given direction and in no other.
func (w way) only(direction int) bool {
	for d, v := range w {
		if (v > 0) != (d == direction) {
			return false
		}
	}
	return true
}

func (r reach) extrapolation(at *Row) Extrapolation {
	x := Extrapolation{
		Machines:   beyond(max(at.axis(moreMachines)/r.most[moreMachines], at.axis(fewerMachines)/r.most[fewerMachines])),
		Scale:      beyond(max(at.axis(moreInput)/r.most[moreInput], at.axis(lessInput)/r.most[lessInput])),
		PerMachine: beyond(at.Scale / at.Machines / r.each),
	}
	x.Distance = math.Log2(x.Machines) + math.Log2(x.Scale)
	return x
}

// beyond returns a factor beyond a range, or 1 inside. It ignores rounding errors.
func beyond(factor float64) float64 {
	if factor <= 1+rounding {
		return 1
	}
	return factor
}

// A Signal reports whether real runs still match the model (§5.1).
type Signal struct {
	Retrain bool `json:"retrain"`
	Runs    int  `json:"runs"`    // runs compared: those with a predicted range
	Outside int  `json:"outside"` // runs out of their predicted range
	// Error is the mean of predicted/actual - 1: above 0 the runs are faster than the model. NaN if no run was
	// compared.
	Error units.Float `json:"bias_ratio"`
	// Chance is the probability that at least as many runs are outside if the model is right. NaN if no run was
	// compared.
	Chance units.Float `json:"chance_ratio"`
	Text   string      `json:"text"`
}

const (
	// same is the share of the prediction by which a run may differ and still count as inside. Rows without noise
	// give ranges of width 0.
	same = 0.05
	// farOut is how many half widths of its range, as ratios, the newest run must be off to suffice alone.
	farOut = 2
)

// Retrain compares runs, oldest first, with their predictions. A single run outside its range is enough for a new
// training. If other runs were inside, enough runs must be outside that chance explains them as rarely as a single run
// outside, or the newest run must be far out.
func Retrain(m *Model, runs ...Row) Signal {
	s := Signal{Error: units.Float(math.NaN()), Chance: units.Float(math.NaN())}
	sum, far := 0.0, false
	for _, r := range runs {
		p := m.Predict(r.Point())
		if math.IsNaN(p.High) || !finite(r.Seconds) || r.Seconds <= 0 {
			continue
		}
		s.Runs++
		sum += p.Seconds/r.Seconds - 1
		low, high := min(p.Low, p.Seconds*(1-same)), max(p.High, p.Seconds*(1+same))
		outside := r.Seconds < low || r.Seconds > high
		if outside {
			s.Outside++
		}
		far = outside && (r.Seconds > p.Seconds*math.Pow(high/p.Seconds, farOut) ||
			r.Seconds < p.Seconds*math.Pow(low/p.Seconds, farOut))
	}
	if s.Runs == 0 {
		s.Text = "no run to compare: make one that the model predicts with a range"
		return s
	}
	s.Error, s.Chance = units.Float(sum/float64(s.Runs)), units.Float(atLeast(s.Outside, s.Runs, 1-Cover))
	switch {
	case s.Outside > 0 && s.Chance <= (1-Cover)*(1+rounding):
		s.Retrain = true
		s.Text = fmt.Sprintf("%d of %d runs left the predicted range: train again, with these runs", s.Outside, s.Runs)
	case far:
		s.Retrain = true
		s.Text = "the newest run is far out of its predicted range: train again, with it"
	case s.Outside > 0:
		s.Text = fmt.Sprintf("%d of %d runs left the predicted range, as some do where the model is right", s.Outside,
			s.Runs)
	default:
		s.Text = fmt.Sprintf("all of %d runs are within the predicted range", s.Runs)
	}
	return s
}

// atLeast returns the probability that k or more of n independent events of probability p happen.
func atLeast(k, n int, p float64) float64 {
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}

// A TrainingOverhead is the cost of training runs (§6.2).
type TrainingOverhead struct {
	Seconds        float64 `json:"seconds"` // of the runs, one after another
	MachineSeconds float64 `json:"machine_seconds"`
}

// Overhead returns the cost of training runs.
func Overhead(training []Row) (o TrainingOverhead) {
	for _, r := range training {
		o.Seconds += r.Seconds
		o.MachineSeconds += r.Seconds * r.Machines
	}
	return o
}
