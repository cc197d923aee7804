package tty

import (
	"math"
	"time"
)

// A playhead is where the picture stands in the frames that are known, and how it moves. Its time is the query's own.
type playhead struct {
	at time.Duration
	// live: at the newest frame that is known, wherever that is.
	live bool
	// speed is how many times as fast as it was a recording is played; 0: one that lets the whole last about
	// playLength.
	speed float64
}

// playLength is how long a recording is played where nobody has said a speed.
const playLength = 30 * time.Second

// Bounds of the speed that keys can choose.
const (
	slowest = 1.0 / 16
	fastest = 1 << 16
)

// pace is the speed in use for a recording that is so long.
func (p playhead) pace(length time.Duration) float64 {
	if p.speed > 0 {
		return p.speed
	}
	return nice(float64(length) / float64(playLength))
}

// nice is one of 1, 2, 5, 10, 20, 50, … near v: between two thirds less and half more of it; below 1 it is 1.
func nice(v float64) float64 {
	v *= 1.5
	if !(v > 1) {
		return 1
	}
	ten := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{5, 2} {
		if v >= digit*ten {
			return digit * ten
		}
	}
	return ten
}

// pass moves on by what passes of the query's time in real, of a recording of which so much is known.
func (p playhead) pass(real, length time.Duration) playhead {
	step := p.pace(length) * float64(real)
	if step >= float64(length-p.at) {
		p.at = length
		return p
	}
	p.at += time.Duration(step)
	return p
}

// to jumps, within what is known.
func (p playhead) to(at, length time.Duration) playhead {
	p.at, p.live = min(max(0, at), length), false
	return p
}

// faster changes the speed.
func (p playhead) faster(by float64, length time.Duration) playhead {
	p.speed = min(max(slowest, p.pace(length)*by), fastest)
	return p
}

// shownSpeed is the speed in use as the screen takes it: 0 is as fast as can be.
func (p playhead) shownSpeed(length time.Duration) float64 {
	if math.IsInf(p.speed, 1) {
		return 0
	}
	return p.pace(length)
}
