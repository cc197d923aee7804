package observed

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// A busy cluster: the first launch takes three times what the profile says. Start-ups and gaps that nobody has seen yet
// are expected to take about as much longer; what has been seen counts more than what was expected, and newer sightings
// more than older ones.
func TestPausesFollowTheLoad(t *testing.T) {
	p := pauses{
		launch: pause{5 * time.Second, []time.Duration{15 * time.Second}},
		wave:   pause{expected: 4 * time.Second}, finish: pause{expected: time.Second},
	}
	pace, _ := p.pace()
	near(t, "pace in %", 100*pace, 271, 5) // the third root of 27 but for the weight of what was expected
	var o dag.Overheads
	p.apply(&o, pace, false)
	near(t, "gap between waves", taskcost.MS(o.Wave), 10_860, 100)
	near(t, "finish", taskcost.MS(o.Finish), 2715, 50)
	near(t, "launch", taskcost.MS(o.Launch), 14_300, 200)

	p.launch.seen = []time.Duration{15 * time.Second, 5 * time.Second, 5 * time.Second}
	pace, _ = p.pace()
	p.apply(&o, pace, false)
	if o.Launch > 8*time.Second {
		t.Errorf("launch %v: two newer launches took 5 s", o.Launch)
	}
	p.apply(&o, pace, true)
	near(t, "learned launch", taskcost.MS(o.Launch), 8333, 1)
}

// The profile is of a quiet cluster; this run's first launch took four times as long. Maps that have started and said
// nothing yet are expected to start up as much slower.
func TestStartupsFollowTheFirstLaunch(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	profile.Overheads.Launch, profile.Overheads.SetupMin, profile.Overheads.SetupPer,
		profile.Overheads.Cold = 1250*time.Millisecond, time.Second, 100*time.Millisecond, 0
	m := New(runOf(profiles.Attach(group(5500, 25, 600), []*dag.Plan{profile})), Options{})
	near(t, "start-up beside seven others", m.setup.at(8), 1800*3.5, 300)
}

// Ten maps of 65 s have ended and were seen for the last second alone: their whole extents are the better measure.
func TestFewSamplesArePooledWithWholeTasks(t *testing.T) {
	st := stat{sampleMS: 38_000, sampleUnits: 10_000, finished: 10, workMS: 175_000, units: 65_000}
	alpha, weight := st.alpha()
	near(t, "µs a unit", 1000*alpha, 2840, 5)
	near(t, "weight", weight, 213_000, 0)
	st.units = 15_000
	alpha, _ = st.alpha()
	near(t, "µs a unit where samples cover most of it", 1000*alpha, 3800, 5)
}
