package hadoopconf

import (
	"cmp"
	"maps"
	"net"
	"path"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
)

// NameNodes are the default file system and the addresses of HDFS's NameNodes, as a configuration names them.
type NameNodes struct {
	system string // fs.defaultFS
	tls    bool   // HDFS is queried over TLS only
	// Addresses by the rest of the property's name: "", ".NAMESERVICE", ".NAMESERVICE.NAMENODE"; with an "s" before
	// it for TLS.
	address map[string]string
}

const (
	namenodeHTTP  = "dfs.namenode.http-address"
	namenodeHTTPS = "dfs.namenode.https-address"
	// namenodePort and namenodeTLSPort are Hadoop 3's defaults for addresses without a port.
	namenodePort, namenodeTLSPort = "9870", "9871"

	// Bounds of what is kept of a configuration, which a job's owner may have written.
	mostAddresses  = 100
	longestAddress = 256 // bytes
)

// Set takes a property if it belongs to a NameNode. It does not retain its arguments.
func (n *NameNodes) Set(name, value string) {
	switch name {
	case "fs.defaultFS":
		n.system = strings.Clone(value[:min(len(value), longestAddress)])
		return
	case "dfs.http.policy":
		n.tls = value == "HTTPS_ONLY"
		return
	}
	suffix, ok := strings.CutPrefix(name, namenodeHTTP)
	if of, tls := strings.CutPrefix(name, namenodeHTTPS); tls {
		suffix, ok = "s"+of, true
	}
	if !ok || value == "" || len(name)+len(value) > longestAddress || len(n.address) >= mostAddresses {
		return
	}
	if n.address == nil {
		n.address = map[string]string{}
	}
	n.address[strings.Clone(suffix)] = strings.Clone(value)
}

// Place returns the bases of the NameNodes that serve a path, and the path there. ok is false if the path is not on
// HDFS, or its file system is unknown.
func (n *NameNodes) Place(name string) (bases []string, file string, ok bool) {
	own, _, ok := authority(n.system)
	if ok && strings.HasPrefix(name, "/") {
		name = "hdfs:" + path.Clean(name)
	}
	system, file, ok := authority(name)
	if !ok {
		return nil, "", false
	}
	system = cmp.Or(system, own)
	file = path.Clean(file)
	// Anything that inspects requests would take a path on HDFS that contains the path of a YARN service for that
	// service's.
	if strings.ContainsFunc(file, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
		strings.Contains(file, "/ws/v1/") || strings.Contains(file, "/proxy/") {
		return nil, "", false
	}
	return n.of(system, own), file, system != ""
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

// of returns the bases of a file system's NameNodes: those that are named for it or else, for the default
// file system, the only one.
func (n *NameNodes) of(system, own string) []string {
	scheme, port, mark := "http", namenodePort, ""
	if n.tls {
		scheme, port, mark = "https", namenodeTLSPort, "s"
	}
	host := hostOf(system)
	var out []string
	for _, suffix := range slices.Sorted(maps.Keys(n.address)) {
		of, ok := strings.CutPrefix(suffix, mark+".")
		if ok && (of == host || strings.HasPrefix(of, host+".")) {
			if base, err := baseURL(scheme, n.address[suffix], port, namenodeHTTP); err == nil &&
				!wildcard(n.address[suffix]) {
				out = append(out, base)
			}
		}
	}
	given, named := n.address[mark]
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

// nameNodes returns the bases of the NameNodes that the properties name.
func (p *Properties) nameNodes() []string {
	var n NameNodes
	for _, name := range slices.Sorted(maps.Keys(p.raw)) {
		n.Set(name, p.Get(name))
	}
	var systems []string
	own, _, _ := authority(n.system)
	if own != "" {
		systems = append(systems, own)
	}
	for _, suffix := range slices.Sorted(maps.Keys(n.address)) {
		if _, of, found := strings.Cut(suffix, "."); found {
			service, _, _ := strings.Cut(of, ".")
			systems = append(systems, service)
		}
	}
	if len(n.address) == 0 {
		n.address = map[string]string{"": "0.0.0.0", "s": "0.0.0.0"} // Hadoop's defaults
	}
	var out []string
	for _, system := range systems {
		out = append(out, slices.DeleteFunc(n.of(system, own), func(base string) bool {
			return slices.Contains(out, base)
		})...)
	}
	return out
}
