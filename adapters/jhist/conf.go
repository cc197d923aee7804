package jhist

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/dag"
)

// maxConf bounds a configuration file. A Pig job's takes 350 KB.
const maxConf = 64 << 20

// ReadConf parses a job's configuration file (JOB_conf.xml).
func ReadConf(r io.Reader) ([]mrjob.Property, error) {
	limited := &io.LimitedReader{R: r, N: maxConf}
	d := xml.NewDecoder(limited)
	var out []mrjob.Property
	for {
		t, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && out != nil:
			return out, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("no configuration: it has no properties")
		case limited.N <= 0:
			return nil, fmt.Errorf("a configuration of more than %d bytes", maxConf)
		case err != nil:
			return nil, fmt.Errorf("not a configuration: %w", err)
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "property" {
			continue
		}
		var p struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		}
		if err := d.DecodeElement(&p, &start); err != nil {
			return nil, fmt.Errorf("not a configuration: %w", err)
		}
		out = append(out, mrjob.Property{Name: p.Name, Value: p.Value})
	}
}

// Configure sets a job's settings from its own configuration. The job's place in the workflow comes from the history
// if the configuration does not have it.
func Configure(j *past.Job, properties []mrjob.Property) {
	had := j.Settings
	s := mrjob.ReadSettings(properties)
	if s.Workflow == "" {
		s.Workflow, s.WorkflowName, s.Node, s.After = had.Workflow, had.WorkflowName, had.Node, had.After
	}
	s.WorkflowName = cmp.Or(s.WorkflowName, had.WorkflowName)
	j.Settings, j.Configured = s, true
}

// adjacencies parses the output of JobImpl.getWorkflowAdjacencies: "node"="next,next" "node"="next". A backslash
// escapes quotes and backslashes in names.
func adjacencies(s string) map[string][]string {
	out := map[string][]string{}
	for {
		from, rest, ok := quoted(strings.TrimLeft(s, " "))
		if !ok || !strings.HasPrefix(rest, "=") {
			break
		}
		to, rest, ok := quoted(rest[1:])
		if !ok {
			break
		}
		from = dag.Clean(from)
		for n := range strings.SplitSeq(to, ",") {
			if n = dag.Clean(strings.TrimSpace(n)); n != "" && !slices.Contains(out[from], n) {
				out[from] = append(out[from], n)
			}
		}
		if out[from] == nil {
			out[from] = []string{}
		}
		s = rest
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// quoted removes a quoted string from the front of s.
func quoted(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}
