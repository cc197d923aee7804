package ernestmodel

import (
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/table"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ReadSpeeds reads measurements of machines, a table of the columns machine and speed; file is what messages call it.
func ReadSpeeds(r io.Reader, file string) (*ernest.Speeds, error) {
	t, err := table.Read(r, file, []table.Column{
		{Name: "machine", Kind: table.Text},
		{Name: "speed", Kind: table.Positive},
	})
	if err != nil {
		return nil, err
	}
	all := make([]ernest.Speed, t.Rows())
	for i := range all {
		all[i] = ernest.Speed{Machine: t.Texts[0][i], Value: t.Values[1][i]}
	}
	speeds, err := ernest.LearnSpeeds(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return speeds, nil
}
