package tez

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// Finished DAGs are read from the files of Tez' history services. SimpleHistoryLoggingService writes JSON objects.
// ProtoHistoryLoggingService writes SequenceFiles of messages with the same fields.

const (
	historyBuffer = 1 << 16   // bytes
	mostFiles     = 1_000_000 // of a folder
)

var (
	// historyName matches the names of history files.
	historyName = regexp.MustCompile(`^(history\.txt\.appattempt_|dag_\d+_\d+_\d+_|appattempt_\d+_)`)
	// historyHead matches the beginning of a history file: an id and its kind, or a SequenceFile of messages.
	historyHead = regexp.MustCompile(`^\s*\{"entity":"[a-z_0-9]+","entitytype":"TEZ_|^(?s:` + sequenceMagic + `.*` +
		protoClass + `)`)
)

// HoldsHistory reports whether a file, or one in a folder, is history of a Tez service.
func HoldsHistory(in fs.FS, name string) (holds bool) {
	_, _ = eachHistory(context.Background(), in, name, func(*bufio.Reader) error { // an unreadable folder has none
		holds = true
		return fs.SkipAll
	})
	return holds
}

// eachHistory calls read for a history file, or for each one in a folder. It returns how many files and folders of a
// folder were left out, because they cannot be read.
func eachHistory(ctx context.Context, in fs.FS, root string, read func(*bufio.Reader) error) (bad int, err error) {
	skip := func(string, error) { bad++ }
	err = input.EachFile(ctx, in, root, mostFiles, skip, func(name string, d fs.DirEntry) error {
		if d.Type()&^fs.ModeSymlink != 0 || name != root && !historyName.MatchString(path.Base(name)) {
			return nil // a file that may never end, or another one
		}
		err := readFile(in, name, read)
		if err == nil || name == root || errors.Is(err, fs.SkipAll) {
			return err
		}
		bad++
		return nil
	})
	return bad, err
}

// readFile passes the content of a file to read, unpacked if it is compressed. It ignores a file that does not begin
// as history does.
func readFile(in fs.FS, name string, read func(*bufio.Reader) error) error {
	f, err := in.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := input.Unpack(f, historyBuffer)
	if err != nil {
		return err
	}
	if head, _ := b.Peek(400); !historyHead.Match(head) {
		return nil
	}
	return read(b)
}

// readHistory reads a history file, or all in a folder. Unreadable files of a folder are left out and counted.
func readHistory(ctx context.Context, in fs.FS, name string) (*history, error) {
	l := &history{dags: map[string][]event{}, apps: map[string][]event{}}
	bad, err := eachHistory(ctx, in, name, l.read)
	l.bad += bad
	return l, cmp.Or(err, l.close())
}

