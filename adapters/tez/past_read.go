package tez

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// Finished DAGs are read from the files of Tez' history services. SimpleHistoryLoggingService writes JSON objects.
// ProtoHistoryLoggingService writes SequenceFiles of messages with the same fields.

// A written event is an event of a history, of either service.
type written struct {
	at        dag.Instant
	kind      string // DAG_SUBMITTED
	entity    string // id of its DAG, vertex, attempt or container
	container string
	node      string
	user      string
	other     otherInfo
	counters  counters
}

// otherInfo has the parsed fields of an event except its time.
type otherInfo struct {
	Config      map[string]text
	Plan        *planBody `json:"dagPlan"`
	Queue       text      `json:"queueName"`
	Status      text
	Diagnostics text
	Name        text   `json:"vertexName"`
	Tasks       number `json:"numTasks"`
	End         number `json:"endTime"`
	Start       number `json:"startTime"`
	Allocated   number `json:"allocationTime"`
	Counters    struct {
		Groups []struct {
			Name     text `json:"counterGroupName"`
			Counters []struct {
				Name  text   `json:"counterName"`
				Value number `json:"counterValue"`
			}
		} `json:"counterGroups"`
	}
	Container text `json:"containerId"`
	Node      text `json:"nodeId"`
}

// Bounds of a history.
const (
	mostHistoryFiles = 100_000
	mostEvents       = 4_000_000
	historyBuffer    = 1 << 16
)

// firstRecord matches the beginning of every file of SimpleHistoryLoggingService: an id and its kind.
var firstRecord = regexp.MustCompile(`^\s*\{"entity":"[a-z_0-9]+","entitytype":"TEZ_`)

// protoClass is the class of the values of ProtoHistoryLoggingService.
const protoClass = "ProtoMessageWritable"

// IsHistory reports whether a local file, or one in a local folder, is history of a Tez service.
func IsHistory(name string) bool {
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return info.Mode().IsRegular() && isHistory(os.DirFS(filepath.Dir(name)), filepath.Base(name))
	}
	return HoldsHistory(os.DirFS(name), ".")
}

