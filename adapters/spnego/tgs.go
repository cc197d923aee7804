package spnego

import (
	"context"
	"errors"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/iana/errorcode"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// service asks for a ticket to HTTP on host: in the realm that krb5.conf says, else in the one that the KDC refers to.
func (c *conf) service(ctx context.Context, who principal, tgt *ticket, host string) (*ticket, error) {
	name := principal{parts: []string{"HTTP", host}}
	asked := name.name()
	asked.NameType = nametype.KRB_NT_SRV_HST // KDCs refer only those who ask for a service of a host
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

// referred is the realm that a ticket is for instead of a service, "" for a service's.
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

// unknownService says whether the KDC does not know a service by the name that was asked for.
func unknownService(err error) bool {
	refused, ok := errors.AsType[messages.KRBError](err)
	return ok && refused.ErrorCode == errorcode.KDC_ERR_S_PRINCIPAL_UNKNOWN
}
