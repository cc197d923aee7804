package training

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// WriteJobs writes a job file in YAML. ReadJobs returns the same Name and Spec for it. If ReadJobs would not accept the
// file, WriteJobs returns an error and writes nothing.
func WriteJobs(w io.Writer, f *JobFile) error {
	var b bytes.Buffer
	for _, l := range f.Comments { // text of a recording cannot end a line
		fmt.Fprintf(&b, "# %s\n", strings.Map(shown, l))
	}
	b.WriteString("version: 1\n")
	if f.Name != "" {
		fmt.Fprintf(&b, "name: %s\n", quoted(f.Name))
	}
	disks := ""
	if f.Disks > 1 {
		disks = fmt.Sprintf("disks: %d, ", f.Disks)
	}
	fmt.Fprintf(&b, "cluster: {nodes: %d, cpus: %d, %smap_slots: %d, reduce_slots: %d, shuffle_threads: %d}\njobs:\n",
		f.Nodes, f.CPUs, disks, f.MapSlots, f.ReduceSlots, f.ShuffleThreads)
	for _, j := range f.Jobs {
		fmt.Fprintf(&b, "- name: %s\n", quoted(j.Name))
		if j.Copies != 1 {
			fmt.Fprintf(&b, "  copies: %d\n", j.Copies)
		}
		fmt.Fprintf(&b, "  maps: %d\n", j.Maps)
		writeDemand(&b, "map", j.Map)
		if j.Reduces > 0 {
			fmt.Fprintf(&b, "  reduces: %d\n", j.Reduces)
			writeDemand(&b, "shuffle", j.Shuffle)
			writeDemand(&b, "merge", j.Merge)
		}
	}
	if _, err := ReadJobs(b.Bytes(), "the job file"); err != nil {
		return fmt.Errorf("this is not a job file that could be read again: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeDemand(b *bytes.Buffer, name string, d queueing.Demand) {
	var parts []string
	for _, p := range []struct {
		name    string
		seconds float64
	}{{"cpu", d.CPU}, {"disk", d.Disk}, {"fibre", d.Fibre}, {"network", d.Network}} {
		if p.seconds != 0 {
			parts = append(parts, p.name+": "+strconv.FormatFloat(p.seconds, 'g', -1, 64)+"s")
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  %s: {%s}\n", name, strings.Join(parts, ", "))
	}
}

// quoted quotes a string in a form that is valid in YAML and JSON. Only the quote and the backslash need an escape.
// Go's other escapes are valid in YAML for UTF-8.
func quoted(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
