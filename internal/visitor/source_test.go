package visitor

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReferrersAndSources(t *testing.T) {
	for _, c := range []struct{ header, referrer, source string }{
		{"", "", Direct},

		{"https://www.google.com/", "google.com", "Google"},
		{"https://www.google.de/search?q=x", "google.de", "Google"},
		{"https://www.google.co.uk/", "google.co.uk", "Google"},
		{"https://www.google.com.au/", "google.com.au", "Google"},
		{"https://images.google.fr/", "images.google.fr", "Google"},
		{"https://google.evil.com/", "google.evil.com", "google.evil.com"},
		{"https://notgoogle.com/", "notgoogle.com", "notgoogle.com"},
		{"https://docs.google.com/document/d/1", "docs.google.com", "Google Docs"},
		{"https://www.bing.com/", "bing.com", "Bing"},
		{"https://duckduckgo.com/", "duckduckgo.com", "DuckDuckGo"},
		{"https://uk.search.yahoo.com/", "uk.search.yahoo.com", "Yahoo"},
		{"https://www.ecosia.org/", "ecosia.org", "Ecosia"},
		{"https://search.brave.com/", "search.brave.com", "Brave"},
		{"https://www.baidu.com/link?url=x", "baidu.com", "Baidu"},
		{"https://yandex.ru/clck/jsredir", "yandex.ru", "Yandex"},
		{"https://m.search.naver.com/search.naver", "m.search.naver.com", "Naver"},

		{"https://mail.google.com/mail/u/0/", "mail.google.com", Email},
		{"android-app://com.google.android.gm/", "mail.google.com", Email},
		{"https://outlook.live.com/", "outlook.live.com", Email},
		{"https://outlook.office365.com/mail/", "outlook.office365.com", Email},
		{"https://eur01.safelinks.protection.outlook.com/?url=x", "eur01.safelinks.protection.outlook.com", Email},
		{"https://us-mg5.mail.yahoo.com/", "us-mg5.mail.yahoo.com", Email},
		{"https://mail.proton.me/", "mail.proton.me", Email},
		{"https://webmail.example.org/roundcube/", "webmail.example.org", Email},
		{"https://mail.example.co.uk/owa/", "mail.example.co.uk", Email},
		{"https://mail.ru/", "mail.ru", "mail.ru"},

		{"https://www.linkedin.com/", "linkedin.com", "LinkedIn"},
		{"https://lnkd.in/abc", "lnkd.in", "LinkedIn"},
		{"android-app://com.linkedin.android/", "linkedin.com", "LinkedIn"},
		{"https://t.co/abc", "t.co", "X"},
		{"https://x.com/", "x.com", "X"},
		{"https://mobile.twitter.com/", "mobile.twitter.com", "X"},
		{"https://l.facebook.com/", "l.facebook.com", "Facebook"},
		{"http://m.facebook.com/", "m.facebook.com", "Facebook"},
		{"https://l.instagram.com/", "l.instagram.com", "Instagram"},
		{"https://l.threads.net/", "l.threads.net", "Threads"},
		{"https://out.reddit.com/", "out.reddit.com", "Reddit"},
		{"https://news.ycombinator.com/item?id=1", "news.ycombinator.com", "Hacker News"},
		{"https://www.youtube.com/redirect", "youtube.com", "YouTube"},
		{"https://github.com/a/b", "github.com", "GitHub"},
		{"https://app.slack.com/", "app.slack.com", "Slack"},
		{"https://discord.com/channels/1/2", "discord.com", "Discord"},
		{"https://web.telegram.org/k/", "web.telegram.org", "Telegram"},
		{"https://web.whatsapp.com/", "web.whatsapp.com", "WhatsApp"},
		{"https://teams.microsoft.com/", "teams.microsoft.com", "Microsoft Teams"},
		{"https://www.notion.so/x", "notion.so", "Notion"},
		{"https://someone.medium.com/post", "someone.medium.com", "Medium"},
		{"https://letter.substack.com/p/x", "letter.substack.com", "Substack"},
		{"https://mastodon.social/@a", "mastodon.social", "Mastodon"},
		{"https://go.bsky.app/", "go.bsky.app", "Bluesky"},
		{"https://chatgpt.com/", "chatgpt.com", "ChatGPT"},
		{"https://chat.openai.com/", "chat.openai.com", "ChatGPT"},
		{"https://claude.ai/chat/1", "claude.ai", "Claude"},
		{"https://www.perplexity.ai/", "perplexity.ai", "Perplexity"},
		{"https://gemini.google.com/", "gemini.google.com", "Gemini"},
		{"https://copilot.microsoft.com/", "copilot.microsoft.com", "Copilot"},
		{"https://www.pinterest.co.uk/pin/1", "pinterest.co.uk", "Pinterest"},
		{"https://www.tiktok.com/", "tiktok.com", "TikTok"},
		{"https://www.producthunt.com/posts/x", "producthunt.com", "Product Hunt"},
		{"https://stackoverflow.com/q/1", "stackoverflow.com", "Stack Overflow"},
		{"https://de.m.wikipedia.org/wiki/X", "de.m.wikipedia.org", "Wikipedia"},
		{"https://www.quora.com/", "quora.com", "Quora"},
		{"https://mycompany.sharepoint.com/", "mycompany.sharepoint.com", "SharePoint"},

		{"https://Blog.Example.COM:8443/a?b#c", "blog.example.com", "blog.example.com"},
		{"https://example.com./", "example.com", "example.com"},
		{"http://xn--mnchen-3ya.de/", "xn--mnchen-3ya.de", "xn--mnchen-3ya.de"},
		{"https://münchen.de/", "münchen.de", "münchen.de"},
		{"https://user:secret@example.com/", "example.com", "example.com"},
		{"http://192.168.0.4:8080/", "192.168.0.4", "192.168.0.4"},
		{"http://[2001:db8::1]:8080/", "2001:db8::1", "2001:db8::1"},
		{"http://intranet/page", "intranet", "intranet"},
		{"HTTPS://WWW.EXAMPLE.COM", "example.com", "example.com"},
		{"android-app://org.example.reader/", "org.example.reader", "org.example.reader"},

		{"https://link.example/", "", Direct}, // the instance itself
		{"http://www.link.example:8080/p/x", "", Direct},
		{"https://sub.link.example/", "sub.link.example", "sub.link.example"},

		{"rubbish", "", Direct},
		{"//example.com/", "", Direct},
		{"javascript:alert(1)", "", Direct},
		{"about:blank", "", Direct},
		{"file:///etc/passwd", "", Direct},
		{"https://", "", Direct},
		{"https:///path", "", Direct},
		{"https://exa mple.com/", "", Direct},
		{"https://example.com\x00/", "", Direct},
		{"https://exam\u202eple.com/", "", Direct},
		{"https://%00/", "", Direct},
		{"https://a..b/", "", Direct},
		{"https://<script>/", "", Direct},
		{"https://" + strings.Repeat("a", 300) + ".com/", "", Direct},
		{"https://example.com/" + strings.Repeat("a", maxReferrer), "", Direct},
	} {
		v := Classify(Request{Referrer: c.header, OwnHost: "Link.Example:443"})
		if v.Referrer != c.referrer || v.Source != c.source {
			t.Errorf("referrer %q: referrer %q, source %q, want %q, %q", c.header, v.Referrer, v.Source, c.referrer,
				c.source)
		}
	}
}

