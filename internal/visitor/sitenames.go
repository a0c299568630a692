package visitor

import "strings"

// siteHosts are the sites and networks that reports call by name, with their
// domains. A domain includes all below it. The longest match wins, so that
// mail.google.com is Email and the rest of google.com is Google.
var siteHosts = []struct{ name, hosts string }{
	// Mail in a browser, and the hosts that mail gateways and mailings send
	// their links through.
	{Email, `mail.google.com inbox.google.com outlook.live.com outlook.office.com outlook.office365.com outlook.cloud.microsoft
		mail.yahoo.com mail.yahoo.co.jp mail.aol.com mail.com mail.proton.me protonmail.com app.fastmail.com fastmail.com hey.com
		tutanota.com tuta.com e.mail.ru touch.mail.ru gmx.net gmx.com gmx.at gmx.ch 3c.web.de navigator.web.de deref-gmx.net deref-gmx.com
		deref-web.de deref-web-02.de deref-mail.com email.seznam.cz poczta.onet.pl poczta.wp.pl poczta.o2.pl poczta.interia.pl
		posteo.de mailbox.org superhuman.com app.frontapp.com missiveapp.com safelinks.protection.outlook.com urldefense.com
		urldefense.proofpoint.com linkprotect.cudasvc.com mimecast.com mimecastprotect.com list-manage.com campaign-archive.com
		mailchi.mp sendgrid.net`},

	// Search
	{"Google", googleHosts()},
	{"Google News", "news.google.com"}, {"Google Docs", "docs.google.com"}, {"Google Drive", "drive.google.com"},
	{"Google Chat", "chat.google.com"}, {"Google Meet", "meet.google.com"}, {"Google Calendar", "calendar.google.com"},
	{"Google Classroom", "classroom.google.com"}, {"Google Groups", "groups.google.com"},
	{"Bing", "bing.com"}, {"MSN", "msn.com"}, {"DuckDuckGo", "duckduckgo.com ddg.gg"},
	{"Yahoo", "yahoo.com yahoo.co.jp"},
	{"Ecosia", "ecosia.org"}, {"Brave", "search.brave.com"}, {"Qwant", "qwant.com"}, {"Startpage", "startpage.com"},
	{"Swisscows", "swisscows.com"}, {"Mojeek", "mojeek.com"}, {"Kagi", "kagi.com"}, {"AOL", "aol.com"},
	{"Ask", "ask.com"},
	{"Baidu", "baidu.com"}, {"Sogou", "sogou.com"}, {"360 Search", "so.com"}, {"Naver", "naver.com naver.me"},
	{"Daum", "daum.net"},
	{"Yandex", "yandex.ru yandex.com yandex.by yandex.kz yandex.uz yandex.com.tr yandex.net ya.ru"},
	{"Seznam", "seznam.cz"},

	// Assistants
	{"ChatGPT", "chatgpt.com chat.openai.com"}, {"Claude", "claude.ai"}, {"Perplexity", "perplexity.ai"},
	{"Gemini", "gemini.google.com bard.google.com"}, {"NotebookLM", "notebooklm.google.com"},
	{"Copilot", "copilot.microsoft.com copilot.cloud.microsoft edgeservices.bing.com"},
	{"DeepSeek", "chat.deepseek.com"},
	{"Grok", "grok.com"}, {"Le Chat", "chat.mistral.ai"}, {"Meta AI", "meta.ai"}, {"Poe", "poe.com"},
	{"Phind", "phind.com"},
	{"You.com", "you.com"},

	// Networks
	{"LinkedIn", "linkedin.com lnkd.in"}, {"X", "x.com twitter.com t.co"},
	{"Facebook", "facebook.com fb.com fb.me fb.watch"},
	{"Messenger", "messenger.com m.me"}, {"Instagram", "instagram.com ig.me"}, {"Threads", "threads.net threads.com"},
	{"Reddit", "reddit.com redd.it"}, {"Hacker News", "news.ycombinator.com hn.algolia.com"}, {"Lobsters", "lobste.rs"},
	{"YouTube", "youtube.com youtu.be"}, {"Vimeo", "vimeo.com"}, {"Twitch", "twitch.tv"}, {"TikTok", "tiktok.com"},
	{"Snapchat", "snapchat.com"}, {"Tumblr", "tumblr.com"}, {"Quora", "quora.com"}, {"Bluesky", "bsky.app bsky.social"},
	{"Pinterest", `pinterest.com pin.it pinterest.co.uk pinterest.de pinterest.fr pinterest.es pinterest.it pinterest.pt
		pinterest.ca pinterest.com.au pinterest.com.mx pinterest.at pinterest.ch pinterest.se pinterest.dk pinterest.ie
		pinterest.jp pinterest.co.kr pinterest.cl pinterest.nz pinterest.ph`},
	{"Mastodon", `mastodon.social mastodon.online mas.to mstdn.social mastodon.world fosstodon.org hachyderm.io infosec.exchange
		techhub.social chaos.social mastodon.cloud mstdn.jp pawoo.net mastodon.art indieweb.social ruby.social universeodon.com
		sigmoid.social mastodon.scot mastodon.nl mstdn.ca aus.social social.coop phpc.social hostux.social`},
	{"VK", "vk.com vk.ru"}, {"Odnoklassniki", "ok.ru"}, {"Weibo", "weibo.com weibo.cn t.cn"}, {"Zhihu", "zhihu.com"},
	{"WeChat", "weixin.qq.com wechat.com"}, {"QQ", "qq.com"}, {"Douban", "douban.com"}, {"XING", "xing.com"},
	{"Nextdoor", "nextdoor.com"},

	// Chat and meetings
	{"Slack", "slack.com"}, {"Discord", "discord.com discordapp.com discord.gg"},
	{"Telegram", "t.me telegram.org telegram.me"},
	{"WhatsApp", "whatsapp.com wa.me"}, {"Signal", "signal.org"}, {"LINE", "line.me"}, {"KakaoTalk", "kakao.com"},
	{"Zalo", "zalo.me"},
	{"Microsoft Teams", "teams.microsoft.com teams.live.com teams.cloud.microsoft"}, {"Zoom", "zoom.us zoom.com"},
	{"Webex", "webex.com"}, {"Viva Engage", "yammer.com engage.cloud.microsoft"}, {"Mattermost", "mattermost.com"},

	// Work
	{"Notion", "notion.so notion.site notion.com"}, {"Trello", "trello.com"}, {"Asana", "asana.com"},
	{"Atlassian", "atlassian.net atlassian.com"},
	{"Linear", "linear.app"}, {"ClickUp", "clickup.com"}, {"monday.com", "monday.com"}, {"Basecamp", "basecamp.com"},
	{"Airtable", "airtable.com"}, {"Coda", "coda.io"}, {"Miro", "miro.com"}, {"Figma", "figma.com"},
	{"Canva", "canva.com"},
	{"SharePoint", "sharepoint.com"}, {"OneDrive", "onedrive.live.com 1drv.ms"},
	{"Microsoft 365", "office.com microsoft365.com m365.cloud.microsoft"}, {"Dropbox", "dropbox.com"},
	{"HubSpot", "hubspot.com"},
	{"Salesforce", "salesforce.com force.com"}, {"GitHub", "github.com github.io"}, {"GitLab", "gitlab.com"},
	{"Bitbucket", "bitbucket.org"},

	// Reading and making
	{"Medium", "medium.com"}, {"Substack", "substack.com"}, {"DEV", "dev.to"},
	{"Hashnode", "hashnode.com hashnode.dev"},
	{"Stack Overflow", "stackoverflow.com"}, {"Stack Exchange",
		"stackexchange.com superuser.com serverfault.com askubuntu.com"},
	{"Wikipedia", "wikipedia.org"}, {"Product Hunt", "producthunt.com"}, {"Indie Hackers", "indiehackers.com"},
	{"Behance", "behance.net"}, {"Dribbble", "dribbble.com"}, {"Linktree", "linktr.ee"}, {"Bitly", "bit.ly bitly.com"},
	{"Buffer", "buffer.com"}, {"Flipboard", "flipboard.com"}, {"Feedly", "feedly.com"}, {"Inoreader", "inoreader.com"},
	{"Instapaper", "instapaper.com"}, {"Patreon", "patreon.com"}, {"SlideShare", "slideshare.net"},
}

