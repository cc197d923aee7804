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
	"path"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// Finished DAGs are read from the files of Tez' history services. SimpleHistoryLoggingService writes JSON objects.
// ProtoHistoryLoggingService writes SequenceFiles of messages with the same fields.

const historyBuffer = 1 << 16 // bytes

var (
	// historyName matches the names of history files.
	historyName = regexp.MustCompile(`^(history\.txt\.appattempt_|dag_\d+_\d+_\d+_|appattempt_\d+_)`)
	// firstRecord matches the beginning of every file of SimpleHistoryLoggingService: an id and its kind.
	firstRecord = regexp.MustCompile(`^\s*\{"entity":"[a-z_0-9]+","entitytype":"TEZ_`)
)

// protoClass is the class of the values of ProtoHistoryLoggingService.
const protoClass = "ProtoMessageWritable"

// HoldsHistory reports whether a file, or one in a folder, is history of a Tez service.
func HoldsHistory(in fs.FS, name string) (holds bool) {
	_ = eachHistory(context.Background(), in, name, func() {}, func(string) error { // an unreadable folder has none
		holds = true
		return fs.SkipAll
	})
	return holds
}

// eachHistory calls found for a history file, or for each one in a folder, until it returns an error. It calls skip
// for each folder that cannot be read.
func eachHistory(ctx context.Context, in fs.FS, root string, skip func(), found func(name string) error) error {
	return fs.WalkDir(in, root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && d != nil && d.IsDir() && name != root:
			skip()
			return fs.SkipDir
		case err != nil:
			return err
		case d.Type()&^fs.ModeSymlink != 0: // a folder, or a file that may never end
			return nil
		case name != root && !historyName.MatchString(path.Base(name)) || !isHistory(in, name):
			return nil
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

// readHistory reads a history file, or all in a folder. Unreadable files of a folder are left out and counted.
func readHistory(ctx context.Context, in fs.FS, name string) (*history, error) {
	l := &history{dags: map[string][]event{}, apps: map[string][]event{}}
	info, err := fs.Stat(in, name)
	if err == nil && !info.IsDir() {
		err = withFile(in, name, l.read)
	} else if err == nil {
		err = eachHistory(ctx, in, name, func() { l.bad++ }, func(name string) error {
			if withFile(in, name, l.read) != nil {
				l.bad++
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	return l, l.close()
}

// read reads the events of a file. Invalid records are left out and counted.
func (l *history) read(b *bufio.Reader) error {
	next, decode := objects(b), recordEvents
	if head, _ := b.Peek(len(sequenceMagic)); string(head) == sequenceMagic {
		f, err := openSequence(b)
		if err != nil {
			return err
		}
		if !strings.Contains(f.value, protoClass) {
			return fmt.Errorf("a SequenceFile of %s, none of Tez' history", dag.Clean(f.value))
		}
		next, decode = f.next, message
	}
	for {
		text, err := next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && len(l.dags) > 0: // the master has not closed the file
			l.bad++
			return nil
		case err != nil:
			return err
		}
		events, ok := decode(text)
		if !ok {
			l.bad++
		}
		for i := range events {
			if err := l.add(&events[i]); err != nil {
				return err
			}
		}
	}
}

// objects returns a function that returns the next JSON object of SimpleHistoryLoggingService, and io.EOF at the end.
func objects(b *bufio.Reader) func() ([]byte, error) {
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
	return func() ([]byte, error) {
		for s.Scan() {
			if text := bytes.TrimSpace(s.Bytes()); len(text) > 0 {
				return text, nil
			}
		}
		if errors.Is(s.Err(), bufio.ErrTooLong) {
			return nil, fmt.Errorf("a record is longer than %d MB", mostRecord>>20)
		}
		return nil, cmp.Or(s.Err(), io.EOF)
	}
}

// jsonFields are the fields of a message that contain JSON. The others are texts and numbers.
var jsonFields = []string{"config", "dagPlan", "counters"}

// message parses a HistoryEventProto with its length before it.
func message(b []byte) (out []event, ok bool) {
	body, n := protowire.ConsumeBytes(b)
	ids := [10]string{}
	var at number
	info := map[string]any{}
	ok = n >= 0 && fields(body, func(field protowire.Number, n uint64, b []byte) {
		switch {
		case field == 2:
			at = number(n)
		case field == 10:
			entry := [3]string{} // key and value
			fields(b, func(field protowire.Number, _ uint64, b []byte) {
				if int(field) < len(entry) {
					entry[field] = string(b)
				}
			})
			info[entry[1]] = entry[2]
			if slices.Contains(jsonFields, entry[1]) && json.Valid([]byte(entry[2])) {
				info[entry[1]] = json.RawMessage(entry[2])
			}
		case int(field) < len(ids):
			ids[field] = string(b)
		}
	})
	if !ok || ids[1] == "" {
		return nil, false
	}
	e := event{kind: ids[1], at: at.Instant(), user: ids[3]}
	if text, err := json.Marshal(info); err == nil {
		_ = json.Unmarshal(text, &e.eventInfo) // values of the wrong type are unknown
	}
	e.entity = cmp.Or(ids[9], ids[8], ids[7], ids[6], ids[5], ids[4]) // the most specific: attempt to application
	if strings.HasPrefix(e.kind, "CONTAINER_") {
		e.entity = string(e.Container)
	}
	return []event{e}, true
}

// fields calls see for each field of a protocol buffers message that is a number or bytes. It returns false if the
// message is invalid.
func fields(b []byte, see func(field protowire.Number, n uint64, text []byte)) bool {
	for len(b) > 0 {
		field, kind, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return false
		}
		size := protowire.ConsumeFieldValue(field, kind, b[tag:])
		if size < 0 {
			return false
		}
		switch kind {
		case protowire.VarintType:
			n, _ := protowire.ConsumeVarint(b[tag:])
			see(field, n, nil)
		case protowire.BytesType:
			text, _ := protowire.ConsumeBytes(b[tag:])
			see(field, 0, text)
		}
		b = b[tag+size:]
	}
	return true
}
