package public

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"

	"github.com/go-json-experiment/json"
)

// oembedAge is how many seconds an answer may be cached.
const oembedAge = 300

// oembedAnswer has the fields of an oEmbed 1.0 rich or video response.
type oembedAnswer struct {
	XMLName         xml.Name `json:"-" xml:"oembed"`
	Version         string   `json:"version" xml:"version"`
	Type            string   `json:"type" xml:"type"`
	Title           string   `json:"title" xml:"title"`
	ProviderName    string   `json:"provider_name" xml:"provider_name"`
	ProviderURL     string   `json:"provider_url" xml:"provider_url"`
	CacheAge        int      `json:"cache_age" xml:"cache_age"`
	HTML            string   `json:"html" xml:"html"`
	Width           int      `json:"width" xml:"width"`
	Height          int      `json:"height" xml:"height"`
	ThumbnailURL    string   `json:"thumbnail_url,omitzero" xml:"thumbnail_url,omitempty"`
	ThumbnailWidth  int      `json:"thumbnail_width,omitzero" xml:"thumbnail_width,omitempty"`
	ThumbnailHeight int      `json:"thumbnail_height,omitzero" xml:"thumbnail_height,omitempty"`
}

// oembedAddress returns the address of a link's oEmbed data; "&format=…" may
// follow.
func (s *Handler) oembedAddress(l *vitrine.Link) string {
	return s.Server.PublicURL.String() + "/oembed?url=" + url.QueryEscape(s.Server.AddressOf(l))
}

// Oembed describes how to embed a link (oEmbed 1.0). It records no view. For a
// link that is not live, or protected, it reveals nothing, not even whether the
// link exists.
func (s *Handler) Oembed(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cache-Control", "no-store")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("X-Robots-Tag", "noindex")
	q := r.URL.Query()
	format := q.Get("format")
	switch {
	case q.Get("url") == "":
		http.Error(w, "Say in the query parameter url which link is meant.", http.StatusBadRequest)
		return
	case format != "" && format != "json" && format != "xml":
		http.Error(w, "Answers are in the formats json and xml.", http.StatusNotImplemented)
		return
	}
	maxWidth, ok1 := bound(q.Get("maxwidth"))
	maxHeight, ok2 := bound(q.Get("maxheight"))
	if !ok1 || !ok2 {
		http.Error(w, "The query parameters maxwidth and maxheight are whole numbers from 1 on.", http.StatusBadRequest)
		return
	}
	slug, token, ok := s.slugIn(q.Get("url"))
	if !ok {
		http.Error(w, "There is no link with this address here.", http.StatusNotFound)
		return
	}
	l, _, err := s.Links.PublicTo(r.Context(), slug, token, access.Asker{})
	switch vitrine.CodeOf(err) {
	case "":
	case vitrine.CodeNotFound, vitrine.CodeNotAvailable, vitrine.CodeDisabled, vitrine.CodeAccessRequired:
		http.Error(w, "There is no link with this address here.", http.StatusNotFound)
		return
	default:
		e, status := s.Server.Known(w, r, err)
		httpx.RetryAfter(w, e)
		http.Error(w, e.Message, status)
		return
	}
	body, contentType, err := encodeOEmbed(s.oembedAnswer(l, maxWidth, maxHeight), format)
	if err != nil {
		e, status := s.Server.Known(w, r, err)
		http.Error(w, e.Message, status)
		return
	}
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "private, no-cache") // a link that is taken down is gone at once
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

func (s *Handler) oembedAnswer(l *vitrine.Link, maxWidth, maxHeight int) oembedAnswer {
	video := s.Viewers.Of(l).Wide
	e := s.Viewers.EmbedOf(l).Within(maxWidth, maxHeight, video)
	a := oembedAnswer{Version: "1.0", Type: "rich", Title: ui.Title(l), ProviderName: "Vitrine",
		ProviderURL: s.Server.PublicURL.String() + "/",
		CacheAge:    oembedAge, HTML: e.HTML(), Width: e.Width, Height: e.Height}
	if video {
		a.Type = "video"
	}
	p := s.Viewers.Picture(l)
	if (maxWidth == 0 || p.Width <= maxWidth) && (maxHeight == 0 || p.Height <= maxHeight) {
		a.ThumbnailURL, a.ThumbnailWidth, a.ThumbnailHeight = p.Address, p.Width, p.Height
	}
	return a
}

// encodeOEmbed encodes an answer in a format, JSON by default.
func encodeOEmbed(a oembedAnswer, format string) (body []byte, contentType string, err error) {
	if format == "xml" {
		b, err := xml.Marshal(a)
		return append([]byte(xml.Header), b...), "text/xml; charset=utf-8", err
	}
	b, err := json.Marshal(a)
	return b, "application/json; charset=utf-8", err
}

// bound reads a length that may be missing: then 0.
func bound(text string) (int, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err == nil && n > 0
}

// slugIn finds the slug in the address of one of this instance's links, and the
// token of its recipient: of its page, or its embed. Query and fragment mean
// nothing.
func (s *Handler) slugIn(address string) (vitrine.Slug, vitrine.RecipientToken, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(u.Host, s.Server.PublicURL.Host) {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(u.Path, s.Server.PublicURL.Path+"/p/")
	if !ok {
		return "", "", false
	}
	text, named, to := strings.Cut(strings.TrimSuffix(httpx.TrimTail(rest), "/embed"), "/")
	slug, err := httpx.SlugOf(text)
	token, valid := vitrine.ParseRecipientToken(named)
	return slug, token, err == nil && valid == to
}