// googleTLDs are the suffixes of Google's country domains, from
// www.google.com/supported_domains.
const googleTLDs = `com ad ae al am as at az ba be bf bg bi bj bs bt by ca cat cd cf cg ch ci cl cm cn cv cz de dj dk dm dz ee
	es fi fm fr ga ge gg gl gm gr gy hn hr ht hu ie im iq is it je jo ki kg kz la li lk lt lu lv md me mg mk ml mn mu mv mw ne
	nl no nr nu pl pn ps pt ro rs ru rw sc se sh si sk sm sn so sr st td tg tl tm tn to tt vu ws
	co.ao co.bw co.ck co.cr co.id co.il co.in co.jp co.ke co.kr co.ls co.ma co.mz co.nz co.th co.tz co.ug co.uk co.uz co.ve
	co.vi co.za co.zm co.zw com.af com.ag com.ar com.au com.bd com.bh com.bn com.bo com.br com.bz com.co com.cu com.cy com.do
	com.ec com.eg com.et com.fj com.gh com.gi com.gt com.hk com.jm com.kh com.kw com.lb com.ly com.mm com.mt com.mx com.my
	com.na com.ng com.ni com.np com.om com.pa com.pe com.pg com.ph com.pk com.pr com.py com.qa com.sa com.sb com.sg com.sl
	com.sv com.tj com.tr com.tw com.ua com.uy com.vc com.vn`

