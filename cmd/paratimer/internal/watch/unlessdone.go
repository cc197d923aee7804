package watch

import (
	"context"
	"fmt"
	"runtime/debug"
)

// unlessDone returns what f computes, or the context's cause as soon as the context is done. Estimators take no
// context: f goes on alone then, so it must change nothing that the caller looks at afterwards. A panic of f is the
// caller's.
func unlessDone[T any](ctx context.Context, f func() T) (T, error) {
	type result struct {
		value T
		panic string
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- r
		}()
		r.value = f()
	}()
	select {
	case r := <-done:
		if r.panic != "" {
			panic(r.panic)
		}
		return r.value, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
