package visitor

import "vitrine/report"

// botFamilies are names that decide alone. The first family that contains a
// name wins. Names of crawlers that contain one of robotSigns need no entry.
var botFamilies = []struct {
	reason   string
	tokens   []string // anywhere in the user agent, lower case
	prefixes []string // at its start
}{
	{reason: report.BotMailScanner, tokens: []string{
		"barracuda", "proofpoint", "mimecast", "googleimageproxy", "yahoomailproxy", "seznamemailproxy",
		"mail.ukr.net proxy", "messagelabs", "symantec", "ironport", "cloudmark", "safelinks", "safe links",
		"microsoft-atp",
		"trendmicro", "trend micro", "sophos", "forcepoint", "websense", "fireeye", "trellix", "trustwave",
		"mailscanner",
		"mail scanner", "mailsecurity", "mail security", "email security", "avanan", "vadesecure", "vade secure",
		"hornetsecurity", "spamtitan", "titanhq", "libraesva", "mailguard", "mailcontrol", "zerospam", "spamexperts",
		"spamassassin", "rspamd", "mailprotector", "ironscales", "greathorn", "abnormalsecurity", "perception-point",
		"perceptionpoint", "n-able mail", "retarus", "antispam", "anti-spam", "phishing protection", "urldefense",
		"fastmailua", "fortimail", "urlanalyzer", "ciscosecureemail", "cisco secure email",
	}},
	{reason: report.BotLinkPreview, tokens: []string{
		"facebookexternal", "facebookcatalog", "facebookscraper", "facebot", "meta-externalfetcher", "twitterbot",
		"slackbot", "slack-imgproxy", "discordbot", "telegrambot", "linkedinbot", "skypeuripreview", "microsoftpreview",
		"bingpreview", "microsoft teams-preview", "teamsbot", "iframely", "embedly", "mastodon/", "pleroma", "akkoma",
		"misskey", "summalybot", "sharkey", "firefish", "calckey", "pixelfed", "friendica", "lemmy/", "peertube",
		"gotosocial", "hubzilla", "diaspora", "bluesky cardyb", "cardyb", "bluesky/", "redditbot", "pinterestbot",
		"pinterest.com/bot", "viberurldownloader", "line-poker", "kakaotalk-scrap", "kakaostory-og-reader", "vkshare",
		"vkrobot", "odklbot", "snap url preview", "groupmebot", "keybasebot", "flipboardproxy", "quora-bot",
		"quora link preview", "steamchaturllookup", "synapse (bot", "mattermost-bot", "zulipurlpreview",
		"google-pagerenderer", "google web preview", "yahoo link preview", "xing-contenttabreceiver", "larkurl2png",
		"chatwork linkpreview", "hatena", "tweetmemebot", "addthis.com", "mediumbot", "evernoterichlink",
		"clickuplinkunfurler", "bufferlinkpreview", "nextcloud server crawler", "apple-messages", "imessage", "unfurl",
		"linkpreview", "link preview", "link-preview", "urlpreview", "url preview", "url_preview", "ogimage",
		"og-image",
		"opengraph", "open graph", "oembed", "metascraper", "msoffice", "ms-office", "microsoft office",
		"microsoft outlook",
		"nuzzel", "bitlybot", "trello-attachment", "notion/1.0 (", "notionembedder", "dingtalkbot", "twilioproxy",
		"peekbot",
		"forum onebox", "github-camo",
		"0 safari/537.36 googlemessages", // on Windows, where the app is not
	}, prefixes: []string{"whatsapp", "viber", "snapchat", "telegram/", "tumblr/", "rocket.chat/"}},
	{reason: report.BotHeadless, tokens: []string{
		"headless", "lightpanda", "phantomjs", "slimerjs", "casperjs", "puppeteer", "playwright", "selenium",
		"webdriver",
		"lighthouse", "page speed", "pagespeed", "ptst/", "ptst 2", "gtmetrix", "htmlunit", "jsdom", "zombie.js",
		"nightmare/", "cypress/", "testcafe", "dumprendertree", "wkhtmlto", "prerender", "rendertron",
		"ghost inspector",
		"ghostinspector", "browserless", "splash version", "google-agent", "googleagent", "agentcore-browser",
		"anchor browser", "manus-user", "devin/", "novaact", "functionize", "testlocally", "khtml2", "browsershot",
		"webpagetest", "sitespeed", "speedcurve", "debugbear", "archivebox",
	}},
	{reason: report.BotClientLibrary, tokens: []string{
		"curl/", "wget", "libcurl", "pycurl", "python-requests", "python-urllib", "python-httpx", "aiohttp", "urllib3",
		"go-http-client", "go http package", "okhttp", "axios/", "node-fetch", "node.js", "undici", "superagent",
		"sindresorhus/got", "needle/", "apache-httpclient", "apache-httpasyncclient", "commons-httpclient",
		"httpurlconnection", "java-http-client", "reactornetty", "jersey/", "asynchttpclient", "httpunit",
		"libwww-perl",
		"lwp::simple", "lwp-", "www-mechanize", "mechanize/", "anyevent-http", "http_request2", "guzzlehttp",
		"symfony httpclient", "php-curl", "faraday", "httparty", "typhoeus", "rest-client", "http.rb", "httpie/",
		"postmanruntime", "insomnia/", "bruno-runtime", "dart/", "dart:io", "reqwest", "alamofire", "winhttp",
		"wininet",
		"microsoft url control", "cryptoapi", "powershell", "restsharp", "httpclient/", "lua-resty", "aria2/",
		"fasthttp",
		"lush http", "libfetch", "fetch api", "deno/", "bun/", "lavf/", "libavformat", "androiddownloadmanager",
		"scrapy",
		"colly -", "colly/", "grequests", "hackney/", "httpoison", "tesla/elixir", "finch/", "web-sniffer", "webcopier",
		"cfnetwork/", "httrack", "teleport pro", "offline explorer", "webzip", "ms web services",
	}, prefixes: []string{
		"java/", "com.apple.", "php/", "ruby", "perl", "python", "node", "got ", "got/", "http_get", "httpget",
		"dalvik/",
		"fetch",
	}},
	{reason: report.BotCrawler, tokens: []string{
		"google favicon", "google search console", "google keyword", "google pp", "google-read-aloud", "google-safety",
		"google-extended", "google-inspectiontool", "google-site-verification", "google-adwords", "google-ads",
		"google-assess", "google-publisher-plugin", "google-businesslink", "google-searchbyimage", "google-notebooklm",
		"google-gemininotebook", "google-apps-script", "googleother", "googledocs", "googleassociationservice",
		"-google/",
		"playstore-google", "mediapartners", "feedfetcher", "apis-google", "daumoa", " daum/", ") daum ",
		"firefox mutant",
		"slurp", "ia_archiver", "heritrix", "nutch", "chatgpt-user", "chatgpt-browser", "anthropic-ai", "claude-user",
		"claude-web", "cohere-ai", "perplexity", "mistralai-user", "gemini-deep-research", "meta-external",
		"meta-webindexer", "amzn-user", "newsai/", "pingdom", "statuscake", "site24x7", "newrelicpinger", "datadog",
		"updown.io", "freshping", "hetrixtools", "nodeping", "catchpoint", "zabbix", "check_http", "healthcheck",
		"health-check", "health check", "kube-probe", "googlehc", "amazon cloudfront", "ruxit", "dareboost", "yottaa",
		"netcraft", "zgrab", "masscan", "nmap", "nikto", "sqlmap", "nuclei", "nessus", "qualys", "acunetix",
		"burpcollaborator", "censysinspect", "shodan", "wpscan", "detectify", "palo alto networks", "cortex-xpanse",
		"siteimprove", "wappalyzer", "builtwith", "whatweb", "w3c_", "w3c-", "screaming frog", "semrush", "ahrefs",
		"sistrix", "contentking", "jorgee", "favicon", "bloglovin", "feedburner", "newsblur",
		"tiny tiny rss", "miniflux", "freshrss", "dataprovider", "panscient", "admantx", "proximic", "peer39",
		"grapeshot",
		"integralads", "doubleverify", "trendictionaffil", "ubermetrics", "meltwater", "brandwatch", "talkwalker",
		"linkdex",
		"netsystemsresearch", "datanyze", "cloudflarediagnostics", "cloudflareobservatory", "iplabel",
		"securityheaders",
		"cookiehub", "printfriendly", "silktide", "neustar wpm", "adbeat.com", "gomezagent", "dmbrowser", "webthumb",
		"websnapr", "linktiger", "hardenize", "foregenix", "watchtowr", "appinsights", "assetnote", "evc-batch",
		"internet-measurement", "nsrbot", "project sonar", "l9explore", "l9tcpid", "l9scan", "security.txt",
		"wordpress.com",
		"thousandeyes", "dynatrace", "appdynamics", "alertsite", "uptrends", "; rigor", "checkly", "ohdear",
		"dejaclick",
		"onetrust", "hotjar", "criteo", "collapsify", "snapsearch", "observatory/", "bluecoat drtr",
	}},
}

