package app

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"vitrine"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// VersionPages serves the page of a link's versions.
type VersionPages struct {
	Server   *httpx.Server
	Shell    *Shell
	Versions *links.Versions
	Uploads  *publish.Uploads
}

// maxVersionForm bounds the forms of the page, in bytes.
const maxVersionForm = 4 << 10

// versionsPage is the page of a link's versions for its owner.
type versionsPage struct {
	Page
	Head        *LinkHead
	List        []links.Version // newest first
	Waits       *links.Version  // becomes current once it is live; nil if none
	Bytes       int64           // that all versions take
	Most        int64           // how many earlier versions are kept; 0 means all
	Replaceable bool
	FileLimit   int64  // of the plan; 0 if none
	Kind        string // of the current file, in words
}

// Kinds returns the kinds of files in words by their extensions, as JSON.
func (p *versionsPage) Kinds() (string, error) {
	kinds := map[string]string{}
	for ext, t := range filetype.TypesByExt {
		kinds[ext] = ui.KindNoun(string(t.Kind))
	}
	b, err := json.Marshal(kinds)
	return string(b), err
}

// Earlier reports whether there is a version besides the current one.
func (p *versionsPage) Earlier() bool { return len(p.List) > 1 }

// Facts describes the file of a version.
func (p *versionsPage) Facts(v links.Version) []string {
	t, _ := filetype.ByExt(v.Name)
	return ui.Facts(v.Link, t)
}

// Review returns the address of the case of a waiting version if the owner may
// decide about it, otherwise "".
func (p *versionsPage) Review() string {
	if p.Waits == nil {
		return ""
	}
	return reviewAddress(p.Me, p.Waits.Link)
}

// Show serves the page.
func (s *VersionPages) Show(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	text := r.PathValue("slug")
	l, list, err := s.Versions.List(r.Context(), me, text)
	if err != nil {
		return err
	}
	if string(l.Slug) != text { // another spelling, or a slug that it had before
		http.Redirect(w, r, LinkAddress(l)+string(LinkVersions), http.StatusSeeOther)
		return nil
	}
	return s.write(w, r, http.StatusOK, s.page(r, me, l, list))
}

func (s *VersionPages) page(r *http.Request, me *vitrine.Account, l *vitrine.Link, list []links.Version) *versionsPage {
	limits := s.Uploads.Plans.LimitsOf(me)
	p := &versionsPage{Page: s.Shell.NewAppPage(r, me, ui.Title(l), "links"), Head: s.Shell.LinkHead(me, l,
		LinkVersions), List: list,
		Most: limits.Versions, Replaceable: links.Replaceable(l) == nil, FileLimit: limits.FileBytes,
		Kind: ui.KindNoun(string(l.Kind))}
	for i, v := range list {
		if v.HasBytes {
			p.Bytes += v.Size
		}
		if v.Waits {
			p.Waits = &list[i]
		}
	}
	return p
}

func (s *VersionPages) write(w http.ResponseWriter, r *http.Request, status int, p *versionsPage) error {
	return s.Shell.WriteApp(w, r, status, "versions.html", p.Nonce, p)
}

// Restore makes a version the current one.
func (s *VersionPages) Restore(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.form(w, r, me, "version-restored", func(ctx context.Context, slug string, n int) error {
		_, err := s.Versions.Restore(ctx, me, slug, n, nil)
		return err
	})
}

// Delete takes the form that deletes a version.
func (s *VersionPages) Delete(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	return s.form(w, r, me, "version-gone", func(ctx context.Context, slug string, n int) error {
		return s.Versions.Delete(ctx, me, slug, n, nil)
	})
}

// form does something with the version that a form names. What cannot be done
// is said on the page.
func (s *VersionPages) form(w http.ResponseWriter, r *http.Request, me *vitrine.Account, said string,
	do func(context.Context, string, int) error) error {
	if err := httpx.ReadForm(w, r, maxVersionForm); err != nil {
		return err
	}
	slug := r.PathValue("slug")
	n, err := strconv.Atoi(r.PostForm.Get("version"))
	if err != nil {
		return links.ErrNoVersion
	}
	failed := do(r.Context(), slug, n)
	if failed == nil {
		return httpx.Redirect(w, r, Said(linksRoot+"/"+slug+string(LinkVersions), said))
	}
	wrong := httpx.FieldErrorsOf(failed)
	if wrong == nil || vitrine.CodeOf(failed) == vitrine.CodeNotFound {
		return failed
	}
	l, list, err := s.Versions.List(r.Context(), me, slug)
	if err != nil {
		return err
	}
	e, status := s.Server.Known(w, r, failed)
	httpx.RetryAfter(w, e)
	p := s.page(r, me, l, list)
	p.Wrong = httpx.FieldErrors{"": e.Message}
	return s.write(w, r, status, p)
}
