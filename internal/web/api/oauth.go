package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
)

// protectedResource is the metadata of a resource (RFC 9728).
type protectedResource struct {
	Resource string             `json:"resource"`
	Name     string             `json:"resource_name"`
	Servers  []string           `json:"authorization_servers"`
	Scopes   []vitrine.KeyScope `json:"scopes_supported"`
	Methods  []string           `json:"bearer_methods_supported"`
	Docs     string             `json:"resource_documentation"`
}

// OAuthResource describes what keys are for, and where programs get one.
func (s *Handler) OAuthResource(w http.ResponseWriter, _ *http.Request) error {
	return httpx.WriteJSON(w, protectedResource{Resource: s.Grants.Resource, Name: "Vitrine",
		Servers: []string{s.Grants.Issuer}, Scopes: vitrine.Scopes, Methods: []string{"header"},
		Docs: s.Grants.Issuer + "/docs/agents"})
}

// authorizationServer is the metadata of the instance as one that gives keys
// (RFC 8414, RFC 9207).
type authorizationServer struct {
	Issuer      string             `json:"issuer"`
	Authorize   string             `json:"authorization_endpoint"`
	Token       string             `json:"token_endpoint"`
	Register    string             `json:"registration_endpoint,omitempty"`
	Scopes      []vitrine.KeyScope `json:"scopes_supported"`
	Responses   []string           `json:"response_types_supported"`
	Modes       []string           `json:"response_modes_supported"`
	Grants      []string           `json:"grant_types_supported"`
	Methods     []string           `json:"token_endpoint_auth_methods_supported"`
	Challenges  []string           `json:"code_challenge_methods_supported"`
	Documents   bool               `json:"client_id_metadata_document_supported"`
	NamesIssuer bool               `json:"authorization_response_iss_parameter_supported"`
}

// OAuthServer describes how programs get a key.
func (s *Handler) OAuthServer(w http.ResponseWriter, _ *http.Request) error {
	root := s.Grants.Issuer + httpx.OAuthRoot
	m := authorizationServer{Issuer: s.Grants.Issuer, Authorize: root + "/authorize", Token: root + "/token",
		Scopes: vitrine.Scopes, Responses: []string{"code"}, Modes: []string{"query"},
		Grants: []string{"authorization_code"}, Methods: []string{"none"}, Challenges: []string{"S256"},
		Documents: true, NamesIssuer: true}
	if s.Grants.Register {
		m.Register = root + "/register"
	}
	return httpx.WriteJSON(w, m)
}

// grantedKey answers a program that has exchanged its code. The key needs no
// refreshing: it is valid as long as the person has allowed.
type grantedKey struct {
	Token   auth.KeyText     `json:"access_token"`
	Type    string           `json:"token_type"`
	Seconds int64            `json:"expires_in,omitempty"`
	Scope   vitrine.KeyScope `json:"scope"`
}

// OAuthToken gives a key for a code.
func (s *Handler) OAuthToken(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	for name, values := range r.PostForm {
		if len(values) > 1 {
			return writeRefused(w, &auth.GrantError{Code: "invalid_request",
				Description: "The parameter " + filetype.OneLine(name) + " is repeated."})
		}
	}
	key, err := s.Grants.Exchange(r.Context(), r.PostForm)
	if err != nil {
		return writeRefused(w, err)
	}
	answer := grantedKey{Token: key.Text, Type: "Bearer", Scope: key.Scope}
	if !key.ExpiresAt.IsZero() {
		answer.Seconds = int64(key.ExpiresAt.Sub(s.Now()) / time.Second)
	}
	return httpx.WriteJSON(w, answer)
}

// OAuthRegister makes a program a client, if the administrator allows that.
func (s *Handler) OAuthRegister(w http.ResponseWriter, r *http.Request) error {
	if !s.Grants.Register {
		return vitrine.Errorf(vitrine.CodeNotFound,
			"Programs cannot register here. Use the address of a client metadata document as client_id.")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, auth.MaxClient))
	if err != nil {
		return writeRefused(w, &auth.GrantError{Code: "invalid_client_metadata",
			Description: "The body must have at most 5 KiB."})
	}
	client, err := s.Grants.RegisterClient(body)
	if err != nil {
		return writeRefused(w, err)
	}
	return writeOAuth(w, http.StatusCreated, client)
}

// writeRefused answers an error of OAuth in its form, and returns others.
func writeRefused(w http.ResponseWriter, err error) error {
	refused := (*auth.GrantError)(nil)
	if !errors.As(err, &refused) {
		return err
	}
	return writeOAuth(w, http.StatusBadRequest, map[string]string{"error": refused.Code,
		"error_description": refused.Description})
}

func writeOAuth(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b)
	return nil
}
