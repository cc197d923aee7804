package mapreduce

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// Until the first map of a job reports, the engine does not show how much the job reads. Its file system does: the
// configuration names the files. Their sizes are requested once a job, as soon as its configuration is known.

const (
	sizesAtOnce   = 8               // jobs in one tick; the others follow in the next
	sizesPatience = 5 * time.Second // for all requests of a tick
	mostQuestions = 200             // requests about one job's files
	mostNamed     = 10_000          // files and folders that a wildcard may match
)

// askInputs requests the sizes of the inputs of jobs that have not ended.
func (s *Source) askInputs(ctx context.Context) error {
	var jobs []*job
	for _, j := range s.member {
		a := s.view.Known(j.app)
		if j.conf != nil && j.inputBytes < 0 && a != nil && !a.Ended && len(jobs) < sizesAtOnce {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, sizesPatience, fmt.Errorf("not done within %v", sizesPatience))
	defer cancel()
	errs := make([]error, len(jobs))
	requests := make([]func(context.Context), len(jobs))
	for i, j := range jobs {
		requests[i] = func(ctx context.Context) { j.inputBytes, errs[i] = s.sizeOf(ctx, &j.conf.Files) }
	}
	yarn.Together(ctx, requests...)
	for i, j := range jobs {
		if errs[i] != nil {
			s.note("the size of the input of %s is not known: %s", j.id, yarn.Brief(errs[i]))
		}
	}
	s.catchUp()
	return nil
}

func (s *Source) note(format string, args ...any) {
	if s.target.Note != nil {
		s.target.Note(fmt.Sprintf(format, args...))
	}
}

// errNoHDFS means that a job reads something else than files of a known HDFS.
var errNoHDFS = errors.New("it is not of an HDFS whose NameNode the job's configuration names")

// sizeOf returns the size of all the files, in bytes. If the size of any file is unknown, it returns an error.
func (s *Source) sizeOf(ctx context.Context, f *mrjob.Inputs) (float64, error) {
	switch {
	case f.Cut:
		return 0, fmt.Errorf("its configuration names more than %d paths, or longer ones than %d bytes", mrjob.MostPaths,
			mrjob.LongestPath)
	case len(f.Paths) == 0:
		return 0, errors.New("its configuration names no files")
	}
	sum, left := 0.0, mostQuestions
	for _, name := range f.Paths {
		bases, file, ok := f.NameNodes.Place(name)
		if !ok || len(bases) == 0 {
			return 0, fmt.Errorf("%s: %w", loose.FirstLine(name), errNoHDFS)
		}
		q := sizing{s.cluster, bases, &left}
		n, err := q.of(ctx, file)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return min(sum, dag.MaxInputBytes), nil
}

// A sizing requests the sizes of files from one file system.
type sizing struct {
	cluster Cluster
	bases   []string
	left    *int // requests that are left
}

type (
	summaryBody struct {
		Summary struct {
			Length loose.Optional `json:"length"`
		} `json:"ContentSummary"`
	}
	statusesBody struct {
		Statuses struct {
			Status rest.List[wireFile] `json:"FileStatus"`
		} `json:"FileStatuses"`
	}
	wireFile struct {
		Suffix loose.Label    `json:"pathSuffix"`
		Kind   loose.Label    `json:"type"`
		Length loose.Optional `json:"length"`
	}
)

func sizingQuestion[T any](ctx context.Context, q *sizing, file, op string) (T, error) {
	var none T
	if *q.left--; *q.left < 0 {
		return none, fmt.Errorf("more than %d questions", mostQuestions)
	}
	body, err := q.cluster.HDFS(ctx, q.bases, file, op)
	return yarn.Read[T](ctx, file, body, err)
}

// of returns the bytes in the files that a path names, including those in its subfolders. A path may have the
// wildcards of Hadoop (org.apache.hadoop.fs.FileSystem.globStatus).
func (q *sizing) of(ctx context.Context, file string) (float64, error) {
	alternatives, err := braces(file)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, one := range alternatives {
		n, err := q.below(ctx, "/", strings.FieldsFunc(one, func(r rune) bool { return r == '/' }))
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// below returns the bytes in the files that the rest of a path names in a folder.
func (q *sizing) below(ctx context.Context, folder string, rest []string) (float64, error) {
	wild := slices.IndexFunc(rest, func(part string) bool { return strings.ContainsAny(part, `*?[\`) })
	if wild < 0 {
		body, err := sizingQuestion[summaryBody](ctx, q, path.Join(append([]string{folder}, rest...)...),
			"GETCONTENTSUMMARY")
		if err != nil {
			return 0, err
		}
		return lengthOf(body.Summary.Length)
	}
	folder = path.Join(append([]string{folder}, rest[:wild]...)...)
	listed, err := sizingQuestion[statusesBody](ctx, q, folder, "LISTSTATUS")
	if err != nil {
		return 0, err
	}
	if n := len(listed.Statuses.Status); n > mostNamed {
		return 0, fmt.Errorf("%s has %d files, more than %d", folder, n, mostNamed)
	}
	last, pattern := wild+1 == len(rest), strings.ReplaceAll(rest[wild], "[!", "[^") // as Hadoop reads it
	sum := 0.0
	for i := range listed.Statuses.Status {
		f := &listed.Statuses.Status[i]
		name := string(f.Suffix)
		matched, err := path.Match(pattern, name)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", pattern, err)
		}
		// Jobs do not read names that begin with _ or . (FileInputFormat.hiddenFileFilter). A name with a slash
		// would lead elsewhere.
		if !matched || name == "" || name[0] == '_' || name[0] == '.' || strings.Contains(name, "/") {
			continue
		}
		var n float64
		switch isFile := f.Kind == "FILE"; {
		case isFile && last:
			n, err = lengthOf(f.Length)
		case !isFile:
			n, err = q.below(ctx, path.Join(folder, name), rest[wild+1:])
		}
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func lengthOf(n loose.Optional) (float64, error) {
	if !n.Known || n.V < 0 {
		return 0, errors.New("the answer tells no length")
	}
	return n.V, nil
}

// mostAlternatives bounds the paths that the braces of one path expand to.
const mostAlternatives = 64

// braces expands {a,b} in a path.
func braces(file string) ([]string, error) {
	open := strings.IndexByte(file, '{')
	if open < 0 {
		return []string{file}, nil
	}
	depth, from := 0, open+1
	var parts []string
	for i := open; i < len(file); i++ {
		switch file[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				parts, from = append(parts, file[from:i]), i+1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			var out []string
			for _, part := range append(parts, file[from:i]) {
				more, err := braces(file[:open] + part + file[i+1:])
				if out = append(out, more...); err != nil || len(out) > mostAlternatives {
					return nil, errors.Join(err, fmt.Errorf("%s stands for more than %d paths", loose.FirstLine(file),
						mostAlternatives))
				}
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s: a brace is not closed", loose.FirstLine(file))
}