func TestCampaigns(t *testing.T) {
	const linkedIn = "https://www.linkedin.com/"
	for _, c := range []struct{ query, referrer, source string }{
		{"qr=1", "", QRCode},
		{"qr=1", linkedIn, QRCode},
		{"qr=0", linkedIn, "LinkedIn"},
		{"qr=1&utm_source=poster", "", "poster"},
		{"utm_source=newsletter", linkedIn, "newsletter"},
		{"utm_source=newsletter&utm_medium=email", "", "newsletter"},
		{"utm_medium=email", "", Email},
		{"utm_medium=%20EMail%20", linkedIn, Email},
		{"utm_medium=social", linkedIn, "LinkedIn"},
		{"utm_source=jane.doe@example.com", linkedIn, "Email"},
		{"utm_source=to+jane%40example.com", "", "Email"},
		{"utm_source=%40handle", "", "@handle"},
		{"utm_source=meet+@+noon", "", "meet @ noon"},
		{"utm_source=", linkedIn, "LinkedIn"},
		{"utm_source=%20%09", linkedIn, "LinkedIn"},
		{"utm_source=linkedin", "", "LinkedIn"},
		{"utm_source=LinkedIn", "", "LinkedIn"},
		{"utm_source=hacker_news", "", "Hacker News"},
		{"utm_source=hackernews", "", "Hacker News"},
		{"utm_source=chatgpt.com", "", "ChatGPT"},
		{"utm_source=www.perplexity.ai", "", "Perplexity"},
		{"utm_source=twitter", "", "X"},
		{"utm_source=fb", "", "Facebook"},
		{"utm_source=qr-code", "", QRCode},
		{"utm_source=e-mail", "", Email},
		{"utm_source=(direct)", linkedIn, Direct},
		{"utm_source=NEWSLETTER", "", "newsletter"},
		{"utm_source=Spring+Fair+2026", "", "spring fair 2026"},
		{"utm_source=Mr.+Smith", "", "mr. smith"},
		{"utm_source=%20%20padded%20", "", "padded"},
		{"utm_source=a%00b%1bc", "", "abc"},
		{"utm_source=evil%E2%80%AEtxt", "", "eviltxt"},
		{"utm_source=a%E2%80%8Bb", "", "ab"},
		{"utm_source=bad%FFutf8", "", "badutf8"},
		{"utm_source=a%C2%A0b", "", "a b"},
		{"utm_source=first&utm_source=second", "", "first"},
		{"utm_source=" + strings.Repeat("%C3%A4", 150), "", strings.Repeat("ä", 100)},
		{"utm_source=" + strings.Repeat("x", 99) + "%20y", "", strings.Repeat("x", 99)},
	} {
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		if v := Classify(Request{Query: q, Referrer: c.referrer}); v.Source != c.source {
			t.Errorf("source of %s = %q, want %q", c.query, v.Source, c.source)
		}
	}
}

