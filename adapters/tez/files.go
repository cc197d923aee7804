package tez

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/yarn"
)

// Bounds for reading a master's files, in bytes.
const (
	perPoll   = 12 << 20 // of one file in one poll; the bytes before them are skipped
	headBytes = 8 << 20  // of a history file that is longer at first: it starts with the first DAG's plan
	overlap   = 8 << 10  // requested again, because a file may grow between the list and the request
	mostCarry = 4 << 20  // of an incomplete record; a Pig DAG's plan has 0.7 MB
	mostHead  = 4096     // of the lines that a NodeManager adds before and after a file's content
)

// historyPrefix begins the names of the files of SimpleHistoryLoggingService, and historyEnd ends their records. Other
// files have lines.
const historyPrefix, historyEnd = "history.txt.", "\x01"

// files are the growing files of an application's newest master, in its container. That is "" before it is known.
type files struct {
	cluster         Cluster
	node, container string
	progress        map[string]*fileProgress
	sizes           map[string]int64 // as listed in this poll; nil if that failed
	err             error            // error of the list, or of a file
	failures        int              // in a row
}

// A fileProgress is how far a file has been read.
type fileProgress struct {
	have  int64  // bytes from its beginning that were read or skipped
	carry string // an incomplete record at the end
	lost  int64  // skipped bytes
}

// follow turns to the files of an application's newest master, and reports whether that is another one.
func (f *files) follow(app *yarn.App) bool {
	if app.Container == "" || f.container == app.Container {
		return false
	}
	*f = files{cluster: f.cluster, node: app.Node, container: app.Container, progress: map[string]*fileProgress{}}
	return true
}

// list requests the list of files.
func (f *files) list(ctx context.Context) {
	f.sizes = nil
	err := errors.New("the ResourceManager does not report its node")
	var b logsBody
	if f.container != "" {
		body, failure := f.cluster.NM(ctx, f.node, "containers/"+f.container+"/logs")
		b, err = yarn.Read[logsBody]("logs", body, failure)
	}
	sizes := b.sizes()
	if err == nil && len(sizes) == 0 {
		err = errors.New("its list of them is empty")
	}
	if err != nil {
		f.err = fmt.Errorf("the NodeManager does not list the files of the master: %w", err)
		f.failures++
		return
	}
	f.sizes, f.err, f.failures = sizes, nil, 0
}

// newestDAG returns the highest number of the DAGs with a log, or 0. Their ids begin with prefix.
func (f *files) newestDAG(prefix string) (newest int) {
	for name := range f.sizes {
		if rest, ok := strings.CutPrefix(name, "syslog_"+prefix); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(rest, "_post")) // 0 is not a DAG
			newest = max(newest, n)
		}
	}
	return newest
}

// readHistories passes all new records of the history files to take, in the order of their names.
func (f *files) readHistories(ctx context.Context, take func(text string)) {
	for _, name := range slices.Sorted(maps.Keys(f.sizes)) {
		if strings.HasPrefix(name, historyPrefix) {
			f.read(ctx, name, take)
		}
	}
}

// read passes all new lines or records of a file to take.
func (f *files) read(ctx context.Context, name string, take func(text string)) {
	p, separator := f.progressOf(name), "\n"
	if strings.HasPrefix(name, historyPrefix) {
		separator = historyEnd
	}
	size := f.sizes[name]
	if size <= p.have {
		return
	}
	if size-p.have > perPoll {
		if p.have == 0 && separator == historyEnd {
			if content, _, err := f.part(ctx, name, headBytes, size); err == nil {
				p.have = int64(len(content))
				p.take(strings.Split(p.carry+content, separator), take)
			}
		}
		p.skip(size - perPoll)
	}
	content, length, err := f.part(ctx, name, -(size - p.have + overlap), size)
	if err == nil && length-int64(len(content)) > p.have { // it grew by more than the overlap
		content, length, err = f.part(ctx, name, -(length - p.have + perPoll/4), size)
	}
	if err != nil {
		return
	}
	from := length - int64(len(content))
	p.skip(from)
	content = content[min(p.have-from, int64(len(content))):]
	p.have = max(p.have, length)
	p.take(strings.Split(p.carry+content, separator), take)
}

// skip records that the bytes up to an offset are not read.
func (p *fileProgress) skip(to int64) {
	if to > p.have {
		p.lost += to - p.have
		p.have, p.carry = to, ""
	}
}

// take passes the next lines or records to take, and keeps the last one, which is incomplete.
func (p *fileProgress) take(texts []string, take func(text string)) {
	last := len(texts) - 1
	for _, text := range texts[:last] {
		take(text)
	}
	p.carry = ""
	if len(texts[last]) <= mostCarry {
		p.carry = strings.Clone(texts[last])
	}
}

// part requests the first n bytes of a file, or the last -n bytes. It returns the file's length at that time.
func (f *files) part(ctx context.Context, name string, n, listed int64) (content string, length int64, err error) {
	body, err := f.cluster.NM(ctx, f.node, fmt.Sprintf("containers/%s/logs/%s?size=%d", f.container, name, n))
	length, content, ok := SplitLog(string(body), n)
	has := int64(len(content))
	isCut := !strings.Contains(string(body[max(0, len(body)-mostHead):]), "End of LogType:")
	if err == nil && n < 0 && ok && has < min(-n, length) && isCut {
		err = fmt.Errorf("its answer breaks off after %d of %d bytes", has, min(-n, length))
	}
	if err != nil {
		f.err = fmt.Errorf("the NodeManager does not give %s: %w", name, err)
		return "", 0, err
	}
	if !ok || length < has {
		length = max(listed, has)
	}
	return content, length, nil
}

// progressOf returns how far a file has been read.
func (f *files) progressOf(name string) *fileProgress {
	if f.progress[name] == nil {
		f.progress[name] = &fileProgress{}
	}
	return f.progress[name]
}

var logHead = regexp.MustCompile(`(?s)LogLength:\s*(\d{1,15})\n(?:[^\n]*\n)??Log ?Contents:\n`)

// SplitLog parses a NodeManager's response for a log file. size is that of the request: the first bytes, the last ones
// if negative, or 0 for the whole file. It returns the file's length at that time and the content. If the
// NodeManager's own lines are missing, ok is false and content is the whole body.
func SplitLog(body string, size int64) (length int64, content string, ok bool) {
	m := logHead.FindStringSubmatchIndex(body[:min(len(body), mostHead)])
	if m == nil {
		return 0, body, false
	}
	length, _ = strconv.ParseInt(body[m[2]:m[3]], 10, 64) // at most 15 digits
	content = body[m[1]:]
	if end := strings.LastIndex(content, "End of LogType:"); end >= 0 && len(content)-end < mostHead {
		content = content[:end]
		most := length
		if size != 0 {
			most = min(length, max(size, -size))
		}
		if int64(len(content)) == most+1 {
			content = strings.TrimSuffix(content, "\n") // some versions add it before that line
		}
	}
	return length, content, true
}