func googleHosts() string { return "google." + strings.Join(strings.Fields(googleTLDs), " google.") }

// sites is siteHosts by host.
var sites = func() map[string]string {
	m := make(map[string]string, 1024)
	for _, site := range siteHosts {
		for _, host := range strings.Fields(site.hosts) {
			m[host] = site.name
		}
	}
	return m
}()

// webmails are first labels of hosts of webmail, such as mail.example.com.
var webmails = map[string]bool{"mail": true, "webmail": true, "email": true, "roundcube": true, "owa": true,
	"zimbra": true}

// androidApps are the hosts of the sites of Android apps, by package.
var androidApps = map[string]string{
	"com.google.android.gm": "mail.google.com", "com.google.android.gm.lite": "mail.google.com",
	"com.microsoft.office.outlook": "outlook.live.com", "com.yahoo.mobile.client.android.mail": "mail.yahoo.com",
	"ch.protonmail.android": "mail.proton.me", "com.fastmail.app": "app.fastmail.com",
	"com.google.android.googlequicksearchbox": "google.com", "com.google.android.apps.searchlite": "google.com",
	"com.google.android.apps.docs": "drive.google.com", "com.google.android.apps.docs.editors.docs": "docs.google.com",
	"com.google.android.apps.dynamite": "chat.google.com", "com.google.android.youtube": "youtube.com",
	"com.google.android.apps.magazines": "news.google.com", "com.google.android.apps.bard": "gemini.google.com",
	"com.linkedin.android": "linkedin.com", "com.twitter.android": "x.com", "com.facebook.katana": "facebook.com",
	"com.facebook.lite": "facebook.com", "com.facebook.orca": "messenger.com", "com.instagram.android": "instagram.com",
	"com.instagram.barcelona": "threads.net", "com.reddit.frontpage": "reddit.com", "com.slack": "slack.com",
	"com.discord": "discord.com", "org.telegram.messenger": "telegram.org",
	"org.telegram.messenger.web": "telegram.org",
	"com.whatsapp":               "whatsapp.com", "com.whatsapp.w4b": "whatsapp.com",
	"com.microsoft.teams": "teams.microsoft.com",
	"com.pinterest":       "pinterest.com", "com.zhiliaoapp.musically": "tiktok.com",
	"com.snapchat.android": "snapchat.com",
	"com.tumblr":           "tumblr.com", "xyz.blueskyweb.app": "bsky.app", "com.openai.chatgpt": "chatgpt.com",
	"com.anthropic.claude": "claude.ai", "ai.perplexity.app.android": "perplexity.ai",
	"com.microsoft.copilot": "copilot.microsoft.com",
	"notion.id":             "notion.so", "com.medium.reader": "medium.com",
	"com.duckduckgo.mobile.android": "duckduckgo.com",
	"flipboard.app":                 "flipboard.com", "com.quora.android": "quora.com",
	"com.vkontakte.android": "vk.com",
	"jp.naver.line.android": "line.me", "com.tencent.mm": "weixin.qq.com", "com.kakao.talk": "kakao.com",
	"us.zoom.videomeetings": "zoom.us", "com.github.android": "github.com",
}

// campaigns are the values of utm_source that mean a named source: the names
// themselves and common variants. Keys are in the form of campaignKey.
var campaigns = func() map[string]string {
	m := map[string]string{
		"direct": Direct, "(direct)": Direct, "qr": QRCode, "qrcode": QRCode, "email": Email, "mail": Email,
		"gmail":   Email,
		"outlook": Email, "fb": "Facebook", "facebook": "Facebook", "ig": "Instagram", "insta": "Instagram",
		"twitter":   "X",
		"x/twitter": "X", "li": "LinkedIn", "yt": "YouTube", "hn": "Hacker News", "ycombinator": "Hacker News",
		"openai": "ChatGPT",
		"wa":     "WhatsApp", "tg": "Telegram", "teams": "Microsoft Teams", "msteams": "Microsoft Teams",
		"ddg":  "DuckDuckGo",
		"bsky": "Bluesky", "ph": "Product Hunt", "wechat": "WeChat", "vkontakte": "VK",
	}
	for _, site := range siteHosts {
		m[campaignKey(site.name)] = site.name
	}
	return m
}()

// campaignKey returns a name in a form that ignores case, spaces, hyphens and
// underscores.
func campaignKey(name string) string {
	return strings.ToLower(separators.Replace(name))
}

var separators = strings.NewReplacer(" ", "", "-", "", "_", "")
