package tap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// Decode reads one batch, which must end the input. It reads at most MaxBatchBytes+1 bytes and uses a few times that
// in memory. It returns a valid batch, or an error that names the field.
func Decode(r io.Reader) (Batch, error) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBatchBytes+1))
	if err != nil {
		return Batch{}, fmt.Errorf("tap: reading a batch: %w", err)
	}
	if len(body) > MaxBatchBytes {
		return Batch{}, fmt.Errorf("tap: a batch is at most %d bytes", MaxBatchBytes)
	}
	b, err := decode(body)
	if err == nil {
		err = b.valid()
	}
	if err != nil {
		return Batch{}, fmt.Errorf("tap: bad batch: %w", err)
	}
	return b, nil
}

func decode(body []byte) (Batch, error) {
	// The version comes first, because other versions may have other fields.
	var version struct {
		Version *int `json:"v"`
	}
	if err := json.Unmarshal(body, &version); err != nil {
		return Batch{}, plain(err)
	}
	if version.Version == nil {
		return Batch{}, errors.New("v: missing")
	}
	if v := *version.Version; v != Version {
		return Batch{}, fmt.Errorf("v: version %d; this end knows %d: use the paratimer-tap of the watcher's release",
			v, Version)
	}
	var b Batch
	err := strictly(body, &b)
	return b, err
}

// strictly rejects unknown fields, so that a typing error does not count as zero.
func strictly(body []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	return plain(dec.Decode(into))
}

// plain removes Go's names from an error and bounds its length, because it may quote the input.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s: a %.40s is not what belongs there", kind.Field, kind.Value)
	}
	if err != nil {
		return fmt.Errorf("%.200s", err.Error())
	}
	return nil
}

// UnmarshalJSON bounds the lists while it reads them. Otherwise two megabytes of "{}," could use a gigabyte of memory.
func (b *Batch) UnmarshalJSON(data []byte) error {
	type bare Batch
	in := struct {
		*bare
		Points json.RawMessage `json:"pts"`
	}{bare: (*bare)(b)}
	b.Seq = -1
	if err := strictly(data, &in); err != nil {
		return err
	}
	var err error
	b.Points, err = list(in.Points, "pts", MaxPoints, Point{missing, missing, missing, missing})
	return err
}

// UnmarshalJSON bounds the lists of a profile.
func (m *MapProfile) UnmarshalJSON(data []byte) error {
	type bare MapProfile
	in := struct {
		*bare
		Bytes json.RawMessage `json:"b"`
		Top   json.RawMessage `json:"top"`
	}{bare: (*bare)(m)}
	m.Records = missing
	if err := strictly(data, &in); err != nil {
		return fmt.Errorf("map: %w", err)
	}
	var err error
	if m.Bytes, err = list(in.Bytes, "map.b", MaxReduces, missing); err != nil {
		return err
	}
	m.Top, err = list(in.Top, "map.top", MaxKeys, Key{Reduce: -1, Bytes: missing})
	return err
}

// UnmarshalJSON distinguishes missing fields from zeros.
func (o *Open) UnmarshalJSON(data []byte) error {
	type bare Open
	in := bare{Bytes: missing, Seconds: missing}
	if err := strictly(data, &in); err != nil {
		return fmt.Errorf("open: %w", err)
	}
	*o = Open(in)
	return nil
}

// missing stands for absent fields and null. JSON itself has no NaN, and NaN is never valid.
var missing = math.NaN()

// list reads a list. blank is the initial value of each element.
func list[T any](raw json.RawMessage, field string, most int, blank T) ([]T, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, fmt.Errorf("%s: not a list", field)
	}
	var out []T
	for dec.More() {
		if len(out) == most {
			return nil, fmt.Errorf("%s: more than %d", field, most)
		}
		one := blank
		if err := dec.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", field, len(out), plain(err))
		}
		out = append(out, one)
	}
	return out, nil
}
