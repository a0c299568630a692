package terminal

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"vitrine"
	"vitrine/client"
	"vitrine/internal/app/auth"
	"vitrine/internal/base/notation"
)

// UsageError is an invalid command line.
type UsageError struct{ message string }

func (u *UsageError) Error() string { return u.message }

func Usage(message string) error { return &UsageError{message} }

// Unconfirmed returns the error of a command that must ask, and has no terminal
// to ask on. why is a sentence without a full stop.
func Unconfirmed(why string) error {
	return Usage(why + ". There is no terminal to ask on: add --yes")
}

// AdvisedError is an error with hints on separate lines.
type AdvisedError struct {
	Err   error
	Lines []string
}

func (a *AdvisedError) Error() string { return a.Err.Error() }

func (a *AdvisedError) Unwrap() error { return a.Err }

// ErrDeclined is the error of a command whose question was answered with no.
var ErrDeclined = errors.New("nothing was changed, because you did not answer yes")

// FromLogin is the source of a key that "login" has stored.
const FromLogin = "the key of \"login\""

// Target is the address of an instance and an API key.
type Target struct {
	Server, Key string
	From        string // source of the key, for messages
	Link        string // slug of the link that is asked for, or ""
}

// host returns the host of the server for messages.
func (to *Target) host() string {
	if u, err := url.Parse(to.Server); err == nil && u.Host != "" {
		return u.Host
	}
	return to.Server
}

// shownKey returns the part of the key that is not secret, or "" if it cannot
// be a key.
func (to *Target) shownKey() string {
	if _, ok := auth.ParseKeyText(to.Key); !ok {
		return ""
	}
	return auth.KeyText(to.Key).String()
}

// Sentence returns the error message for the command line. Unlike the message
// for visitors, it includes the cause. It begins in lower case and has no full
// stop at the end, as it follows the name of the program.
func (t *Terminal) Sentence(err error) string {
	named := new(NamedError)
	if errors.As(err, &named) && !client.Unreachable(named.Err) { // that is not about the argument
		return named.Name + ": " + t.Sentence(named.Err)
	}
	return lowered(t.sentence(err))
}

// NamedError is the error of one argument, whose name its message begins with
// as it was typed.
type NamedError struct {
	Name string
	Err  error
}

func (n *NamedError) Error() string { return n.Name + ": " + n.Err.Error() }

func (n *NamedError) Unwrap() error { return n.Err }

// lowered returns a message without its final full stop, and with a small first
// letter if its first word is not a name.
func lowered(message string) string {
	message = strings.TrimSuffix(message, ".")
	word, rest, _ := strings.Cut(message, " ")
	if word == "" || word == "Vitrine" || strings.ToLower(word[1:]) != word[1:] {
		return message
	}
	if rest == "" || strings.ContainsAny(word, `./\_`) { // a file
		return message
	}
	return strings.ToLower(word[:1]) + message[1:]
}

// answered returns the text of an error of the API inside another error.
func answered(err error, e client.Error) string {
	before := e.Error()
	e.Message = lowered(e.Message)
	if e.Code == string(vitrine.CodeBanned) {
		e.Code = "" // an old word, and the message says it
	}
	return strings.Replace(err.Error(), before, e.Error(), 1)
}

func (t *Terminal) sentence(err error) string {
	if t.Asked != nil {
		if text := t.Asked.wrong(err); text != "" {
			return text
		}
	}
	var e *vitrine.Error
	var answer *client.Error
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.As(err, &answer):
		return answered(err, *answer)
	case !errors.As(err, &e):
		return err.Error()
	case e.Err != nil && !strings.Contains(e.Message, e.Err.Error()):
		return strings.TrimSuffix(e.Message, ".") + " (" + e.Err.Error() + ")"
	}
	return e.Message
}

// flagOf maps fields of requests to the flags that set them.
var flagOf = map[string]string{"from": "--from", "to": "--to", "timezone": "--timezone", "compare": "--compare",
	"include": "--include", "limit": "--limit", "filter": "--filter", "kind": "--kind",
	"status": "--status", "slug": "--slug", "title": "--title", "linkName": "--title", "expiresAt": "--expires",
	"type": "--type", "replace": "--replace", "range": "--range", "granularity": "--hours", "version": "--version",
	"language": "--language", "scope": "--scope", "linkLifeSeconds": "--link-life"}

