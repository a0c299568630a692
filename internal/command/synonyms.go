package command

// synonyms maps the names that other programs give to commands to ours.
var synonyms = map[string]string{
	"upload": "put", "publish": "put", "push": "put", "add": "put", "create": "put", "cp": "put",
	"site": "websites", "sites": "websites", "website": "websites", "share": "put",
	"replace": "put --replace", "update": "edit", "set": "edit", "change": "edit", "rename": "edit --title",
	"expire": "edit --expires", "disable": "edit --disable", "enable": "edit --enable",
	"list": "ls", "links": "ls", "dir": "ls", "search": "ls",
	"delete": "rm", "remove": "rm", "del": "rm",
	"download": "get", "fetch": "get", "pull": "get", "cat": "get --output -",
	"view": "open", "show": "open", "browse": "open",
	"analytics": "stats", "report": "stats", "reports": "stats", "views": "stats", "stat": "stats", "info": "stats",
	"history": "versions", "rollback": "versions --restore", "caption": "captions", "subtitles": "captions",
	"signin": "login", "sign-in": "login", "auth": "login", "signout": "logout", "sign-out": "logout",
	"server": "serve", "start": "serve", "run": "serve", "init": "serve", "check": "doctor", "status": "doctor",
	"user": "account", "users": "account", "accounts": "account", "token": "keys", "tokens": "keys",
	"invite": "account invite", "export": "backup", "upgrade": "migrate", "completions": "completion",
	"me": "whoami", "who": "whoami",
}

// groupSynonyms maps the names that other programs give to commands of a group
// to ours. The first that the group has is meant.
var groupSynonyms = map[string][]string{
	"add": {"create"}, "new": {"create"}, "ls": {"list"}, "show": {"list"},
	"info": {"show", "list"}, "delete": {"revoke", "suspend"}, "rm": {"delete", "revoke", "suspend"},
	"remove": {"delete", "revoke", "suspend"}, "disable": {"suspend", "revoke"}, "block": {"suspend", "disable"},
	"enable": {"unsuspend"}, "login": {"sign-in"}, "password": {"reset"}, "renew": {"rotate"},
	"check": {"rescan"}, "scan": {"rescan"},
}
