package jhist

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/adapters/past"
)

// maxConf bounds a configuration file; a Pig job's takes 350 KB.
const maxConf = 64 << 20

// ReadConf reads a job's configuration as it lies beside its history (JOB_conf.xml).
func ReadConf(r io.Reader) ([]hadoop.Property, error) {
	limited := &io.LimitedReader{R: r, N: maxConf}
	d := xml.NewDecoder(limited)
	var out []hadoop.Property
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
		out = append(out, hadoop.Property{Name: p.Name, Value: p.Value})
	}
}

// Configure enters what a job's own configuration tells. Of its place in the workflow the history's word stands in
// where the configuration has none.
func Configure(j *past.Job, properties []hadoop.Property) {
	had := j.Settings
	s := hadoop.ReadSettings(properties)
	if s.Workflow == "" {
		s.Workflow, s.WorkflowName, s.Node, s.After = had.Workflow, had.WorkflowName, had.Node, had.After
	}
	s.WorkflowName = cmp.Or(s.WorkflowName, had.WorkflowName)
	j.Settings, j.Configured = s, true
}
