package app

import (
	"context"
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/web/httpx"
)

// form is a form of at most Most bytes about a T, whose slug is in the address.
type form[T any] struct {
	Most int64
	Find func(ctx context.Context, me *vitrine.Account, slug string) (T, error)
	// Do returns the code of the message to show, and the address to show it
	// at.
	Do func(ctx context.Context, me *vitrine.Account, of T, f url.Values) (saying, back string, err error)
	// Again shows the form with what is wrong and, if it has one, the title
	// that was typed.
	Again func(w http.ResponseWriter, r *http.Request, me *vitrine.Account, of T, status int, wrong httpx.FieldErrors,
		title *string) error
}

// Handle handles the form.
func (f form[T]) Handle(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
	if err := httpx.ReadForm(w, r, f.Most); err != nil {
		return err
	}
	of, err := f.Find(r.Context(), me, r.PathValue("slug"))
	if err != nil {
		return err
	}
	saying, back, err := f.Do(r.Context(), me, of, r.PostForm)
	if wrong := httpx.FieldErrorsOf(err); wrong != nil {
		var title *string
		if r.PostForm.Has("title") {
			title = new(r.PostForm.Get("title"))
		}
		return f.Again(w, r, me, of, httpx.StatusOf[vitrine.CodeOf(err)], wrong, title)
	}
	if err != nil {
		return err
	}
	return httpx.Redirect(w, r, Said(back, saying))
}
