package mrjob

import (
	"fmt"
	"strings"
	"testing"
)

// Paths end at commas that are neither escaped nor in braces; Pig's own list goes before Hadoop's, which has the last
// input alone.
func TestInputPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pig, dirs, formats, want string }{
		{"", "/a,/b", "", "[/a /b]"},
		{"", `/a\,b/{x\,y}*,/c`, "", "[/a,b/{x,y}* /c]"},
		{"/a/{1,2},hdfs://nn:9000/t", "hdfs://nn:9000/t", "", "[/a/{1,2} hdfs://nn:9000/t]"},
		{
			"", "", "hdfs://nn/a;org.x.TextInputFormat,hdfs://nn/b;org.x.SequenceFileInputFormat",
			"[hdfs://nn/a hdfs://nn/b]",
		},
		{"", " , ", "", "[]"},
		{"", `/a\`, "", `[/a\]`},
		{"", "", "", "[]"},
	} {
		var f Inputs
		f.name(c.pig, c.dirs, c.formats)
		if got := fmt.Sprint(f.Paths); got != c.want || f.Cut {
			t.Errorf("%+v: %s, more %v", c, got, f.Cut)
		}
	}
	for _, many := range []string{strings.Repeat("/a,", MostPaths+1), "/" + strings.Repeat("a", LongestPath)} {
		var f Inputs
		if f.name("", many, ""); !f.Cut || len(f.Paths) > MostPaths {
			t.Errorf("%d paths of %d bytes", len(f.Paths), len(many))
		}
	}
}

// Where a path is follows from the job's own configuration.
func TestInputPlaces(t *testing.T) {
	t.Parallel()
	single := []string{"fs.defaultFS", "hdfs://nn:9000", "dfs.namenode.http-address", "0.0.0.0:9871"}
	several := []string{
		"fs.defaultFS", "hdfs://ns1", "dfs.namenode.http-address", "0.0.0.0:9870", "dfs.namenode.http-address.ns1.a",
		"nn1:50070",
		"dfs.namenode.http-address.ns1.b", "nn2", "dfs.namenode.http-address.ns2", "nn3:1",
		"dfs.namenode.https-address.ns1.a", "nn1:50470",
	}
	for _, c := range []struct {
		props []string
		path  string
		want  string
	}{
		{single, "/a/./b/", "[http://nn:9871] /a/b"},
		{single, "hdfs://nn:9000/a", "[http://nn:9871] /a"},
		{single, "hdfs:/a", "[http://nn:9871] /a"},
		{single, "hdfs:///a", "[http://nn:9871] /a"},
		{single, "hdfs://nn:9000", "[http://nn:9871] /"},
		{single, "hdfs://other:9000/a", "[] /a"},
		{single, "/../../etc", "[http://nn:9871] /etc"},
		{append(single, "dfs.namenode.http-address", "web:80"), "/a", "[http://web:80] /a"},
		{several, "/a", "[http://nn1:50070 http://nn2:9870] /a"},
		{several, "hdfs://ns2/a", "[http://nn3:1] /a"},
		{several, "hdfs://ns3/a", "[] /a"},
		{append(several, "dfs.http.policy", "HTTPS_ONLY"), "/a", "[https://nn1:50470] /a"},
		{single, "file:/a", ""},
		{single, "s3a://b/a", ""},
		{single, "a", ""},
		{single, "hdfs://n n/a", ""},
		{single, "/x/ws/v1/cluster/apps", ""},
		{single, "/x/proxy/y", ""},
		{single, "/a\nb", ""},
		{[]string{"fs.defaultFS", "file:///"}, "/a", ""},
		{[]string{"fs.defaultFS", "hdfs://nn:9000", "dfs.namenode.http-address", "bad host:x"}, "/a", "[] /a"},
		{[]string{"fs.defaultFS", "hdfs://nn:9000"}, "/a", "[] /a"},
	} {
		var all []Property
		for i := 0; i+1 < len(c.props); i += 2 {
			all = append(all, Property{c.props[i], c.props[i+1]})
		}
		files := ReadSettings(all).Files
		bases, file, ok := files.NameNodes.Place(c.path)
		got := ""
		if ok {
			got = fmt.Sprint(bases, " ", file)
		}
		if got != c.want {
			t.Errorf("%v %q: %q, want %q", c.props, c.path, got, c.want)
		}
	}
}

func TestBraces(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a":             "[/a]",
		"/{a,b}/{c,d,e}": "[/a/c /a/d /a/e /b/c /b/d /b/e]",
		"/{a}":           "[/a]",
	} {
		if got := braces(path); fmt.Sprint(got) != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	for _, bad := range []string{
		strings.Repeat("{a,b}", 600), "/{a,b,c}{a,b,c}{a,b,c}{a,b,c}",
	} {
		if got := braces(bad); len(got) <= mostAlternatives || len(got) > 10*mostAlternatives {
			t.Errorf("%.20s: %d alternatives", bad, len(got))
		}
	}
}
