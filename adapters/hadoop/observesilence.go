package hadoop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/paratimer/paratimer/dag"
)

var errSilent = errors.New("hadoop: not asked: it has just not answered")

// asks puts a question about a task to whom the visit goes to, unless that has just been silent. A service that hangs in the
// middle of a tick costs one time limit, not one a task.
func (v *visit) asks(ctx context.Context, path string) ([]byte, error) {
	if v.silent.Load() {
		return nil, errSilent
	}
	body, err := v.get(ctx, path)
	if hangs(err) {
		v.silent.Store(true)
	}
	return body, err
}

// hangs says that nobody is there, or that nothing came in time. A connection that was cut costs no time, and the next one
// may not be.
func hangs(err error) bool {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// unanswered says that an error is not even a refusal: nobody was there, or nothing came in time.
func unanswered(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == 0
}

// unseen is an error where masters that have answered before do not any more: then nothing can be said of the workflow.
func (s *Source) unseen(visits []*visit) error {
	var lost error
	for _, v := range visits {
		switch {
		case v.over || v.restart:
		case v.statusErr == nil:
			return nil
		case lost == nil && s.lost(v):
			lost = fmt.Errorf("the master of %s does not answer any more: %w", v.job.id, v.statusErr)
		}
	}
	return lost
}

// lost says that a master which has answered before has been silent for longer than a hand-over takes. One that refuses is
// there.
func (s *Source) lost(v *visit) bool {
	denied := status(v.statusErr) == http.StatusUnauthorized || status(v.statusErr) == http.StatusForbidden
	return v.job.state == dag.Running && !denied && s.now.Sub(v.job.heard) > hush
}

// slow is how long answers may take before what they say is of a later instant than the beginning of the tick.
const slow = time.Second

// catchUp makes it the instant when slow answers came: a service that hung tells of now, not of when it was asked.
func (s *Source) catchUp() {
	if at := s.cluster.Now(); s.target.Made == nil && at.Sub(s.now) > slow {
		s.now = at
	}
}
