package agent

import (
	"cmp"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"vitrine/client"
	"vitrine/internal/base/notation"
	"vitrine/internal/filetype"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxInline bounds a text that is sent as an argument.
const maxInline = 1 << 20

// linkOut is a link that was published or changed.
type linkOut struct {
	Slug      string     `json:"slug"`
	URL       string     `json:"url" jsonschema:"the public address"`
	Title     string     `json:"title"`
	Status    string     `json:"status" jsonschema:"live, review (a moderator must approve it first), processing or disabled"`
	Reason    string     `json:"reason,omitempty"`
	Detail    string     `json:"detail,omitempty"`
	Version   int        `json:"version,omitempty" jsonschema:"number of the version that readers see"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	Unchanged bool       `json:"unchanged,omitempty" jsonschema:"the link has these bytes already"`
	Waiting   string     `json:"waiting,omitempty" jsonschema:"status of the new version, while readers still see the one before"`
	Warnings  []string   `json:"warnings,omitempty" jsonschema:"tell the person about these"`
}

func published(l client.Link, warnings []string) linkOut {
	out := linkOut{Slug: l.Slug, URL: l.URL, Title: l.Title, Status: "live", Reason: l.Reason, Detail: l.Detail,
		Version: l.Version, Warnings: warnings}
	switch {
	case l.Review:
		out.Status = "review"
	case l.Processing:
		out.Status = "processing"
	}
	if r := l.Replacement; r != nil {
		out.Unchanged = r.Unchanged
		if r.Status != "live" {
			out.Waiting, out.Reason, out.Detail = r.Status, r.Reason, r.Detail
		}
	}
	return out
}

// publishOptions are options that all ways to publish have.
type publishOptions struct {
	Title    string   `json:"title,omitempty" jsonschema:"title of the page; default: the file name"`
	Slug     string   `json:"slug,omitempty" jsonschema:"custom last part of the address; fails with pro_required if the account cannot choose it"`
	ViewOnly bool     `json:"view_only,omitempty" jsonschema:"offer no download"`
	Expires  string   `json:"expires,omitempty" jsonschema:"when the link stops working, such as 30d, 12h or 2027-01-31, or never"`
	Password *string  `json:"password,omitempty" jsonschema:"readers must enter it"`
	Readers  *int     `json:"readers,omitempty" jsonschema:"how many people may open the link; default: any number"`
	Email    *emailIn `json:"email,omitempty" jsonschema:"readers must confirm an e-mail address"`
}

// emailIn is an email gate.
type emailIn struct {
	Allow   []string `json:"allow,omitempty" jsonschema:"addresses and domains that may open the link; default: all"`
	Deny    []string `json:"deny,omitempty" jsonschema:"addresses and domains that may not"`
	Consent string   `json:"consent,omitempty" jsonschema:"a text that readers agree to"`
}

func (e *emailIn) of() *client.Email {
	if e == nil {
		return nil
	}
	return &client.Email{Allow: e.Allow, Deny: e.Deny, Consent: e.Consent}
}

// keepsPage refuses what is not sent with a replacement.
func (a publishOptions) keepsPage(replace string) error {
	if replace != "" && a != (publishOptions{}) {
		return argumentError("replace", "a link keeps its title, address and settings when its file is replaced: leave out title, slug, view_only, expires, password, readers and email, and call update_link afterwards")
	}
	return nil
}

func (a publishOptions) options(c call) (o client.Options, err error) {
	o = client.Options{LinkName: a.Title, Slug: a.Slug, ViewOnly: a.ViewOnly, Cancel: true}
	o.Email = a.Email.of()
	if o.Password, err = passwordOf(a.Password); err != nil {
		return o, err
	}
	if a.Readers != nil {
		if o.Readers = *a.Readers; o.Readers == 0 {
			return o, argumentError("readers", "at least one reader must be able to open the link: leave readers out for any number")
		}
	}
	switch a.Expires {
	case "":
	case "never":
		o.NeverExpires = true
	default:
		o.ExpiresAt, err = c.when(a.Expires)
	}
	return o, err
}

// passwordOf reads the argument password.
func passwordOf(password *string) (string, error) {
	if password == nil {
		return "", nil
	}
	if *password == "" {
		return "", argumentError("password", "a password is not empty: leave it out for none")
	}
	return *password, nil
}

// when reads the argument expires.
func (c call) when(text string) (time.Time, error) {
	at, err := notation.ParseTime(text, c.Now())
	if err != nil {
		err = argumentError("expires", "%v.", err)
	}
	return at, err
}

// secretOptions are options of tools that read what they publish.
type secretOptions struct {
	PublishSecrets bool `json:"publish_secrets,omitempty" jsonschema:"publish also what looks like a key or password; only if the person asks for exactly that"`
}

// check looks for secrets in a text, and refuses them or returns warnings. name
// is the argument that the text is from.
func (o secretOptions) check(name string, text io.Reader) (warnings []string, err error) {
	found, err := FindSecrets(text)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for _, f := range found {
		warnings = append(warnings, f.String()+" The page is public: if it is a real one, revoke it now.")
	}
	if !o.PublishSecrets {
		return nil, &client.Error{Code: "secret_found", Field: name,
			Message: found[0].String() + " Nothing was published."}
	}
	return warnings, nil
}

type publishTextIn struct {
	Name    string `json:"name" jsonschema:"file name with extension: .md, .html, .txt, .csv or .json"`
	Content string `json:"content" jsonschema:"the whole text, at most 1 MiB"`
	publishOptions
	secretOptions
	IdempotencyKey string `json:"idempotency_key,omitempty" jsonschema:"UUID; default: derived from the arguments, so that a repeated call makes no second link"`
}

// text returns a text as a file, with what is to be said of it.
func (o secretOptions) text(name, content string) (client.File, []string, error) {
	switch {
	case len(content) == 0:
		return client.File{}, nil, argumentError("content", "the content is empty")
	case len(content) > maxInline:
		return client.File{}, nil, argumentError("content",
			"the content has %d bytes; at most %d can be sent inline. Upload it as a file instead", len(content), maxInline)
	}
	warnings, err := o.check("content", strings.NewReader(content))
	return client.File{Name: name, Size: int64(len(content)), Content: strings.NewReader(content)}, warnings, err
}

// derivedKey returns the idempotency key of a call: the same for the same
// arguments.
func derivedKey(args ...any) string {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // the arguments came as JSON
	}
	return uuid.NewHash(sha1.New(), uuid.NameSpaceURL, b, 5).String()
}

func (c call) publishText(in publishTextIn) (linkOut, error) {
	f, warnings, err := in.text(in.Name, in.Content)
	if err != nil {
		return linkOut{}, err
	}
	o, err := in.options(c)
	if err != nil {
		return linkOut{}, err
	}
	if o.IdempotencyKey = in.IdempotencyKey; o.IdempotencyKey == "" {
		o.IdempotencyKey = derivedKey("publish_text", in)
	}
	o.Type, o.Progress = filetype.MIMEOf(f.Name), c.progress()
	l, err := c.Upload(c.ctx, f, o)
	return published(l, warnings), err
}

type replaceIn struct {
	Slug    string `json:"slug" jsonschema:"slug or address of the link"`
	Content string `json:"content" jsonschema:"the whole new text, at most 1 MiB"`
	Name    string `json:"name,omitempty" jsonschema:"file name with extension; default: the one that the link has"`
	IfMatch string `json:"if_match,omitempty" jsonschema:"etag that the link must still have"`
	secretOptions
}

func (c call) replace(in replaceIn) (linkOut, error) {
	slug := slugOf(in.Slug)
	if in.Name == "" {
		l, err := c.Link(c.ctx, slug)
		if err != nil {
			return linkOut{}, err
		}
		in.Name = l.Name
	}
	f, warnings, err := in.text(in.Name, in.Content)
	if err != nil {
		return linkOut{}, err
	}
	l, err := c.Upload(c.ctx, f, client.Options{Type: filetype.MIMEOf(f.Name), Replace: slug, IfMatch: in.IfMatch,
		Cancel: true, Progress: c.progress()})
	return published(l, warnings), err
}

type beginIn struct {
	Name           string `json:"name" jsonschema:"file name with extension"`
	Size           int64  `json:"size" jsonschema:"exact size in bytes"`
	Type           string `json:"type,omitempty" jsonschema:"MIME type; default: that of the extension"`
	Slug           string `json:"slug,omitempty" jsonschema:"custom last part of the address; fails with pro_required if the account cannot choose it"`
	Replace        string `json:"replace,omitempty" jsonschema:"slug of a link whose file is replaced"`
	IdempotencyKey string `json:"idempotency_key,omitempty" jsonschema:"UUID that makes retries safe"`
}

type begunOut struct {
	Path      string   `json:"path,omitempty" jsonschema:"give this to complete_upload"`
	UploadURL string   `json:"upload_url,omitempty" jsonschema:"PUT the bytes here within 10 minutes"`
	Curl      string   `json:"curl,omitempty" jsonschema:"a command that does so, run where the file is"`
	Existing  *linkOut `json:"existing,omitempty" jsonschema:"the link that this idempotency_key has made already; nothing is left to do"`
}

func (c call) begin(in beginIn) (begunOut, error) {
	if err := (publishOptions{Slug: in.Slug}).keepsPage(in.Replace); err != nil {
		return begunOut{}, err
	}
	o := client.Options{Type: in.Type, Slug: in.Slug, Replace: slugOf(in.Replace), IdempotencyKey: in.IdempotencyKey}
	o.Type = cmp.Or(o.Type, filetype.MIMEOf(in.Name))
	b, err := c.BeginUpload(c.ctx, in.Name, in.Size, o)
	if err != nil {
		return begunOut{}, err
	}
	if b.Existing != nil {
		l := published(*b.Existing, nil)
		return begunOut{Existing: &l}, nil
	}
	return begunOut{Path: b.Path, UploadURL: b.SignedURL,
		Curl: fmt.Sprintf("curl -fsS -T %s -H %s %s", notation.ShellWord("./"+in.Name),
			notation.ShellWord("Content-Type: "+o.Type), notation.ShellWord(b.SignedURL))}, nil
}

type completeIn struct {
	Path string `json:"path" jsonschema:"as begin_upload returned it"`
	Name string `json:"name" jsonschema:"as in begin_upload"`
	Type string `json:"type,omitempty" jsonschema:"as in begin_upload"`
	publishOptions
	Replace string `json:"replace,omitempty" jsonschema:"as in begin_upload"`
}

func (c call) complete(in completeIn) (linkOut, error) {
	if err := in.keepsPage(in.Replace); err != nil {
		return linkOut{}, err
	}
	o, err := in.options(c)
	if err != nil {
		return linkOut{}, err
	}
	o.Type, o.Replace = cmp.Or(in.Type, filetype.MIMEOf(in.Name)), slugOf(in.Replace)
	l, err := c.CompleteUpload(c.ctx, in.Path, in.Name, o)
	return published(l, nil), err
}

type publishFileIn struct {
	Path string `json:"path" jsonschema:"file in the folder that this program may read, or below it; hidden files are refused"`
	publishOptions
	secretOptions
	Replace string `json:"replace,omitempty" jsonschema:"slug or address of a link whose file is replaced"`
}

// publishFile publishes a file of the machine that the agent runs on.
func (c call) publishFile(in publishFileIn) (linkOut, error) {
	if err := in.keepsPage(in.Replace); err != nil {
		return linkOut{}, err
	}
	o, err := in.options(c)
	if err != nil {
		return linkOut{}, err
	}
	f, err := c.Files.open(in.Path)
	if err != nil {
		return linkOut{}, err
	}
	defer f.Close()
	warnings, err := in.check("path", io.NewSectionReader(f.Content, 0, f.Size))
	if err != nil {
		return linkOut{}, err
	}
	o.Type, o.Replace, o.Progress = filetype.MIMEOf(f.Name), slugOf(in.Replace), c.progress()
	l, err := c.Upload(c.ctx, f, o)
	return published(l, warnings), err
}

// progress returns a function that reports upload progress to the client in
// steps of some percent, never less than before. It returns nil if the client
// does not ask for progress.
func (c call) progress() func(sent, total int64) {
	token := c.req.Params.GetProgressToken()
	if token == nil || c.req.Session == nil {
		return nil
	}
	told := int64(-1)
	return func(sent, total int64) {
		step := sent * 20 / max(total, 1)
		if step <= told {
			return
		}
		told = step
		_ = c.req.Session.NotifyProgress(c.ctx, &mcp.ProgressNotificationParams{ProgressToken: token,
			Progress: float64(sent), Total: float64(total)})
	}
}

func (s *Server) publishTools(m *mcp.Server) {
	tool(s, m, "publish_text", "Publish a text", "Publish Markdown, HTML, text, CSV or JSON that you have written, and get its public link. HTML must be one self-contained file. What looks like a key or password is refused.",
		publishes, call.publishText)
	tool(s, m, "replace_file", "Replace a file", "Replace the text of a link by a new version at the same address. Readers see the version before until the new one has been checked. For other files give replace to an upload.",
		changes, call.replace)
	if s.Local {
		tool(s, m, "publish_file", "Publish a file",
			"Publish a file of this machine by its path (PDF, image, video, document, HTML and more), or replace the file of a link by it. What looks like a key or password is refused.",
			publishes, call.publishFile)
	} else {
		tool(s, m, "begin_upload", "Begin an upload",
			"Publish any file in three steps: call this, run the curl command that it returns, then call complete_upload. Never send bytes as base64.",
			adds, call.begin)
		tool(s, m, "complete_upload", "Complete an upload",
			"Last step of an upload: checks the bytes that were sent, and makes the public link. Repeating it returns the same link.",
			changes, call.complete)
	}
	tool(s, m, "update_link", "Change a link", "Change the title, address, download, expiry, password or visibility of a link. What you leave out stays as it is.",
		changes, call.update)
	s.recipientTools(m)
}
