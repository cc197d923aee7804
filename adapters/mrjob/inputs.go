package mrjob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// Inputs are the files that a job reads, as its configuration names them, and the NameNodes of their file system.
type Inputs struct {
	Paths     []string // as named, perhaps with wildcards
	Cut       bool     // there were more paths than MostPaths, or longer ones than LongestPath
	NameNodes hadoopconf.NameNodes
}

// Bounds of what is kept of a configuration, which the job's owner wrote, and of what its files cost.
const (
	MostPaths        = 100
	LongestPath      = 4096 // bytes
	MostRequests     = 200  // about the files of one job
	mostAlternatives = 64   // paths that the braces of one path expand to
)

// listed matches a path in a list. Paths end at commas that are neither escaped nor in the braces of a wildcard
// (FileInputFormat.getPathStrings of Hadoop).
var listed = regexp.MustCompile(`(?:\\[,\\]|\{[^{}]*\}|[^,])+`)

// unescape removes the escapes of a path (StringUtils.unEscapeString of Hadoop).
var unescape = strings.NewReplacer(`\,`, `,`, `\\`, `\`)

// name adds the paths. Pig lists those of all its inputs in a property of its own, because
// mapreduce.input.fileinputformat.inputdir has those of the last input only. MultipleInputs has a list of
// PATH;FORMAT.
func (f *Inputs) name(pig, dirs, formats string) {
	all := listed.FindAllString(cmp.Or(pig, formats, dirs), MostPaths+1)
	f.Cut = len(all) > MostPaths
	for _, one := range all[:min(len(all), MostPaths)] {
		one = unescape.Replace(one)
		if pig == "" && formats != "" {
			one, _, _ = strings.Cut(one, ";")
		}
		one = strings.TrimSpace(one)
		if f.Cut = f.Cut || len(one) > LongestPath; !f.Cut && one != "" {
			f.Paths = append(f.Paths, strings.Clone(one))
		}
	}
}

// inBraces matches {a,b} in a path.
var inBraces = regexp.MustCompile(`\{([^{}]*)\}`)

// braces expands {a,b} in a path. Of more than mostAlternatives paths it returns some, but more than those.
func braces(file string) []string {
	at := inBraces.FindStringSubmatchIndex(file)
	if at == nil {
		return []string{file}
	}
	var all []string
	for part := range strings.SplitSeq(file[at[2]:at[3]], ",") {
		if len(all) <= mostAlternatives {
			all = append(all, braces(file[:at[0]]+part+file[at[1]:])...)
		}
	}
	return all
}

// HDFS sends a WebHDFS operation on an absolute path to one of several bases, such as http://nn:9870. It returns the
// body of the response.
type HDFS func(ctx context.Context, bases []string, path, op string) ([]byte, error)

// Size returns the bytes in all the files, including those in subfolders. If the size of any file is unknown, it
// returns an error.
func (f *Inputs) Size(ctx context.Context, hdfs HDFS) (float64, error) {
	switch {
	case f.Cut:
		return 0, fmt.Errorf("its configuration names more than %d paths, or longer ones than %d bytes", MostPaths,
			LongestPath)
	case len(f.Paths) == 0:
		return 0, errors.New("its configuration names no files")
	}
	q := sizing{hdfs: hdfs, left: MostRequests}
	for _, name := range f.Paths {
		bases, file, ok := f.NameNodes.Place(name)
		if !ok || len(bases) == 0 {
			return 0, fmt.Errorf("%s is not of an HDFS with a NameNode that the job's configuration names", loose.FirstLine(name))
		}
		alternatives := braces(file)
		if len(alternatives) > mostAlternatives {
			return 0, fmt.Errorf("%s stands for more than %d paths", loose.FirstLine(file), mostAlternatives)
		}
		q.bases = bases
		for _, one := range alternatives {
			if err := q.add(ctx, "/", strings.Split(strings.Trim(one, "/"), "/")); err != nil {
				return 0, err
			}
		}
	}
	return min(q.sum, dag.MaxInputBytes), nil
}

// A sizing adds up the sizes of files.
type sizing struct {
	hdfs  HDFS
	bases []string // of the file system
	left  int      // requests that may still be sent
	sum   float64
}

// A sizeBody has the summary of a file or folder, or the statuses of what is in a folder.
type sizeBody struct {
	Summary  fileStatus `json:"ContentSummary"`
	Statuses struct {
		Status rest.List[fileStatus] `json:"FileStatus"`
	} `json:"FileStatuses"`
}

type fileStatus struct {
	Suffix loose.Label    `json:"pathSuffix"`
	Kind   loose.Label    `json:"type"`
	Length loose.Optional `json:"length"`
}

// add adds the bytes in the files that the parts of a path name in a folder. The parts may have the wildcards of
// Hadoop (org.apache.hadoop.fs.FileSystem.globStatus).
func (q *sizing) add(ctx context.Context, folder string, parts []string) error {
	plain, op := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, `*?[\`) }), "LISTSTATUS"
	if plain < 0 {
		plain, op = len(parts), "GETCONTENTSUMMARY"
	}
	folder = path.Join(folder, path.Join(parts[:plain]...))
	if q.left--; q.left < 0 {
		return fmt.Errorf("more than %d questions", MostRequests)
	}
	body, err := q.hdfs(ctx, q.bases, folder, op)
	b, err := yarn.Read[sizeBody](folder, body, err)
	switch {
	case err != nil:
		return err //nolint:wrapcheck // it names the file
	case plain == len(parts):
		return q.addLength(b.Summary.Length)
	}
	isLast, pattern := plain+1 == len(parts), strings.ReplaceAll(parts[plain], "[!", "[^") // as Hadoop reads it
	for _, f := range b.Statuses.Status {
		name := string(f.Suffix)
		matched, err := path.Match(pattern, name)
		isFile := f.Kind == "FILE"
		switch {
		case err != nil:
			err = fmt.Errorf("%s: %w", pattern, err)
		case !matched || name == "" || name[0] == '_' || name[0] == '.' || strings.Contains(name, "/"):
			// Jobs do not read names that begin with _ or . (FileInputFormat.hiddenFileFilter). A name with a slash
			// would lead elsewhere.
		case isFile && isLast:
			err = q.addLength(f.Length)
		case !isFile:
			err = q.add(ctx, path.Join(folder, name), parts[plain+1:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *sizing) addLength(n loose.Optional) error {
	if !n.Known || n.V < 0 {
		return errors.New("the response has no length")
	}
	q.sum += n.V
	return nil
}
