// Package serve implements the command that runs a server, and those that check
// one.
package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"vitrine/internal/app/moderation"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/admin"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"

	"golang.org/x/net/publicsuffix"
)

// Commands returns the commands that run and check a server.
func Commands() []*command.Command {
	return []*command.Command{newServe(), newDemo(), newDoctor(), newHealthcheck()}
}

// serveCmd is the configuration of a server. The manual is generated from its
// help texts.
type serveCmd struct {
	Listen       string
	Metrics      string
	PublicURL    string
	ContentURL   string
	SitesURL     string
	TrustedProxy networks
	instance.Places
	sinkFlags
	scanFlags
	previewFlags
	admin.PlanFlags
	UpgradeURL string
	Security   contact
	accountFlags
	webhookFlags
	RedirectDownloads bool
	Drain             time.Duration
	ShutdownTimeout   time.Duration
	ViewerKeyLife     time.Duration
	KeepViews         int
	MaxViews          int
	AbuseThreshold    int
	LogFormat         string
	LogLevel          slog.Level
	Dev               bool
	instance.CityFlags
	version string
	watched watched
	created bool               // the instance is new
	greet   func(*url.URL)     // says what to do next; nil: publish a file
	unknown func() [][2]string // variables that look like settings
}

func newServe() *command.Command {
	c := new(serveCmd)
	cmd := command.New("serve", "Run the server.", c.Run)
	cmd.SuggestFor = []string{"server", "start", "run"}
	cmd.Examples("serve",
		"serve --listen :8080 --public-url https://share.example --data /var/lib/vitrine")
	c.AddFlags(cmd)
	return cmd
}

// AddFlags adds the settings of a server to a command.
func (c *serveCmd) AddFlags(cmd *command.Command) {
	cmd.Check(c.Validate)
	c.unknown = func() [][2]string { return cmd.UnknownVariables(os.Environ()) }
	cmd.Title("Addresses")
	c.Listen = "127.0.0.1:8080"
	cmd.String(&c.Listen, "listen", "HOST:PORT", "Address to listen on, HOST:PORT. The default accepts connections from this machine only. In a container, or without a reverse proxy, use :8080.").Env("VITRINE_LISTEN")
	cmd.String(&c.PublicURL, "public-url", "URL", "Public address of the instance. Every link starts with it. Default: http://localhost and the port.").Env("VITRINE_PUBLIC_URL")
	cmd.String(&c.ContentURL, "content-url", "URL", "Address that file contents are served from. Use a separate host that leads to the same server, to isolate uploads from the app. Default: the public URL.").Env("VITRINE_CONTENT_URL")
	cmd.String(&c.SitesURL, "sites-url", "URL", "Address of static websites, with a star for the name, such as https://*.sites.example. All these hosts must lead to the same server. Use a separate domain. Default: http://*.localhost when the public URL is on localhost; otherwise websites are served below the content URL in a sandbox, where only relative addresses work. off: disable websites.").Env("VITRINE_SITES_URL")
	cmd.Text(&c.TrustedProxy, "trusted-proxy", "CIDR", "", "Reverse proxies whose X-Forwarded-For is trusted: addresses or networks. Without it, all visitors behind a proxy count as one.").Env("VITRINE_TRUSTED_PROXY")
	cmd.String(&c.Metrics, "metrics-listen", "HOST:PORT", "Address of /metrics, for Prometheus, such as 127.0.0.1:9464. Anyone who can connect to it can read it. Default: none.").Env("VITRINE_METRICS_LISTEN")
	c.Places.AddSettings(cmd)
	cmd.Take(&c.sinkFlags, &c.scanFlags, &c.previewFlags, &c.PlanFlags)
	cmd.Title("Limits of the plans")
	cmd.String(&c.UpgradeURL, "upgrade-url", "URL", "Where larger plans are sold, https:// or mailto:. Default: plans are not sold, and pages show limits instead of plans.").Env("VITRINE_UPGRADE_URL")
	cmd.Take(&c.accountFlags, &c.webhookFlags)
	cmd.Title("Advanced")
	cmd.Text(&c.Security, "security-contact", "CONTACT", "", "Where to report vulnerabilities and dangerous files: an e-mail address or a page (https://…). /.well-known/security.txt names it. Default: there is no such file.").Env("VITRINE_SECURITY_CONTACT")
	cmd.Bool(&c.RedirectDownloads, "redirect-downloads", "Redirect downloads to the bucket (--files), with an address that expires after a minute. A link that is disabled then starts no new downloads, but does not end one in progress.").Env("VITRINE_REDIRECT_DOWNLOADS")
	cmd.Duration(&c.Drain, "drain", "How long the server keeps serving after SIGTERM or SIGINT while /readyz answers 503. Set it to longer than your load balancer takes to notice. Needed when several servers share an instance.").Env("VITRINE_DRAIN")
	c.ShutdownTimeout = 30 * time.Second
	cmd.Duration(&c.ShutdownTimeout, "shutdown-timeout", "How long requests in progress may take to finish after SIGTERM or SIGINT. A second signal stops the server at once.").Env("VITRINE_SHUTDOWN_TIMEOUT")
	c.ViewerKeyLife = 8760 * time.Hour
	cmd.Duration(&c.ViewerKeyLife, "viewer-key-life", "How long one secret key recognizes the viewers of an account. Then the key is destroyed and replaced, and returning viewers count as new.").Env("VITRINE_VIEWER_KEY_LIFE")
	c.KeepViews = 25
	cmd.Int(&c.KeepViews, "keep-views", "MONTHS", "How many months single views are kept. Then they are deleted; the totals of their days stay. 0: forever.").Env("VITRINE_KEEP_VIEWS")
	cmd.Int(&c.MaxViews, "max-views", "N", "The most views that one report reads, newest first. A report that reaches the limit says so. 0: no limit.").Env("VITRINE_MAX_VIEWS")
	c.AbuseThreshold = moderation.DefaultAbuseThreshold
	cmd.Int(&c.AbuseThreshold, "abuse-threshold", "N", "How many reports from different networks on one day (UTC) send a live link to review; at most 20 links an hour. 0: never.").Env("VITRINE_ABUSE_THRESHOLD")
	c.LogFormat = "text"
	cmd.Choice(&c.LogFormat, "log-format", "", "Format of the log on standard error: text or json.", "text", "json").Env("VITRINE_LOG_FORMAT")
	cmd.Text(&c.LogLevel, "log-level", "LEVEL", "info", "What is logged: debug, info, warn or error.").Env("VITRINE_LOG_LEVEL").Complete(command.Words("debug", "info", "warn", "error"))
	cmd.Bool(&c.Dev, "dev", "For development: read templates, styles and scripts from internal/web of the checkout in the working directory, so that a change needs no build.").Env("VITRINE_DEV")
	cmd.Take(&c.CityFlags)
	cmd.Title("")
}

