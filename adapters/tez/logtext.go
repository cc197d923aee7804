package tez

import (
	"regexp"
	"strconv"
	"strings"
)

var logHead = regexp.MustCompile(`(?s)LogLength:\s*(\d{1,15})\n(?:[^\n]*\n)??Log ?Contents:\n`)

// SplitLog takes apart a NodeManager's answer about a log file: the file's length when it was read, and what was given
// of it, which are the last bytes of the file or, where a head was asked for, the first. Without the NodeManager's own
// lines ok is false and content is the whole body.
func SplitLog(body string) (length int64, content string, ok bool) {
	m := logHead.FindStringSubmatchIndex(body[:min(len(body), mostHead)])
	if m == nil {
		return 0, body, false
	}
	length, err := strconv.ParseInt(body[m[2]:m[3]], 10, 64)
	if err != nil {
		return 0, body, false
	}
	content = body[m[1]:]
	if end := strings.LastIndex(content, "End of LogType:"); end >= 0 && len(content)-end < mostHead {
		content = content[:end]
		if int64(len(content)) == length+1 {
			content = strings.TrimSuffix(content, "\n") // put before that line by some versions
		}
	}
	return length, content, true
}

// mostHead bounds the lines that a NodeManager puts before a file's content, and after it.
const mostHead = 4096