// sharedNames are names of robots that also occur in people's user agents, as
// apps that show pages or in the name of a device. They decide only if no
// browser engine is named.
var sharedNames = newTable([]name{
	{"preview", report.BotLinkPreview}, {"googlemessages", report.BotLinkPreview}, {"feedly", report.BotCrawler},
	{"inoreader", report.BotCrawler}, {"hubspot", report.BotCrawler},
}...)

// robotSigns occur in the user agents of robots and not in those of people.
// isNameEnd searches for words that end in "bot" or "agent", holdsMailAddress
// for mail addresses.
var robotSigns = words(
	// What they do.
	"crawl", "spider", "scrap", "archiver", "monitor", "uptime", "checker", "validator", "fetcher", "scanner",
	"scanning", "scan/", "-scan", "scan)", "indexer", "harvest", "extractor", "analyzer", "analyser", "analytics",
	"transcoder", "screenshot", "thumbnail", "sitemap", "linkcheck", "link check", "probe", "inspect", "audit",
	"survey",
	"research", "aggregator", "parser/", "verifier", "rss/", " rss", "-rss", "rssre", "feed", "capture", "synthetic",
	"measurement", "fingerprint", "discovery", "botify", "classifier", "watcher", "finder", "grader", "tester",
	"seeker",
	"detector", "generator", "benchmark", "downloader", "snapshot", "html2", "2png", "2pdf",

	// Where to read about them.
	"http:", "https:", "http//", "+www.", "(www.", "; www.", "mailto:", "[at]", "(at)", ".com)", ".net)", ".org)",
	".io)", ".com/", ".org/", ".io/",

	// Where robots of search and training introduce themselves.
	"khtml, like gecko; ",

	// Written by hand, left unfilled, a piece of a page.
	"%(", "${", "&quot", "&#", "href=", "(macintosh: ", "; {}", ", mozilla/",
)

