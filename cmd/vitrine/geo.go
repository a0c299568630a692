package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"vitrine/internal/command"
	"vitrine/internal/datadir"
	"vitrine/internal/geo"
	"vitrine/internal/instance"
	"vitrine/internal/terminal"

	"github.com/dustin/go-humanize"
)

// geoFlags configure the city file.
type geoFlags struct {
	Geo string
}

// AddFlags adds the flags to a command.
func (f *geoFlags) AddFlags(cmd *command.Command) {
	cmd.Title("Advanced")
	cmd.String(&f.Geo, "geo", "FILE", "City file (.mmdb), which maps addresses to cities, such as DB-IP's City Lite or MaxMind's GeoLite2 City. A new file is used within seconds. Default: cities.mmdb in the data directory, if it exists; \"vitrine admin cities\" puts it there.").Env("VITRINE_GEO")
}

// file returns the path of the city file of an instance.
func (f geoFlags) file(data string) string {
	return cmp.Or(f.Geo, filepath.Join(data, geo.DefaultName))
}

// openCities opens the city file. It returns an error if an explicitly
// configured file is missing.
func (f geoFlags) openCities(ctx context.Context, data string, log *slog.Logger) (*geo.File, error) {
	file := &geo.File{Path: f.file(data), Optional: f.Geo == "", Temp: filepath.Join(data, "temp"),
		Room: datadir.RoomIn, Log: log}
	return file, file.Open(ctx)
}

type citiesCmd struct {
	geoFlags
	Data string
	From string
}

func newCities() *command.Command {
	c := new(citiesCmd)
	cmd := command.New("cities", "Download DB-IP's free city file of this month and replace the current one.", c.Run)
	cmd.Long = `Downloads dbip-city-lite-YYYY-MM.mmdb.gz of this month, or of last month if that is not published
yet: about 60 MB. The new file replaces the old one once it is complete and addresses were found in
it. If anything fails, the old file stays. A running server uses the new file within seconds. DB-IP
publishes a new file each month. Its licence (CC BY 4.0) requires a link to DB-IP where cities are
shown. The pages contain it.`
	cmd.Examples("admin cities --data /var/lib/vitrine")
	c.geoFlags.AddFlags(cmd)
	c.Data = "data"
	cmd.Path(&c.Data, "data", "DIR", "Directory of the instance. Default: data, in the current directory.").Env("VITRINE_DATA")
	c.From = geo.DownloadRoot
	cmd.String(&c.From, "from", "URL", "Address of the folder that the file is fetched from, for a mirror.")
	return cmd
}

// Run downloads the file.
func (c *citiesCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	path := c.file(c.Data)
	room, _, err := datadir.RoomIn(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no directory %s: set --data to that of the instance", filepath.Dir(path))
	}
	if _, err := os.Stat(filepath.Join(c.Data, datadir.LockFile)); err != nil && c.Geo == "" &&
		!(instance.Places{Data: c.Data}).Exists() {
		return fmt.Errorf("there is no Vitrine instance in %s: set --data to its directory, or --geo to a file", c.Data)
	}
	if err == nil && room >= 0 && room < minFree {
		return fmt.Errorf("there is not enough space on the disk of %s: %s, and %s are needed", filepath.Dir(path),
			humanize.IBytes(uint64(room)), humanize.IBytes(minFree))
	}
	got, err := geo.Fetch(ctx, c.From, path, instance.Clock())
	if err != nil {
		return err
	}
	t.Say("%s: %s of %s, %s", path, terminal.Plain(got.Kind), got.Built.Format(time.DateOnly),
		humanize.Bytes(uint64(got.Size)))
	return nil
}

// oldCities is the age from which the doctor recommends a new city file.
const oldCities = 100 * 24 * time.Hour

// cities checks the city file.
func (d *doctor) cities(context.Context) {
	const part = "cities"
	path := d.file(d.Data)
	kind, built, err := geo.Check(path)
	switch {
	case d.Geo == "" && errors.Is(err, fs.ErrNotExist):
		d.report(part, note, "There is no city file, so reports have countries only. \"vitrine admin cities\" fetches one.")
	case err != nil:
		d.report(part, wrong, "%s cannot be used: %v.", path, err)
	case d.now().Sub(built) > oldCities:
		d.report(part, warning, "%s (%s) is of %s, and addresses change over time. Run \"vitrine admin cities\".", path,
			kind,
			built.Format(time.DateOnly))
	default:
		d.report(part, fine, "%s (%s) is of %s.", path, kind, built.Format(time.DateOnly))
	}
}
