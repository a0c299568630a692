package client

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
)

// Captions describes the captions of a link in one language.
type Captions struct {
	Language string `json:"language"`      // a BCP 47 tag
	Label    string `json:"label"`         // name of the language in itself
	URL      string `json:"url,omitempty"` // where the WebVTT is, for some hours; "" while the link is not live
}

type captionList struct {
	Captions []Captions `json:"captions"`
}

// Captions lists the captions of a link, by the names of their languages.
func (c *Client) Captions(ctx context.Context, slug string) ([]Captions, error) {
	var l captionList
	err := c.get(ctx, captionsPath(slug), nil, &l)
	return l.Captions, err
}

// PutCaptions adds captions to a video or sound. It replaces existing captions
// in that language and returns all captions of the link. text is WebVTT or
// SubRip (.srt) in UTF-8, at most 1 MiB.
func (c *Client) PutCaptions(ctx context.Context, slug, language string, text []byte) ([]Captions, error) {
	contentType := "application/x-subrip"
	if bytes.HasPrefix(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("WEBVTT")) {
		contentType = "text/vtt"
	}
	var l captionList
	err := c.call(ctx, http.MethodPut, captionsPath(slug)+"/"+url.PathEscape(language), nil,
		payload{contentType: contentType, bytes: text}, &l)
	return l.Captions, err
}

// DeleteCaptions deletes the captions of a link in a language. It also succeeds
// if they do not exist.
func (c *Client) DeleteCaptions(ctx context.Context, slug, language string) error {
	return c.call(ctx, http.MethodDelete, captionsPath(slug)+"/"+url.PathEscape(language), nil, payload{}, nil)
}

func captionsPath(slug string) string { return "/links/" + url.PathEscape(slug) + "/captions" }
