// Package deploy checks the Dockerfile, the Compose files and the Kubernetes
// manifest without Docker or Kubernetes. Its tests check the files of this
// repository, and that broken copies are detected.
//
// It is a separate module, so that the program does not depend on its
// libraries:
//
//   - github.com/moby/buildkit is the Dockerfile parser of "docker build" with
//     its checks
//   - github.com/compose-spec/compose-go is the parser of "docker compose"
//     with the schema of the specification
//   - k8s.io/api and k8s.io/apimachinery have the types of Kubernetes objects
//     and the strict decoder of the API server
//   - github.com/distribution/reference and github.com/opencontainers/go-digest
//     parse image references and digests
package deploy
