package jobfile

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// Comments are the comments of a written file, such as the origin of its values. Read does not return them.
type Comments struct {
	File []string
	Jobs []JobComments // parallel to the file's jobs, or shorter
}

// JobComments are the comments before a job and its demands.
type JobComments struct{ Job, Map, Shuffle, Merge []string }

// Write writes a job file in YAML. Read returns the same File for it. If Read would not accept the file, Write
// returns an error and writes nothing.
func Write(w io.Writer, f *File, c Comments) error {
	var b bytes.Buffer
	comment(&b, "", c.File)
	b.WriteString("version: 1\n")
	if f.Name != "" {
		fmt.Fprintf(&b, "name: %s\n", quoted(f.Name))
	}
	disks := ""
	if f.Cluster.Disks > 1 {
		disks = fmt.Sprintf("disks: %d, ", f.Cluster.Disks)
	}
	fmt.Fprintf(&b, "cluster: {nodes: %d, cpus: %d, %smap_slots: %d, reduce_slots: %d, shuffle_threads: %d}\njobs:\n",
		f.Cluster.Nodes, f.Cluster.CPUs, disks, f.Cluster.MapSlots, f.Cluster.ReduceSlots, f.Cluster.ShuffleThreads)
	for i := range f.Jobs {
		var why JobComments
		if i < len(c.Jobs) {
			why = c.Jobs[i]
		}
		writeJob(&b, &f.Jobs[i], &why)
	}
	if _, _, err := Read(b.Bytes(), "the job file"); err != nil {
		return fmt.Errorf("this is not a job file that could be read again: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeJob(b *bytes.Buffer, j *Job, why *JobComments) {
	comment(b, "", why.Job)
	fmt.Fprintf(b, "- name: %s\n", quoted(j.Name))
	if j.Copies != 1 {
		fmt.Fprintf(b, "  copies: %d\n", j.Copies)
	}
	fmt.Fprintf(b, "  maps: %d\n", j.Maps)
	if j.Reduces > 0 {
		fmt.Fprintf(b, "  reduces: %d\n", j.Reduces)
	}
	writeDemand(b, "map", j.Map, why.Map)
	if j.Reduces > 0 {
		writeDemand(b, "shuffle", j.Shuffle, why.Shuffle)
		writeDemand(b, "merge", j.Merge, why.Merge)
	}
}

func writeDemand(b *bytes.Buffer, name string, d Demand, why []string) {
	var parts []string
	for _, p := range []struct {
		name    string
		seconds float64
	}{{"cpu", d.CPU}, {"disk", d.Disk}, {"fibre", d.Fibre}, {"network", d.Network}} {
		if p.seconds != 0 {
			parts = append(parts, p.name+": "+strconv.FormatFloat(p.seconds, 'g', -1, 64)+"s")
		}
	}
	if len(parts) == 0 {
		return
	}
	comment(b, "  ", why)
	fmt.Fprintf(b, "  %s: {%s}\n", name, strings.Join(parts, ", "))
}

// comment writes comment lines. Text of a recording cannot end a line.
func comment(b *bytes.Buffer, indent string, lines []string) {
	for _, l := range lines {
		fmt.Fprintf(b, "%s# %s\n", indent, strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, l))
	}
}

// quoted quotes a string in a form that is valid in YAML and JSON. Only the quote and the backslash need an escape.
// Go's other escapes are valid in YAML for UTF-8.
func quoted(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