// platformAddresses are addresses that are an item of a comment. They mean a
// robot, even in the comment with the model.
var platformAddresses = words("; http", "; +http", "; www.")

// compatibleBrowsers are the names after "compatible;" in a browser's user
// agent.
var compatibleBrowsers = []string{
	"msie", "konqueror", "u;", "opera", "netfront", "mozilla", "linux", "openweb", "abrowse", "x86 haiku", "haiku",
	"dillo", "origyn", "icab",
}

// notBots are people's user agents with a robot's word or an address.
var notBots = words(
	"cubot", "studobrowser", "studo/", "bsalsa.com", "hbbtv", "qtweb", "windvane", "aliapp(", "camscanner",
	" presearch",
	"airwatch browser", "googleweblight",
)

// textBrowsers send only their name.
var textBrowsers = []string{"lynx/", "links (", "elinks", "w3m/", "dillo/"}

// platforms are words in comments about the system of a browser.
var platforms = words("windows", "win64", "mac", "linux", "x11", "iphone", "ipad", "android")

// engines are names of engines in browsers' user agents.
var engines = words(
	"webkit", "gecko", "khtml", "msie", "trident", "presto", "opera", "firefox", "midp", "ucweb", "ucbrowser",
	"browser",
	"netfront", "obigo", "icab", "mobile safari/", "netsurf/", "ladybird/", "nintendo", "playstation", "goanna",
	"konqueror", "maple", "polaris",
)

// netscapeLetters are for international, for the United States, and for none.
var netscapeLetters = words("; i)", "; i;", "; u)", "; u;", "; n)", "; n;")

// botNames are the tokens of botFamilies with their reasons.
var botNames = func() *table {
	var names []name
	for _, f := range botFamilies {
		for _, token := range f.tokens {
			names = append(names, name{token, f.reason})
		}
	}
	return newTable(names...)
}()
