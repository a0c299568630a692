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
	"strconv"
	"time"

	"vitrine"
	"vitrine/internal/app/importer"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/services"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app/reportpage"
	"vitrine/internal/web/httpx"
	"vitrine/report"
)

// The demonstration: one account with one deck, and how often it was viewed.
const (
	demoEmail = "demo@example.org"
	demoFile  = "deck.pdf"
	demoTitle = "Where we are going"
	demoSlug  = "deck"
	demoViews = 500
)

// demoCmd fills a new directory with a deck and views of it, and serves it. It
// takes no settings from the environment, so that it cannot reach an instance
// that is in use.
type demoCmd struct {
	serveCmd
}

func newDemo() *command.Command {
	c := new(demoCmd)
	c.AddFlags(command.New("serve", "", c.serveCmd.Run)) // sets the defaults
	c.Data = ""
	cmd := command.New("demo", "Run a server with a sample deck and 500 made-up views, to look at.", c.Run)
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
		t.Say("Look at the sample deck and its report. This address signs you in, once, within %d minutes:",
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
	in.Make(services.Ports{Plans: c.Plans()})
	a, _, err := in.Accounts.Create(ctx, demoEmail, "")
	if err != nil {
		return "", "", err
	}
	password = rand.Text()
	if err := in.Accounts.SetPassword(ctx, a.Email, password); err != nil {
		return "", "", err
	}
	if err := publishDemo(ctx, in, a); err != nil {
		return "", "", err
	}
	lines, err := demoLines(in.Now())
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

// publishDemo publishes the deck.
func publishDemo(ctx context.Context, in *instance.Instance, a *vitrine.Account) error {
	const kind = "application/pdf"
	deck, title, slug := demoDeck(), demoTitle, demoSlug
	begun, err := in.Uploads.Create(ctx, a, publish.UploadRequest{Name: demoFile, Type: kind, Size: int64(len(deck)),
		Slug: &slug})
	if err != nil {
		return err
	}
	grant := vitrine.PutGrant{Key: begun.Path, Size: int64(len(deck)), Type: kind, Expires: in.Now().Add(time.Minute)}
	if _, err := in.Receiver.Receive(ctx, grant, bytes.NewReader(deck)); err != nil {
		return err
	}
	l, err := in.Uploads.Complete(ctx, a, publish.CompleteRequest{Path: string(begun.Path), Name: demoFile, Type: kind,
		LinkName: &title, Slug: &slug})
	if err == nil && !l.Live() {
		err = fmt.Errorf("the sample deck is %s: %s", l.State, l.Reason)
	}
	return err
}

// demoLine is a view in the form of "admin import views".
type demoLine struct {
	Slug     string       `json:"slug"`
	At       time.Time    `json:"at"`
	Viewer   string       `json:"viewer"`
	Country  string       `json:"country,omitempty"`
	Referrer string       `json:"referrer,omitempty"`
	Source   string       `json:"source,omitempty"`
	Device   string       `json:"device,omitempty"`
	Browser  string       `json:"browser,omitempty"`
	OS       string       `json:"os,omitempty"`
	Bot      bool         `json:"bot,omitempty"`
	QR       bool         `json:"qr,omitempty"`
	Back     bool         `json:"returning,omitempty"`
	Session  *demoSession `json:"session,omitempty"`
}

type demoSession struct {
	EngagedMs  int64      `json:"engagedMs"`
	PresentMs  int64      `json:"presentMs"`
	Screen     string     `json:"screen,omitempty"`
	Downloaded bool       `json:"downloaded,omitempty"`
	Pages      []demoPage `json:"pages,omitempty"`
}

type demoPage struct {
	Page int   `json:"page"`
	Ms   int64 `json:"ms"`
}

// demoLines returns the views of the deck, of the weeks before a time.
func demoLines(now time.Time) (*bytes.Buffer, error) {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	for _, v := range reportpage.SampleViews(report.ContentPages, demoViews, now) {
		line := demoLine{Slug: demoSlug, At: time.UnixMilli(v.At).UTC(), Viewer: strconv.FormatUint(v.Viewer, 10),
			Country: v.Country, Referrer: v.Referrer, Source: v.Source, Device: v.Device, Browser: v.Browser, OS: v.OS,
			Bot: v.Bot != "", QR: v.QR, Back: v.Returning}
		if s := v.Session; s != nil {
			line.Session = &demoSession{EngagedMs: s.EngagedMs, PresentMs: s.PresentMs, Screen: s.Screen,
				Downloaded: s.Downloaded}
			for _, p := range s.Pages {
				line.Session.Pages = append(line.Session.Pages, demoPage{p.Page, p.Ms})
			}
		}
		if err := lines.Encode(line); err != nil {
			return nil, err
		}
	}
	return &b, nil
}
