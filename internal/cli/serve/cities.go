package serve

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"vitrine/internal/cli/instance"
	"vitrine/internal/visitor/geo"
)

// openCities opens the city file. It returns an error if an explicitly
// configured file is missing.
func openCities(ctx context.Context, f instance.CityFlags, data string, log *slog.Logger) (*geo.File, error) {
	file := &geo.File{Path: f.File(data), Optional: f.Geo == "", Temp: filepath.Join(data, "temp"),
		Room: instance.RoomIn, Log: log}
	return file, file.Open(ctx)
}

// oldCities is the age from which the doctor recommends a new city file.
const oldCities = 100 * 24 * time.Hour

// cities checks the city file.
func (d *doctor) cities(context.Context) {
	const part = "cities"
	path := d.File(d.Data)
	kind, built, err := geo.Check(path)
	switch {
	case d.Geo == "" && errors.Is(err, fs.ErrNotExist):
		d.report(part, note, "There is no city file, so reports have countries only. \"vitrine admin cities\" fetches one.")
	case err != nil:
		d.report(part, wrong, "%s cannot be used: %v.", path, err)
	case d.now().Sub(built) > oldCities:
		d.report(part, warning, "%s (%s) is of %s, and addresses change over time. Run \"vitrine admin cities\".", path,
			kind, built.Format(time.DateOnly))
	default:
		d.report(part, fine, "%s (%s) is of %s.", path, kind, built.Format(time.DateOnly))
	}
}
