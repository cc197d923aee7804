package mapreduce

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// getConf decodes a job's configuration. A Pig job's has 350 KB, and a hundredth of that is needed. Scanning takes
// a tenth of the time of decoding it all, which counts when a thousand jobs are found at once.
func getConf(ctx context.Context, what string, body []byte, err error) (confBody, error) {
	if err == nil {
		s := confScanner{b: body}
		if s.document() {
			var out confBody
			out.Conf.V.Properties = s.found
			return out, nil
		}
	}
	return yarn.Read[confBody](ctx, what, body, err) // also for everything that the scanner does not expect
}

// confPrefixes are the prefixes of all properties that a Settings is made of.
var confPrefixes = append(hadoopconf.NameNodeProperties(), "mapreduce.", "pig.", "yarn.", "stop.", "hive.exec.parallel")

// A confScanner walks over {"conf":{"property":[{"name":…,"value":…},…]}}. Its methods return false if they find
// something else; then their results do not count.
type confScanner struct {
	b       []byte
	at      int
	found   rest.List[wireProperty]
	hasList bool // of properties
}

func (s *confScanner) document() bool {
	ok := s.object(func(key string) bool {
		if key != "conf" {
			return s.skip()
		}
		return s.object(func(key string) bool {
			if key != "property" {
				return s.skip()
			}
			if s.hasList {
				return false
			}
			s.hasList = true
			return s.array(s.property)
		})
	})
	s.space()
	return ok && s.hasList && s.at == len(s.b)
}

func (s *confScanner) property() bool {
	var p wireProperty
	ok := s.object(func(key string) bool {
		switch key {
		case "name":
			return s.text(&p.Name)
		case "value":
			from := s.at
			if !s.skip() {
				return false
			}
			if !wanted(string(p.Name)) {
				return true
			}
			s.at = from
			return s.text(&p.Value)
		}
		return s.skip()
	})
	if ok && p.Name != "" && wanted(string(p.Name)) {
		s.found = append(s.found, p)
	}
	return ok
}

// otherCase reports whether a key differs from one of the scanned keys in case only: encoding/json would accept it.
func otherCase(key string) bool {
	for _, read := range []string{"conf", "property", "name", "value"} {
		if key != read && strings.EqualFold(key, read) {
			return true
		}
	}
	return false
}

// Reports whether a property may be needed. An unknown name may be.
func wanted(name string) bool {
	if name == "" {
		return true
	}
	for _, p := range confPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func (s *confScanner) space() {
	for s.at < len(s.b) && (s.b[s.at] == ' ' || s.b[s.at] == '\n' || s.b[s.at] == '\t' || s.b[s.at] == '\r') {
		s.at++
	}
}

// next consumes the character c after white space, and reports whether it was there.
func (s *confScanner) next(c byte) bool {
	s.space()
	if s.at < len(s.b) && s.b[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *confScanner) object(value func(key string) bool) bool {
	if !s.next('{') {
		return false
	}
	if s.next('}') {
		return true
	}
	for {
		s.space()
		raw, escaped, ok := s.quoted()
		if !ok || escaped {
			return false
		}
		key := string(raw[1 : len(raw)-1])
		if otherCase(key) || !s.next(':') || !value(key) {
			return false
		}
		if s.next('}') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

func (s *confScanner) array(value func() bool) bool {
	if !s.next('[') {
		return false
	}
	if s.next(']') {
		return true
	}
	for value() {
		if s.next(']') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
	return false
}

// quoted consumes a string and returns it with its quotes.
func (s *confScanner) quoted() (raw []byte, escaped, ok bool) {
	if s.at >= len(s.b) || s.b[s.at] != '"' {
		return nil, false, false
	}
	for i := s.at + 1; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '\\':
			escaped = true
			i++
		case c == '"':
			raw = s.b[s.at : i+1]
			s.at = i + 1
			return raw, escaped, true
		case c < ' ':
			return nil, false, false
		}
	}
	return nil, false, false
}

// text decodes a value as the type loose.Raw does.
func (s *confScanner) text(to *loose.Raw) bool {
	s.space()
	if b, escaped, ok := s.quoted(); ok && !escaped && utf8.Valid(b) {
		*to = loose.Raw(b[1 : len(b)-1])
		return true
	} else if ok {
		return json.Unmarshal(b, to) == nil
	}
	from := s.at
	if !s.skip() {
		return false
	}
	return json.Unmarshal(s.b[from:s.at], to) == nil
}

// skip consumes any value but an object.
func (s *confScanner) skip() bool {
	s.space()
	if s.at >= len(s.b) {
		return false
	}
	switch s.b[s.at] {
	case '"':
		_, _, ok := s.quoted()
		return ok
	case '[':
		return s.array(s.skip)
	case '{':
		return false // no configuration has one here
	}
	n := bytes.IndexAny(s.b[s.at:], ",]} \n\t\r")
	if n <= 0 || !json.Valid(s.b[s.at:s.at+n]) {
		return false
	}
	s.at += n
	return true
}
