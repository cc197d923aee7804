package eventlog

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Event returns the name of the event in a complete or cut-off line of a log; "" if there is none. Spark writes the
// name first.
func Event(line []byte) string {
	if !bytes.Contains(line, []byte(`"Event"`)) {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		var name string
		var skipped json.RawMessage
		switch {
		case key == "Event" && d.Decode(&name) == nil:
			return name
		case key == "Event" || d.Decode(&skipped) != nil:
			return ""
		}
	}
	return ""
}

// mark is the byte order mark that some editors add.
const mark = "\ufeff"

// IsLog reports whether a text starts like an event log: one of its first lines is an event of Spark or Databricks.
// The last line may be cut off.
func IsLog(text []byte) bool {
	const most = 20 // lines: the first ones may be damaged or incomplete
	lines := bytes.SplitN(text, []byte("\n"), most+1)
	for _, line := range lines[:min(len(lines), most)] {
		name := Event(line)
		for _, by := range []string{"SparkListener", "org.apache.spark.", "DBCEventLogging", "com.databricks."} {
			if strings.HasPrefix(name, by) {
				return true
			}
		}
	}
	return false
}
