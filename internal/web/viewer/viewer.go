package viewer

import (
	"embed"

	"vitrine"
	"vitrine/internal/publish"
	"vitrine/internal/signer"
	"vitrine/internal/web/ui"
)

// Viewer knows how the content of links is shown, and where its bytes are.
type Viewer struct {
	*ui.Pages
	Blobs    vitrine.Blobs
	Previews *publish.Previews
	Signer   *signer.Signer
}

//go:embed *.css *.js
var files embed.FS

var _ = ui.Folder("viewer", files)
