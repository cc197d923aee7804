//go:build unix

package main

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer-tap/internal/groups"
)

// care isolates faults of the measuring from the copying.
type care struct {
	off atomic.Pointer[string] // why measuring has stopped; nil while it works
}

// do calls measure, unless an earlier call has panicked.
func (c *care) do(measure func()) {
	if c.off.Load() != nil {
		return
	}
	defer func() {
		if fault := recover(); fault != nil {
			why := note(fmt.Sprintf("nothing is measured: a fault of the tap: %v", fault))
			if c.off.CompareAndSwap(nil, &why) {
				say(why + "; the command is not affected")
			}
		}
	}()
	measure()
}

// note returns the reason why measuring has stopped, or "".
func (c *care) note() string {
	if why := c.off.Load(); why != nil {
		return *why
	}
	return ""
}

// careful is a flow.Watcher that contains panics of the meter.
type careful struct {
	meter *groups.Meter
	care  *care
}

func (w *careful) Feed(piece []byte) { w.care.do(func() { w.meter.Feed(piece) }) }

func (w *careful) Cut(from int64) int64 {
	cut := int64(math.MaxInt64)
	w.care.do(func() { cut = w.meter.Cut(from) })
	return cut
}

func (w *careful) Mark(now time.Duration, taken int64) {
	w.care.do(func() { w.meter.Mark(now, taken) })
}

func (w *careful) Ended() { w.care.do(w.meter.Ended) }
func (w *careful) Stop()  { w.care.do(w.meter.Stop) }