// read reads the events of a file. Invalid records are left out and counted.
func (l *history) read(b *bufio.Reader) error {
	l.files++
	next, decode := lines(b), recordEvents
	if head, _ := b.Peek(len(sequenceMagic)); string(head) == sequenceMagic {
		f, err := openSequence(b)
		if err != nil {
			return err
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

// lines returns a function that returns the next line with a JSON object of SimpleHistoryLoggingService, and io.EOF at
// the end.
func lines(b *bufio.Reader) func() ([]byte, error) {
	s := bufio.NewScanner(b)
	s.Buffer(make([]byte, historyBuffer), mostRecord)
	return func() ([]byte, error) {
		for s.Scan() {
			if text := bytes.Trim(s.Bytes(), " \r"+historyEnd); len(text) > 0 {
				return text, nil
			}
		}
		if s.Err() != nil {
			return nil, fmt.Errorf("a record cannot be read, or is longer than %d MB: %w", mostRecord>>20, s.Err())
		}
		return nil, io.EOF
	}
}

// messageFields are the names that the fields of a HistoryEventProto have in an event. Ids follow each other from the
// application's to the attempt's, so that the most specific one is the last.
var messageFields = [...]string{
	1: "eventtype", 2: "ts", 3: "user", 4: "entity", 5: "entity", 6: "entity", 7: "entity", 8: "entity", 9: "entity",
}

// message parses a HistoryEventProto with its length before it. Its last field has pairs of a key and a value: a text,
// a number or JSON.
func message(b []byte) (out []event, ok bool) {
	body, n := protowire.ConsumeBytes(b)
	info := map[string]any{}
	ok = n >= 0 && fields(body, func(field protowire.Number, n uint64, b []byte) {
		switch {
		case field == 2:
			info["ts"] = n
		case int(field) < len(messageFields):
			info[messageFields[field]] = string(b)
		case int(field) == len(messageFields):
			pair := [3]string{}
			fields(b, func(field protowire.Number, _ uint64, b []byte) {
				if int(field) < len(pair) {
					pair[field] = string(b)
				}
			})
			info[pair[1]] = pair[2]
			if strings.HasPrefix(pair[2], "{") && json.Valid([]byte(pair[2])) {
				info[pair[1]] = json.RawMessage(pair[2])
			}
		}
	})
	var e event
	if text, err := json.Marshal(info); err == nil {
		_ = json.Unmarshal(text, &e) // values of the wrong type are unknown
	}
	if strings.HasPrefix(e.Kind, "CONTAINER_") {
		e.Entity = string(e.ContainerID)
	}
	return []event{e}, ok && e.Kind != ""
}

// fields calls see for each field of a protocol buffers message that is a number or bytes. It returns false if the
// message is invalid.
func fields(b []byte, see func(field protowire.Number, n uint64, text []byte)) bool {
	for len(b) > 0 {
		field, kind, size := protowire.ConsumeField(b)
		if size < 0 {
			return false
		}
		_, _, tag := protowire.ConsumeTag(b)
		switch value := b[tag:]; kind {
		case protowire.VarintType:
			n, _ := protowire.ConsumeVarint(value)
			see(field, n, nil)
		case protowire.BytesType:
			text, _ := protowire.ConsumeBytes(value)
			see(field, 0, text)
		}
		b = b[size:]
	}
	return true
}

// A sequenceFile is a Hadoop SequenceFile of messages as Tez writes it: version 6 with uncompressed records, or records
// compressed one by one, and without metadata. After an error all reads return zero values.
type sequenceFile struct {
	in       *bufio.Reader
	isPacked bool
	err      error // the first one
}

const (
	sequenceMagic = "SEQ"
	sequenceSync  = 16       // bytes of the mark between records
	mostRecord    = 64 << 20 // bytes of a record, compressed or not
	// protoClass is the class of the values of ProtoHistoryLoggingService.
	protoClass = "ProtoMessageWritable"
)

// openSequence reads the head of a file.
func openSequence(in *bufio.Reader) (*sequenceFile, error) {
	f := &sequenceFile{in: in}
	version, codec := string(f.read(4)), ".DefaultCodec"
	f.text() // class of the keys
	class := f.text()
	f.isPacked = f.number(1) != 0
	inBlocks := f.number(1) != 0
	if f.isPacked {
		codec = f.text()
	}
	metadata := f.number(4)
	f.read(sequenceSync)
	if version != sequenceMagic+"\x06" || !strings.HasSuffix(class, protoClass) || inBlocks ||
		!strings.HasSuffix(codec, ".DefaultCodec") || metadata != 0 {
		f.fail("it has version %q, values of %s, packed in blocks %v by %s, and %d metadata. Tez writes version 6, "+
			"values of %s, packed one by one by DefaultCodec, and no metadata", version, dag.Clean(class), inBlocks,
			dag.Clean(codec), metadata, protoClass)
	}
	if f.err != nil {
		return nil, fmt.Errorf("a SequenceFile that cannot be read: %w", f.err)
	}
	return f, nil
}

func (f *sequenceFile) fail(format string, args ...any) {
	f.err = cmp.Or(f.err, fmt.Errorf(format, args...))
}

// read reads n bytes. The memory that it uses is bounded by the file's length, whatever n is.
func (f *sequenceFile) read(n int64) []byte {
	if f.err != nil {
		return nil
	}
	var b bytes.Buffer
	if _, f.err = io.CopyN(&b, f.in, n); errors.Is(f.err, io.EOF) {
		f.err = io.ErrUnexpectedEOF
	}
	return b.Bytes()
}

// number reads an unsigned number of n bytes.
func (f *sequenceFile) number(n int64) (v int64) {
	for _, b := range f.read(n) {
		v = v<<8 | int64(b)
	}
	return v
}

// text reads a string after its length. Hadoop writes lengths above 127 in a form that no class of Tez needs.
func (f *sequenceFile) text() string { return string(f.read(f.number(1))) }

// next returns the uncompressed value of the next record, and io.EOF after the last one. It returns
// io.ErrUnexpectedEOF if the file is cut off, as a file that is still being written may be.
func (f *sequenceFile) next() ([]byte, error) {
	const mark = 1<<32 - 1
	length := int64(mark)
	for length == mark && f.err == nil { // Hadoop may write a mark before a record, and at the end
		if _, err := f.in.Peek(1); err != nil {
			return nil, err
		}
		if length = f.number(4); length == mark {
			f.read(sequenceSync)
		}
	}
	key := f.number(4)
	if length > mostRecord || key > length {
		f.fail("a record of %d bytes with a key of %d", length, key)
	}
	f.read(key)
	value := f.read(length - key)
	if f.err != nil || !f.isPacked {
		return value, f.err
	}
	r, err := zlib.NewReader(bytes.NewReader(value))
	if err == nil {
		value, err = io.ReadAll(io.LimitReader(r, mostRecord))
	}
	if err != nil {
		return nil, fmt.Errorf("a record of the SequenceFile cannot be read: %w", err)
	}
	return value, nil
}
