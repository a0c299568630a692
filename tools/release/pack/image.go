package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is who the image runs as: nonroot, as in the image of the Dockerfile.
const user = 65532

// config is the configuration of the image of the Dockerfile.
var config = v1.Config{
	Env:          []string{"VITRINE_DATA=/data", "VITRINE_LISTEN=:8080", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"},
	Volumes:      map[string]struct{}{"/data": {}},
	ExposedPorts: map[string]struct{}{"8080/tcp": {}},
	User:         "65532:65532",
	Entrypoint:   []string{"/vitrine"},
	Cmd:          []string{"serve"},
}

// image makes an image for all architectures, in one file.
func (r release) image(programs map[string]string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range slices.Sorted(maps.Keys(programs)) {
		image, err := r.imageOf(arch, programs[arch])
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	dir, err := os.MkdirTemp("", "pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l, err := layout.Write(dir, mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	if err != nil {
		return err
	}
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})
	if err := l.AppendIndex(index, named); err != nil { // one image, which has all architectures
		return err
	}
	out, err := os.Create(filepath.Join(r.dir, "vitrine_"+r.version+"_oci.tar"))
	if err != nil {
		return err
	}
	return errors.Join(r.archive(out, dir), out.Close())
}

// imageOf makes the image of one program. It has nothing else but the
// certificates of authorities, an empty directory for data and one for
// temporary files.
func (r release) imageOf(arch, program string) (v1.Image, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range []struct {
		name    string
		mode    int64
		owner   int
		content []byte
	}{
		{"data/", 0o700, user, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/passwd", 0o644, 0, []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n")},
		{"etc/group", 0o644, 0, []byte("root:x:0:\nnonroot:x:65532:\n")},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities()},
		{"tmp/", 0o1777, 0, nil},
		{"vitrine", 0o755, 0, content},
	} {
		h := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.content)),
			ModTime: r.at, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	c := config
	c.Labels = map[string]string{"org.opencontainers.image.title": "vitrine",
		"org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "MIT"}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Created, file.OS, file.Architecture, file.Config = v1.Time{Time: r.at}, "linux", arch, c
	return mutate.ConfigFile(image, file)
}

// authorities returns the certificates that Mozilla trusts without conditions,
// which a file cannot express.
func authorities() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return b.Bytes()
}

// archive writes the files of a directory, in the order of their names.
func (r release) archive(out io.Writer, dir string) error {
	w := tar.NewWriter(out)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, ModTime: r.at, Typeflag: tar.TypeReg,
			Size: info.Size(), Format: tar.FormatPAX}
		if d.IsDir() {
			h.Name, h.Mode, h.Typeflag, h.Size = h.Name+"/", 0o755, tar.TypeDir, 0
		}
		if err := w.WriteHeader(h); err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
	return errors.Join(err, w.Close())
}
