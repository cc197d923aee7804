//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/sketch"
)

// A streaming job is one of Hadoop Streaming. Its output is kept.
type streaming struct {
	*process
	app     app
	output  string // folder
	reduces int
	// basename begins the names of its files; "" is the old API's.
	basename string
}

// streaming starts a job and waits until the cluster lists it. wrap is what its commands are given to: of a tap, or
// unwrapped.
func (l *lab) streaming(name, input string, reduces int, wrap wrapper, mapper, reducer string,
	more ...string,
) *streaming {
	l.t.Helper()
	s := &streaming{output: filepath.Join(l.dir, name+".output"), reduces: reduces}
	args := []string{
		"stream", "-D", "mapreduce.job.name=" + name, "-D", fmt.Sprintf("mapreduce.job.reduces=%d", reduces),
		"-input", input, "-output", "file://" + s.output,
		"-mapper", wrap.command("map", mapper), "-reducer", wrap.command("reduce", reducer),
	}
	s.process = l.client(name, append(append(args, wrap.options...), more...)...)
	s.app = l.awaitApp(name)
	return s
}

// A wrapper wraps a job's commands; the zero one wraps nothing.
type wrapper struct {
	program string   // "" for none
	options []string // of Streaming
}

func (w wrapper) command(side, command string) string {
	if w.program == "" {
		return command
	}
	return w.program + " " + side + " -- " + command
}

// file is a file of the job's output, by reduce.
func (s *streaming) file(reduce int) []byte {
	s.lab.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.output, fmt.Sprintf("%s%05d", cmp.Or(s.basename, "part-"), reduce)))
	s.lab.must(err)
	return b
}

// groups are the records and bytes of keys.
type groups map[string]*struct {
	records int
	bytes   float64
}

// total is the bytes of all keys.
func (g groups) total() (sum float64) {
	for _, one := range g {
		sum += one.bytes
	}
	return sum
}

// shuffled is what each reduce gets of a job whose maps copy its input, as its partitioner has it.
func (l *lab) shuffled(input string, reduces int) []groups {
	l.t.Helper()
	all := make([]groups, reduces)
	for r := range all {
		all[r] = groups{}
	}
	if !filepath.IsAbs(input) {
		input = filepath.Join(l.root, "data", input)
	}
	files, err := filepath.Glob(filepath.Join(input, "*"))
	l.must(err)
	for _, file := range files {
		f, err := os.Open(file)
		l.must(err)
		in := bufio.NewScanner(f)
		in.Buffer(nil, 16<<20)
		for in.Scan() {
			key, value, _ := bytes.Cut(in.Bytes(), []byte("\t"))
			part := all[sketch.Partition(key, reduces)]
			if part[string(key)] == nil {
				part[string(key)] = &struct {
					records int
					bytes   float64
				}{}
			}
			one := part[string(key)]
			one.records++
			one.bytes += float64(sketch.RecordBytes(len(key), len(value)))
		}
		l.must(in.Err())
		l.must(f.Close())
	}
	return all
}

// counted checks that the output of power.py is what it must be: every key at the reduce that the partitioner names,
// once, in order, with its number of records.
func (s *streaming) counted(input string) {
	l := s.lab
	l.t.Helper()
	for r, part := range l.shuffled(input, s.reduces) {
		var want strings.Builder
		for _, key := range slices.Sorted(maps.Keys(part)) {
			fmt.Fprintf(&want, "%s\t%d\n", key, part[key].records)
		}
		if got := s.file(r); string(got) != want.String() {
			l.t.Errorf("%s: reduce %d put out something else: %s", s.name, r, firstDifference([]byte(want.String()),
				got))
		}
	}
}

// same checks that two jobs put out the same bytes and counted the same.
func (s *streaming) same(other *streaming) {
	l := s.lab
	l.t.Helper()
	for r := range s.reduces {
		if a, b := s.file(r), other.file(r); !bytes.Equal(a, b) {
			l.t.Errorf("reduce %d of %s and %s: %s", r, s.name, other.name, firstDifference(a, b))
		}
	}
	mine, others := l.counters(s.app), l.counters(other.app)
	for _, name := range []string{
		"MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES", "REDUCE_INPUT_GROUPS",
		"REDUCE_INPUT_RECORDS", "REDUCE_OUTPUT_RECORDS", "power/records",
	} {
		if mine[name] != others[name] || mine[name] == 0 {
			l.t.Errorf("%s: %s has %d, %s has %d", name, s.name, mine[name], other.name, others[name])
		}
	}
}

// counters are a finished job's: Hadoop's own by their name, those of others as GROUP/NAME.
func (l *lab) counters(a app) map[string]int64 {
	l.t.Helper()
	var got struct {
		JobCounters struct {
			CounterGroup []struct {
				CounterGroupName string
				Counter          []struct {
					Name              string
					TotalCounterValue int64
				}
			}
		}
	}
	l.await("counters of "+a.job(), func() bool {
		return l.get(l.jhs+"/ws/v1/history/mapreduce/jobs/"+a.job()+"/counters", &got)
	})
	all := map[string]int64{}
	for _, g := range got.JobCounters.CounterGroup {
		prefix := g.CounterGroupName + "/"
		if strings.HasPrefix(prefix, "org.apache.hadoop.") {
			prefix = ""
		}
		for _, c := range g.Counter {
			all[prefix+c.Name] = c.TotalCounterValue
		}
	}
	return all
}

// reduceSeconds is how long the reduce function of each reduce took: without copy, sort and the start of its JVM.
func (l *lab) reduceSeconds(s *streaming) []float64 {
	l.t.Helper()
	all := make([]float64, s.reduces)
	for r := range all {
		task := strings.Replace(s.app.job(), "job_", "task_", 1) + fmt.Sprintf("_r_%06d", r)
		var got struct {
			TaskAttempts struct {
				TaskAttempt []struct {
					State             string
					ElapsedReduceTime float64
				}
			}
		}
		url := l.jhs + "/ws/v1/history/mapreduce/jobs/" + s.app.job() + "/tasks/" + task + "/attempts"
		l.await("attempts of "+task, func() bool { return l.get(url, &got) })
		for _, a := range got.TaskAttempts.TaskAttempt {
			if a.State == "SUCCEEDED" {
				all[r] = a.ElapsedReduceTime / 1000
			}
		}
	}
	return all
}
