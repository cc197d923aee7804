package screen

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// schemes are the 16 colors of common terminals: xterm's defaults, VGA as the Linux console, and Tango as
// GNOME's.
var schemes = map[string][16]uint32{
	"xterm": {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
		0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	},
	"vga": {
		0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555,
		0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
	},
	"tango": {
		0x2e3436, 0xcc0000, 0x4e9a06, 0xc4a000, 0x3465a4, 0x75507b, 0x06989a, 0xd3d7cf, 0x555753, 0xef2929,
		0x8ae234, 0xfce94f, 0x729fcf, 0xad7fa8, 0x34e2e2, 0xeeeeec,
	},
}

// coloured matches an escape sequence with one of the 16 colours.
var coloured = regexp.MustCompile(`[\[;]([39])([0-7])m`)

// TestContrast checks that each colour can be read on its ground in each scheme: 4.5 to 1 (WCAG 2.2, 1.4.3).
func TestContrast(t *testing.T) {
	checked := 0
	for name, scheme := range schemes {
		for _, r := range []role{plain, strong, dim, good, warn, bad, path, lane, pick} {
			dark := text(r, "x")
			for ground, drawn := range map[uint32]string{0x000000: dark, 0xffffff: onLight.Replace(dark)} {
				colour := coloured.FindStringSubmatch(drawn)
				if colour == nil {
					continue
				}
				at, _ := strconv.Atoi(colour[2])
				if colour[1] == "9" {
					at += 8
				}
				checked++
				if c := contrast(scheme[at], ground); c < 4.5 {
					t.Errorf("%s: role %s, colour %d on %06x: contrast %.2f", name, r, at, ground, c)
				}
			}
		}
	}
	if checked != 27 {
		t.Errorf("%d colours checked", checked)
	}
}

// contrast is that of WCAG 2.2.
func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c uint32) float64 {
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		v := float64(c>>(8*i)&0xff) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
