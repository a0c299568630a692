package visitor

// apps show pages in a window of their own. Their order matters: the most
// specific token is first.
var apps = newTable([]name{
	{"instagram", "Instagram"}, {"barcelona ", "Threads"}, {"fban/messenger", "Messenger"},
	{"messengerforios", "Messenger"}, {"fbav/messenger", "Messenger"}, {"fb_iab/messenger", "Messenger"},
	{"fb_iab/orca", "Messenger"}, {"messengerlite", "Messenger"}, {"fban/", "Facebook"}, {"fbav/", "Facebook"},
	{"fb_iab/", "Facebook"}, {"fbios", "Facebook"}, {"fb4a", "Facebook"}, {"metaiab facebook", "Facebook"},
	{"wxwork", "WeCom"}, {"micromessenger", "WeChat"}, {" line/", "LINE"}, {"kakaotalk", "KakaoTalk"}, {"zalo", "Zalo"},
	{"naver(", "NAVER"}, {"daumapps/", "Daum"}, {"snapchat", "Snapchat"}, {"pinterest", "Pinterest"},
	{"musical_ly", "TikTok"}, {"trill_", "TikTok"}, {"tiktok", "TikTok"}, {"bytedancewebview", "TikTok"},
	{"bytelocale", "TikTok"}, {"linkedinapp", "LinkedIn"}, {"linkedin/", "LinkedIn"}, {"twitter for ", "X"},
	{"twitterandroid", "X"}, {"twitter/", "X"}, {"reddit/", "Reddit"}, {"redditandroid", "Reddit"},
	{"slack_ssb", "Slack"}, {"slack/", "Slack"}, {"com.tinyspeck.", "Slack"}, {" teams/", "Microsoft Teams"},
	{"teamsmobile", "Microsoft Teams"}, {"discord/", "Discord"}, {"whatsapp/", "WhatsApp"},
	{"telegram-android", "Telegram"}, {" telegram/", "Telegram"}, {" viber", "Viber"}, {"thunderbird/", "Thunderbird"},
	{"outlook-android", "Outlook"}, {"outlook-ios", "Outlook"}, {" mattermost/", "Mattermost"},
	{" rocket.chat/", "Rocket.Chat"}, {"notion/", "Notion"}, {"code/1.", "VS Code"}, {"weibo", "Weibo"},
	{"alipayclient", "Alipay"}, {"dingtalk", "DingTalk"}, {"feishu", "Feishu"}, {" lark/", "Lark"}, {" qq/", "QQ"},
	{"baiduboxapp", "Baidu"}, {"yjapp-", "Yahoo! Japan"}, {"gsa/", "Google App"}, {"nstnwv", "Google App"},
	{"googleapp/", "Google App"}, {"bingsapphire", "Bing"}, {"bingweb/", "Bing"}, {"flipboard/", "Flipboard"},
	{"substack/", "Substack"}, {"trello/", "Trello"}, {"spotify/", "Spotify"}, {"zoom/", "Zoom"},
	{"chatgpt/", "ChatGPT"},
}...)

