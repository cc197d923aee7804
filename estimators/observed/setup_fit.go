package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A startFit fits the line of a setupLaw by weighted least squares: start-ups y of tasks of which x start together. A
// start-up that was seen weighs 1, which is what one of a standard deviation of startNoise milliseconds tells.
type startFit struct{ n, x, y, xx, xy float64 }

const (
	startNoise  = 400
	lengthNoise = 0.05 // of a task's length for its size, relative
	setupNoise  = 0.2  // of a profile's set-up, relative
	minLagMS    = 100  // bounds how exactly the instant of a report is known
)

func square(v float64) float64 { return v * v }

func (f *startFit) add(w, x, y float64) {
	f.n, f.x, f.y, f.xx, f.xy = f.n+w, f.x+w*x, f.y+w*y, f.xx+w*x*x, f.xy+w*x*y
}

// A taskLength is what a task that has ended took in all.
type taskLength struct{ together, units, length float64 }

func (m *Model) lengths(k dag.StageIndex, attempts []dag.Attempt) []taskLength {
	var out []taskLength
	for i := range attempts {
		a := &attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End <= a.Start {
			continue
		}
		t := taskLength{float64(m.setup.together[a]), m.unit(k, a), float64(a.End - a.Start)}
		if m.setup.isCold(a) {
			t.length -= m.setup.cold
		}
		if t.units > 0 && t.length > 0 {
			out = append(out, t)
		}
	}
	return out
}

// addPhase adds tasks of which only the whole length is known: a start-up, and work at one rate that nobody knows. The
// rate is projected out of the normal equations (Frisch and Waugh 1933), so that tasks of one size that started in like
// company tell nothing.
func (f *startFit) addPhase(tasks []taskLength) {
	var p startFit
	var u, xu, uu, uy float64
	for _, t := range tasks {
		w := 1 / (1 + square(lengthNoise*t.length/startNoise))
		p.add(w, t.together, t.length)
		u, xu = u+w*t.units, xu+w*t.units*t.together
		uu, uy = uu+w*t.units*t.units, uy+w*t.units*t.length
	}
	if !(uu > 0) || math.IsInf(uu, 1) || p.n-u*u/uu <= 1e-9*p.n {
		return
	}
	f.n += p.n - u*u/uu
	f.x += p.x - u*xu/uu
	f.xx += p.xx - xu*xu/uu
	f.y += p.y - u*uy/uu
	f.xy += p.xy - xu*uy/uu
}

// line is the law in milliseconds, neither part of it below 0; 0 where nothing tells.
func (f *startFit) line() (alone, each float64) {
	if d := f.n*f.xx - f.x*f.x; d > 0 {
		each = max(0, (f.n*f.xy-f.x*f.y)/d)
	}
	if f.n > 0 {
		alone = max(0, (f.y-each*f.x)/f.n)
	}
	return alone, each
}
