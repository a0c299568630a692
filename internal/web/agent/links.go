package agent

import (
	"io"
	"time"

	"vitrine/client"
	"vitrine/internal/filetype/text"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type listIn struct {
	Query  string `json:"query,omitempty" jsonschema:"words of the title, file name or slug"`
	Kind   string `json:"kind,omitempty" jsonschema:"pdf, image, video, audio, document, text, html or archive"`
	Status string `json:"status,omitempty" jsonschema:"live, review, processing or disabled; trash: deleted links, without query, kind and label"`
	Label  string `json:"label,omitempty" jsonschema:"one of its labels"`
	Limit  *int   `json:"limit,omitempty" jsonschema:"1 to 100; default 20"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the answer before"`
}

// listed is a link in a list.
type listed struct {
	Slug      string     `json:"slug"`
	Title     string     `json:"title"`
	URL       string     `json:"url"`
	Kind      string     `json:"kind"`
	Status    string     `json:"status"`
	Reason    string     `json:"reason,omitempty"`
	Labels    []string   `json:"labels,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	Views     *int64     `json:"views30d,omitempty"`
}

func listItem(l client.ListedLink) listed {
	r := listed{Slug: l.Slug, Title: l.Title, URL: l.URL, Kind: l.Kind, Status: l.Status, Reason: l.Reason,
		Labels: l.Labels, CreatedAt: l.CreatedAt, Views: l.Views}
	if !l.ExpiresAt.IsZero() {
		r.ExpiresAt = &l.ExpiresAt
	}
	return r
}

// listRow is a link in a list, or in the trash until PurgeAt.
type listRow struct {
	listed
	PurgeAt *time.Time `json:"purgeAt,omitempty"`
}

type listOut struct {
	Links      []listRow `json:"links"`
	NextCursor string    `json:"next_cursor,omitempty" jsonschema:"there are more; give this as cursor"`
}

func (c call) list(in listIn) (listOut, error) {
	q := client.Query{Text: in.Query, Kind: in.Kind, Status: in.Status, Label: in.Label, Views: true}
	if in.Limit != nil {
		q.Limit = max(*in.Limit, 1) // 0 means the default
	}
	if in.Status == "trash" {
		if in.Query+in.Kind+in.Label != "" {
			return listOut{}, argumentError("status", "the trash cannot be searched: leave query, kind and label out")
		}
		return c.trash(in.Cursor, q.Limit)
	}
	p, err := c.Links(c.ctx, in.Cursor, q)
	out := listOut{Links: []listRow{}, NextCursor: p.NextCursor}
	for _, l := range p.Links {
		out.Links = append(out.Links, listRow{listed: listItem(l)})
	}
	return out, err
}

// trash lists a page of the trash, the last deleted first.
func (c call) trash(cursor string, limit int) (listOut, error) {
	p, err := c.TrashPage(c.ctx, cursor, limit)
	out := listOut{Links: []listRow{}, NextCursor: p.NextCursor}
	for _, l := range p.Links {
		out.Links = append(out.Links, listRow{listItem(l.ListedLink), &l.PurgeAt})
	}
	return out, err
}

type getIn struct {
	Slug   string `json:"slug" jsonschema:"slug or address of the link"`
	Source bool   `json:"source,omitempty" jsonschema:"include the text of the file, if it is a text"`
}

type detailOut struct {
	listed
	FileName      string         `json:"fileName"`
	SizeBytes     int64          `json:"sizeBytes"`
	SHA256        string         `json:"sha256,omitempty"`
	Pages         int            `json:"pages,omitempty"`
	Version       int            `json:"version"`
	AllowDownload bool           `json:"allowDownload"`
	Notify        string         `json:"notify" jsonschema:"when the owner gets mails about it"`
	PublishedBy   string         `json:"publishedBy,omitempty"`
	Access        *client.Access `json:"access,omitempty" jsonschema:"what readers need; left out if anyone with the address can open the link"`
	ETag          string         `json:"etag" jsonschema:"give this as if_match so that you change only what you have seen"`
	Source        string         `json:"source,omitempty"`
	SourceCut     bool           `json:"sourceCut,omitempty" jsonschema:"the text is longer than what is returned"`
	FileURL       string         `json:"fileUrl,omitempty" jsonschema:"the file itself of a live link that anyone can open, for some minutes; do not pass it on"`
}

func detailOf(l client.LinkDetail) detailOut {
	return detailOut{listed: listItem(l.ListedLink), FileName: l.Name, SizeBytes: l.SizeBytes, SHA256: l.SHA256,
		Pages: l.Pages, Version: l.Version,
		AllowDownload: l.AllowDownload, Notify: l.Notify, PublishedBy: l.PublishedBy, Access: l.Access, ETag: l.ETag}
}

// maxSource bounds the text of a file in an answer.
const maxSource = 64 << 10

func (c call) get(in getIn) (detailOut, error) {
	l, err := c.Link(c.ctx, slugOf(in.Slug))
	if err != nil {
		return detailOut{}, err
	}
	out := detailOf(l)
	if !in.Source {
		return out, nil
	}
	if l.Kind != "text" && l.Kind != "html" {
		if l.Status != "live" || l.Access != nil {
			return out, nil // only a request with the key gets the file
		}
		out.FileURL, err = c.FileAddress(c.ctx, l.Slug)
		return out, err
	}
	res, err := c.OpenLinkFile(c.ctx, l.Slug)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxSource+1))
	if out.SourceCut = len(b) > maxSource; out.SourceCut {
		b = b[:maxSource]
	}
	out.Source = text.Decode(b, out.SourceCut)
	return out, err
}

type updateIn struct {
	Slug          string   `json:"slug" jsonschema:"slug or address of the link"`
	Title         string   `json:"title,omitempty"`
	NewSlug       string   `json:"new_slug,omitempty" jsonschema:"another address; the old one leads to it for 90 days"`
	AllowDownload *bool    `json:"allow_download,omitempty"`
	Disabled      *bool    `json:"disabled,omitempty" jsonschema:"true hides the link from the public, false shows it again"`
	Expires       string   `json:"expires,omitempty" jsonschema:"when the link stops working, such as 30d or 2027-01-31, or never"`
	Password      *string  `json:"password,omitempty" jsonschema:"readers must enter it"`
	Readers       *int     `json:"readers,omitempty" jsonschema:"how many people may open the link, 1 to 10000; 0: any number"`
	Email         *emailIn `json:"email,omitempty" jsonschema:"readers must confirm an e-mail address; replaces earlier lists"`
	NoEmail       bool     `json:"no_email,omitempty" jsonschema:"readers need not confirm an address"`
	NoPassword    bool     `json:"no_password,omitempty" jsonschema:"remove the password: anyone with the address can open the link"`
	IfMatch       string   `json:"if_match,omitempty" jsonschema:"etag that the link must still have"`
}

func (c call) update(in updateIn) (detailOut, error) {
	change := client.Change{AllowDownload: in.AllowDownload, Disabled: in.Disabled, IfMatch: in.IfMatch}
	if in.Title != "" {
		change.Title = &in.Title
	}
	if in.NewSlug != "" {
		change.Slug = &in.NewSlug
	}
	if in.Expires != "" {
		at := time.Time{}
		if in.Expires != "never" {
			var err error
			if at, err = c.when(in.Expires); err != nil {
				return detailOut{}, err
			}
		}
		change.ExpiresAt = &at
	}
	if in.Password != nil && in.NoPassword {
		return detailOut{}, argumentError("no_password", "give password or no_password, not both")
	}
	password, err := passwordOf(in.Password)
	if err != nil {
		return detailOut{}, err
	}
	if in.Email != nil && in.NoEmail {
		return detailOut{}, argumentError("no_email", "give email or no_email, not both")
	}
	if in.Password != nil || in.NoPassword || in.Readers != nil || in.Email != nil || in.NoEmail {
		change.Access = &client.AccessChange{Readers: in.Readers, Email: in.Email.of(), NoEmail: in.NoEmail}
	}
	if in.Password != nil || in.NoPassword {
		change.Access.Password = &password
	}
	l, err := c.UpdateLink(c.ctx, slugOf(in.Slug), change)
	return detailOf(l), err
}

type deleteIn struct {
	Slug      string `json:"slug" jsonschema:"slug or address of the link"`
	IfMatch   string `json:"if_match,omitempty" jsonschema:"etag that the link must still have"`
	Permanent bool   `json:"permanent,omitempty" jsonschema:"delete for good, also from the trash"`
}

type deletedOut struct {
	Deleted string     `json:"deleted"`
	PurgeAt *time.Time `json:"purgeAt,omitempty" jsonschema:"restore_link works until then"`
}

func (c call) delete(in deleteIn) (deletedOut, error) {
	slug := slugOf(in.Slug)
	if slug == "" {
		return deletedOut{}, argumentError("slug", "name the slug of the link to delete")
	}
	trashed, err := c.DeleteLink(c.ctx, slug, client.Deletion{IfMatch: in.IfMatch, Permanent: in.Permanent})
	out := deletedOut{Deleted: slug}
	if trashed != nil {
		out.PurgeAt = &trashed.PurgeAt
	}
	return out, err
}

type restoreIn struct {
	Slug string `json:"slug" jsonschema:"slug or address of the link"`
}

type restoredOut struct {
	Restored string `json:"restored"`
	URL      string `json:"url"`
	Status   string `json:"status"`
}

func (c call) restore(in restoreIn) (restoredOut, error) {
	l, err := c.RestoreLink(c.ctx, slugOf(in.Slug))
	return restoredOut{l.Slug, l.URL, l.Status}, err
}

func (s *Server) readTools(m *mcp.Server) {
	tool(s, m, "list_links", "List links", "List the links of the account, newest first, or search them.", reads,
		call.list)
	tool(s, m, "get_link", "Get a link", "Get one link with its status, version and etag, and if you ask for it the source of its file.", reads, call.get)
	tool(s, m, "list_events", "List events", "List what happened in the account in the last 30 days, oldest first: views by people, downloads, changes of links. Keep next_cursor to see only what is new.", reads, call.events)
	tool(s, m, "list_recipients", "List addresses of a link", "List the addresses of a link for people and channels, 25 a call: when each was opened, and how far the file was read.", reads, call.recipients)
	s.reportTools(m)
}

func (s *Server) deleteTools(m *mcp.Server) {
	tool(s, m, "delete_link", "Delete a link", "Delete a link: it goes to the trash for 30 days. Ask the person first. To hide a link, use update_link with disabled.", deletes, call.delete)
	tool(s, m, "restore_link", "Restore a link", "Restore a link from the trash, with its address, file and numbers.", adds, call.restore)
}
