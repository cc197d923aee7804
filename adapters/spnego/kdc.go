package spnego

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/iana/patype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"

	"github.com/paratimer/paratimer/adapters/internal/input"
)

// A ticket is a Kerberos ticket with its session key.
type ticket struct {
	messages.Ticket
	key                   types.EncryptionKey
	start, end, renewTill time.Time
}

// fresh reports whether the ticket may still be used at now. Requests take time to arrive, and clocks differ a
// little.
func (t *ticket) fresh(now time.Time) bool {
	return t != nil && now.Before(t.end.Add(-min(time.Minute, t.end.Sub(t.start)/6)))
}

// authenticate requests a ticket-granting ticket from the KDC (RFC 4120 section 3.1). keys are the principal's, the
// newest first.
func (c *conf) authenticate(ctx context.Context, who principal, keys []keyEntry, file string) (t *ticket, err error) {
	defer guard(&err, errUnreadable)
	req, err := messages.NewASReqForTGT(who.realm, c.gokrb5, who.name())
	if err != nil {
		return nil, err
	}
	req.ReqBody.EType = slices.DeleteFunc(slices.Clone(c.etypes), func(id int32) bool {
		return !slices.ContainsFunc(keys, func(k keyEntry) bool { return k.key.KeyType == id })
	})
	if len(req.ReqBody.EType) == 0 {
		return nil, hinted("make a keytab with AES keys, or set permitted_enctypes",
			"the keys of %s in %s are of kinds that krb5.conf does not permit or that are not supported", who, file)
	}
	var rep messages.ASRep
	err = c.send(ctx, who.realm, &req, &rep)
	if refused, ok := errors.AsType[messages.KRBError](err); ok &&
		refused.ErrorCode == errorcode.KDC_ERR_PREAUTH_REQUIRED {
		if err := prove(&req, refused, keys); err != nil {
			return nil, err
		}
		err = c.send(ctx, who.realm, &req, &rep)
	}
	if err != nil {
		return nil, explain(err, who, "", file)
	}
	for _, k := range keys {
		if k.key.KeyType != rep.EncPart.EType {
			continue
		}
		t, err := opened(&rep.KDCRepFields, k.key, keyusage.AS_REP_ENCPART, req.ReqBody.Nonce)
		if err == nil || errors.Is(err, errUnreadable) {
			return t, err
		} // an older key of the same kind may do
	}
	return nil, wrongKey(who, file)
}

// send sends a request to the realm's KDCs, and decodes the response.
func (c *conf) send(ctx context.Context, realm string, req interface{ Marshal() ([]byte, error) },
	rep interface{ Unmarshal(b []byte) error },
) error {
	b, err := req.Marshal()
	if err != nil {
		return err
	}
	answer, err := c.ask(ctx, realm, b)
	if err == nil && rep.Unmarshal(answer) != nil {
		err = errUnreadable
	}
	return err
}

// opened decrypts a KDC's response with a key, and checks it against the request's nonce.
func opened(rep *messages.KDCRepFields, key types.EncryptionKey, usage uint32, nonce int) (*ticket, error) {
	b, err := crypto.DecryptEncPart(rep.EncPart, key, usage)
	if err != nil {
		return nil, err
	}
	var part messages.EncKDCRepPart
	if err := part.Unmarshal(b); err != nil || part.Nonce != nonce {
		return nil, errUnreadable
	}
	t := &ticket{Ticket: rep.Ticket, key: part.Key, start: part.StartTime, end: part.EndTime, renewTill: part.RenewTill}
	if t.start.IsZero() {
		t.start = part.AuthTime
	}
	return t, nil
}

