package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// Note is the owner's note about a day of a link.
type Note struct {
	ID   int    `json:"id"`
	Day  string `json:"day"` // such as 2026-11-03
	Text string `json:"text"`
}

// DayMark explains a day of a link's series: a version of the file, or a note.
type DayMark struct {
	Day  string `json:"day"`
	Kind string `json:"kind"` // version or note
	Text string `json:"text"`
	Note int    `json:"note,omitempty"` // the ID of a note
	At   Time   `json:"at,omitzero"`    // when readers began to see the version
}

// Notes lists the notes of a link by day.
func (c *Client) Notes(ctx context.Context, slug string) ([]Note, error) {
	var l struct {
		Notes []Note `json:"notes"`
	}
	err := c.get(ctx, notesPath(slug), nil, &l)
	return l.Notes, err
}

// AddNote adds a note of at most 200 characters to a link.
func (c *Client) AddNote(ctx context.Context, slug, day, text string) (Note, error) {
	var n Note
	body, err := json.Marshal(map[string]string{"day": day, "text": text})
	if err == nil {
		err = c.postOnce(ctx, notesPath(slug), body, &n)
	}
	return n, err
}

// DeleteNote deletes a note of a link.
func (c *Client) DeleteNote(ctx context.Context, slug string, id int) error {
	return c.call(ctx, http.MethodDelete, notesPath(slug)+"/"+strconv.Itoa(id), nil, payload{}, nil)
}

func notesPath(slug string) string { return "/links/" + url.PathEscape(slug) + "/notes" }