// browsers are browsers that also send the name of their engine. Chrome, Safari
// and web views are found by browserIn.
var browsers = newTable([]name{
	{"edg/", "Edge"}, {"edga/", "Edge"}, {"edgios/", "Edge"}, {"edge/", "Edge"}, {"edgw/", "Edge"},
	{"opera mini", "Opera Mini"}, {"oprgx/", "Opera GX"}, {"opr/", "Opera"}, {"opt/", "Opera"}, {"opx/", "Opera GX"},
	{"opios/", "Opera"}, {"coast/", "Opera"}, {"oculusbrowser", "Meta Quest Browser"},
	{"samsungbrowser", "Samsung Internet"}, {"yabrowser", "Yandex Browser"}, {"yasearchbrowser", "Yandex Browser"},
	{"yaapp_", "Yandex Browser"}, {"yandexsearch", "Yandex Browser"}, {"vivaldi", "Vivaldi"}, {"vivaios/", "Vivaldi"},
	{" arc/", "Arc"}, {" atlas/", "ChatGPT Atlas"}, {" brave", "Brave"}, {"(brave", "Brave"},
	{"duckduckgo/", "DuckDuckGo"}, {" ddg/", "DuckDuckGo"}, {"ucbrowser", "UC Browser"}, {"ucweb", "UC Browser"},
	{" ubrowser/", "UC Browser"}, {" ucmobile/", "UC Browser"}, {"qqbrowser", "QQ Browser"},
	{"miuibrowser", "Mi Browser"}, {"huaweibrowser", "Huawei Browser"}, {"heytapbrowser", "HeyTap Browser"},
	{"vivobrowser", "vivo Browser"}, {"quark/", "Quark"}, {"baidubrowser", "Baidu"}, {"bidubrowser", "Baidu"},
	{"sogoumobilebrowser", "Sogou"}, {"metasr", "Sogou"}, {"qihu ", "360 Browser"}, {"360se", "360 Browser"},
	{"lbbrowser", "Cheetah Browser"}, {"2345explorer", "2345 Browser"}, {"2345browser", "2345 Browser"},
	{"meizubrowser", "Meizu Browser"}, {"mzbrowser", "Meizu Browser"}, {"silk/", "Amazon Silk"}, {"whale/", "Whale"},
	{"coc_coc_browser", "Cốc Cốc"}, {"ecosia", "Ecosia"}, {"qwant", "Qwant"}, {"puffin/", "Puffin"},
	{"maxthon", "Maxthon"}, {"mxbrowser", "Maxthon"}, {"sleipnir", "Sleipnir"}, {"alohabrowser", "Aloha"},
	{"phx/", "Phoenix"}, {"phoenix/", "Phoenix"}, {"avast/", "Avast Secure Browser"}, {"avg/", "AVG Secure Browser"},
	{"ccleaner/", "CCleaner Browser"}, {"norton/", "Norton Private Browser"}, {"dolphin", "Dolphin"}, {"iron/", "Iron"},
	{"seznam", "Seznam"}, {"atom/", "Atom"}, {"mint browser", "Mint Browser"}, {"wolvic", "Wolvic"},
	{"tesla/", "Tesla"},
	{"focus/", "Firefox Focus"}, {"klar/", "Firefox Focus"}, {"seamonkey", "SeaMonkey"}, {"palemoon", "Pale Moon"},
	{"waterfox", "Waterfox"}, {"librewolf", "LibreWolf"}, {"floorp/", "Floorp"}, {"basilisk/", "Basilisk"},
	{"mullvadbrowser", "Mullvad Browser"}, {"icecat/", "IceCat"}, {"k-meleon", "K-Meleon"}, {"camino/", "Camino"},
	{"flock/", "Flock"}, {"netscape", "Netscape"}, {"iceweasel", "Firefox"}, {"fxios/", "Firefox"},
	{"firefox", "Firefox"}, {"epiphany", "GNOME Web"}, {"konqueror", "Konqueror"}, {"falkon", "Falkon"},
	{"qupzilla", "QupZilla"}, {"icab", "iCab"}, {"omniweb", "OmniWeb"}, {"comodo_dragon", "Comodo Dragon"},
	{"qutebrowser", "qutebrowser"}, {"midori", "Midori"}, {"playstation", "PlayStation"},
	{"nintendo", "Nintendo Browser"}, {"iemobile", "Internet Explorer"}, {"msie", "Internet Explorer"},
	{"trident/", "Internet Explorer"}, {"opera", "Opera"}, {"(blackberry", "BlackBerry Browser"},
	{"blackberry8", "BlackBerry Browser"}, {"blackberry9", "BlackBerry Browser"}, {"(bb10", "BlackBerry Browser"},
	{"netfront", "NetFront"}, {"obigo", "Obigo"}, {"w3m/", "w3m"}, {"elinks", "ELinks"}, {"links (", "Links"},
	{"lynx/", "Lynx"}, {"netsurf/", "NetSurf"}, {"dillo/", "Dillo"}, {"ladybird/", "Ladybird"}, {"luakit", "luakit"},
	{"webpositive", "WebPositive"}, {"chromium/", "Chromium"},
}...)

