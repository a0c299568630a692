// Package release makes the files of a release (release.sh). It is a separate
// module, so that the program does not depend on its libraries:
//
//   - github.com/CycloneDX/cyclonedx-gomod generates the bill of materials
//   - github.com/goreleaser/nfpm makes Debian packages, without Debian
//   - github.com/google/go-containerregistry makes container images, without
//     Docker
//   - golang.org/x/crypto/x509roots/fallback has the certificates of
//     authorities for the image, from Mozilla's list
package release
