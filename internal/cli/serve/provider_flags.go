package serve

import (
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"vitrine/internal/app/auth"
	"vitrine/internal/app/auth/oidc"
	"vitrine/internal/web/httpx"
)

// providers are providers of OpenID Connect.
type providers []*oidc.Settings

// UnmarshalText adds those of a text, which are separated by spaces or lines.
func (p *providers) UnmarshalText(text []byte) error {
	for each := range strings.FieldsSeq(string(text)) {
		s, err := oidc.Parse(each)
		if err != nil {
			return err
		}
		for _, other := range *p {
			if other.ID == s.ID || oidc.SameIssuer(other.Issuer, s.Issuer) {
				return fmt.Errorf("%s and %s are one provider: each needs its own ID and address", other.ID, s.ID)
			}
		}
		*p = append(*p, s)
	}
	return nil
}

// applyProviders applies the flags to the service of providers.
func (f accountFlags) applyProviders(s *auth.Providers, public *url.URL, log *slog.Logger) {
	for _, p := range f.Providers {
		s.List = append(s.List, oidc.New(*p, s.Now))
	}
	s.CheckEvery = f.ProviderCheck
	s.Callback = func(id string) string { return httpx.ProviderCallback(public.String(), id) }
	s.Warn = func(id string, err error) { log.Warn("provider of sign-ins", "provider", id, "error", err) }
}