// scanFlags configure the malware scanner.
type scanFlags struct {
	Clamd []string
	Scans int
}

// AddFlags adds the flags to a command.
func (f *scanFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Malware scanning")
	cmd.Strings(&f.Clamd, "clamd", "ADDRESS", "clamd, which scans files for malware: unix:/run/clamav/clamd.ctl or HOST:PORT; several share the work. Its clamd.conf must say AlertExceedsMax yes. Default: none, and files are inspected only.").Env("VITRINE_CLAMD")
	f.Scans = 4
	cmd.Int(&f.Scans, "scans", "N", "How many files one clamd scans at once. Its MaxThreads must allow it.").Env("VITRINE_SCANS")
}

// previewFlags are the paths of preview programs.
type previewFlags struct {
	Office string
	FFmpeg string
	Heif   string
}

// AddFlags adds the flags to a command.
func (f *previewFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Previews")
	cmd.String(&f.Office, "office", "PATH", "Path of soffice (LibreOffice), which renders office documents. Default: the one in PATH. off: none.").Env("VITRINE_OFFICE")
	cmd.String(&f.FFmpeg, "ffmpeg", "PATH", "Path of ffmpeg, which makes preview pictures of videos. Default: the one in PATH. off: none.").Env("VITRINE_FFMPEG")
	cmd.String(&f.Heif, "heif", "PATH", "Path of heif-convert (libheif), which converts HEIC pictures. Default: the one in PATH. off: none.").Env("VITRINE_HEIF")
}

// networks are addresses, or networks in CIDR form.
type networks []netip.Prefix

