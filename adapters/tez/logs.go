package tez

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/adapters/yarn"
)

// Bounds for reading a master's files, in bytes.
const (
	perTick   = 4 << 20  // of one file in one poll
	headBytes = 8 << 20  // of a history file that is long when it is first seen: it starts with the first DAG's plan
	wholeFile = 12 << 20 // a history file up to this size is read completely
	overlap   = 8 << 10  // requested again, because a file may grow between the list and the request
	mostCarry = 4 << 20  // of an incomplete record; a Pig DAG's plan has 0.7 MB
)

// A logFile is a growing file of the master.
type logFile struct {
	have  int64  // bytes from its beginning that were read or skipped
	carry string // an incomplete record at the end
	lost  int64  // skipped bytes
}

// logs are the files of one master's container.
type logs struct {
	node, container string
	files           map[string]*logFile
	sizes           map[string]int64 // as listed in this poll; nil if that failed
	err             error            // error of the list, or of a file
	failures        int              // in a row
}

func newLogs(node, container string) *logs {
	return &logs{node: node, container: container, files: map[string]*logFile{}}
}

// list requests the list of files.
func (l *logs) list(ctx context.Context, c Cluster) {
	l.sizes = nil
	body, err := c.NM(ctx, l.node, "containers/"+l.container+"/logs")
	var b logsBody
	if err == nil {
		err = json.Unmarshal(body, &b)
	}
	if err == nil && len(b.sizes()) == 0 {
		err = errors.New("its list of them is empty")
	}
	if err != nil {
		l.err = fmt.Errorf("the NodeManager does not list the files of the master: %w", err)
		l.failures++
		return
	}
	l.sizes, l.err, l.failures = b.sizes(), nil, 0
}

// read passes all new records of a file to take.
func (l *logs) read(ctx context.Context, c Cluster, name, separator string, take func(record string)) {
	f := l.files[name]
	if f == nil {
		f = &logFile{}
		l.files[name] = f
	}
	size := l.sizes[name]
	if size <= f.have {
		return
	}
	most := int64(perTick)
	if separator == historyEnd {
		most = wholeFile
	}
	if size-f.have > most {
		if f.have == 0 && separator == historyEnd {
			l.head(ctx, c, name, f, separator, take)
		}
		f.lost += size - most - f.have
		f.have, f.carry = size-most, ""
	}
	content, length, err := l.tail(ctx, c, name, size-f.have+overlap, size)
	if err == nil && length-int64(len(content)) > f.have { // it grew by more than the overlap
		content, length, err = l.tail(ctx, c, name, length-f.have+most/4, size)
	}
	if err != nil {
		l.err = fmt.Errorf("the NodeManager does not give %s: %w", name, err)
		return
	}
	if from := length - int64(len(content)); from > f.have {
		f.lost += from - f.have
		f.carry = ""
	} else {
		content = content[min(f.have-from, int64(len(content))):]
	}
	f.have = max(f.have, length)
	f.take(content, separator, take)
}

func (f *logFile) take(content, separator string, take func(record string)) {
	content = f.carry + content
	for {
		record, rest, found := strings.Cut(content, separator)
		if !found {
			break
		}
		take(record)
		content = rest
	}
	if len(content) > mostCarry {
		content = ""
	}
	f.carry = strings.Clone(content)
}

// head reads the beginning of a file that is too long to read completely.
func (l *logs) head(
	ctx context.Context, c Cluster, name string, f *logFile, separator string, take func(record string),
) {
	body, err := c.NM(ctx, l.node, fmt.Sprintf("containers/%s/logs/%s?size=%d", l.container, name, headBytes))
	if err != nil {
		l.err = fmt.Errorf("the NodeManager does not give %s: %w", name, err)
		return
	}
	_, content, _ := SplitLog(string(body))
	f.take(content, separator, take)
	f.have = int64(len(content))
}

// tail requests the last n bytes of a file.
func (l *logs) tail(
	ctx context.Context, c Cluster, name string, n, listed int64,
) (content string, length int64, err error) {
	body, err := c.NM(ctx, l.node, fmt.Sprintf("containers/%s/logs/%s?size=-%d", l.container, name, n))
	if err != nil {
		return "", 0, err
	}
	length, content, ok := SplitLog(string(body))
	if ok && int64(len(content)) < min(n, length) && !strings.Contains(string(body[max(0, len(body)-mostHead):]),
		"End of LogType:") {
		return "", 0, fmt.Errorf("its answer breaks off after %d of %d bytes", len(content), min(n, length))
	}
	if !ok || length < int64(len(content)) {
		length = max(listed, int64(len(content)))
	}
	return content, length, nil
}

// lost returns how many bytes of a file were skipped.
func (l *logs) lost(name string) int64 {
	if f := l.files[name]; f != nil {
		return f.lost
	}
	return 0
}

var _ Cluster = (*yarn.Client)(nil)
