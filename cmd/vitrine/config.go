package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/geo"
	"vitrine/internal/hostname"
	"vitrine/internal/instance"
	"vitrine/internal/limits"
	"vitrine/internal/moderation"

	"github.com/alecthomas/kong"
	"golang.org/x/net/publicsuffix"
)

// serveCmd is the configuration of a server. The manual is generated from its
// help texts.
type serveCmd struct {
	Listen       string    `help:"Address to listen on, HOST:PORT. The default accepts connections from this machine only. In a container, or without a reverse proxy, use :8080." env:"VITRINE_LISTEN" group:"addresses" default:"127.0.0.1:8080"`
	PublicURL    string    `help:"Public address of the instance. Every link starts with it. Default: http://localhost and the port." env:"VITRINE_PUBLIC_URL" group:"addresses" placeholder:"URL"`
	ContentURL   string    `help:"Address that file contents are served from. Use a separate host that leads to the same server, to isolate uploads from the app. Default: the public URL." env:"VITRINE_CONTENT_URL" group:"addresses" placeholder:"URL"`
	SitesURL     string    `help:"Address of static websites, with a star for the name, such as https://*.sites.example. All these hosts must lead to the same server. Use a separate domain. Default: http://*.localhost when the public URL is on localhost; otherwise websites are served below the content URL in a sandbox, where only relative addresses work. off: disable websites." env:"VITRINE_SITES_URL" group:"addresses" placeholder:"URL"`
	TrustedProxy []network `help:"Reverse proxies whose X-Forwarded-For is trusted: addresses or networks. Without it, all visitors behind a proxy count as one." env:"VITRINE_TRUSTED_PROXY" group:"addresses" placeholder:"CIDR"`
	instance.Places
	scanFlags
	previewFlags
	limits.PlanFlags
	UpgradeURL string `help:"Where larger plans are sold, https:// or mailto:. Default: plans are not sold, and pages show limits instead of plans." env:"VITRINE_UPGRADE_URL" group:"plans" placeholder:"URL"`
	accountFlags
	RedirectDownloads bool          `help:"Redirect downloads to the bucket (--files), with an address that expires after a minute. A link that is disabled then starts no new downloads, but does not end one in progress." env:"VITRINE_REDIRECT_DOWNLOADS" group:"advanced"`
	Drain             time.Duration `help:"How long the server keeps serving after SIGTERM or SIGINT while /readyz answers 503. Set it to longer than your load balancer takes to notice. Needed when several servers share an instance." env:"VITRINE_DRAIN" group:"advanced" default:"0s"`
	ShutdownTimeout   time.Duration `help:"How long requests in progress may take to finish after SIGTERM or SIGINT. A second signal stops the server at once." env:"VITRINE_SHUTDOWN_TIMEOUT" group:"advanced" default:"30s"`
	ViewerKeyLife     time.Duration `help:"How long one secret key recognizes the viewers of an account. Then the key is destroyed and replaced, and returning viewers count as new." env:"VITRINE_VIEWER_KEY_LIFE" group:"advanced" default:"8760h"`
	KeepViews         int           `aliases:"keep-opens" help:"How many months single views are kept. Then they are deleted; the totals of their days stay. 0: forever. Default: 25." env:"VITRINE_KEEP_VIEWS,VITRINE_KEEP_OPENS" group:"advanced" default:"25" placeholder:"MONTHS"`
	MaxViews          int           `aliases:"max-opens" help:"The most views that one report reads, newest first. A report that reaches the limit says so. 0: no limit." env:"VITRINE_MAX_VIEWS,VITRINE_MAX_OPENS" group:"advanced" default:"0"`
	AbuseThreshold    int           `help:"How many reports from different networks on one day (UTC) send a live link to review; at most 20 links an hour. 0: never." env:"VITRINE_ABUSE_THRESHOLD" group:"advanced" default:"${abuse_threshold}"`
	LogFormat         string        `help:"Format of the log on standard error: text or json." env:"VITRINE_LOG_FORMAT" group:"advanced" default:"text" enum:"text,json"`
	LogLevel          slog.Level    `help:"What is logged: debug, info, warn or error." env:"VITRINE_LOG_LEVEL" group:"advanced" default:"info" predictor:"level"`
	Dev               bool          `help:"For development: read templates, styles and scripts from internal/web of the checkout in the working directory, so that a change needs no build." env:"VITRINE_DEV" group:"advanced"`
	geoFlags
	created bool // the instance is new
}

// scanFlags configure the malware scanner.
type scanFlags struct {
	Clamd []string `help:"clamd, which scans files for malware: unix:/run/clamav/clamd.ctl or HOST:PORT; several share the work. Its clamd.conf must say AlertExceedsMax yes. Default: none, and files are inspected only." env:"VITRINE_CLAMD" group:"scanning" placeholder:"ADDRESS"`
	Scans int      `help:"How many files one clamd scans at once. Its MaxThreads must allow it." env:"VITRINE_SCANS" group:"scanning" default:"4"`
}

// previewFlags are the paths of preview programs.
type previewFlags struct {
	Office string `help:"Path of soffice (LibreOffice), which renders office documents. Default: the one in PATH. off: none." env:"VITRINE_OFFICE" group:"previews" placeholder:"PATH"`
	FFmpeg string `help:"Path of ffmpeg, which makes preview pictures of videos. Default: the one in PATH. off: none." name:"ffmpeg" env:"VITRINE_FFMPEG" group:"previews" placeholder:"PATH"`
	Heif   string `help:"Path of heif-convert (libheif), which converts HEIC pictures. Default: the one in PATH. off: none." env:"VITRINE_HEIF" group:"previews" placeholder:"PATH"`
}

// helpFacts returns the values for placeholders in help texts.
func helpFacts() kong.Option {
	vars := kong.Vars{"abuse_threshold": strconv.Itoa(moderation.DefaultAbuseThreshold), "geo_root": geo.DownloadRoot}
	for plan, l := range vitrine.DefaultPlans() {
		vars["plan_"+string(plan)] = limits.Format(l)
	}
	return vars
}

// network is an address or a network in CIDR form.
type network struct{ netip.Prefix }

func (n *network) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if a, err := netip.ParseAddr(s); err == nil {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return fmt.Errorf("%q is not an address or a network such as 10.0.0.0/8", s)
	}
	n.Prefix = p.Masked()
	return nil
}

// Validate checks the combination of flags.
func (c *serveCmd) Validate() error {
	if err := c.Places.Validate(); err != nil {
		return err
	}
	if _, _, err := splitListen(c.Listen); c.Listen != "" && err != nil {
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
	public, content, err := c.origins("0")
	if err == nil {
		_, err = c.sites(public, content)
	}
	return err
}

// origins returns the origins of pages and of file bytes for a server that
// listens on a port.
func (c *serveCmd) origins(port string) (public, content *url.URL, err error) {
	public, err = origin("--public-url", cmp.Or(c.PublicURL, "http://localhost:"+port))
	if err != nil || c.ContentURL == "" {
		return public, public, err
	}
	content, err = origin("--content-url", c.ContentURL)
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
	u, err := origin("--sites-url", scheme+"://"+host)
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

// origin parses the address of an instance. It accepts only scheme and host,
// because pages and API are at the root.
func origin(flag, s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s: %q is not an address of scheme and host alone, such as https://share.example", flag,
			s)
	}
	host, err := hostname.Host(u)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return &url.URL{Scheme: u.Scheme, Host: host}, nil
}