// prove adds the time, encrypted with a key of the kind that the KDC requires (RFC 4120 section 5.2.7.2).
func prove(req *messages.ASReq, refused messages.KRBError, keys []keyEntry) error {
	var hints types.PADataSequence
	if err := hints.Unmarshal(refused.EData); err != nil {
		return errUnreadable
	}
	wanted := req.ReqBody.EType[0]
	for _, h := range hints {
		if info, err := h.GetETypeInfo2(); h.PADataType == patype.PA_ETYPE_INFO2 && err == nil && len(info) > 0 {
			wanted = info[0].EType
		}
	}
	i := slices.IndexFunc(keys, func(k keyEntry) bool { return k.key.KeyType == wanted })
	if i < 0 {
		return hinted("make a new keytab: ktadd in kadmin",
			"the KDC requires a key of kind %d, and the keytab has none", wanted)
	}
	stamp, err := types.GetPAEncTSEncAsnMarshalled()
	if err != nil {
		return err
	}
	sealed, err := crypto.GetEncryptedData(stamp, keys[i].key, keyusage.AS_REQ_PA_ENC_TIMESTAMP, keys[i].version)
	if err != nil {
		return err
	}
	b, err := sealed.Marshal()
	if err != nil {
		return err
	}
	req.PAData = types.PADataSequence{{PADataType: patype.PA_ENC_TIMESTAMP, PADataValue: b}}
	return nil
}

// errUnreadable means that a KDC's response cannot be decoded.
var errUnreadable = &Error{Text: "the answer of the KDC cannot be read", Hint: "is it a KDC that krb5.conf names?"}

// guard turns a panic of gokrb5 on malformed input into an error.
func guard(err *error, instead error) {
	if recover() != nil {
		*err = instead
	}
}

func tgs(realm string) types.PrincipalName {
	return types.PrincipalName{NameType: nametype.KRB_NT_SRV_INST, NameString: []string{"krbtgt", realm}}
}

// service requests a ticket to HTTP on host, in the realm in krb5.conf, or else in the one that the KDC refers to.
func (c *conf) service(ctx context.Context, who principal, tgt *ticket, host string) (*ticket, error) {
	name := principal{parts: []string{"HTTP", host}}
	asked := name.name()
	asked.NameType = nametype.KRB_NT_SRV_HST // KDCs refer only requests for a service of a host
	realm := c.gokrb5.ResolveRealm(strings.ToLower(host))
	at := who.realm
	if realm != "" && realm != at {
		across, err := c.grant(ctx, who, tgt, at, tgs(realm), false)
		if err != nil {
			return nil, explain(err, who, "krbtgt/"+realm, "")
		}
		tgt, at = across, realm
	}
	t, err := c.grant(ctx, who, tgt, at, asked, false)
	if err == nil && referred(t) != "" && referred(t) != at { // RFC 6806 section 8
		at = referred(t)
		t, err = c.grant(ctx, who, t, at, asked, false)
	}
	if err != nil {
		return nil, explain(err, who, name.String()+"@"+at, "")
	}
	if referred(t) != "" {
		return nil, hinted("set it under [domain_realm] in krb5.conf",
			"the realm of %s is more than one referral away", name)
	}
	return t, nil
}

// referred returns the realm of a ticket that is a referral, "" if it is for a service.
func referred(t *ticket) string {
	if n := t.SName.NameString; len(n) == 2 && n[0] == "krbtgt" {
		return n[1]
	}
	return ""
}

// grant is one exchange with the ticket-granting service of realm (RFC 4120 section 3.3).
func (c *conf) grant(ctx context.Context, who principal, tgt *ticket, realm string, name types.PrincipalName,
	renew bool,
) (t *ticket, err error) {
	defer guard(&err, errUnreadable)
	req, err := messages.NewTGSReq(who.name(), realm, c.gokrb5, tgt.Ticket, tgt.key, name, renew)
	if err != nil {
		return nil, err
	}
	var rep messages.TGSRep
	if err := c.send(ctx, realm, &req, &rep); err != nil {
		return nil, err
	}
	t, err = opened(&rep.KDCRepFields, tgt.key, keyusage.TGS_REP_ENCPART_SESSION_KEY, req.ReqBody.Nonce)
	if err != nil {
		return nil, errUnreadable
	}
	return t, nil
}

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
			"Name its KDC under [realms] in krb5.conf (KRB5_CONFIG)", "no KDC of the realm %s is configured", realm)
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
	defer conn.Close() //nolint:errcheck // the response was read
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
		return nil, fmt.Errorf("%s: an answer of %d bytes is not from a KDC", addr, size)
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return answer, nil
}
