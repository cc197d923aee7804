package spark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// inProgress ends the name of a log while its application runs.
const inProgress = ".inprogress"

// Follow returns a source that reads an event log while its application writes it. Of the logs in a folder it follows
// the one that was written last, among those of running applications. part is a part of the application; "" is all of
// it. now is the time of this machine.
func Follow(ctx context.Context, p recording.Place, part string, now func() dag.Instant) (recording.Source, error) {
	logs, err := FindLogs(ctx, p.In, p.File)
	if err != nil {
		return nil, err
	}
	if info, err := fs.Stat(p.In, p.File); len(logs) == 0 && err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return nil, fmt.Errorf("spark: %s is empty: try again once its application has started", p.Name)
	}
	if len(logs) == 0 {
		return nil, fmt.Errorf("spark: no event log in %s", p.Name)
	}
	f := newestLog(logs)
	if p.IsFolder() && len(logs) > 1 {
		open := input.Only(logs, LogFile.isOpen)
		if len(open) == 0 {
			return nil, fmt.Errorf("spark: no application writes a log in %s: the newest log is %s, and `paratimer report` reads it",
				p.Name, p.Path(f.Name))
		}
		f = newestLog(open)
	}
	if f.zip != "" {
		return nil, fmt.Errorf("spark: %s is a zip: `paratimer report` reads it", p.Name)
	}
	f.Name = p.Path(f.Name)
	return follow(f, part, now), nil
}

// isOpen reports whether the application of a log still writes it, by the names of files.
func (f LogFile) isOpen() bool {
	name := f.newestPiece()
	if strings.HasSuffix(name, inProgress) {
		return true
	}
	status, _ := fs.Glob(f.in, path.Join(path.Dir(name), "appstatus_*"+inProgress)) // of a rolling log
	return len(status) > 0
}

func (f LogFile) newestPiece() string { return f.pieces[len(f.pieces)-1] }

