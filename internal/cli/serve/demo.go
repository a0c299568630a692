package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"vitrine"
	"vitrine/internal/app/importer"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/recipients"
	"vitrine/internal/app/services"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app/reportpage"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
	"vitrine/report"
	"vitrine/report/part"
)

// The demonstration: one account with a deck and a text, and how often the deck
// was viewed.
const (
	demoEmail     = "demo@example.org"
	demoTitle     = "Where we are going"
	demoSlug      = "deck"
	demoGuideSlug = "guide"
	demoViews     = 500
)

// demoCmd fills a new directory with files and views of them, and serves it. It
// takes no settings from the environment, so that it cannot reach an instance
// that is in use.
type demoCmd struct {
	serveCmd
}

func newDemo() *command.Command {
	c := new(demoCmd)
	c.AddFlags(command.New("serve", "", c.serveCmd.Run)) // sets the defaults
	c.Data = ""
	cmd := command.New("demo", "Run a server with a sample deck, a sample text and 700 made-up views, to look at.", c.Run)
	cmd.Examples("demo", "demo ./demo --listen 127.0.0.1:9000")
	cmd.Arg(&c.Data, "directory", "Directory for the data, which must be empty or missing. Default: a temporary one, deleted at the end.").OrNone()
	cmd.String(&c.Listen, "listen", "HOST:PORT", "Address to listen on, HOST:PORT.")
	cmd.Check(c.Validate)
	return cmd
}

// Run makes the instance and serves it until ctx ends.
func (c *demoCmd) Run(ctx context.Context, t *terminal.Terminal) (err error) {
	if c.Data == "" {
		if c.Data, err = os.MkdirTemp("", "vitrine-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
	} else if files, err := os.ReadDir(c.Data); len(files) > 0 {
		return terminal.Usage(terminal.Plain(c.Data) + " is not empty. Name a new directory")
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	password, token, err := c.fill(ctx)
	if err != nil {
		return err
	}
	c.greet = func(public *url.URL) {
		t.Say("Look at the sample files and their reports. This address signs you in, once, within %d minutes:",
			int(vitrine.SignInLife/time.Minute))
		t.Say("  %s\n", httpx.TokenURL(public.String(), vitrine.TokenSignIn, token))
		t.Say("Later: %s with the password %s\n", demoEmail, password)
		t.Say("The deck, as its readers see it: %s\n", public.JoinPath("p", demoSlug))
	}
	return c.serveCmd.Run(ctx, t)
}

// fill makes the instance, and returns what signs in there.
func (c *demoCmd) fill(ctx context.Context) (password string, token vitrine.TokenText, err error) {
	in, err := instance.Create(ctx, c.Places, "http://localhost"+api.StorageRoot) // nobody asks for a signed URL
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	in.Make(services.Ports{Plans: c.Plans(), Outline: viewer.Outline})
	a, _, err := in.Accounts.Create(ctx, demoEmail, "")
	if err != nil {
		return "", "", err
	}
	password = rand.Text()
	if err := in.Accounts.SetPassword(ctx, a.Email, password); err != nil {
		return "", "", err
	}
	for _, f := range []demoFile{{"deck.pdf", "application/pdf", demoTitle, demoSlug, demoDeck()},
		{"guide.md", "text/markdown", "How to borrow an instrument", demoGuideSlug, []byte(demoGuide)}} {
		if err := f.publish(ctx, in, a); err != nil {
			return "", "", err
		}
	}
	var asks recipients.Addition
	for _, name := range demoRecipients {
		asks.Recipients = append(asks.Recipients, recipients.Request{Label: name})
	}
	_, sent, err := in.Recipients.Add(ctx, a, demoSlug, asks)
	if err != nil {
		return "", "", err
	}
	lines, err := demoLines(in.Now(), sent)
	if err != nil {
		return "", "", err
	}
	if _, err := (&importer.Importer{Store: in.Store, Log: in.Log, Now: in.Now}).Views(ctx, lines); err != nil {
		return "", "", err
	}
	if err := errors.Join(in.Analytics.RollUp(ctx), in.LogPair().Record(ctx)); err != nil {
		return "", "", err
	}
	token, err = in.Sessions.Offer(ctx, a.Email)
	return password, token, err
}

// demoFile is a sample file.
type demoFile struct {
	name, mime, title, slug string
	content                 []byte
}

// publish publishes the file.
func (f demoFile) publish(ctx context.Context, in *instance.Instance, a *vitrine.Account) error {
	size := int64(len(f.content))
	begun, err := in.Uploads.Create(ctx, a, publish.UploadRequest{Name: f.name, Type: f.mime, Size: size,
		Slug: &f.slug})
	if err != nil {
		return err
	}
	grant := vitrine.PutGrant{Key: begun.Path, Size: size, Type: f.mime, Expires: in.Now().Add(time.Minute)}
	if _, err := in.Receiver.Receive(ctx, grant, bytes.NewReader(f.content)); err != nil {
		return err
	}
	l, err := in.Uploads.Complete(ctx, a, publish.CompleteRequest{Path: string(begun.Path), Name: f.name, Type: f.mime,
		LinkName: &f.title, Slug: &f.slug})
	if err == nil && !l.Live() {
		err = fmt.Errorf("the sample %s is %s: %s", f.name, l.State, l.Reason)
	}
	return err
}

// demoLine is a view in the form of "admin import views".
type demoLine struct {
	Slug      string       `json:"slug"`
	At        time.Time    `json:"at"`
	Viewer    string       `json:"viewer"`
	Recipient string       `json:"recipient,omitempty"`
	Country   string       `json:"country,omitempty"`
	Referrer  string       `json:"referrer,omitempty"`
	Source    string       `json:"source,omitempty"`
	Device    string       `json:"device,omitempty"`
	Browser   string       `json:"browser,omitempty"`
	OS        string       `json:"os,omitempty"`
	Bot       bool         `json:"bot,omitempty"`
	QR        bool         `json:"qr,omitempty"`
	Back      bool         `json:"returning,omitempty"`
	Session   *demoSession `json:"session,omitempty"`
}

type demoSession struct {
	EngagedMs  int64        `json:"engagedMs"`
	PresentMs  int64        `json:"presentMs"`
	Screen     string       `json:"screen,omitempty"`
	Downloaded bool         `json:"downloaded,omitempty"`
	Pages      []demoPage   `json:"pages,omitempty"`
	Parts      []demoPart   `json:"parts,omitzero"`
	Clicks     []part.Click `json:"clicks,omitempty"`
	ScrollPct  *float64     `json:"scrollPct,omitempty"`
}

type demoPage struct {
	Page  int     `json:"page"`
	Ms    int64   `json:"ms"`
	Bands []int64 `json:"bands,omitempty"`
}

type demoPart struct {
	Part int   `json:"part"`
	Ms   int64 `json:"ms"`
}

// demoLines returns the views of both files, of the weeks before a time. The
// deck was sent to recipients.
func demoLines(now time.Time, sent []*vitrine.Recipient) (*bytes.Buffer, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	views := reportpage.SampleViews(report.ContentPages, demoViews, now)
	through := demoThrough(views, sent)
	for i, v := range views {
		line := newDemoLine(demoSlug, &v)
		if r := through[v.Viewer]; r != nil {
			line.Recipient = report.IDText(int64(r.ID))
		}
		if line.Session != nil {
			line.Session.readDeck(v.Session, i)
		}
		if err := lines.Encode(line); err != nil {
			return nil, err
		}
	}
	for _, line := range guideLines(now) {
		if err := lines.Encode(line); err != nil {
			return nil, err
		}
	}
	return &b, nil
}
