package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Medians and standard deviations of the logarithm. By definition they are 0 and sigma; the gamma family's are those of
// log X, psi(k)+log(theta) near -sigma^2/2 and the root of psi'(k) near sigma; the bimodal one's mean is its mixture's.
func TestFamilies(t *testing.T) {
	const sigma, n = 0.4, 40_000
	for f, want := range map[Family]struct{ median, sd, p99 float64 }{
		Lognormal: {0, 0.4, 0.93}, // 2.326 sigma
		Weibull:   {0, 0.4, 0.59}, // log(log(100)/log 2) sigma sqrt(6)/pi
		Pareto:    {0, 0.4, 1.11}, // log(50) sigma/sqrt 2
		Bimodal:   {0.07, 0.38, 1.13},
		Gamma:     {-0.054, 0.42, 0.77},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		logs := make([]float64, n)
		sum, squares := 0.0, 0.0
		for i := range logs {
			logs[i] = math.Log(f.factor(r, sigma))
			sum += logs[i]
			squares += logs[i] * logs[i]
		}
		slices.Sort(logs)
		sd := math.Sqrt(squares/n - sum/n*sum/n)
		if m := logs[n/2]; math.Abs(m-want.median) > 0.015 || math.Abs(sd-want.sd) > 0.02 ||
			math.Abs(logs[n*99/100]-want.p99) > 0.06 {
			t.Errorf("%v: median of the logarithm %.3f, deviation %.3f, 99 %% below %.3f; want %v", f, m, sd,
				logs[n*99/100], want)
		}
	}
}

// begin returns a map of the first job that starts on a node of a FIFO cluster, and its set-up.
func begin(w *simulation, task, node int) (*attempt, time.Duration) {
	w.attempts = map[attemptKey]*attempt{}
	cost := w.left(schedule.Task{Index: task, Node: node, Slot: node * int(w.perNode())})
	return w.attempts[w.keyOf(0, dag.Map, int32(task), 0)], cost.Setup
}

// A run's pace multiplies all its work, noise on set-ups changes nothing else.
func TestPaceAndSetups(t *testing.T) {
	p := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 1, Setup: 10 * time.Second},
		Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{
			Tasks: 6, Known: true, Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(20)}},
		}, dag.Stage{Known: true})}},
	}
	work := func(o Options) (work, setups []int64) {
		for i := range 6 {
			a, setup := begin(newSimulation(p, &o), i, 0)
			work = append(work, a.work)
			setups = append(setups, setup.Milliseconds())
		}
		return work, setups
	}
	base, setups := work(Options{Seed: 3})
	paced, same := work(Options{Seed: 3, Speed: 0.5})
	if ratio := float64(paced[0]) / float64(base[0]); ratio == 1 ||
		slices.ContainsFunc(paced, func(w int64) bool { return w != paced[0] }) || !slices.Equal(setups, same) {
		t.Errorf("a pace makes work %v of %v and set-ups %v of %v", paced, base, same, setups)
	}
	same, varied := work(Options{Seed: 3, SetupNoise: 0.5, Family: Weibull})
	if !slices.Equal(same, base) || slices.Equal(varied, setups) || varied[0] == varied[1] {
		t.Errorf("noise on set-ups makes work %v of %v and set-ups %v of %v", same, base, varied, setups)
	}
}