// written returns when the log was written last; the zero time if that is unknown.
func (f LogFile) written() time.Time {
	info, err := fs.Stat(f.in, f.newestPiece())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func newestLog(logs []LogFile) LogFile {
	return slices.MaxFunc(logs, func(a, b LogFile) int { return a.written().Compare(b.written()) })
}

// A follower is a source for an application whose event log is still written. Spark writes most events in blocks of
// about 100 kB, so that later events exist that cannot be read yet. A snapshot is therefore of the instant of the
// newest event: running tasks would otherwise seem older than they are. A follower is not safe for concurrent use.
type follower struct {
	file LogFile
	tail tail
	log  *Log
	app  *App
	now  func() dag.Instant
	poll func() (error, bool) // reads what was written since the last call
	end  *event               // of the application
	at   dag.Instant          // of the newest event
	seen dag.Instant          // when the newest events were written, by the time of this machine
	done bool
}

func follow(f LogFile, part string, now func() dag.Instant) *follower {
	s := &follower{
		file: f, log: newLog(), app: NewApp(part), now: now, at: dag.NoInstant, seen: dag.NoInstant,
		tail: tail{in: f.in, name: f.pieces[0]},
	}
	s.app.inLog = true
	s.poll, s.tail.stop = iter.Pull(s.read)
	return s
}

// read reads the log, piece after piece. It yields at the end of what is written.
func (s *follower) read(yield func(error) bool) {
	s.tail.yield = yield
	for !s.tail.stopped {
		if err := s.log.read(&s.tail); err != nil {
			yield(err)
			return
		}
		s.tail.close()
		s.tail.name, s.tail.later, s.tail.offset = cmp.Or(s.tail.later, s.tail.name), "", 0
	}
}

// Next observes once. It returns a *dag.MissedError if the log has no new event or cannot be read now, and io.EOF
// after the application has ended.
func (s *follower) Next(ctx context.Context) (*dag.Snapshot, error) {
	if s.done {
		return nil, io.EOF
	}
	s.tail.ctx = ctx
	err, more := s.poll()
	switch {
	case ctx.Err() != nil:
		s.tail.stop()
		return nil, ctx.Err()
	case err != nil && s.tail.err == nil: // the log is damaged
		return nil, err
	case !more:
		return nil, io.EOF
	case err != nil:
		return nil, &dag.MissedError{At: s.time(), Err: fmt.Errorf("cannot read %s: %w", s.file.Name, err)}
	}
	if !s.apply() {
		silence := &dag.MissedError{At: s.time(), IsIdle: true, Err: fmt.Errorf("%s has no event yet", s.file.Name)}
		if s.at.Known() {
			silence.Err = fmt.Errorf("%s has had no event for %s: Spark writes most events in blocks", s.file.Name,
				units.Elapsed(silence.At.Sub(s.at)))
		}
		return nil, silence
	}
	snap, ok := s.app.Snapshot(s.at, s.end != nil)
	if e := s.app.noUnit(); !ok && e != nil && s.end != nil {
		return nil, e
	}
	snap.Warnings = append(snap.Warnings, s.log.Warnings()...)
	if s.done = snap.State.Ended() || s.end != nil; s.done {
		s.tail.stop()
	}
	return snap, nil
}

// apply applies the events that were read, and reports whether there were any. The end of the application comes last:
// ends of jobs that it cancels may follow it.
func (s *follower) apply() bool {
	s.app.id = cmp.Or(s.app.id, s.log.id, dag.Clean(path.Base(s.file.Name))) // Spark 1.0 wrote no id
	if len(s.log.hashes) > mostEvents {
		clear(s.log.hashes)
	}
	events := s.log.events
	s.log.events = nil
	for i := range events {
		e := &events[i]
		s.at = max(s.at, e.stamp)
		if e.at = s.at; e.kind.name == "ApplicationEnd" {
			s.end = e
			continue
		}
		e.kind.apply(s.app, e)
	}
	if s.end != nil {
		s.end.at = s.at
		s.end.kind.apply(s.app, s.end)
	}
	if len(events) == 0 || !s.at.Known() {
		return false
	}
	isFirst := !s.seen.Known()
	s.seen = s.now()
	if written := s.file.written(); isFirst && !written.IsZero() {
		s.seen = min(s.seen, dag.InstantOf(written))
	}
	return true
}

// time returns the present time by the clock of the log; NoInstant before the first event.
func (s *follower) time() dag.Instant { return s.at.Add(max(0, s.now().Sub(s.seen))) }

// Close releases the open file.
func (s *follower) Close() error {
	s.tail.stop()
	return nil
}

// A tail reads the files of a log one after another. At the end of what is written it yields, and goes on when it is
// resumed: a decompressor that reads from it therefore never sees an end before that of the file.
type tail struct {
	ctx     context.Context // of the current poll
	in      fs.FS
	name    string // of the file
	offset  int64
	file    fs.File          // nil: it is opened for the next read
	later   string           // the next file, which exists once this one is complete; "" before
	err     error            // why the last poll could not read
	yield   func(error) bool // ends a poll
	stop    func()
	stopped bool
}

func (t *tail) Read(p []byte) (int, error) {
	for !t.stopped {
		n, err := t.readOnce(p)
		if n > 0 {
			return n, nil
		}
		t.close()
		switch {
		case errors.Is(err, io.EOF) && t.later != "":
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			if t.later, err = t.following(); t.later != "" {
				continue // what was written before the later file is read first
			}
		}
		t.err = err
		t.stopped = !t.yield(err)
	}
	return 0, io.EOF
}

func (t *tail) readOnce(p []byte) (n int, err error) {
	if t.ctx.Err() != nil {
		return 0, t.ctx.Err()
	}
	if t.file == nil {
		t.file, err = openAt(t.in, t.name, t.offset)
		if final, is := strings.CutSuffix(t.name, inProgress); is && errors.Is(err, fs.ErrNotExist) {
			t.name = final // the application has ended
			t.file, err = openAt(t.in, t.name, t.offset)
		}
	}
	if err == nil {
		n, err = t.file.Read(p)
		t.offset += int64(n)
	}
	return n, err
}

func (t *tail) close() {
	if t.file != nil {
		_ = t.file.Close() // it was only read
		t.file = nil
	}
}

// following returns the file of a rolling log after the current one; "" if there is none yet.
func (t *tail) following() (string, error) {
	now, ok := pieceOf(t.name)
	if !ok {
		return "", nil
	}
	entries, err := fs.ReadDir(t.in, path.Dir(t.name))
	var next piece
	for _, e := range entries[:min(len(entries), mostFiles)] {
		p, ok := pieceOf(path.Join(path.Dir(t.name), e.Name()))
		if ok && p.log == now.log && p.index() > now.index() && (next.name == "" || p.order < next.order) {
			next = p
		}
	}
	return next.name, err
}

// index returns the place of a piece in its log. A compacted piece has the place of the last one that it replaces.
func (p piece) index() string { return strings.TrimSuffix(p.order, ".compact") }

// openAt opens a file at an offset.
func openAt(in fs.FS, name string, offset int64) (fs.File, error) {
	if at, ok := in.(interface {
		OpenAt(name string, offset int64) (fs.File, error)
	}); ok {
		return at.OpenAt(name, offset)
	}
	f, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	seeker, ok := f.(io.Seeker)
	if !ok {
		err = errors.ErrUnsupported
	} else {
		_, err = seeker.Seek(offset, io.SeekStart)
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, fmt.Errorf("%s at byte %d: %w", name, offset, err)
	}
	return f, nil
}
