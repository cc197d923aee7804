package spnego

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/iana/patype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
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
	defer unreadable(&err)
	req, err := messages.NewASReqForTGT(who.realm, c.gokrb5, who.name())
	if err != nil {
		return nil, err
	}
	req.ReqBody.EType = c.usable(keys)
	if len(req.ReqBody.EType) == 0 {
		return nil, &Error{
			Text: fmt.Sprintf(
				"the keys of %s in %s are of kinds that krb5.conf does not permit or that are not supported", who,
				file),
			Hint: "make a keytab with AES keys, or set permitted_enctypes",
		}
	}
	answer, err := c.send(ctx, who.realm, &req)
	if refused, ok := errors.AsType[messages.KRBError](err); ok &&
		refused.ErrorCode == errorcode.KDC_ERR_PREAUTH_REQUIRED {
		if err := prove(&req, refused, keys); err != nil {
			return nil, err
		}
		answer, err = c.send(ctx, who.realm, &req)
	}
	if err != nil {
		return nil, explain(err, who, "", file)
	}
	var rep messages.ASRep
	if err := rep.Unmarshal(answer); err != nil {
		return nil, errUnreadable
	}
	return opened(&rep, &req, keys, who, file)
}

// usable returns the kinds of encryption that are permitted and have a key.
func (c *conf) usable(keys []keyEntry) (out []int32) {
	for _, id := range c.etypes {
		if slices.ContainsFunc(keys, func(k keyEntry) bool { return k.key.KeyType == id }) {
			out = append(out, id)
		}
	}
	return out
}

func (c *conf) send(ctx context.Context, realm string, req *messages.ASReq) ([]byte, error) {
	b, err := req.Marshal()
	if err != nil {
		return nil, err
	}
	return c.ask(ctx, realm, b)
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
		return &Error{
			Text: fmt.Sprintf("the KDC wants a key of kind %d, and there is none in the keytab", wanted),
			Hint: "make the keytab anew: ktadd in kadmin",
		}
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

// opened decrypts the KDC's response with a key of the kind that it names, and checks it against the request.
func opened(rep *messages.ASRep, req *messages.ASReq, keys []keyEntry, who principal, file string) (*ticket, error) {
	for _, k := range keys {
		if k.key.KeyType != rep.EncPart.EType {
			continue
		}
		b, err := crypto.DecryptEncPart(rep.EncPart, k.key, keyusage.AS_REP_ENCPART)
		if err != nil {
			continue // an older key of the same kind may do
		}
		var part messages.EncKDCRepPart
		if err := part.Unmarshal(b); err != nil || part.Nonce != req.ReqBody.Nonce {
			return nil, errUnreadable
		}
		return hold(rep.Ticket, &part), nil
	}
	return nil, wrongKey(who, file)
}

func hold(t messages.Ticket, part *messages.EncKDCRepPart) *ticket {
	held := &ticket{Ticket: t, key: part.Key, start: part.StartTime, end: part.EndTime, renewTill: part.RenewTill}
	if held.start.IsZero() {
		held.start = part.AuthTime
	}
	return held
}

// errUnreadable means that a KDC's response cannot be decoded.
var errUnreadable = &Error{Text: "what the KDC answers cannot be read", Hint: "is it a KDC that krb5.conf names?"}

// unreadable turns a panic of gokrb5 on a malformed response into an error.
func unreadable(err *error) {
	if recover() != nil {
		*err = errUnreadable
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
	realm := c.serviceRealm(host)
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
		return nil, &Error{
			Text: "the realm of " + name.String() + " is more than one referral away",
			Hint: "say it under [domain_realm] in krb5.conf",
		}
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
	defer unreadable(&err)
	req, err := messages.NewTGSReq(who.name(), realm, c.gokrb5, tgt.Ticket, tgt.key, name, renew)
	if err != nil {
		return nil, err
	}
	b, err := req.Marshal()
	if err != nil {
		return nil, err
	}
	answer, err := c.ask(ctx, realm, b)
	if err != nil {
		return nil, err
	}
	var rep messages.TGSRep
	if err := rep.Unmarshal(answer); err != nil {
		return nil, errUnreadable
	}
	plain, err := crypto.DecryptEncPart(rep.EncPart, tgt.key, keyusage.TGS_REP_ENCPART_SESSION_KEY)
	if err != nil {
		return nil, errUnreadable
	}
	var part messages.EncKDCRepPart
	if err := part.Unmarshal(plain); err != nil || part.Nonce != req.ReqBody.Nonce {
		return nil, errUnreadable
	}
	return hold(rep.Ticket, &part), nil
}

// unknownService reports whether the KDC does not have the requested service.
func unknownService(err error) bool {
	refused, ok := errors.AsType[messages.KRBError](err)
	return ok && refused.ErrorCode == errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN
}
