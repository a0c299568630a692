// Package signer signs what the server hands out and accepts again: upload
// URLs, tokens in pages, and cookies.
package signer

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/report"
)

// Purpose is the first thing that a token's signature covers, so that a token
// made for one purpose is invalid for another.
type Purpose string

const (
	PurposePut     Purpose = "put"     // a signed upload URL
	PurposeChunks  Purpose = "chunks"  // an address for an upload in chunks
	PurposeView    Purpose = "view"    // the beacon of one view
	PurposeContent Purpose = "content" // the bytes of one link
	PurposeExamine Purpose = "examine" // the bytes of one link, for a moderator, in any state
	PurposeOwner   Purpose = "owner"   // the bytes of one live link, for the bearer of a key
	PurposeLinkID  Purpose = "link-id" // the public id of a link
	PurposeDevice  Purpose = "device"  // a browser that has signed in to an account
	PurposeAttempt Purpose = "attempt" // what tries at a password count against
	PurposeSetup   Purpose = "setup"   // the token with which the first account is made

	PurposeViewer       Purpose = "viewer"        // what a viewer of one link is called
	PurposeEvent        Purpose = "event"         // what a message about an event is called
	PurposePass         Purpose = "pass"          // a browser that has passed the gate of a link
	PurposeAsked        Purpose = "asked"         // a browser that asked for a code at an email gate
	PurposeMailed       Purpose = "mailed"        // who reads the mail with the code
	PurposeCode         Purpose = "code"          // the code itself
	PurposeStop         Purpose = "stop"          // the end of mails of a kind, by the address in one
	PurposeSharedReport Purpose = "shared-report" // a browser that has given the password of a shared report
	PurposeShared       Purpose = "shared"        // the address of a shared report
)

const macSize = 16

const (
	// ContentLife bounds the time of a content token.
	ContentLife = 12 * time.Hour
	// ExamineLife bounds the time of a token by which a moderator sees a link
	// that the public does not.
	ExamineLife = time.Hour
	// OwnerLife bounds the time of a token by which an owner fetches the bytes
	// of a link.
	OwnerLife = 10 * time.Minute
)

// Signer makes and checks the instance's tokens: HMAC-SHA-256 over
// length-prefixed fields, with a key derived for each purpose.
type Signer struct {
	macs    map[Purpose]*sync.Pool
	sealing cipher.AEAD
}

// mac computes signatures with the key of a purpose, one at a time. The key is
// prepared once.
type mac struct {
	hash.Hash
	text []byte
}

// New derives the keys from the instance's secret.
func New(secret []byte) *Signer {
	s := &Signer{macs: map[Purpose]*sync.Pool{}, sealing: newSealing(secret)}
	s.derive(secret, PurposePut, PurposeChunks, PurposeView, PurposeContent, PurposeExamine, PurposeOwner,
		PurposeLinkID, PurposeDevice, PurposeAttempt, PurposeSetup, PurposePass, PurposeAsked, PurposeMailed,
		PurposeCode, PurposeStop, PurposeSharedReport, PurposeShared, PurposeViewer, PurposeEvent)
	return s
}

// NamedBy uses the first secret of an instance for the names of links, viewers
// and events. They give no access, and must stay when the secret is replaced:
// programs store the IDs of links, and reports tell viewers apart by name. It
// returns s.
func (s *Signer) NamedBy(first []byte) *Signer {
	s.derive(first, PurposeLinkID, PurposeViewer, PurposeEvent)
	return s
}

// derive derives the keys of purposes from a secret.
func (s *Signer) derive(secret []byte, purposes ...Purpose) {
	for _, p := range purposes {
		k, err := hkdf.Key(sha256.New, secret, nil, "vitrine "+string(p), sha256.Size)
		if err != nil {
			panic(err) // the length is constant and allowed
		}
		s.macs[p] = &sync.Pool{New: func() any { return &mac{Hash: hmac.New(sha256.New, k)} }}
	}
}

