package skewed

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls do for 0 to n-1, in parallel on all processors. Calls must not share state that they change. Results
// belong at their index, so that the order in which calls end does not matter.
func each(n int, do func(i int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
