package visitor

import (
	"strings"

	"vitrine/report"
)

// classes are programs by name. They take precedence over all other rules.
var classes = []struct {
	reason string
	names  []string
}{
	{report.BotAIAssistant, []string{
		"ChatGPT-User", "Claude-User", "Perplexity-User", "MistralAI-User", "DuckAssistBot", "Meta-ExternalFetcher",
		"Amzn-User", "Gemini-Deep-Research",
		"Google-NotebookLM", "NotebookLM", "Google-Agent", "GoogleAgent-Mariner", "LinerBot", "PhindBot",
		"KagiBot-User", "Copilot-User", "YouBot", "Cohere-AI", "Devin/",
		"NovaAct", "Manus-User", "TavilyBot", "ExaBot-User", "iAskBot", "QualifiedBot", "Andibot", "GrokBot-User",
		"Grok-DeepSearch", "DeepSeek-User", "Kimi-User", "ChatGLM-Spider-User",
		"Bigsur.ai", "AgentCore-Browser",
	}},
	{report.BotAITraining, []string{
		"GPTBot", "ClaudeBot", "Claude-Web", "anthropic-ai", "CCBot", "Bytespider", "Amazonbot", "meta-externalagent",
		"FacebookBot", "Diffbot",
		"cohere-training-data-crawler", "AI2Bot", "Ai2Bot-Dolma", "PanguBot", "Timpibot", "omgilibot", "omgili",
		"ImagesiftBot", "Kangaroo Bot",
		"Webzio-Extended", "ICC-Crawler", "img2dataset", "DeepSeekBot", "ChatGLM-Spider", "GrokBot", "xAI-Bot",
		"Google-CloudVertexBot", "Google-Extended",
		"Applebot-Extended", "VelenPublicWebCrawler", "FriendlyCrawler", "SBIntuitionsBot", "LAIONDownloader",
		"TikTokSpider", "Cotoyogi", "aiHitBot",
		"EchoboxBot", "Crawl4AI", "FirecrawlAgent", "Brightbot", "Factset_spyderbot", "ISSCyberRiskCrawler",
		"Poseidon Research Crawler", "Sidetrade indexer bot",
		"wpbot", "bedrockbot", "NovaBot", "HuggingFace-Bot", "netEstate NE Crawler",
	}},
	{report.BotAISearch, []string{
		"OAI-SearchBot", "Claude-SearchBot", "PerplexityBot", "Amzn-SearchBot", "AzureAI-SearchBot", "MistralAI-Index",
	}},
	{report.BotMonitor, []string{
		"UptimeRobot", "Pingdom", "StatusCake", "Site24x7", "Better Uptime Bot", "Better Stack", "BetterStackBot",
		"DatadogSynthetics", "Datadog Synthetics", "Datadog/Synthetics",
		"NewRelicPinger", "GoogleStackdriverMonitoring", "Checkly", "HetrixTools", "FreshpingBot", "updown.io",
		"Uptime-Kuma", "Zabbix", "check_http", "kube-probe",
		"ELB-HealthChecker", "GoogleHC", "Blackbox Exporter", "Blackbox-Exporter", "Cloudflare-Healthchecks",
		"Catchpoint", "Uptimia", "NodePing", "Montastic",
		"jetmon", "OhDear", "Uptime.com", "Uptimebot", "Monitis", "PRTG", "Nagios", "Icinga", "Monibot",
		"RSiteAuditor-Monitor", "Amazon-Route53-Health-Check-Service",
		"SentryUptimeBot", "Sentry Uptime", "Dynatrace", "AppDynamics", "Wormly", "Alertra", "internetVista monitor",
		"Site-Shot-Monitor", "Pulsetic", "Hyperping",
		"cron-job.org", "Freshping", "PingAdmin.Ru", "Hexometer", "UptimeBar", "Better-Uptime", "Traefik-Healthcheck",
		"WatchMouse", "ServerAlive", "Gatus",
	}},
}