// HoldsHistory reports whether a file, or one in a folder, is history of a Tez service.
func HoldsHistory(in fs.FS, name string) bool {
	info, err := fs.Stat(in, name)
	if err != nil {
		return false
	}
	if !info.IsDir() {
		return isHistory(in, name)
	}
	found := false
	seen := 0
	_ = fs.WalkDir(in, name, func(name string, d fs.DirEntry, err error) error { // errors mean that nothing was found
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil //nolint:nilerr // an unreadable entry has no history
		case d.IsDir() || !historyName.MatchString(path.Base(name)):
			return nil
		}
		if seen++; seen > mostHistoryFiles {
			return fs.SkipAll
		}
		if found = isHistory(in, name); found {
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// historyName matches the names of history files.
var historyName = regexp.MustCompile(`^(history\.txt\.appattempt_|dag_\d+_\d+_\d+_|appattempt_\d+_)`)

// isHistory checks how a file starts.
func isHistory(in fs.FS, name string) bool {
	f, err := in.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := input.Unpack(f, historyBuffer)
	if err != nil {
		return false
	}
	head, _ := b.Peek(400)
	return firstRecord.Match(head) || bytes.HasPrefix(head, []byte(sequenceMagic)) &&
		bytes.Contains(head, []byte(protoClass))
}

// ReadHistory reads a history file, or all in a folder. Unreadable files of a folder are left out and counted.
func ReadHistory(ctx context.Context, in fs.FS, name string) (*Log, error) {
	l := newLog()
	info, err := fs.Stat(in, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if err := l.file(in, name); err != nil {
			return nil, err
		}
		return l, l.close()
	}
	seen := 0
	err = fs.WalkDir(in, name, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir():
			l.Bad++
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() || !historyName.MatchString(path.Base(name)) || !isHistory(in, name):
			return nil
		}
		if seen++; seen > mostHistoryFiles {
			return fmt.Errorf("%s: more than %d files: give a smaller folder", name, mostHistoryFiles)
		}
		if l.file(in, name) != nil {
			l.Bad++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, l.close()
}

// file reads the events of a file.
func (l *Log) file(in fs.FS, name string) error {
	f, err := in.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := input.Unpack(f, historyBuffer)
	if err != nil {
		return err
	}
	if head, _ := b.Peek(len(sequenceMagic)); string(head) == sequenceMagic {
		return l.messages(b)
	}
	return l.objects(b)
}

// objects reads the JSON objects of SimpleHistoryLoggingService. Invalid ones are left out and counted.
func (l *Log) objects(b *bufio.Reader) error {
	s := bufio.NewScanner(b)
	s.Buffer(make([]byte, historyBuffer), mostRecord)
	s.Split(func(data []byte, over bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, historyEnd[0]); i >= 0 {
			return i + 1, data[:i], nil
		}
		if over && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for s.Scan() {
		text := bytes.TrimSpace(s.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := l.object(text); err != nil {
			return err
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a record of it is longer than %d MB", mostRecord>>20)
	}
	return s.Err()
}

func (l *Log) object(b []byte) error {
	var r struct {
		Entity  text
		Related []struct {
			Entity text
			Type   text `json:"entitytype"`
		} `json:"relatedEntities"`
		Filters struct {
			Queue text `json:"queueName"`
		} `json:"primaryfilters"`
		Events []struct {
			At   number `json:"ts"`
			Type text   `json:"eventtype"`
			Info struct {
				Tasks number `json:"numTasks"`
			} `json:"eventinfo"`
		}
		Other otherInfo `json:"otherinfo"`
	}
	if json.Unmarshal(b, &r) != nil || r.Entity == "" {
		l.Bad++
		return nil //nolint:nilerr // it is counted
	}
	w := written{entity: strings.TrimPrefix(string(r.Entity), "tez_"), other: r.Other}
	for _, x := range r.Related {
		switch x.Type {
		case "containerId":
			w.container = string(x.Entity)
		case "nodeId":
			w.node = string(x.Entity)
		case "user":
			w.user = string(x.Entity)
		}
	}
	if w.other.Queue == "" {
		w.other.Queue = r.Filters.Queue
	}
	if len(r.Events) == 0 {
		w.kind = "APP_LAUNCHED" // such a record only has the application's configuration
		return l.add(&w)
	}
	for _, e := range r.Events {
		each := w
		each.kind, each.at = string(e.Type), e.At.Instant()
		if each.kind == "VERTEX_CONFIGURE_DONE" {
			each.other.Tasks = e.Info.Tasks
		}
		if err := l.add(&each); err != nil {
			return err
		}
	}
	return nil
}

// messages reads a file of ProtoHistoryLoggingService. A file is cut off if its master has not closed it.
func (l *Log) messages(b *bufio.Reader) error {
	f, err := openSequence(b)
	if err != nil {
		return err
	}
	if !strings.Contains(f.value, protoClass) {
		return fmt.Errorf("a SequenceFile of %s, none of Tez' history", dag.Clean(f.value))
	}
	for {
		b, err := f.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && len(l.steps) > 0:
			l.Bad++
			return nil
		case err != nil:
			return err
		}
		w, ok := message(b)
		if !ok {
			l.Bad++
			continue
		}
		if err := l.add(w); err != nil {
			return err
		}
	}
}

// jsonFields are the fields of a message that contain JSON. The others are texts and numbers.
var jsonFields = []string{"config", "dagPlan", "counters"}

// message parses a HistoryEventProto with its length before it.
func message(b []byte) (*written, bool) {
	var body []byte
	if !fields(append([]byte{1<<3 | 2}, b...), func(_, _ uint64, text []byte) { body = text }) {
		return nil, false
	}
	w := &written{at: dag.NoInstant}
	ids := [10]string{}
	other := map[string]json.RawMessage{}
	ok := fields(body, func(field, n uint64, b []byte) {
		switch {
		case field == 2:
			w.at = number(n).Instant()
		case field == 10:
			var key, value string
			if fields(b, func(field, _ uint64, b []byte) {
				if field == 1 {
					key = string(b)
				} else if field == 2 {
					value = string(b)
				}
			}) {
				other[key] = raw(key, value)
			}
		case field < uint64(len(ids)):
			ids[field] = string(b)
		}
	})
	w.kind, w.user = ids[1], ids[3]
	for _, id := range []int{9, 8, 7, 6, 4} { // the most specific: attempt, task, vertex, DAG, application
		if w.entity == "" {
			w.entity = ids[id]
		}
	}
	if text, err := json.Marshal(other); err == nil {
		_ = json.Unmarshal(text, &w.other) // values of the wrong type are unknown
	}
	w.container, w.node = string(w.other.Container), string(w.other.Node)
	if strings.HasPrefix(w.kind, "CONTAINER_") {
		w.entity = w.container
	}
	return w, ok && w.kind != ""
}

// raw returns a value as JSON.
func raw(key, value string) json.RawMessage {
	if slices.Contains(jsonFields, key) && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	b, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage(`""`)
	}
	return b
}

// tally reads the required counters and discards the others.
func (w *written) tally() {
	m := map[string]number{}
	for _, g := range w.other.Counters.Groups {
		if g.Name != taskCounters {
			continue
		}
		for _, c := range g.Counters {
			m[string(c.Name)] = c.Value
		}
	}
	w.counters = countersOf(m)
	if c := &w.counters; c.any { // counters that are 0 are left out
		if math.IsNaN(c.processed) && math.IsNaN(c.reduced) {
			c.processed = 0
		}
		if math.IsNaN(c.out) {
			c.out = 0
		}
	}
	w.other.Counters.Groups = nil
}

// setting returns a numeric setting of the configuration, or NaN if there is none.
func (o *otherInfo) setting(name string) float64 {
	var n number
	if v, ok := o.Config[name]; !ok || n.UnmarshalJSON([]byte(v)) != nil {
		return math.NaN()
	}
	return float64(n)
}
