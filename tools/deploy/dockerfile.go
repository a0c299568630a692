package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/distribution/reference"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/solver/pb"
	"github.com/opencontainers/go-digest"
)

// Dockerfile returns the problems of a Dockerfile: errors and warnings of
// BuildKit, and base images with tags that are not fixed. It does not fetch
// images.
func Dockerfile(b []byte) []string {
	var faults []string
	source := llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", b)
	source.Definition = &llb.Definition{}
	found, err := dockerfile2llb.DockerfileLint(context.Background(), b,
		dockerfile2llb.ConvertOpt{SourceMap: source, MetaResolver: noImages{}})
	if err != nil {
		return []string{err.Error()}
	}
	if found.Error != nil {
		return []string{found.Error.Message}
	}
	for _, w := range found.Warnings {
		faults = append(faults, fmt.Sprintf("line %d: %s: %s", line(w.Location), w.RuleName, w.Detail))
	}
	parsed, err := parser.Parse(bytes.NewReader(b))
	if err != nil {
		return append(faults, err.Error())
	}
	stages, _, err := instructions.Parse(parsed.AST, nil)
	if err != nil {
		return append(faults, err.Error())
	}
	var names []string
	for i, s := range stages {
		images := []string{s.BaseName}
		for _, c := range s.Commands {
			if c, ok := c.(*instructions.CopyCommand); ok && c.From != "" {
				images = append(images, c.From)
			}
		}
		for _, image := range images {
			if number, err := strconv.Atoi(image); image != "scratch" && !slices.Contains(names, image) &&
				(err != nil || number >= i) {
				faults = append(faults, unpinned(image)...)
			}
		}
		names = append(names, s.Name)
	}
	return faults
}

func line(at *pb.Location) int32 {
	if at == nil || len(at.Ranges) == 0 {
		return 0
	}
	return at.Ranges[0].Start.Line
}

// noImages returns an empty configuration for every image.
type noImages struct{}

func (noImages) ResolveImageConfig(_ context.Context, ref string,
	opt sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	config := map[string]any{"os": "linux", "architecture": "amd64",
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest.FromString(ref).String()}}}
	b, err := json.Marshal(config)
	return ref, "", b, err
}

// moving are tags that point to another image after each release.
var moving = []string{"latest", "stable", "edge", "nightly", "main", "master"}

// unpinned returns a problem if an image reference has no fixed tag or digest.
func unpinned(image string) []string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return []string{fmt.Sprintf("image %s: %v", image, err)}
	}
	if _, ok := named.(reference.Digested); ok {
		return nil
	}
	tagged, ok := named.(reference.Tagged)
	switch {
	case !ok:
		return []string{fmt.Sprintf("image %s has no tag", image)}
	case slices.Contains(moving, tagged.Tag()):
		return []string{fmt.Sprintf("image %s: the tag names no version", image)}
	}
	return nil
}
