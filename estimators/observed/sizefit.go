package observed

import "math"

// A sizeFit tells how much of the work of reduces goes by their bytes. The rest is alike for all: to open and to
// commit, or a few groups whose cost has nothing to do with their size. Reduces of 180 and of 90,000 bytes that both
// take four seconds do not tell what a byte costs.
type sizeFit struct{ n, units, ms, squares, products float64 }

func (f *sizeFit) add(units, ms float64) {
	f.n, f.units, f.ms = f.n+1, f.units+units, f.ms+ms
	f.squares, f.products = f.squares+units*units, f.products+units*ms
}

// sizeDoubt is how much it weighs that work goes by size, before tasks have told: as much as tasks whose relative sizes
// have this sum of squared deviations. It is the noise of relative lengths, 0.2 squared, over how far shares lie from
// 1, 0.5 squared.
const sizeDoubt = 0.2 * 0.2 / (0.5 * 0.5)

// share is how much of the work of a task of the mean size goes by size, 0 to 1: the slope of relative lengths over
// relative sizes, by ridge regression towards 1 (Hoerl and Kennard 1970).
func (f *sizeFit) share() float64 {
	size, length := f.units/f.n, f.ms/f.n
	spread, together := f.squares/(size*size)-f.n, f.products/(size*length)-f.n
	if share := (together + sizeDoubt) / (max(0, spread) + sizeDoubt); !math.IsNaN(share) {
		return min(max(share, 0), 1)
	}
	return 1 // nothing was seen, or nothing was done
}

// effort is how many units of a task of the mean size take as long as a task of so many.
func (f *sizeFit) effort(units float64) float64 {
	share := f.share()
	if share == 1 {
		return units
	}
	return share*units + (1-share)*f.units/f.n
}
