package hadoop

import (
	"cmp"
	"maps"
	"net"
	"path"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
)

// inputFiles are the files that a job reads, as its configuration names them, and the address of their file system.
type inputFiles struct {
	paths  []string // as named, perhaps with wildcards; at most mostPaths
	more   bool     // there were more of them
	system string   // fs.defaultFS
	tls    bool     // HDFS is queried over TLS only
	// Addresses of NameNodes, by the rest of the property's name: "", ".NAMESERVICE", ".NAMESERVICE.NAMENODE"; with
	// an "s" before it for TLS.
	address map[string]string
}

const (
	namenodeHTTP  = "dfs.namenode.http-address"
	namenodeHTTPS = "dfs.namenode.https-address"
	// namenodePort and namenodeTLSPort are Hadoop 3's defaults for addresses without a port.
	namenodePort, namenodeTLSPort = "9870", "9871"

	// Bounds of what is kept of a configuration, which the job's owner wrote.
	mostPaths      = 100
	mostAddresses  = 100
	longestAddress = 256  // bytes
	longestPath    = 4096 // bytes
)

// addressOf keeps a property if it is the address of a NameNode.
func (f *inputFiles) addressOf(name, value string) {
	suffix, tls := strings.CutPrefix(name, namenodeHTTPS)
	if !tls {
		var ok bool
		if suffix, ok = strings.CutPrefix(name, namenodeHTTP); !ok {
			return
		}
	} else {
		suffix = "s" + suffix
	}
	if value == "" || len(name)+len(value) > longestAddress || len(f.address) >= mostAddresses {
		return
	}
	if f.address == nil {
		f.address = map[string]string{}
	}
	f.address[strings.Clone(suffix)] = strings.Clone(value)
}

// name takes the paths. Pig lists those of all its inputs in a property of its own, because
// mapreduce.input.fileinputformat.inputdir has those of the last input only. MultipleInputs has a list of
// PATH;FORMAT.
func (f *inputFiles) name(pig, dirs, formats string) {
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
		if f.more = len(f.paths) == mostPaths || len(one) > longestPath; f.more {
			return
		}
		f.paths = append(f.paths, strings.Clone(one))
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

// place returns the bases of the NameNodes that serve a path, and the path there. ok is false if the path is not on
// HDFS, or its file system is unknown.
func (f *inputFiles) place(name string) (bases []string, file string, ok bool) {
	own, _, of := authority(f.system)
	file = name
	system := own
	if !strings.HasPrefix(name, "/") {
		if system, file, ok = authority(name); !ok {
			return nil, "", false
		}
		system = cmp.Or(system, own)
	} else if !of {
		return nil, "", false
	}
	file = path.Clean(file)
	// Anything that inspects requests would take a path on HDFS that contains the path of a YARN service for that
	// service's.
	if strings.ContainsFunc(file, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		strings.Contains(file, "/ws/v1/") || strings.Contains(file, "/proxy/") {
		return nil, "", false
	}
	return f.namenodes(system, own), file, system != ""
}

// authority splits an address of HDFS, hdfs://HOST:PORT/PATH or hdfs://NAMESERVICE/PATH.
func authority(address string) (system, file string, ok bool) {
	below, ok := strings.CutPrefix(address, "hdfs:")
	if !ok {
		return "", "", false
	}
	if after, found := strings.CutPrefix(below, "//"); found {
		if i := strings.IndexByte(after, '/'); i >= 0 {
			system, below = after[:i], after[i:]
		} else {
			system, below = after, "/"
		}
		if system != "" && !rest.PlainHost(system) {
			return "", "", false
		}
	}
	return system, below, strings.HasPrefix(below, "/")
}

// namenodes returns the bases of a file system's NameNodes: those that are named for it or else, for the default
// file system, the only one.
func (f *inputFiles) namenodes(system, own string) []string {
	scheme, port, mark := "http", namenodePort, ""
	if f.tls {
		scheme, port, mark = "https", namenodeTLSPort, "s"
	}
	host, _, err := net.SplitHostPort(system)
	if err != nil {
		host = system
	}
	var out []string
	for _, suffix := range slices.Sorted(maps.Keys(f.address)) {
		of, ok := strings.CutPrefix(suffix, mark+".")
		if ok && (of == host || strings.HasPrefix(of, host+".")) {
			if base, err := baseURL(scheme, f.address[suffix], port, namenodeHTTP); err == nil &&
				!wildcard(f.address[suffix]) {
				out = append(out, base)
			}
		}
	}
	given, named := f.address[mark]
	if len(out) > 0 || !named || system != own {
		return out
	}
	if wildcard(given) { // it serves every address of the machine in the file system's name
		if _, p, err := net.SplitHostPort(given); err == nil && p != "" {
			port = p
		}
		given = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	if base, err := baseURL(scheme, given, port, namenodeHTTP); err == nil {
		out = append(out, base)
	}
	return out
}

// namenodes returns the bases of the NameNodes that the properties name.
func (p *Properties) namenodes() []string {
	f := inputFiles{system: p.Get("fs.defaultFS"), tls: p.Get("dfs.http.policy") == "HTTPS_ONLY"}
	for _, name := range slices.Sorted(maps.Keys(p.raw)) {
		f.addressOf(name, p.Get(name))
	}
	own, _, ok := authority(f.system)
	var systems []string
	if ok && own != "" {
		systems = append(systems, own)
	}
	for _, suffix := range slices.Sorted(maps.Keys(f.address)) {
		if _, of, found := strings.Cut(suffix, "."); found {
			service, _, _ := strings.Cut(of, ".")
			systems = append(systems, service)
		}
	}
	if f.address[""] == "" && f.address["s"] == "" && len(f.address) == 0 && len(systems) > 0 {
		f.address = map[string]string{"": "0.0.0.0", "s": "0.0.0.0"} // Hadoop's defaults
	}
	var out []string
	for _, system := range systems {
		out = append(out, f.namenodes(system, own)...)
	}
	return distinct(out...)
}
