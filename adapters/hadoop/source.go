package hadoop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/paratimer/paratimer/dag"
)

// A Cluster answers a source's questions: bodies of JSON answers with status 200, everything else as an error
// (an *Error where the server said something). *Client is one.
type Cluster interface {
	RM(ctx context.Context, path string) ([]byte, error)
	AM(ctx context.Context, app, path string) ([]byte, error)
	JHS(ctx context.Context, path string) ([]byte, error)
	// HDFS asks WebHDFS at one of several bases, such as http://nn:9870, for an operation on an absolute path.
	HDFS(ctx context.Context, bases []string, path, op string) ([]byte, error)
	Now() dag.Instant // the cluster's clock
}

// A Target says what to watch. The zero Target is the newest running workflow of any user.
type Target struct {
	// ID is an application, job or workflow id; "" chooses by itself.
	ID string
	// User is whose workflow is chosen where ID is ""; "" is anybody's.
	User string
	// Made, where set, tells when the answer that path gets now was made. A capture knows; live, answers are of now.
	// path begins with /ws or /proxy and has no query.
	Made func(path string) dag.Instant
	// Final, where set, tells that this observation is the last one, so that waiting for better answers is no use.
	Final func() bool
	// Note, if set, receives debug messages, such as why the size of a job's input is unknown.
	Note func(text string)
}

// NoWorkflowError says that there is nothing to watch (yet).
type NoWorkflowError struct {
	Target Target
	Apps   int // applications that were seen
}

func (e *NoWorkflowError) Error() string {
	switch {
	case e.Target.ID != "":
		return fmt.Sprintf("hadoop: %s is unknown to the cluster (%d applications seen): is the id right, is it too old?", e.Target.ID, e.Apps)
	case e.Target.User != "":
		return fmt.Sprintf("hadoop: no MapReduce application of user %s runs (%d applications seen): start it, or name one", e.Target.User, e.Apps)
	}
	return fmt.Sprintf("hadoop: no MapReduce application runs (%d applications seen): start one, or name one", e.Apps)
}

// A Source yields snapshots of one workflow. It is not safe for concurrent use.
type Source struct {
	cluster Cluster
	target  Target
	hub     *Hub // asks what sources have in common; nil: this one asks by itself
	round   int  // of the hub, the newest that was served

	now    dag.Instant // of this tick
	seenAt dag.Instant // when the applications were listed
	ticks  int

	apps     map[string]*wireApp // the ResourceManager's last list
	jobs     map[string]*job     // by application id: what may belong to the workflow
	chosen   string              // application that stands for the workflow; "" before
	workflow string              // its id; "" until a conf is known
	listed   []string            // applications in this tick's list, by id
	member   []*job              // of the workflow, by application id
	world    world
	needs    needs            // of the others, where no hub asks
	queues   []dag.QueueState // of the newest snapshot, to be shared while nothing changes
	plan     *dag.Plan        // of the newest snapshot
	room     *room            // shared by the sources of a hub
	large    string           // why the workflow is too large to be estimated, "" if it is not
	relisted bool             // it is not any more: the lists were requested anew
	inLists  atomic.Int64     // tasks in the lists of this tick
	missed   bool             // the observation before failed
	missedAt dag.Instant
	ended    bool
	warned   []dag.Warning // of this tick
}

// NewSource watches target on cluster.
func NewSource(cluster Cluster, target Target) *Source {
	return &Source{cluster: cluster, target: target, apps: map[string]*wireApp{}, jobs: map[string]*job{}, world: newWorld(), needs: needs{}, room: &room{}, missedAt: dag.NoInstant}
}

// Next observes once. It neither waits nor retries. Errors: *NoWorkflowError while there is nothing to watch,
// *dag.MissedError where an observation failed and a later one may succeed, io.EOF after a snapshot whose state is final.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.ended {
		return nil, io.EOF
	}
	defer func() { s.ticks++ }()
	s.now = s.cluster.Now()
	s.warned = nil
	if err := s.observe(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, none := errors.AsType[*NoWorkflowError](err); none {
			return nil, err
		}
		return nil, &dag.MissedError{At: s.now, Err: err}
	}
	if w, ok := s.cluster.(interface{ Warnings() []dag.Warning }); ok {
		s.warned = append(s.warned, w.Warnings()...)
	}
	snap := s.snapshot()
	if s.ended = snap.State.Ended(); s.ended {
		s.room.hold(s.chosen, 0)
	}
	return snap, nil
}

func (s *Source) warn(code, format string, args ...any) {
	s.warned = append(s.warned, dag.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// made is when the answer of path was made.
func (s *Source) made(path string) dag.Instant {
	if s.target.Made != nil {
		if at := s.target.Made(path); at.Known() {
			return at
		}
	}
	return s.now
}
