package deploy

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/loader"
)

// Compose returns the problems of a Compose file: errors of Compose, and image
// tags that are not fixed. The given settings replace the environment. Images
// that the file builds need no version.
func Compose(path string, settings ...string) []string {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithWorkingDirectory(filepath.Dir(path)),
		cli.WithName("vitrine"), cli.WithEnv(settings),
		cli.WithLoadOptions(func(o *loader.Options) { o.SkipInclude = true }))
	if err != nil {
		return []string{err.Error()}
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	for _, s := range project.Services {
		if s.Build == nil {
			faults = append(faults, unpinned(s.Image)...)
		}
	}
	slices.Sort(faults)
	return faults
}
