//go:build unix

package main

import (
	"fmt"
	"sync/atomic"
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
