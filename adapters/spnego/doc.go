// Package spnego authenticates requests to servers that require Kerberos: HTTP's Negotiate (RFC 4559) with SPNEGO
// (RFC 4178), as Hadoop's web services implement it.
//
// A Login is the user: a principal with a keytab, or the one of a ticket cache in a file. Its Layer wraps a
// transport. It sends a ticket to a server only after that server has responded with 401 and Negotiate, once. Then
// it sends the cookie hadoop.auth that the server signed, until the server refuses it. Credentials are never
// delegated. Tickets, keys and cookies appear in no error.
//
// gokrb5 encodes and decrypts the messages of Kerberos (RFC 4120), and reads keytabs. This package reads the other
// files of users and sends the requests to KDCs itself, since gokrb5 (v8.4.4):
//   - follows no include of krb5.conf, and panics at realms in one line ("A = { kdc = a }");
//   - panics at a ticket cache that is cut off, or allocates as much memory as it claims;
//   - puts bytes of a keytab that is cut off, keys among them, in its error;
//   - turns a KDC's refusal into text and loses its code, which decides the hint (its krberror has no Unwrap);
//   - cannot be interrupted, and allocates as much memory as a response's first four bytes claim.
package spnego
