// Package spnego lets requests in where a server wants Kerberos: HTTP's Negotiate (RFC 4559) with SPNEGO (RFC 4178), as
// Hadoop's web services speak it.
//
// A Login is who asks: a principal with a keytab, or the one of a ticket cache in a file. Its Layer stands before a
// transport: it sends a ticket to a server only after that server has answered 401 with Negotiate, once, and then the
// cookie hadoop.auth that the server signed, until shortly before it ends. Credentials are never delegated. Tickets,
// keys and cookies appear in no error.
//
// What the network says in Kerberos (RFC 4120) is encoded and decrypted by gokrb5. What comes from people, and how KDCs
// are asked, is done here, since gokrb5 (v8.4.4):
//   - follows no include of krb5.conf, and panics at realms in one line ("A = { kdc = a }");
//   - panics at a ticket cache that is cut off;
//   - puts bytes of a keytab that is cut off, keys among them, in its error;
//   - makes text of a KDC's refusal, whose code says what to do (its krberror has no Unwrap); cannot be told to
//     stop, and takes as much memory as an answer's first four bytes say.
package spnego