// MAC returns the code of fields for a purpose. Codes of other purposes, or of
// fields that are cut elsewhere, differ.
func (s *Signer) MAC(p Purpose, fields ...string) []byte {
	m := s.macs[p].Get().(*mac)
	defer s.macs[p].Put(m)
	m.text = m.text[:0]
	for _, f := range fields {
		m.text = append(binary.BigEndian.AppendUint64(m.text, uint64(len(f))), f...)
	}
	m.Reset()
	m.Write(m.text)
	return m.Sum(nil)[:macSize]
}

// Sign makes the signature of fields, URL-safe.
func (s *Signer) Sign(p Purpose, fields ...string) string {
	return base64.RawURLEncoding.EncodeToString(s.MAC(p, fields...))
}

// Verify checks a signature in constant time.
func (s *Signer) Verify(sig string, p Purpose, fields ...string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(sig)
	return err == nil && hmac.Equal(b, s.MAC(p, fields...))
}

// SignPut returns the query of a signed upload URL.
func (s *Signer) SignPut(g vitrine.PutGrant) url.Values {
	expires, size := strconv.FormatInt(g.Expires.Unix(), 10), strconv.FormatInt(g.Size, 10)
	return url.Values{
		"expires":   {expires},
		"size":      {size},
		"type":      {g.Type},
		"signature": {s.Sign(PurposePut, string(g.Key), size, g.Type, expires)},
	}
}

// VerifyPut reads a signed upload URL. Errors: CodeInvalidSignature,
// CodeURLExpired.
func (s *Signer) VerifyPut(key string, q url.Values, now time.Time) (vitrine.PutGrant, error) {
	bad := vitrine.Errorf(vitrine.CodeInvalidSignature,
		"The signature of this upload URL is not valid. Use the URL exactly as it was returned.")
	id, ok := vitrine.ParseUploadID(key)
	if !ok || len(q) != 4 {
		return vitrine.PutGrant{}, bad
	}
	for _, v := range q {
		if len(v) != 1 {
			return vitrine.PutGrant{}, bad
		}
	}
	if !s.Verify(q.Get("signature"), PurposePut, key, q.Get("size"), q.Get("type"), q.Get("expires")) {
		return vitrine.PutGrant{}, bad
	}
	size, err1 := strconv.ParseInt(q.Get("size"), 10, 64)
	expires, err2 := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err1 != nil || err2 != nil {
		return vitrine.PutGrant{}, bad
	}
	g := vitrine.PutGrant{Key: id, Size: size, Type: q.Get("type"), Expires: time.Unix(expires, 0).UTC()}
	if !now.Before(g.Expires) || g.Expires.Sub(now) > vitrine.URLLife+vitrine.ClockJump {
		return vitrine.PutGrant{}, vitrine.Errorf(vitrine.CodeURLExpired,
			"This upload URL has expired: it is valid for 10 minutes. Ask for a new one.")
	}
	return g, nil
}

// SignChunks returns the query of the address of an upload in chunks. It does
// not expire: the upload does.
func (s *Signer) SignChunks(key vitrine.UploadID) url.Values {
	return url.Values{"signature": {s.Sign(PurposeChunks, string(key))}}
}

// VerifyChunks reads the address of an upload in chunks.
func (s *Signer) VerifyChunks(key string, q url.Values) (id vitrine.UploadID, ok bool) {
	id, ok = vitrine.ParseUploadID(key)
	return id, ok && len(q) == 1 && len(q["signature"]) == 1 && s.Verify(q.Get("signature"), PurposeChunks, key)
}

// LinkID returns the public form of a link's ID. It is opaque, so that it does
// not reveal how many links there are.
func (s *Signer) LinkID(id vitrine.LinkID) string {
	return "lnk_" + hex.EncodeToString(s.MAC(PurposeLinkID, strconv.FormatInt(int64(id), 10))[:8])
}

// Viewer returns the name of a viewer in the visits of a link. It is always the
// same for that link and different for every other link.
func (s *Signer) Viewer(l vitrine.LinkID, viewer uint64) string {
	b := s.MAC(PurposeViewer, strconv.FormatInt(int64(l), 10), strconv.FormatUint(viewer, 16))
	return strings.ToUpper(vitrine.Base32.EncodeToString(b[:5]))
}