// refused returns the message for a refused request. It names the link that
// does not exist, or the flag whose value is at fault.
func (to *Target) refused(e client.Error) string {
	flag := flagOf[e.Field]
	switch {
	case to.Link != "" && NoLink(&e):
		e.Message = fmt.Sprintf("there is no link %q at %s", to.Link, to.host())
	case e.Code == "" && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed ||
		e.Status == http.StatusNotImplemented):
		return fmt.Sprintf("%s answers, but not like an instance of Vitrine (%d %s). Check the address (--server or VITRINE_SERVER): it has no path, as in https://share.example.",
			to.Server, e.Status, http.StatusText(e.Status))
	case flag == "":
		return ""
	case strings.HasPrefix(e.Message, e.Field+" "):
		e.Message = flag + strings.TrimPrefix(e.Message, e.Field)
	default:
		e.Message = flag + ": " + lowered(e.Message)
	}
	e.Message = strings.TrimSuffix(strings.ReplaceAll(e.Message, "repeat the parameter", "repeat the flag"), ".")
	return e.Error()
}

// NoLink reports whether a server answered that a link does not exist, in the
// trash or elsewhere. All that is missing has the same code, so it looks for
// the words of [vitrine.ErrNoOwnLink].
func NoLink(e *client.Error) bool {
	words := strings.TrimSuffix(vitrine.ErrNoOwnLink.Message, ".")
	return e.Code == string(vitrine.CodeNotFound) && strings.HasPrefix(e.Message, words)
}

// Advice returns the lines that follow the message of an error: hints, and the
// command to try next. help is the command that explains wrong arguments.
func (t *Terminal) Advice(err error, help string) (lines []string) {
	var advised *AdvisedError
	var e *client.Error
	switch {
	case errors.As(err, &advised):
		lines = advised.Lines
	case t.Asked != nil && t.Asked.Link != "" && errors.As(err, &e) && NoLink(e):
		lines = []string{"Try: " + Self() + " ls"}
	case t.Asked != nil && t.Asked.From == FromLogin && Code(err) == string(vitrine.CodeUnauthorized):
		lines = []string{"Try: " + Self() + " login --server " + notation.ShellWord(t.Asked.Server)}
	}
	if ExitCode(err) == ExitUsage {
		lines = append(slices.Clip(lines), "Try: "+help)
	}
	return lines
}

// wrong returns the message for a network error or an invalid key, or "" for
// other errors.
func (to *Target) wrong(err error) string {
	var refused *client.Error
	if errors.As(err, &refused) {
		if refused.Code != "unauthorized" || to.Key == "" {
			return to.refused(*refused)
		}
		if to.shownKey() == "" {
			return fmt.Sprintf("%s is not a whole API key: characters are missing or wrong (unauthorized). Copy it again, or create another.", to.From)
		}
		return fmt.Sprintf("%s (%s) is not a valid key at %s (unauthorized). It was revoked, or belongs to another server.", to.From, to.shownKey(), to.host())
	}
	cannot, check, party := "cannot reach "+to.Server+": ", "the address (--server or VITRINE_SERVER).", "the server"
	if storage := new(client.StorageError); errors.As(err, &storage) {
		cannot = fmt.Sprintf("cannot reach %s, which %s names for uploads: ", storage.Address, to.Server)
		check = "--public-url and --files of the server."
	}
	if proxy := proxyAt(err, to.Server); proxy != "" {
		cannot = strings.TrimSuffix(cannot, ": ") + " through the proxy " + proxy + ": "
		check, party = "HTTP_PROXY and HTTPS_PROXY.", "the proxy"
	}
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
		return cannot + "there is no host " + dns.Name + ". Check " + check
	case errors.As(err, &dns):
		return cannot + "the name " + dns.Name + " cannot be looked up. Check the network and " + check
	case errors.Is(err, syscall.ECONNREFUSED):
		return cannot + "nothing listens there. Check that " + party + " is running, and " + check
	case errors.As(err, &certificate), errors.As(err, &unknown):
		return cannot + "its certificate is not valid: " + err.Error()
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return cannot + "it does not speak TLS there. Check whether the address begins with http:// or https://."
	case errors.As(err, &timeout) && timeout.Timeout():
		return cannot + "it did not respond in time. Check the network and " + check
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return cannot + "there is no way to it. Check the network and " + check
	case brokenOff(err):
		return cannot + "the connection was broken off. Check that " + party + " is running and the network works, and try again."
	case strings.Contains(err.Error(), "malformed HTTP"): // net/http has no type for it
		return cannot + "what answers there is not a web server. Check " + check
	case errors.As(err, &op):
		for errors.As(op.Err, &op) { // the last one has the reason
		}
		return cannot + op.Err.Error() + ". Check the network and " + check
	}
	return ""
}

// proxyAt returns the address of the proxy that a request did not reach, or "".
func proxyAt(err error, server string) string {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "proxyconnect" {
		return ""
	}
	if storage := new(client.StorageError); errors.As(err, &storage) {
		server = storage.Address
	}
	u, err := url.Parse(server)
	if err != nil {
		return ""
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Redacted()
}

// brokenOff reports whether a request failed because its connection ended.
func brokenOff(err error) bool {
	for _, end := range []error{net.ErrClosed, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	// Of a file of the user, these mean something else.
	return client.Temporary(err) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}
