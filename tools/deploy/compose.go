package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// Compose returns the problems of a Compose file in a directory: errors of
// Compose, image tags that are not fixed, and files of this machine that do not
// exist. The given settings replace the environment. Images that the file
// builds need no version.
func Compose(b []byte, dir string, settings ...string) []string {
	project, err := load(b, dir, settings)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	missing := func(service, path string) {
		if _, err := os.Stat(path); err != nil {
			faults = append(faults, fmt.Sprintf("service %s: there is no %s", service, path))
		}
	}
	for _, s := range project.Services {
		if s.Build == nil {
			faults = append(faults, unpinned(s.Image)...)
		} else {
			missing(s.Name, filepath.Join(s.Build.Context, s.Build.Dockerfile))
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				missing(s.Name, v.Source)
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// load reads a Compose file as "docker compose" does: a project that has no
// name is called after its directory.
func load(b []byte, dir string, settings []string) (*types.Project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{WorkingDir: dir,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(dir, "compose.yaml"), Content: b}},
		Environment: types.NewMapping(settings)},
		func(o *loader.Options) {
			o.SkipInclude = true
			o.SetProjectName(loader.NormalizeProjectName(filepath.Base(dir)), false)
		})
}
