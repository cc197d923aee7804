package tty

import (
	"math"
	"time"
)

// A playhead is the position of the picture in the known frames, and its speed. Its time is the query's own.
type playhead struct {
	at time.Duration
	// live: the position is always the newest frame.
	live bool
	// speed is the replay's speed as a multiple of real time. 0 plays the whole recording in about playLength.
	speed float64
}

// playLength is how long a replay takes without a given speed.
const playLength = 30 * time.Second

// Limits of the speed that keys can choose.
const (
	slowest = 1.0 / 16
	fastest = 1 << 16
)

// pace returns the speed for a recording of a length: as given, else a power of two.
func (p playhead) pace(length time.Duration) float64 {
	if p.speed > 0 {
		return p.speed
	}
	return max(1, math.Exp2(math.Ceil(math.Log2(float64(length)/float64(playLength)))))
}

// pass moves on by real of real time, in a recording with length known so far.
func (p playhead) pass(real, length time.Duration) playhead {
	step := p.pace(length) * float64(real)
	if step >= float64(length-p.at) {
		p.at = length
		return p
	}
	p.at += time.Duration(step)
	return p
}

// to jumps to a position within the known length.
func (p playhead) to(at, length time.Duration) playhead {
	p.at, p.live = min(max(0, at), length), false
	return p
}

// faster multiplies the speed.
func (p playhead) faster(by float64, length time.Duration) playhead {
	p.speed = min(max(slowest, p.pace(length)*by), fastest)
	return p
}

// shownSpeed returns the speed for the screen: 0 is as fast as possible.
func (p playhead) shownSpeed(length time.Duration) float64 {
	if math.IsInf(p.speed, 1) {
		return 0
	}
	return p.pace(length)
}
