package mrjob

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// A Property is one setting of a job's configuration.
type Property struct{ Name, Value string }

type confBody struct {
	Conf rest.Box[struct {
		Properties rest.List[struct {
			Name  loose.Raw `json:"name"`
			Value loose.Raw `json:"value"`
		}] `json:"property"`
	}] `json:"conf"`
}

// Properties reads the properties that settings are made of from a response with a job's configuration. The request may
// have failed with err. what names it in errors.
//
// The configuration of a Pig job has 350 KB, and a hundredth of that is needed. A scan takes a tenth of the time of
// decoding it all, which counts if a thousand jobs are found at once. A body that the scan does not expect is decoded.
func Properties(ctx context.Context, what string, body []byte, err error) ([]Property, error) {
	if err == nil {
		if s := (scan{b: body}); s.document() {
			return s.found, nil
		}
	}
	b, err := yarn.Read[confBody](ctx, what, body, err)
	var out []Property
	for _, p := range b.Conf.V.Properties {
		out = append(out, Property{string(p.Name), string(p.Value)})
	}
	return out, err //nolint:wrapcheck // it names the request
}

// needed are the prefixes of all properties that settings are made of.
var needed = append(hadoopconf.NameNodeProperties(), "mapreduce.", "pig.", "yarn.", "stop.", "hive.exec.parallel")

func isNeeded(name string) bool {
	for _, p := range needed {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// A scan walks over {"conf":{"property":[{"name":…,"value":…},…]}}. Its methods consume a part of it, and return false
// if they find something else. Then the scan has failed, and found does not count.
type scan struct {
	b       []byte
	at      int
	found   []Property
	hasList bool // of properties
}

func (s *scan) document() bool {
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
			return s.list('[', ']', s.property)
		})
	})
	s.space()
	return ok && s.hasList && s.at == len(s.b)
}

func (s *scan) property() bool {
	var name, value loose.Raw
	text := []byte("null") // of the value
	ok := s.object(func(key string) bool {
		s.space()
		from := s.at
		if !s.skip() {
			return false
		}
		switch key {
		case "name":
			return name.UnmarshalJSON(s.b[from:s.at]) == nil
		case "value":
			text = s.b[from:s.at]
		}
		return true
	})
	if !ok || !isNeeded(string(name)) {
		return ok
	}
	ok = value.UnmarshalJSON(text) == nil
	s.found = append(s.found, Property{string(name), string(value)})
	return ok
}

// object consumes an object. value consumes the value of a key.
func (s *scan) object(value func(key string) bool) bool {
	return s.list('{', '}', func() bool {
		s.space()
		from := s.at
		if !s.quoted() {
			return false
		}
		key := string(s.b[from+1 : s.at-1])
		return !strings.Contains(key, `\`) && !otherCase(key) && s.next(':') && value(key)
	})
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

// list consumes items that are separated by commas, between open and end.
func (s *scan) list(open, end byte, item func() bool) bool {
	if !s.next(open) {
		return false
	}
	if s.next(end) {
		return true
	}
	for item() {
		if s.next(end) {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
	return false
}

func (s *scan) space() {
	for s.at < len(s.b) && bytes.IndexByte([]byte(" \n\t\r"), s.b[s.at]) >= 0 {
		s.at++
	}
}

// next consumes the character c after white space, and reports whether it was there.
func (s *scan) next(c byte) bool {
	s.space()
	found := s.at < len(s.b) && s.b[s.at] == c
	if found {
		s.at++
	}
	return found
}

// quoted consumes a string.
func (s *scan) quoted() bool {
	if s.at >= len(s.b) || s.b[s.at] != '"' {
		return false
	}
	for i := s.at + 1; i < len(s.b) && s.b[i] >= ' '; i++ {
		switch s.b[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			return true
		}
	}
	return false
}

// skip consumes any value but an object, which no configuration has as the value of a property.
func (s *scan) skip() bool {
	s.space()
	if s.at >= len(s.b) {
		return false
	}
	switch s.b[s.at] {
	case '"':
		return s.quoted()
	case '[':
		return s.list('[', ']', s.skip)
	case '{':
		return false
	}
	n := bytes.IndexAny(s.b[s.at:], ",]} \n\t\r")
	if n <= 0 || !json.Valid(s.b[s.at:s.at+n]) {
		return false
	}
	s.at += n
	return true
}
