package remote

import (
	"context"
	"fmt"
	"strings"

	"vitrine/client"
	"vitrine/internal/terminal"
)

// slug returns the slug of an argument, which is a slug or the address of a
// link. The slug of an address on another instance may name another link on
// this one, so such an address is an error.
func (r Connection) slug(ctx context.Context, api *client.Client, arg string) (string, error) {
	slug := slugOf(arg)
	page, _, isAddress := strings.Cut(arg, "/p/")
	if !isAddress || page == "" {
		return slug, nil
	}
	target, err := r.target()
	if err != nil {
		return "", err
	}
	if hostOf(page) == hostOf(target.Server) {
		return slug, nil
	}
	l, err := api.Link(ctx, slug) // pages may have another host than the API
	if err != nil {
		return "", err
	}
	if hostOf(page) != hostOf(l.URL) {
		return "", terminal.Usage(fmt.Sprintf("%s is not on %s: for another instance, use --server",
			arg, target.Server))
	}
	return slug, nil
}

// slugOf returns the slug of an argument, which is a slug or the address of a
// link.
func slugOf(s string) string {
	if _, after, ok := strings.Cut(s, "/p/"); ok {
		s = after
	}
	s, _, _ = strings.Cut(s, "?")
	return strings.Trim(s, "/")
}

// hostOf returns the host and port of an address, with or without a scheme.
func hostOf(address string) string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	host, _, _ := strings.Cut(address, "/")
	return strings.ToLower(host)
}