// Message returns the ID of messages about an event of an account: the same for
// each try, so that receivers recognize repetitions.
func (s *Signer) Message(a vitrine.AccountID, event int64) string {
	b := s.MAC(PurposeEvent, strconv.FormatInt(int64(a), 10), strconv.FormatInt(event, 10))
	return "evt_" + hex.EncodeToString(b)
}

// ViewToken returns a token that a page carries to prove that its beacons
// belong to its view.
func (s *Signer) ViewToken(v vitrine.Viewed) string {
	f := []string{strconv.FormatInt(int64(v.Link), 36), strconv.FormatInt(int64(v.View), 36), string(v.Kind),
		strconv.Itoa(v.Pages)}
	if v.Recipient != 0 {
		f = append(f, strconv.FormatInt(int64(v.Recipient), 36))
	}
	return s.token(PurposeView, f...)
}

// ParseViewToken checks a view token; it is good for TokenLife from its view
// on. Errors: CodeInvalidSignature, CodeURLExpired.
func (s *Signer) ParseViewToken(token string, now time.Time) (vitrine.Viewed, error) {
	f, ok := s.parse(PurposeView, token, 4)
	if !ok {
		f, ok = s.parse(PurposeView, token, 5)
	}
	if !ok {
		return vitrine.Viewed{}, vitrine.Errorf(vitrine.CodeInvalidSignature, "The view token is not valid.")
	}
	to, err4 := int64(0), error(nil)
	if len(f) > 4 {
		to, err4 = strconv.ParseInt(f[4], 36, 64)
	}
	link, err1 := strconv.ParseInt(f[0], 36, 64)
	open, err2 := strconv.ParseInt(f[1], 36, 64)
	pages, err3 := strconv.Atoi(f[3])
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return vitrine.Viewed{}, vitrine.Errorf(vitrine.CodeInvalidSignature, "The view token is not valid.")
	}
	v := vitrine.Viewed{Link: vitrine.LinkID(link), View: vitrine.ViewID(open), Kind: report.ContentKind(f[2]),
		Pages: pages, Recipient: vitrine.RecipientID(to)}
	if age := now.Sub(v.View.Time()); age >= vitrine.TokenLife || age < -vitrine.ClockJump {
		return vitrine.Viewed{}, vitrine.Errorf(vitrine.CodeURLExpired, "The view token has expired.")
	}
	return v, nil
}

// Content is what a content token opens: the bytes of a version of a link, for
// a reader with a pass, through the address of a recipient (0: the plain one).
// The state and access of the link, and the recipient, are checked on each
// request all the same.
type Content struct {
	Link      vitrine.LinkID
	Version   int
	Pass      vitrine.Pass
	Recipient vitrine.RecipientID
}

// ownerPlace is in a content token of the owner of a link, instead of a place.
const ownerPlace = "-"

// ContentToken opens content until a time. It has a round and a place only if
// there is a pass, and the recipient last if there is one.
func (s *Signer) ContentToken(c Content, until time.Time) string {
	f := []string{strconv.FormatInt(int64(c.Link), 36), strconv.FormatInt(until.Unix(), 36), strconv.Itoa(c.Version)}
	if c.Pass.Round != "" {
		place := strconv.FormatInt(c.Pass.Place, 36)
		if c.Pass.Owner {
			place = ownerPlace
		}
		f = append(f, c.Pass.Round, place)
	}
	if c.Recipient != 0 {
		f = append(f, strconv.FormatInt(int64(c.Recipient), 36))
	}
	return s.token(PurposeContent, f...)
}

