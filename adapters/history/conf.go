package history

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// maxConf bounds a configuration file. A Pig job's takes 350 KB.
const maxConf = 64 << 20

// readConf parses a job's configuration file (JOB_conf.xml), which may be compressed.
func readConf(r io.Reader) ([]mrjob.Property, error) {
	plain, err := input.Unpack(r, 1<<16)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what is wrong with the file
	}
	limited := &io.LimitedReader{R: plain, N: maxConf}
	var conf struct {
		Properties []struct {
			Name  string `xml:"name"`
			Value string `xml:"value"`
		} `xml:"property"`
	}
	err = xml.NewDecoder(limited).Decode(&conf)
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("a configuration of more than %d bytes", maxConf)
	case err != nil:
		return nil, fmt.Errorf("not a configuration: %w", err)
	case len(conf.Properties) == 0:
		return nil, errors.New("no configuration: it has no properties")
	}
	out := make([]mrjob.Property, len(conf.Properties))
	for i, p := range conf.Properties {
		out[i] = mrjob.Property{Name: p.Name, Value: p.Value}
	}
	return out, nil
}

// Configure sets a job's settings from its own configuration. The job's place in the workflow comes from the history
// if the configuration does not have it.
func (j *Job) Configure(properties []mrjob.Property) {
	had := j.Settings
	s := mrjob.ReadSettings(properties)
	if s.Workflow == "" {
		s.Workflow, s.WorkflowName, s.Node, s.After = had.Workflow, had.WorkflowName, had.Node, had.After
	}
	s.WorkflowName = cmp.Or(s.WorkflowName, had.WorkflowName)
	j.Settings, j.Configured = s, true
}

// adjacency matches a node and its successors in the output of JobImpl.getWorkflowAdjacencies: "node"="next,next"
// "node"="next". A backslash escapes quotes and backslashes in names.
var (
	adjacency = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"="((?:[^"\\]|\\.)*)"`)
	escaped   = regexp.MustCompile(`\\(.)`)
)

// adjacencies parses the successors of nodes. It returns nil if there is no node.
func adjacencies(s string) map[string][]string {
	var out map[string][]string
	for _, m := range adjacency.FindAllStringSubmatch(s, -1) {
		if out == nil {
			out = map[string][]string{}
		}
		from, next := dag.Clean(escaped.ReplaceAllString(m[1], "$1")), []string{}
		for n := range strings.SplitSeq(escaped.ReplaceAllString(m[2], "$1"), ",") {
			if n = dag.Clean(strings.TrimSpace(n)); n != "" && !slices.Contains(next, n) {
				next = append(next, n)
			}
		}
		out[from] = next
	}
	return out
}
