package user

import (
	"context"
	"fmt"
	"strings"

	"vitrine/client"
	"vitrine/internal/cli/terminal"
)

// slug returns the slug of an argument, which is a slug or the address of a
// link. The slug of an address on another instance may name another link on
// this one, so such an address is an error. Messages about a missing link name
// it from now on.
func (r Connection) slug(ctx context.Context, t *terminal.Terminal, api *client.Client, arg string) (string, error) {
	slug := slugOf(arg)
	if t.Asked.Link = slug; slug == "" && arg != "" {
		return "", terminal.Usage(fmt.Sprintf("%q has no slug: the part of a link's address after /p/", arg))
	}
	page, _, isAddress := cutAddress(arg)
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
		return "", orWebsite(ctx, t, api, arg, err)
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
	_, s, _ = cutAddress(s)
	s, _, _ = strings.Cut(s, "?")
	return strings.Trim(s, "/")
}

// cutAddress cuts an address of a link, that of its public page or of one of
// its pages in the app, before its slug.
func cutAddress(s string) (page, slug string, ok bool) {
	if page, slug, ok = strings.Cut(s, "/p/"); ok {
		return page, slug, true
	}
	if page, slug, ok = strings.Cut(s, "/links/"); ok {
		slug, _, _ = strings.Cut(slug, "/")
		return page, slug, true
	}
	return "", s, false
}

// hostOf returns the host and port of an address, with or without a scheme.
func hostOf(address string) string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	host, _, _ := strings.Cut(address, "/")
	return strings.ToLower(host)
}

// thisMachine replaces the addresses of this machine by its name.
var thisMachine = strings.NewReplacer("127.0.0.1", "localhost", "[::1]", "localhost")

// SlugAt returns the slug of an argument of a command that has an instance
// itself: a slug or the address of a link. own are the addresses of the
// instance, as far as they are known; an address on another one is an error.
func SlugAt(arg string, own ...string) (string, error) {
	page, _, isAddress := cutAddress(arg)
	if !isAddress || page == "" {
		return slugOf(arg), nil
	}
	var known []string
	for _, address := range own {
		if address == "" {
			continue
		}
		if thisMachine.Replace(hostOf(page)) == thisMachine.Replace(hostOf(address)) {
			return slugOf(arg), nil
		}
		known = append(known, address)
	}
	if len(known) > 0 {
		return "", terminal.Usage(fmt.Sprintf("%s is not on this instance, which is at %s", arg, known[0]))
	}
	return slugOf(arg), nil
}
