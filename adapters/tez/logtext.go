package tez

import (
	"regexp"
	"strconv"
	"strings"
)

var logHead = regexp.MustCompile(`(?s)LogLength:\s*(\d{1,15})\n(?:[^\n]*\n)??Log ?Contents:\n`)

// SplitLog parses a NodeManager's response for a log file. It returns the file's length at that time and the content:
// the last bytes of the file, or the first if the request was for the head. If the NodeManager's own lines are
// missing, ok is false and content is the whole body.
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
			content = strings.TrimSuffix(content, "\n") // some versions add it before that line
		}
	}
	return length, content, true
}

// mostHead bounds the lines that a NodeManager adds before and after a file's content.
const mostHead = 4096
