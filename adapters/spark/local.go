package spark

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// Drivers on one machine listen on the first free port of this range.
const firstPort, lastPort = 4040, 4050

// startFor bounds the wait for a driver on this machine to start.
const startFor = 30 * time.Second

// A Machine is this machine as the manager of the drivers that listen on it.
type Machine struct {
	Web
	// Starting, if set, makes List wait up to startFor if there are only starting drivers. It is called with the
	// address of one.
	Starting func(address string)
}

// List returns the drivers that listen on this machine. A process that may be a starting driver has no name.
func (m *Machine) List(ctx context.Context) ([]Listed, error) {
	return findLocal(ctx, m.look, m.Starting), ctx.Err()
}

// ListsAll returns false: a driver that is slow is not on the list.
func (m *Machine) ListsAll() bool { return false }

func findLocal(ctx context.Context, look func(context.Context) []Listed, starting func(address string)) []Listed {
	all, until := look(ctx), time.Now().Add(startFor)
	for waits := false; len(all) > 0 && starting != nil; waits = true {
		ready := input.Only(all, func(l Listed) bool { return l.State == dag.Running })
		if len(ready) > 0 {
			return ready
		}
		if !waits {
			starting(all[0].URL)
		}
		if !time.Now().Before(until) || sleep(ctx, time.Second) != nil {
			break
		}
		all = look(ctx)
	}
	return all
}

// probeFor bounds a request to a port of this machine.
const probeFor = 3 * time.Second

func (m *Machine) look(ctx context.Context) []Listed {
	var out []Listed
	for port := firstPort; port <= lastPort && ctx.Err() == nil; port++ {
		l := Listed{URL: "http://localhost:" + strconv.Itoa(port), Began: dag.NoInstant, Ended: dag.NoInstant}
		once, cancel := context.WithTimeout(ctx, probeFor)
		body, _, err := m.Client.Send(once, request(m.Client, l.URL, root))
		cancel()
		if a := NewApp(""); err == nil && a.TakeApplication(body) {
			l.ID, l.Name, l.User, l.State, l.Began = a.id, a.name, a.user, dag.Running, a.began
		} else if l.ID, l.State = l.URL, dag.Submitted; !starting(err) && !mute(err) {
			continue
		}
		out = append(out, l)
	}
	return out
}

// mute reports whether a process listens but has not responded in time.
func mute(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return errors.Is(err, context.DeadlineExceeded) && !(ok && dial.Op == "dial")
}