// UnmarshalText adds those of a text, which are separated by commas.
func (n *networks) UnmarshalText(text []byte) error {
	for s := range strings.SplitSeq(string(text), ",") {
		s = strings.TrimSpace(s)
		if a, err := netip.ParseAddr(s); err == nil {
			*n = append(*n, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return fmt.Errorf("%q is not an address or a network such as 10.0.0.0/8", s)
		}
		*n = append(*n, p.Masked())
	}
	return nil
}

// contact is the address of a person or a page, with its scheme.
type contact string

// UnmarshalText sets it to a text.
func (c *contact) UnmarshalText(text []byte) error {
	if u, err := url.Parse(string(text)); err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil {
		*c = contact(u.String())
		return nil
	}
	address, err := mail.ParseAddress(strings.TrimPrefix(string(text), "mailto:"))
	if err != nil || address.Name != "" {
		return fmt.Errorf("%q is neither an e-mail address nor https://…", text)
	}
	*c = contact((&url.URL{Scheme: "mailto", Opaque: url.PathEscape(address.Address)}).String())
	return nil
}

// Validate checks the combination of flags.
func (c *serveCmd) Validate() error {
	if _, _, err := splitListen("--listen", c.Listen); err != nil {
		return err
	}
	if err := c.checkMetrics(); err != nil {
		return err
	}
	if c.MaxViews < 0 {
		return errors.New("--max-views must be 0 or more")
	}
	if c.AbuseThreshold < 0 {
		return errors.New("--abuse-threshold must be 0 or more")
	}
	if c.Scans < 1 {
		return errors.New("--scans must be 1 or more")
	}
	if c.ViewerKeyLife < 24*time.Hour {
		return errors.New("--viewer-key-life must be a day (24h) or more")
	}
	if c.RedirectDownloads && c.Files == "" {
		return errors.New("--redirect-downloads requires files in a bucket (--files)")
	}
	if c.Drain < 0 {
		return errors.New("--drain must be 0 or more")
	}
	if c.ShutdownTimeout < 0 {
		return errors.New("--shutdown-timeout must be 0 or more")
	}
	if err := c.check(); err != nil {
		return err
	}
	if u, err := url.Parse(c.UpgradeURL); c.UpgradeURL != "" &&
		(err != nil || !slices.Contains([]string{"https", "http", "mailto"}, u.Scheme)) {
		return fmt.Errorf("--upgrade-url: %q is not an address such as https://share.example/buy or mailto:you@share.example", c.UpgradeURL)
	}
	for _, port := range c.Ports {
		if port < 1 || port > 65535 {
			return fmt.Errorf("--webhook-ports: %d is not a port", port)
		}
	}
	public, content, err := c.origins("0")
	if err == nil {
		_, err = c.sites(public, content)
	}
	return err
}

// origins returns the origins of pages and of file bytes for a server that
// listens on a port.
func (c *serveCmd) origins(port string) (public, content *url.URL, err error) {
	public, err = notation.Origin("--public-url", cmp.Or(c.PublicURL, "http://localhost:"+port))
	if err != nil || c.ContentURL == "" {
		return public, public, err
	}
	content, err = notation.Origin("--content-url", c.ContentURL)
	return public, content, err
}

// sites returns the address of websites, whose host begins with "*.". It
// returns nil if websites have no own hosts.
func (c *serveCmd) sites(public, content *url.URL) (*url.URL, error) {
	text := c.SitesURL
	switch {
	case text == "off", text == "" && (public.Hostname() != "localhost" ||
		strings.HasSuffix(content.Hostname(), ".localhost")):
		return nil, nil
	case text == "":
		return &url.URL{Scheme: public.Scheme, Host: "*." + public.Host}, nil
	}
	scheme, host, ok := strings.Cut(text, "://*.")
	u, err := notation.Origin("--sites-url", scheme+"://"+host)
	if !ok || err != nil || strings.Contains(host, "*") {
		return nil, fmt.Errorf("--sites-url: %q is not an address of scheme and host alone whose host begins with *., such as https://*.sites.example", text)
	}
	for flag, other := range map[string]*url.URL{"--public-url": public, "--content-url": content} {
		switch {
		case strings.HasSuffix(other.Hostname(), "."+u.Hostname()):
			return nil, fmt.Errorf("--sites-url: %s (%s) could be the address of a website; use another domain for one of them", flag, other.Host)
		case cookieDomain("name."+u.Hostname()) == cookieDomain(other.Hostname()):
			return nil, fmt.Errorf("--sites-url: websites would share their domain with %s (%s), so scripts of websites could set its cookies and send requests as if they were its own; use a separate domain", flag, other.Host)
		}
	}
	u.Host = "*." + u.Host
	return u, nil
}

// cookieDomain returns the domain that shares cookies with a host: a public
// suffix, such as com or co.uk, and the label before it.
func cookieDomain(host string) string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}
