package observed

import (
	"os"
	"strconv"
)

func tune(name string, def float64) float64 {
	if v, err := strconv.ParseFloat(os.Getenv("T_"+name), 64); err == nil {
		return v
	}
	return def
}
