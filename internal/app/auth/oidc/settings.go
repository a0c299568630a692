// Package oidc signs people in at a provider of OpenID Connect: discovery, the
// code flow with PKCE, and asking again whether a person is still known.
package oidc

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/filetype"
)

// Settings is a provider as the administrator has set it.
type Settings struct {
	ID     string // part of addresses
	Name   string // for people
	Issuer string
	Client string // client_id
	Secret string // client_secret; "" for a public client

	Scopes  []string // besides openid and email
	Offline bool     // asks for a token that works without the person's browser

	// Roles is the claim from which the role of an account follows; "" if none
	// does. Moderator and Administrator are the values that give a role; "" if
	// none does, and the role is then not changed.
	Roles, Moderator, Administrator string

	// Steps are the values of acr and amr that count as a second step.
	Steps []string
	// Assume takes each address for verified. Otherwise the provider must say
	// that it is.
	Assume bool
	// Accounts says whose first sign-in creates an account: open, invite or
	// closed; "" as on the rest of the instance.
	Accounts string
}

var settingsID = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$`)

// maxName bounds the name of a provider, in characters.
const maxName = 40

// Parse reads ID=ISSUER. The issuer is an address with the client ID and secret
// before its host, and with options behind it. Errors show no secret.
func Parse(text string) (*Settings, error) {
	id, address, ok := strings.Cut(text, "=")
	if !ok || !settingsID.MatchString(id) {
		return nil, errors.New("a provider is ID=https://CLIENT_ID:SECRET@HOST/PATH, where ID has only small letters, digits and hyphens, such as work")
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return nil, fmt.Errorf("%s: not an address such as https://CLIENT_ID:SECRET@login.example; write %%40 for @ and %%3A for : in the ID and the secret", id)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, fmt.Errorf("%s: the address must begin with https://", id)
	}
	if u.User.Username() == "" {
		return nil, fmt.Errorf("%s: the client ID is missing before the host, as in https://CLIENT_ID:SECRET@login.example", id)
	}
	if u.Fragment != "" {
		return nil, fmt.Errorf("%s: write %%23 for #", id)
	}
	s := &Settings{ID: id, Client: u.User.Username()}
	s.Secret, _ = u.User.Password()
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("%s: the options behind the ? cannot be read", id)
	}
	u.User, u.RawQuery, u.ForceQuery = nil, "", false
	s.Issuer, s.Name = u.String(), u.Hostname()
	return s, s.set(options)
}

// set sets the options.
func (s *Settings) set(options url.Values) error {
	for name, values := range options {
		value := values[0]
		if len(values) > 1 || value == "" {
			return fmt.Errorf("%s: the option %s needs one value", s.ID, name)
		}
		ok := true
		switch name {
		case "name":
			s.Name = strings.TrimSpace(value)
			ok = s.Name != "" && len([]rune(s.Name)) <= maxName && !filetype.HasControl(s.Name)
		case "scope":
			s.Scopes = strings.Fields(value)
		case "offline":
			s.Offline, ok = value == "yes", value == "yes" || value == "no"
		case "roles":
			s.Roles = value
		case "moderator":
			s.Moderator = value
		case "administrator":
			s.Administrator = value
		case "two-step":
			s.Steps = strings.Split(value, ",")
		case "addresses":
			s.Assume, ok = true, value == "verified"
		case "accounts":
			s.Accounts, ok = value, slices.Contains([]string{"open", "invite", "closed"}, value)
		default:
			return fmt.Errorf("%s: there is no option %q; there are name, scope, offline, roles, moderator, administrator, two-step, addresses and accounts", s.ID, name)
		}
		if !ok {
			return fmt.Errorf("%s: the option %s cannot be %q", s.ID, name, value)
		}
	}
	if (s.Roles != "") != (s.Moderator != "" || s.Administrator != "") {
		return fmt.Errorf("%s: roles names the claim, and moderator or administrator a value of it: set both", s.ID)
	}
	return nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
