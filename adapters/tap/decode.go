package tap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Encode returns the batch as JSON without a line break. It returns an error for a batch that Decode would reject.
func (b Batch) Encode() ([]byte, error) {
	err := b.valid()
	var out []byte
	if err == nil {
		out, err = json.Marshal(b)
	}
	if len(out) > MaxBatchBytes {
		err = fmt.Errorf("%d bytes, %d at most; send fewer points or keys", len(out), MaxBatchBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("tap: a batch that cannot be sent: %w", err)
	}
	return out, nil
}

// Decode reads one batch, which must end the input. It reads at most MaxBatchBytes+1 bytes. The smallest element of a
// list takes three bytes of them, and 32 in memory. Decode returns a valid batch, or an error that names the field.
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
	b := Batch{Seq: -1}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields() // a typing error does not count as zero
	return b, plain(dec.Decode(&b))
}

// plain removes Go's names from an error and bounds its length, because it may quote the input.
func plain(err error) error {
	if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Errorf("%s: a %.40s is not what belongs there", kind.Field, kind.Value)
	}
	if err != nil {
		return fmt.Errorf("%.200s", err.Error())
	}
	return nil
}
