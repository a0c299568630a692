package web_test

// costExceptions are the routes that may cost more, with what bounds them
// instead.
var costExceptions = map[string]string{
	"POST /sign-in":                         byHash,
	"POST /p/{slug}":                        byHash,
	"POST /sign-up":                         byHash,
	"POST /sign-up/{token}":                 byHash,
	"POST /password/{token}":                byHash,
	"POST /setup/{token}":                   byHash,
	"POST /r/{token}":                       byHash,
	"POST /account/password":                byHash,
	"POST /account/two-step":                byHash,
	"POST /links/{slug}/access":             byHash,
	"POST /albums/{slug}/access":            byHash,
	"POST /a/{slug}":                        byHash,
	"GET /account/export":                   byExport,
	"GET /r/{token}":                        byReport,
	"GET /r/{token}/embed":                  byReport,
	"GET /c/{token}/entry/{entry}":          byEntry,
	"GET /c/{token}/entry/{entry}/view":     byEntry,
	"GET /c/{token}/entry/{entry}/bytes":    byEntry,
	"GET /c/{token}/entry/{entry}/download": byEntry,
}
