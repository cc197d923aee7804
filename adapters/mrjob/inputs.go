package mrjob

import (
	"cmp"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
)

// Inputs are the files that a job reads, as its configuration names them, and the NameNodes of their file system.
type Inputs struct {
	Paths     []string // as named, perhaps with wildcards
	Cut       bool     // there were more paths than MostPaths, or longer ones than LongestPath
	NameNodes hadoopconf.NameNodes
}

// Bounds of what is kept of a configuration, which the job's owner wrote.
const (
	MostPaths   = 100
	LongestPath = 4096 // bytes
)

// name adds the paths. Pig lists those of all its inputs in a property of its own, because
// mapreduce.input.fileinputformat.inputdir has those of the last input only. MultipleInputs has a list of
// PATH;FORMAT.
func (f *Inputs) name(pig, dirs, formats string) {
	list := cmp.Or(pig, formats, dirs)
	for len(list) > 0 {
		var one string
		one, list = cutPath(list)
		if pig == "" && formats != "" {
			one, _, _ = strings.Cut(one, ";")
		}
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		if f.Cut = len(f.Paths) == MostPaths || len(one) > LongestPath; f.Cut {
			return
		}
		f.Paths = append(f.Paths, strings.Clone(one))
	}
}

// cutPath returns the first path of a list, without its escapes, and the other ones. Paths end at commas that
// are neither escaped nor in the braces of a wildcard (FileInputFormat.getPathStrings and
// StringUtils.unEscapeString of Hadoop).
func cutPath(list string) (first, others string) {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\' && i+1 < len(list) && (list[i+1] == ',' || list[i+1] == '\\'):
			i++
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth <= 0:
			return b.String(), list[i+1:]
		}
		b.WriteByte(list[i])
	}
	return b.String(), ""
}
