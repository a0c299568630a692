// Package deploy checks the files that an instance is started from without the
// programs that read them: the Dockerfile, the Compose files and the Kubernetes
// manifest. Its tests check the files of this repository, and that broken
// copies of them are found.
//
// It is a module of its own so that the program depends on none of this:
//
//   - github.com/moby/buildkit is what "docker build" reads a Dockerfile with,
//     and has its checks
//   - github.com/compose-spec/compose-go is what "docker compose" reads its
//     files with, and has the schema of the specification
//   - k8s.io/api and k8s.io/apimachinery have the types of Kubernetes' objects,
//     and the strict decoder that the API server has for them
//   - github.com/distribution/reference and github.com/opencontainers/go-digest
//     are the names of images and the sums that such names have
package deploy