// systems are operating systems. Those that pretend to be another are first.
var systems = newTable([]name{
	{"windows phone", "Windows Phone"}, {"windowsphone", "Windows Phone"}, {"xbox", "Xbox"},
	{"playstation", "PlayStation"}, {"nintendo", "Nintendo"}, {"web0s", "webOS"}, {"webos", "webOS"},
	{"hpwos", "webOS"},
	{"tizen", "Tizen"}, {"kaios", "KaiOS"}, {"kai/", "KaiOS"}, {"vidaa", "VIDAA"}, {"roku", "Roku OS"},
	{"appletv", "tvOS"}, {"apple tv", "tvOS"}, {"tvos", "tvOS"}, {"openharmony", "HarmonyOS"},
	{"harmonyos", "HarmonyOS"}, {"sailfish", "Sailfish OS"}, {"iphone", "iOS"}, {"ipad", "iOS"}, {"ipod", "iOS"},
	{"dv(iph", "iOS"}, {"meego", "MeeGo"}, {"bada/", "Bada"}, {"symbian", "Symbian"}, {"series60", "Symbian"},
	{"series40", "Series 40"}, {"android", "Android"}, {" adr ", "Android"}, {"blackberry", "BlackBerry"},
	{"bb10", "BlackBerry"}, {"playbook", "BlackBerry"}, {"fuchsia", "Fuchsia"}, {"haiku", "Haiku"},
	{"sunos", "Solaris"},
	{"windows", "Windows"}, {"win64", "Windows"}, {"cros ", "ChromeOS"}, {"mac os x", "macOS"}, {"macintosh", "macOS"},
	{"mac_powerpc", "macOS"}, {"freebsd", "FreeBSD"}, {"openbsd", "OpenBSD"}, {"netbsd", "NetBSD"}, {"linux", "Linux"},
	{"x11", "Linux"}, {"ubuntu", "Linux"}, {"nokia", "Series 40"},
}...)

// handhelds are handheld consoles and wearables.
var handhelds = words(
	"playstation vita", "playstation portable", "nintendo switch", "nintendo 3ds", "nintendo ds", "watchos", "sm-r7",
	"sm-r8", "sm-r9",
)

// televisions are television sets, set-top boxes, and consoles on televisions.
var televisions = words(
	"(tv;", "smart-tv", "smarttv", "smart tv", "smart_tv", "googletv", "google tv", "android tv", "androidtv",
	"appletv",
	"apple tv", "tvos", "hbbtv", "web0s", "netcast", "nettv", "dtv", "roku/", "roku ", "crkey", "bravia", " viera",
	"aquos-tv", "aquos tv", "aquosbrowser", "vidaa", "philipstv", "inettv", "opera tv", "espial", "ce-html",
	"large screen", "tizen tv", " tv safari", "safari/537.36 tv", " omi/", "tv bro", "-atv", " atv", "mibox", "mi box",
	"mitv", "shield android", "tivo", "nexus player", "google home", " stb", "playstation", "xbox", "wiiu",
	"nintendo wii", "maple", "sraf/", "whaletv", "dlnadoc", "netrange",
)

// tablets are the names of tablets. An Android device that does not call itself
// mobile is a tablet too.
var tablets = words(
	"ipad", "playbook", "kindle", "silk-accelerated", "nexus 7", "nexus 9", "nexus 10", "pixel tablet", "pixel c",
	"sm-t", "sm-x", "sm-p6", "sm-p5", "gt-p", "gt-n80", "gt-n51", "lenovo tb", "lenovo_tb", "tb-x", "tb-8", "tb-7",
	"mediapad", "matepad", "ideatab", "transformer", "xoom", "touchpad", "galaxy tab", "mipad", "mi pad", "redmi pad",
	"xiaomi pad", "/apad", "; kf",
)

var phones = words(
	"iphone", "ipod", "windows phone", "blackberry", "bb10", "opera mini", "opera mobi", "midp", "symbian", "series60",
	"series40", "nokia", "kaios", "ucweb", "windows ce", "palmos", "webos/", "j2me", "up.browser", "up.link", "docomo",
	"dv(iph", "phone",
)

var desktops = words(
	"(pc;", "windows", "win64", "macintosh", "mac os x", "mac_powerpc", "x11", "cros ", "linux", "freebsd", "openbsd",
	"netbsd", "win98", "win95", "winnt",
)

var (
	iOSDevices      = words("iphone", "ipad", "ipod")
	safariPlatforms = words("iphone", "ipad", "ipod", "macintosh", "windows nt")
)