func TestQRStaysKnownWhenACampaignWins(t *testing.T) {
	v := Classify(Request{Query: url.Values{"qr": {"1"}, "utm_source": {"poster"}}})
	if !v.QR || v.Source != "poster" {
		t.Errorf("visitor = %+v, want QR and source poster", v)
	}
}

// TestSiteTables checks that each name in the tables is a valid label, and each
// host is in its plain form.
func TestSiteTables(t *testing.T) {
	seen := map[string]string{}
	for _, site := range siteHosts {
		if clean(site.name) != site.name {
			t.Errorf("name %q is not clean", site.name)
		}
		for _, host := range strings.Fields(site.hosts) {
			if hostName(host) != host {
				t.Errorf("%s: %q is not a plain host name", site.name, host)
			}
			if other, twice := seen[host]; twice {
				t.Errorf("host %q has the names %q and %q", host, other, site.name)
			}
			seen[host] = site.name
		}
	}
	for key := range campaigns {
		if campaignKey(key) != key {
			t.Errorf("no utm_source matches %q", key)
		}
	}
	for app, host := range androidApps {
		if hostName(host) != host || siteOf(host) == "" {
			t.Errorf("%s has the host %q, which has no name", app, host)
		}
	}
}

func FuzzReferrer(f *testing.F) {
	for _, s := range []string{"https://www.google.com/", "android-app://com.slack/", "https://[::1]:8080/",
		"https://münchen.de.",
		"https://%41.com", "https://a@b@c/", "http://www.www.x/", "https://1.2.3.4.", "https://[fe80::1%25eth0]/", "//",
		"\x00"} {
		f.Add(s, "link.example:8080", "linkedin")
	}
	f.Fuzz(func(t *testing.T, header, own, utm string) {
		r := referrer(header, own)
		if len(r) > maxHost || !utf8.ValidString(r) || r != hostName(r) && hostName(r) == "" {
			t.Errorf("referrer(%q) = %q", header, r)
		}
		if strings.ContainsFunc(r, func(c rune) bool { return c <= ' ' || strings.ContainsRune(`<>"'&/\`, c) }) {
			t.Errorf("referrer(%q) = %q", header, r)
		}
		s := source(url.Values{"utm_source": {utm}}, r, false)
		if s == "" || !utf8.ValidString(s) || len(s) > maxHost && utf8.RuneCountInString(s) > maxSource {
			t.Errorf("source(%q, %q) = %q", utm, r, s)
		}
		if c := clean(utm); clean(c) != c || utf8.RuneCountInString(c) > maxSource {
			t.Errorf("clean(%q) = %q, again %q", utm, c, clean(c))
		}
	})
}

// TestRevealingLabels checks that no label of a visit has what may identify a
// reader: IP addresses, phone numbers and encoded text, in every utm parameter.
func TestRevealingLabels(t *testing.T) {
	for _, label := range []string{"203.0.113.9", "203.0.113.9:8080", "2001:db8::1", "[2001:db8::1]:443", "from 203.0.113.9",
		"ip=2001:db8:0:0:1::7", "ip-203.0.113.9.", "+49 170 1234567", "+49-170-1234567", "+1 (415) 555-0132", "0170/1234567",
		"004917012345678", "491701234567", "tel:+491701234567", "555-0132", "=?UTF-8?Q?jane=40example.com?=",
		"=?utf-8?B?amFuZQ==?=", "x =?iso-8859-1?q?Jane?= y", "jane%40example.com"} {
		for _, name := range []string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"} {
			o := Classify(Request{Query: url.Values{name: {label}}})
			for _, got := range []string{o.Source, o.Medium, o.Campaign, o.Term, o.Content} {
				if got != "" && got != Direct && got != Other {
					t.Errorf("%s=%s is shown as %q", name, label, got)
				}
			}
		}
	}
	for _, label := range []string{"newsletter", "spring-2026", "2026-05-04", "20260504", "04.05.2026", "2026", "q3 2026",
		"v1.2.3", "120210000000000123", "21034", "50%", "a=?b", "12:30", "black friday 30%", "feed", "beef:cafe", "1-2-3"} {
		if o := Classify(Request{Query: url.Values{"utm_campaign": {label}}}); o.Campaign != label {
			t.Errorf("utm_campaign=%s is shown as %q", label, o.Campaign)
		}
	}
}
