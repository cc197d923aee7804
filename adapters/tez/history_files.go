package tez

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Bounds of a history.
const (
	mostHistoryFiles = 100_000
	historyBuffer    = 1 << 16
)

var (
	// historyName matches the names of history files.
	historyName = regexp.MustCompile(`^(history\.txt\.appattempt_|dag_\d+_\d+_\d+_|appattempt_\d+_)`)
	// firstRecord matches the beginning of every file of SimpleHistoryLoggingService: an id and its kind.
	firstRecord = regexp.MustCompile(`^\s*\{"entity":"[a-z_0-9]+","entitytype":"TEZ_`)
)

// protoClass is the class of the values of ProtoHistoryLoggingService.
const protoClass = "ProtoMessageWritable"

// IsHistory reports whether a local file, or one in a local folder, is history of a Tez service.
func IsHistory(name string) bool {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		return HoldsHistory(os.DirFS(name), ".")
	}
	return info.Mode().IsRegular() && isHistory(os.DirFS(filepath.Dir(name)), filepath.Base(name))
}

// HoldsHistory reports whether a file, or one in a folder, is history of a Tez service.
func HoldsHistory(in fs.FS, name string) (holds bool) {
	_ = eachHistory(context.Background(), in, name, nil, func(string) error { // an unreadable folder has none
		holds = true
		return fs.SkipAll
	})
	return holds
}

// eachHistory calls found for a history file, or for each one in a folder, until it returns an error. It calls skip, if
// there is one, for each folder that cannot be read.
func eachHistory(ctx context.Context, in fs.FS, root string, skip func(), found func(name string) error) error {
	files := 0
	return fs.WalkDir(in, root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir() && name != root:
			if skip != nil {
				skip()
			}
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() || name != root && !historyName.MatchString(path.Base(name)) || !isHistory(in, name):
			return nil
		}
		if files++; files > mostHistoryFiles {
			return fmt.Errorf("%s: more than %d files: give a smaller folder", name, mostHistoryFiles)
		}
		return found(name)
	})
}

// isHistory checks how a file starts.
func isHistory(in fs.FS, name string) bool {
	is := false
	_ = withFile(in, name, func(b *bufio.Reader) error { // an unreadable file has no history
		head, _ := b.Peek(400)
		is = firstRecord.Match(head) || bytes.HasPrefix(head, []byte(sequenceMagic)) &&
			bytes.Contains(head, []byte(protoClass))
		return nil
	})
	return is
}

// withFile opens a file for read, and unpacks it if it is compressed.
func withFile(in fs.FS, name string, read func(*bufio.Reader) error) error {
	f, err := in.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := input.Unpack(f, historyBuffer)
	if err != nil {
		return err
	}
	return read(b)
}

// ReadHistory reads a history file, or all in a folder. Unreadable files of a folder are left out and counted.
func ReadHistory(ctx context.Context, in fs.FS, name string) (*Log, error) {
	l := newLog()
	info, err := fs.Stat(in, name)
	if err == nil && !info.IsDir() {
		err = withFile(in, name, l.read)
	} else if err == nil {
		err = eachHistory(ctx, in, name, func() { l.Bad++ }, func(name string) error {
			if withFile(in, name, l.read) != nil {
				l.Bad++
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	return l, l.close()
}

// read reads the events of a file.
func (l *Log) read(b *bufio.Reader) error {
	if head, _ := b.Peek(len(sequenceMagic)); string(head) == sequenceMagic {
		return l.messages(b)
	}
	return l.objects(b)
}

// objects reads the JSON objects of SimpleHistoryLoggingService. Invalid ones are left out and counted.
func (l *Log) objects(b *bufio.Reader) error {
	s := bufio.NewScanner(b)
	s.Buffer(make([]byte, historyBuffer), mostRecord)
	s.Split(func(data []byte, isLast bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, historyEnd[0]); i >= 0 {
			return i + 1, data[:i], nil
		}
		if isLast && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for s.Scan() {
		text := bytes.TrimSpace(s.Bytes())
		if len(text) == 0 {
			continue
		}
		events, ok := recordEvents(text)
		if !ok {
			l.Bad++
		}
		for i := range events {
			if err := l.add(&events[i]); err != nil {
				return err
			}
		}
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a record of it is longer than %d MB", mostRecord>>20)
	}
	return s.Err()
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
		case errors.Is(err, io.ErrUnexpectedEOF) && len(l.dags) > 0:
			l.Bad++
			return nil
		case err != nil:
			return err
		}
		e, ok := message(b)
		if !ok {
			l.Bad++
		} else if err := l.add(&e); err != nil {
			return err
		}
	}
}

// jsonFields are the fields of a message that contain JSON. The others are texts and numbers.
var jsonFields = []string{"config", "dagPlan", "counters"}

// message parses a HistoryEventProto with its length before it.
func message(b []byte) (e event, ok bool) {
	var body []byte
	if !fields(append([]byte{1<<3 | 2}, b...), func(_, _ uint64, text []byte) { body = text }) {
		return e, false
	}
	e = newEvent("", "")
	ids := [10]string{}
	other := map[string]json.RawMessage{}
	ok = fields(body, func(field, n uint64, b []byte) {
		switch {
		case field == 2:
			e.at = number(n).Instant()
		case field == 10:
			entry := [3]string{} // key and value
			if fields(b, func(field, _ uint64, b []byte) {
				if field < uint64(len(entry)) {
					entry[field] = string(b)
				}
			}) {
				other[entry[1]] = raw(entry[1], entry[2])
			}
		case field < uint64(len(ids)):
			ids[field] = string(b)
		}
	})
	var o otherInfo
	if text, err := json.Marshal(other); err == nil {
		_ = json.Unmarshal(text, &o) // values of the wrong type are unknown
	}
	e.fill(&o)
	e.kind, e.user = ids[1], ids[3]
	e.entity = cmp.Or(ids[9], ids[8], ids[7], ids[6], ids[5], ids[4]) // the most specific: attempt to application
	if strings.HasPrefix(e.kind, "CONTAINER_") {
		e.entity = e.container
	}
	return e, ok && e.kind != ""
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
