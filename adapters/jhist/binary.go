package jhist

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/linkedin/goavro/v2"
)

// binary reads events in Avro's binary encoding, one bare record after another, by the file's own schema.
type binary struct {
	in    *bufio.Reader
	codec *goavro.Codec
	buf   []byte // read but not yet decoded
	ended bool   // the file has no more data
}

// maxItems bounds the announced items of an array or map, because goavro allocates memory for all of them at once.
const maxItems = 1 << 16

var bounded = sync.OnceFunc(func() { goavro.MaxBlockCount, goavro.MaxBlockSize = maxItems, maxEvent })

func newBinary(in *bufio.Reader, schema string) (*binary, error) {
	if err := checkSchema(schema); err != nil {
		return nil, fmt.Errorf("the schema in line 2: %w", err)
	}
	bounded()
	codec, err := goavro.NewCodec(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2: %w", err)
	}
	return &binary{in: in, codec: codec}, nil
}

// next decodes the next event. If the data is incomplete, it tries again with twice as much.
func (b *binary) next(e *event) error {
	for {
		if len(b.buf) > 0 {
			native, rest, err := b.codec.NativeFromBinary(b.buf)
			if err == nil {
				b.buf = rest
				return fromNative(native, e)
			}
			// goavro reports missing data only in the error's text.
			if short := strings.Contains(err.Error(), io.ErrShortBuffer.Error()) ||
				strings.Contains(err.Error(), io.EOF.Error()); !short {
				return fmt.Errorf("not what the schema in line 2 says: %w", err)
			}
		}
		switch {
		case b.ended && len(b.buf) == 0:
			return io.EOF
		case b.ended:
			return io.ErrUnexpectedEOF
		case len(b.buf) > maxEvent:
			return fmt.Errorf("it is longer than %d bytes", maxEvent)
		}
		if err := b.more(); err != nil {
			return err
		}
	}
}

// more doubles the data in the buffer, by at least 64 KB.
func (b *binary) more() error {
	old := len(b.buf)
	grown := make([]byte, old+max(old, 1<<16))
	copy(grown, b.buf)
	n, err := io.ReadFull(b.in, grown[old:])
	b.buf = grown[:old+n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		b.ended, err = true, nil
	}
	return err
}

// fromNative decodes goavro's form of an event, which has the shape of Avro's JSON.
func fromNative(native any, e *event) error {
	fields, ok := native.(map[string]any)
	if !ok {
		return errBad
	}
	kind, _ := fields["type"].(string)
	if kind == "" {
		return errBad
	}
	if !wanted[kind] {
		e.kind = kind
		return nil
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return errBad // a float that is not a number
	}
	return decode(b, e)
}
