package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	"vitrine"
	"vitrine/client"
)

// sentence is what a person at the command line is told of a failure. Unlike a visitor, they are told the cause.
func (t *terminal) sentence(err error) string {
	if t.asked != nil {
		if text := t.asked.wrong(err); text != "" {
			return text
		}
	}
	var e *vitrine.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case !errors.As(err, &e):
		return err.Error()
	case e.Err != nil:
		return e.Message + " (" + e.Err.Error() + ")"
	}
	return e.Message
}

// wrong is what a person is told of a failure of the way to a server, or of the key; "" of any other failure.
func (to *target) wrong(err error) string {
	var refused *client.Error
	if errors.As(err, &refused) {
		if refused.Code != "unauthorized" || to.key == "" {
			return ""
		}
		return fmt.Sprintf("%s (%s) is not a valid key at %s (unauthorized). It was mistyped or revoked, or it belongs to another server.", to.from, to.shownKey(), to.host())
	}
	cannot := "cannot reach " + to.server + ": "
	var dns *net.DNSError
	var op *net.OpError
	var certificate *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return ""
	case errors.As(err, &dns) && dns.IsNotFound:
		return cannot + "there is no host " + dns.Name + ". Check the address (VITRINE_URL)."
	case errors.As(err, &dns):
		return cannot + "the name " + dns.Name + " cannot be looked up. Check the network and the address (VITRINE_URL)."
	case errors.Is(err, syscall.ECONNREFUSED):
		return cannot + "nothing listens there. Check that the server is running, and the address (VITRINE_URL)."
	case errors.As(err, &certificate), errors.As(err, &unknown):
		return cannot + "its certificate is not valid: " + err.Error()
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return cannot + "it does not speak TLS there. Check whether the address begins with http:// or https://."
	case errors.As(err, &timeout) && timeout.Timeout():
		return cannot + "it does not answer in time. Check the network and the address (VITRINE_URL)."
	case errors.As(err, &op):
		return cannot + op.Err.Error() + ". Check the network and the address (VITRINE_URL)."
	}
	return ""
}
