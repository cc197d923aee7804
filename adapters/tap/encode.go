package tap

import (
	"encoding/json"
	"fmt"
)

// Encode returns the batch as JSON without a line break. It returns an error for a batch that Decode would reject.
func (b Batch) Encode() ([]byte, error) {
	if err := b.valid(); err != nil {
		return nil, fmt.Errorf("tap: a batch that cannot be sent: %w", err)
	}
	out, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("tap: a batch that cannot be written: %w", err)
	}
	if len(out) > MaxBatchBytes {
		return nil, fmt.Errorf("tap: a batch of %d bytes cannot be sent: %d at most; send fewer points or keys",
			len(out), MaxBatchBytes)
	}
	return out, nil
}