// named are the names of classes, by their index in names.
var named, classNames = func() (*table, []string) {
	var list []name
	var names []string
	for _, c := range classes {
		for _, n := range c.names {
			list = append(list, name{strings.ToLower(n), c.reason})
			names = append(names, strings.TrimSuffix(n, "/"))
		}
	}
	return newTable(list...), names
}()

// class returns the class of the longest name in a user agent in lower case.
func class(ua string) (reason, product string) {
	if !named.in(ua) {
		return "", ""
	}
	best := -1
	for i, n := range named.names {
		at := strings.Index(ua, n.token)
		if at < 0 || at > 0 && isLetter(ua[at-1]) {
			continue
		}
		if best < 0 || len(n.token) > len(named.names[best].token) {
			best = i
		}
	}
	if best < 0 {
		return "", ""
	}
	return named.names[best].label, classNames[best]
}

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '_' }

// maxProduct bounds a product, in bytes.
const maxProduct = 40

// sharedWords are words of user agents that do not name a program: what
// browsers send, and words around names.
var sharedWords = map[string]bool{
	"mozilla": true, "applewebkit": true, "khtml": true, "like": true, "gecko": true, "chrome": true, "safari": true,
	"version": true, "mobile": true,
	"firefox": true, "edg": true, "edge": true, "opr": true, "opera": true, "compatible": true, "windows": true,
	"macintosh": true, "linux": true,
	"android": true, "iphone": true, "ipad": true, "x11": true, "intel": true, "mac": true, "os": true, "u": true,
	"win64": true, "x64": true, "nt": true,
	"cpu": true, "build": true, "wv": true, "trident": true, "msie": true, "presto": true, "ubuntu": true,
	"crios": true, "fxios": true, "chromium": true,
	"cros": true, "x86_64": true, "ppc": true, "en-us": true, "us": true, "en": true, "bot": true, "http": true,
	"https": true, "www": true, "com": true,
	"the": true, "by": true, "for": true, "and": true, "from": true, "net": true, "clr": true, "rv": true,
	"darwin": true, "cfnetwork": true,
	"amd64": true, "i686": true, "wow64": true, "k": true, "deflate": true, "gzip": true, "nexus": true, "pixel": true,
}

// productOf returns the name of the program that sent a user agent, as it
// writes itself: the text before a slash and a version, or a robot's name in
// the comment. It is used for programs only: see parseAgent.
func productOf(userAgent string) string {
	if _, name := class(strings.ToLower(userAgent)); name != "" {
		return name
	}
	if _, comment, found := strings.Cut(userAgent, "compatible;"); found {
		if name := firstName(comment); name != "" {
			return name
		}
	}
	plain := userAgent // without the text in parentheses
	for {
		from := strings.IndexByte(plain, '(')
		if from < 0 {
			break
		}
		to := strings.IndexByte(plain[from:], ')')
		if to < 0 {
			plain = plain[:from]
			break
		}
		plain = plain[:from] + " " + plain[from+to+1:]
	}
	if name := firstName(plain); name != "" {
		return name
	}
	return firstName(userAgent)
}

// firstName returns the first word of a text that can be a program's name.
func firstName(text string) string {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == ';' || r == ',' || r == '(' || r == ')' || r == '+' || r == '[' || r == ']' || r == '"'
	}) {
		word, _, _ = strings.Cut(word, "/")
		if isProduct(word) && !sharedWords[strings.ToLower(word)] {
			return word
		}
	}
	return ""
}

// isProduct reports whether a word can be stored as a program's name: a letter
// followed by letters, digits and few other characters.
func isProduct(word string) bool {
	if len(word) < 2 || len(word) > maxProduct || !isLetter(word[0]|0x20) ||
		strings.HasPrefix(strings.ToLower(word), "http") {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if !isNameByte(c|0x20) && !isDigit(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return !strings.Contains(word, "..") && !strings.Contains(word, "@")
}
