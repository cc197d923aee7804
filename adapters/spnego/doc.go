// Package spnego lets requests in where a server wants Kerberos: HTTP's Negotiate (RFC 4559) with SPNEGO (RFC 4178), as
// Hadoop's web services speak it.
//
// A Login is who asks: a principal with a keytab, or the one of a ticket cache in a file. Its Layer stands before a
// transport: it sends a ticket to a server only after that server has answered 401 with Negotiate, once, and then the
// cookie hadoop.auth that the server signed, until shortly before it ends. Credentials are never delegated. Tickets,
// keys and cookies appear in no error.
//
// What the network says in Kerberos (RFC 4120) is encoded and decrypted by gokrb5; krb5.conf, ticket caches and keytabs
// are read here, since they come from people and may be anything.
package spnego