// ParseContentToken checks a content token. Errors: CodeInvalidSignature,
// CodeURLExpired.
func (s *Signer) ParseContentToken(token string, now time.Time) (c Content, err error) {
	var f []string
	ok := false
	for parts := 3; parts <= 6 && !ok; parts++ {
		f, ok = s.parse(PurposeContent, token, parts)
	}
	if !ok {
		return c, errBadAddress
	}
	if len(f) > 4 {
		c.Pass.Round, c.Pass.Owner = f[3], f[4] == ownerPlace
		if c.Pass.Owner {
			f[4] = "0"
		}
		if c.Pass.Place, err = strconv.ParseInt(f[4], 36, 64); err != nil {
			return c, errBadAddress
		}
	}
	if len(f)%2 == 0 {
		to, err := strconv.ParseInt(f[len(f)-1], 36, 64)
		if err != nil || to == 0 {
			return c, errBadAddress
		}
		c.Recipient = vitrine.RecipientID(to)
	}
	if c.Version, err = strconv.Atoi(f[2]); err != nil {
		return c, errBadAddress
	}
	c.Link, err = linkOf(f, now, ContentLife)
	return c, err
}

// ExamineToken opens the bytes of a link until a time, in any state of the
// link, for a moderator, whose account is checked on each request.
func (s *Signer) ExamineToken(l vitrine.LinkID, by vitrine.AccountID, until time.Time) string {
	return s.linkToken(PurposeExamine, l, until, int64(by))
}

// ParseExamineToken checks an examine token. Errors: CodeInvalidSignature,
// CodeURLExpired.
func (s *Signer) ParseExamineToken(token string, now time.Time) (vitrine.LinkID, vitrine.AccountID, error) {
	l, by, err := s.parseLinkToken(PurposeExamine, token, now, ExamineLife)
	return l, vitrine.AccountID(by), err
}

// OwnerToken opens the bytes of a live link for OwnerLife, for the bearer of a
// key, which is checked on each request.
func (s *Signer) OwnerToken(l vitrine.LinkID, key vitrine.KeyID, now time.Time) string {
	return s.linkToken(PurposeOwner, l, now.Add(OwnerLife), int64(key))
}

// ParseOwnerToken checks an owner token. Errors: CodeInvalidSignature,
// CodeURLExpired.
func (s *Signer) ParseOwnerToken(token string, now time.Time) (vitrine.LinkID, vitrine.KeyID, error) {
	l, key, err := s.parseLinkToken(PurposeOwner, token, now, OwnerLife)
	return l, vitrine.KeyID(key), err
}

func (s *Signer) linkToken(p Purpose, l vitrine.LinkID, until time.Time, by int64) string {
	return s.token(p, strconv.FormatInt(int64(l), 36), strconv.FormatInt(until.Unix(), 36), strconv.FormatInt(by, 36))
}

func (s *Signer) parseLinkToken(p Purpose, token string, now time.Time,
	life time.Duration) (l vitrine.LinkID, by int64, err error) {
	f, ok := s.parse(p, token, 3)
	if !ok {
		return 0, 0, errBadAddress
	}
	if by, err = strconv.ParseInt(f[2], 36, 64); err != nil {
		return 0, 0, errBadAddress
	}
	l, err = linkOf(f, now, life)
	return l, by, err
}

var errBadAddress = vitrine.Errorf(vitrine.CodeInvalidSignature, "This address is not valid.")

// linkOf reads the link of a token that is good until a time, its first two
// fields.
func linkOf(f []string, now time.Time, life time.Duration) (vitrine.LinkID, error) {
	link, err1 := strconv.ParseInt(f[0], 36, 64)
	until, err2 := strconv.ParseInt(f[1], 36, 64)
	if err1 != nil || err2 != nil {
		return 0, errBadAddress
	}
	if now.Unix() >= until || time.Unix(until, 0).Sub(now) > life+vitrine.ClockJump {
		return 0, vitrine.Errorf(vitrine.CodeURLExpired, "This address has expired. Open the link's page again.")
	}
	return vitrine.LinkID(link), nil
}

// token joins fields with their signature. No field may contain a dot.
func (s *Signer) token(p Purpose, fields ...string) string {
	return strings.Join(fields, ".") + "." + s.Sign(p, fields...)
}

func (s *Signer) parse(p Purpose, token string, n int) ([]string, bool) {
	f := strings.Split(token, ".")
	if len(f) != n+1 || !s.Verify(f[n], p, f[:n]...) {
		return nil, false
	}
	return f[:n], true
}
