// Package front serves the pages about Vitrine itself: home page, documentation
// and plans.
package front

import (
	"embed"
	"sync"
	"time"

	"vitrine/internal/app/auth"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// Handler serves the pages about Vitrine itself.
type Handler struct {
	Server   *httpx.Server
	Pages    *ui.Pages
	Accounts *auth.Accounts
	Uploads  *publish.Uploads
	Bucket   bool // signed URLs lead to a bucket
	Now      func() time.Time

	SecurityContact string // an address with its scheme, or ""

	indexOnce sync.Once
	index     *docIndex // of the documentation; made by the first search
	indexErr  error
	rendered  sync.Map // the guides, by path
}

//go:embed *.html *.css *.js pictures
var files embed.FS

var _ = ui.Folder("front", files)
