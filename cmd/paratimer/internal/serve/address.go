package serve

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Address reads what a person gives for an address: PORT and :PORT mean this machine alone, everything else is
// HOST:PORT. Exposed says that others can reach it.
func Address(typed string) (address string, exposed bool, err error) {
	if !strings.Contains(typed, ":") {
		typed = ":" + typed
	}
	host, port, err := net.SplitHostPort(typed)
	if err != nil {
		return "", false, fmt.Errorf("%q is not an address: give a port, such as 9188, or HOST:PORT", typed)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", false, fmt.Errorf("%q is not a port: give one from 1 to 65535, or 0 for any that is free", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	address = net.JoinHostPort(host, port)
	return address, !loopback(address), nil
}

// loopback says whether an address of the form HOST:PORT is this machine's own.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
