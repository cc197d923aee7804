package tty

import "strings"

// Capable says whether a terminal of this environment and size, in cells, can show a screen.
func Capable(env func(string) string, width, height int) bool {
	t := env("TERM")
	return t != "" && t != "dumb" && width > 0 && height > 0
}

// UTF8 says whether the locale's characters are UTF-8, by the first of LC_ALL, LC_CTYPE and LANG that is set (POSIX,
// XBD 8.2).
func UTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}
