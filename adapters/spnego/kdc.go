package spnego

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/messages"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

const (
	patience  = 5 * time.Second // for one KDC
	maxAnswer = 1 << 20         // bytes; tickets of users in a thousand groups take 64 KiB
)

// kdcs returns the addresses of a realm's KDCs, in the order of krb5.conf or DNS.
func (c *conf) kdcs(ctx context.Context, realm string) ([]string, error) {
	var out []string
	for _, s := range c.all("realms", realm, "kdc") {
		v := strings.TrimPrefix(strings.TrimPrefix(s.value, "tcp/"), "udp/")
		if _, _, err := net.SplitHostPort(v); err != nil {
			v = net.JoinHostPort(strings.Trim(v, "[]"), "88")
		}
		out = append(out, v)
	}
	if len(out) == 0 && c.gokrb5.LibDefaults.DNSLookupKDC {
		_, found, _ := net.DefaultResolver.LookupSRV(ctx, "kerberos", "tcp", realm) // the error says less than ours
		for _, s := range found {
			out = append(out, net.JoinHostPort(strings.TrimSuffix(s.Target, "."), strconv.Itoa(int(s.Port))))
		}
	}
	if len(out) == 0 && ctx.Err() == nil {
		return nil, hinted("is the realm's name right (it is mostly in capitals)? "+
			"Name its KDC under [realms] in krb5.conf (KRB5_CONFIG)", "no KDC is known of the realm %s", realm)
	}
	return out, ctx.Err()
}

// ask sends a message to the realm's KDCs, one after the other until one responds. A KDC's refusal is a
// messages.KRBError.
func (c *conf) ask(ctx context.Context, realm string, msg []byte) ([]byte, error) {
	addrs, err := c.kdcs(ctx, realm)
	if err != nil {
		return nil, err
	}
	var silent []string
	for _, addr := range addrs {
		answer, err := exchange(ctx, addr, msg)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			silent = append(silent, err.Error())
			continue
		}
		var refused messages.KRBError
		if refused.Unmarshal(answer) == nil {
			return nil, refused
		}
		return answer, nil
	}
	return nil, hinted("is it up, is port 88 open for this machine, is [realms] in krb5.conf right?",
		"no KDC of %s answers: %s", realm, input.OneLine(strings.Join(silent, "; "), 140))
}

// exchange sends a message to one KDC over TCP (RFC 4120 section 7.2.2), which every KDC supports.
func exchange(ctx context.Context, addr string, msg []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close() //nolint:errcheck // all has been said by then
	defer context.AfterFunc(ctx,
		func() { conn.SetDeadline(time.Unix(1, 0)) })() //nolint:errcheck // what is under way ends then
	if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(msg))), msg...)); err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	size := binary.BigEndian.Uint32(head)
	if size > maxAnswer {
		return nil, fmt.Errorf("%s: an answer of %d bytes is none of a KDC", addr, size)
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return answer, nil
}
