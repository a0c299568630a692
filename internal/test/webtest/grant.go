package webtest

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
)

// Program is what a program says of itself, and Verifier the secret of its
// request for a key.
const (
	Program  = `{"client_name":"An assistant with a name of some length","redirect_uris":["https://program.example/callback"]}`
	Verifier = "a-verifier-of-forty-three-characters-or-more"
)

// GrantQuery returns the parameters with which a program asks a person for a
// key.
func (s *Site) GrantQuery() url.Values {
	s.T.Helper()
	s.Server.Grants.Register = true
	client, err := s.Server.Grants.RegisterClient([]byte(Program))
	s.Check(err)
	sum := sha256.Sum256([]byte(Verifier))
	return url.Values{"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {client.Redirects[0]},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"resource": {s.Server.Grants.Resource}}
}
