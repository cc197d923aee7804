package watch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// An endless estimator computes until it is let go.
type endless struct{ begun, let chan struct{} }

func (e endless) Estimate(dag.Run) (estimators.Estimate, error) {
	close(e.begun)
	<-e.let
	return estimators.Estimate{Scenario: "standard"}, nil
}

// TestRunEndsWhileAnEstimatorComputes: who interrupts a watch does not wait for its estimators.
func TestRunEndsWhileAnEstimatorComputes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		e := endless{make(chan struct{}), make(chan struct{})}
		defer close(e.let)
		go func() {
			<-e.begun
			cancel(cause)
		}()
		var out sink
		w := watchOf(&out, 0, query(1_010_000, dag.Running))
		w.Estimators = EstimatorSet{Scenarios: []estimators.Estimator{e}}
		if _, err := w.Run(ctx); !errors.Is(err, cause) || len(out.frames) != 0 {
			t.Errorf("Run = %v, %d frames", err, len(out.frames))
		}
	})
}

// A panicking estimator has a fault.
type panicking struct{}

func (panicking) Estimate(dag.Run) (estimators.Estimate, error) { panic("a fault") }

// TestPanicIsTheCallers: a panic of an estimator reaches the caller of Step, with its place in the code.
func TestPanicIsTheCallers(t *testing.T) {
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "a fault") || !strings.Contains(p, "panicking.Estimate") {
			t.Errorf("recovered %q", p)
		}
	}()
	var out sink
	w := watchOf(&out, 0, query(1_010_000, dag.Running))
	w.Estimators = EstimatorSet{Scenarios: []estimators.Estimator{panicking{}}}
	_, _ = w.Run(t.Context())
}
