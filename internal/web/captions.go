package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"vitrine"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// captionList is the body of an answer about the captions of a link.
type captionList struct {
	Captions []captionItem `json:"captions"`
}

type captionItem struct {
	Language string `json:"language"`
	Label    string `json:"label"`
	URL      string `json:"url,omitempty"`
}

// captionList tells the captions of a link as its page orders them, with their
// addresses while the public may see it.
func (s *apiH) captionList(l *vitrine.Link) captionList {
	list := captionList{Captions: []captionItem{}}
	for _, t := range s.tracks(l) {
		item := captionItem{Language: t.Language, Label: t.Label}
		if l.Live() {
			item.URL = t.Address
		}
		list.Captions = append(list.Captions, item)
	}
	return list
}

func (s *apiH) listCaptions(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	l, err := s.Captions.Of(r.Context(), a, r.PathValue("slug"))
	if err != nil {
		return err
	}
	return writeJSON(w, s.captionList(l))
}

// captionTypes are what a text may be sent as. Which of its forms it has is
// told by the text itself.
var captionTypes = []string{"text/vtt", "application/x-subrip"}

func (s *apiH) putCaptions(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || !slices.Contains(captionTypes, t) {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "Send captions as text/vtt (WebVTT) or application/x-subrip (.srt).")
	}
	l, err := s.Captions.Put(r.Context(), a, r.PathValue("slug"), r.PathValue("language"), steadily(r))
	if err != nil {
		return err
	}
	return writeJSON(w, s.captionList(l))
}

func (s *apiH) deleteCaptions(w http.ResponseWriter, r *http.Request, a *vitrine.Account) error {
	if err := s.Captions.Delete(r.Context(), a, r.PathValue("slug"), r.PathValue("language")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// captions sends the captions of a link in one language.
func (s *contentH) captions(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	tag, err := vitrine.ParseLanguage(r.PathValue("language"))
	part := vitrine.CaptionsPart(tag)
	if err != nil || !l.HasBytes || !l.Parts.Has(part) {
		return errNoPage
	}
	blob, err := s.Blobs.OpenPart(r.Context(), l.Upload, part)
	if errors.Is(err, vitrine.ErrNotFound) {
		return errNoPage // deleted meanwhile
	}
	if err != nil {
		return vitrine.Unavailable(err)
	}
	defer blob.Close()
	text, err := io.ReadAll(blob)
	if err != nil {
		return vitrine.Unavailable(err)
	}
	sum := sha256.Sum256(text)
	h := w.Header()
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Content-Type", "text/vtt; charset=utf-8")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	return nil
}

// tracks are the captions that the page of a link offers, by the names of their
// languages.
func (s *viewerH) tracks(l *vitrine.Link) []track {
	var all []track
	for _, tag := range l.Captions() {
		all = append(all, track{Language: tag, Label: languageName(tag), Address: s.contentAddress(l, "captions/"+tag)})
	}
	slices.SortStableFunc(all, func(a, b track) int { return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) })
	return all
}

// languageName is what a language calls itself; its tag where that is not
// known.
func languageName(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := display.Self.Name(t); name != "" {
		return name
	}
	return tag
}
