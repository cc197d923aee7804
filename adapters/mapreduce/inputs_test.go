package mapreduce

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// filed is a lab with a job of HDFS's that runs and reads these paths.
func filed(paths string) *lab {
	l := newLab()
	l.hdfs = map[string]string{}
	l.apps("1 RUNNING UNDEFINED 512")
	l.conf("0001", "a", "a:b", "mapreduce.input.fileinputformat.inputdir", strings.ReplaceAll(paths, `\`, `\\`),
		"fs.defaultFS", "hdfs://nn:9000", "dfs.namenode.http-address", "nn:9870")
	l.runs("0001", 0, "SCHEDULED", "SCHEDULED")
	return l
}

func (l *lab) folder(path string, bytes float64, files ...string) {
	l.hdfs["http://nn:9870"+path+" GETCONTENTSUMMARY"] = fmt.Sprintf(
		`{"ContentSummary":{"directoryCount":1,"fileCount":%d,"length":%.0f,"quota":-1,"spaceConsumed":1}}`, len(files),
		bytes)
	var list []string
	for _, f := range files {
		var name, kind string
		var n int
		fmt.Sscanf(f, "%s %s %d", &name, &kind, &n)
		list = append(list, fmt.Sprintf(`{"pathSuffix":%q,"type":%q,"length":%d,"blockSize":134217728}`, name, kind, n))
	}
	l.hdfs["http://nn:9870"+path+" LISTSTATUS"] = `{"FileStatuses":{"FileStatus":[` + strings.Join(list, ",") + `]}}`
}

// The sizes of a job's inputs are there with its configuration, before any map has started, and are asked for once.
func TestInputBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		paths string
		want  float64
	}{
		{"/data/a", 300},
		{"/data/a,hdfs://nn:9000/data/b/", 340},
		{"/data/{a,b}", 340},
		{"/data/b/part-*", 30},
		{"/*/[ab]", 340},
		{"/data/b/part-[!0]", 20},
		{"/data/a,/data/gone", 0},
		{"/data/a,file:/x", 0},
		{"/gone/*", 0},
		{"/data/b/part-[", 0},
	} {
		l := filed(c.paths)
		l.folder("/", 0, "data DIRECTORY 0", "_logs DIRECTORY 0")
		l.folder("/data", 340, "a DIRECTORY 0", "b DIRECTORY 0")
		l.folder("/data/a", 300)
		l.folder("/data/b", 40, "part-0 FILE 10", "part-1 FILE 20", "_SUCCESS FILE 0", ".part-2 FILE 5", "other FILE 5")
		var notes []string
		src := NewSource(l, yarn.Target{Note: func(text string) { notes = append(notes, text) }})
		s := l.tick(t, src, 0)
		if got := s.Plan.Jobs[0].InputBytes; got != c.want {
			t.Errorf("%s: %v bytes, want %v", c.paths, got, c.want)
		}
		if (c.want == 0) != (len(notes) == 1) {
			t.Errorf("%s: %q", c.paths, notes)
		}
		if len(s.Warnings) > 0 {
			t.Errorf("%s: %v", c.paths, s.Warnings)
		}
		l.folder("/data/a", 999)
		again := l.tick(t, src, time.Second)
		if again.Plan.Jobs[0].InputBytes != c.want {
			t.Errorf("%s: asked twice", c.paths)
		}
		for path := range l.asked {
			if strings.Contains(path, "nn:9870") {
				t.Errorf("%s: %s was asked again", c.paths, path)
			}
		}
	}
}

// What one job's files cost in questions is bounded, however its owner names them.
func TestInputQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	l := filed("/many/*")
	var files []string
	for i := range mrjob.MostRequests + 50 {
		files = append(files, fmt.Sprintf("d%d DIRECTORY 0", i))
		l.folder(fmt.Sprintf("/many/d%d", i), 1)
	}
	l.folder("/many", 0, files...)
	s := l.tick(t, NewSource(l, yarn.Target{}), 0)
	n := 0
	for path := range l.asked {
		if strings.Contains(path, "nn:9870") {
			n++
		}
	}
	if n != mrjob.MostRequests || s.Plan.Jobs[0].InputBytes != 0 {
		t.Errorf("%d questions, %v bytes", n, s.Plan.Jobs[0].InputBytes)
	}
}

// A NameNode is asked only on a host that flags or the configuration name, whatever a job's configuration says; one
// that does not answer is left alone for a while.
func TestHDFSOfAStranger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		site  hadoopconf.Site
		trust []string
		base  string
		want  bool
	}{
		"not configured":            {hadoopconf.Site{}, nil, "http://nn:9870", false},
		"the ResourceManager's":     {hadoopconf.Site{}, nil, "http://rm1:9870", true},
		"--trust-host":              {hadoopconf.Site{}, []string{"nn"}, "http://nn:9870", true},
		"hdfs-site.xml":             {hadoopconf.Site{NameNodes: []string{"http://nn:9870"}}, nil, "http://nn:9870", true},
		"hdfs-site.xml, other port": {hadoopconf.Site{NameNodes: []string{"http://nn:1"}}, nil, "http://nn:9870", true},
		"hdfs-site.xml, other host": {hadoopconf.Site{NameNodes: []string{"http://nn2:9870"}}, nil, "http://nn:9870", false},
	} {
		w := newTown()
		host := strings.TrimPrefix(c.base, "http://")
		w.answers[host] = well
		cl := siteClient(t, c.site, rest.Options{Trust: c.trust, Transport: w}, "http://rm1:8088")
		_, err := cl.HDFS(t.Context(), []string{c.base}, "/a", "GETCONTENTSUMMARY")
		if (err == nil) != c.want || (w.asked[host] > 0) != c.want {
			t.Errorf("%s: %v, asked %v", name, err, w.asked)
		}
	}
	// A NameNode's host is no place for a history server.
	if cl := siteClient(t, hadoopconf.Site{NameNodes: []string{"http://nn:9870"}}, rest.Options{Transport: newTown()},
		"http://rm1:8088"); cl.moveHistory("http://nn:19888") {
		t.Error("a history server on the NameNode's host is believed")
	}
	w := newTown()
	cl := clientOf(t, rest.Options{Trust: []string{"nn1", "nn2"}, Transport: w}, "http://rm1:8088")
	w.answers["nn2:1"] = well
	for range 3 {
		if _, err := cl.HDFS(t.Context(), []string{"http://nn1:1", "http://nn2:1"}, "/a", "LISTSTATUS"); err != nil {
			t.Error(err)
		}
	}
	if w.asked["nn1:1"] != 1 || w.asked["nn2:1"] != 3 {
		t.Errorf("asked %v", w.asked)
	}
}

// What is asked of WebHDFS, as a server sees it.
func TestHDFSRequests(t *testing.T) {
	t.Parallel()
	var asked []string
	nn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.EscapedPath()+" "+r.URL.Query().Get("op")+" "+
			r.URL.Query().Get("user.name"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"ContentSummary":{"length":24930}}`)
	}))
	defer nn.Close()
	c := clientOf(t, rest.Options{User: "alice"}, nn.URL)
	files := mrjob.ReadSettings([]mrjob.Property{
		{Name: "fs.defaultFS", Value: "hdfs://nn:9000"},
		{Name: "pig.input.dirs", Value: "/a b/50%#c"},
		{Name: "dfs.namenode.http-address", Value: strings.TrimPrefix(nn.URL, "http://")},
	}).Files
	n, err := files.Size(t.Context(), c.HDFS)
	if err != nil || n != 24930 || len(asked) != 1 ||
		asked[0] != "GET /webhdfs/v1/a%20b/50%25%23c GETCONTENTSUMMARY alice" {
		t.Errorf("%v bytes, %v, asked %q", n, err, asked)
	}
	standby := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"RemoteException":{"exception":"StandbyException","message":"Operation category READ is not supported in state standby"}}`)
	}))
	defer standby.Close()
	if _, err := c.HDFS(context.Background(), []string{standby.URL, nn.URL}, "/a", "GETCONTENTSUMMARY"); err != nil {
		t.Errorf("with a standby first: %v", err)
	}
}
