package viewer

import (
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
